//! The sums of a payroll.

use serde_json::{Value, json};

use super::{cents, company, enter, hours, path};
use crate::support::{Engine, id_of, on_both_engines, text};

#[test]
fn the_sums_of_a_payroll_are_those_of_its_employees() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        company.crowd(&location, 600).await;
        let brooklyn = id_of(&company.location("NY").await);
        let (ana, _) = company.onboarded("Ana", &brooklyn, ("40.00", "Hour", "Nonexempt")).await;
        let offered = json!({ "benefit_type": 5, "description": "401(k)" });
        let offered = company.post("/v1/companies/{company}/company_benefits", offered).await.created();
        let held = json!({ "company_benefit_uuid": id_of(&offered), "employee_deduction": "33.33",
                           "effective_date": "2026-06-01" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
        let order =
            json!({ "court_ordered": true, "description": "Levy", "amount": "10.01", "recurring": true });
        company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
        let mut what = hours("80.123");
        what["fixed_compensations"] =
            json!([{ "name": "Bonus", "amount": "150.55" }, { "name": "Cash Tips", "amount": "12.34" }]);
        what["reimbursements"] = json!([{ "amount": "5.05", "description": "Parking" }]);
        enter(&company, &payroll, &ana, what).await.ok();
        company.calculate(&payroll).await;
        let (mut sums, mut taxes) = ([0; 3], std::collections::BTreeMap::new());
        let (mut benefits, mut deductions, mut count) = (0, 0, 0);
        let mut told = Value::Null;
        for page in 1..=7 {
            let include =
                format!("?include=benefits,deductions,taxes,totals,payroll_taxes&per=100&page={page}");
            told = company.get(path(&payroll, &include)).await.ok();
            for one in told["employee_compensations"].as_array().unwrap() {
                count += 1;
                for (sum, field) in sums.iter_mut().zip(["gross_pay", "net_pay", "check_amount"]) {
                    *sum += cents(&one[field]);
                }
                for tax in one["taxes"].as_array().unwrap() {
                    *taxes.entry((text(tax, "name"), tax["employer"] == true)).or_insert(0) +=
                        cents(&tax["amount"]);
                }
                let line = |list: &str, field: &str| -> i64 {
                    one[list].as_array().unwrap().iter().map(|line| cents(&line[field])).sum()
                };
                benefits += line("benefits", "employee_deduction");
                deductions += line("deductions", "amount");
            }
        }
        assert_eq!(count, 601);
        let totals = &told["totals"];
        let total = |name: &str| cents(&totals[name]);
        assert_eq!(sums[..2], [total("gross_pay"), total("net_pay")]);
        // What is paid out is net pay and expenses, by check or to accounts.
        assert_eq!(sums[2], total("net_pay") + total("reimbursements"));
        assert_eq!(sums[2], total("check_amount") + total("net_pay_debit") + total("reimbursement_debit"));
        let listed = told["payroll_taxes"].as_array().unwrap().iter();
        let listed: std::collections::BTreeMap<_, _> =
            listed.map(|tax| ((text(tax, "name"), tax["employer"] == true), cents(&tax["amount"]))).collect();
        assert_eq!(listed, taxes);
        let of = |employer: bool| {
            taxes.iter().filter(|(key, _)| key.1 == employer).map(|(_, sum)| *sum).sum::<i64>()
        };
        assert_eq!((of(false), of(true)), (total("employee_taxes"), total("employer_taxes")));
        assert_eq!(
            (benefits, deductions),
            (total("employee_benefits_deductions"), total("other_deductions"))
        );
        // Tips in cash are wages that the employee has already.
        let taken = of(false) + benefits + deductions + total("employee_cash_tips");
        assert_eq!(total("net_pay"), total("gross_pay") - taken);
    });
}
