//! Fees that the employer takes for the work of garnishments: on the paycheck, in the totals, the books and what is remitted.

use serde_json::{Value, json};

use super::{cents, company, enter, explanation_of, hours, number, of, path, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// An order for support of 100.00 of each pay, and whether the employer takes its fee.
async fn order(company: &Company, employee: &str, fee: Option<bool>) -> String {
    let mut support = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50", "deduct_as_percentage": true,
                          "pay_period_maximum": "100.00",
                          "child_support": { "state": "TX", "payment_period": "Every other week", "fips_code": "48000",
                                             "case_number": "0012345678" } });
    if let Some(fee) = fee {
        support["employer_fee"] = json!(fee);
    }
    id_of(&company.post(format!("/v1/employees/{employee}/garnishments"), support).await.created())
}

/// Everything that the payroll of Ana, whose order has a fee of 3.33, and of Max, whose order has none, says of it.
async fn is_a_line_of_its_own(company: &Company, payroll: &str, ana: &str, order: &str) {
    let told = read(company, payroll, "taxes,deductions,totals").await;
    let one = of(&told, ana);
    let fee = &one["garnishment_fees"][0];
    // Texas allows 10.00 a month, of which every other week takes a third.
    assert_eq!(
        (number(&fee["amount"]), text(fee, "garnishment_uuid")),
        ("3.33".to_owned(), order.to_owned())
    );
    assert_eq!(cents(&one["deductions"][0]["amount"]), 10_000);
    let taxes = one["taxes"].as_array().unwrap().iter().filter(|tax| tax["employer"] == false);
    let taxes: i64 = taxes.map(|tax| cents(&tax["amount"])).sum();
    assert_eq!(cents(&one["net_pay"]), cents(&one["gross_pay"]) - taxes - 10_333);
    let total = |name: &str| cents(&told["totals"][name]);
    assert_eq!((total("other_deductions"), total("child_support_debit")), (20_333, 20_000));
    let debit = total("net_pay_debit") + total("reimbursement_debit") + total("tax_debit") + 20_000;
    assert_eq!(total("company_debit"), debit, "the employer keeps the fee");
    let stub = company.get(path(payroll, &format!("/employees/{ana}/pay_stub"))).await.is(200).text();
    assert!(stub.contains("Fee of the employer: Child support - 0012345678") && stub.contains("3.33"));
    let explained = explanation_of(company, payroll, ana).await.to_string();
    for part in
        [format!("employer_fee {order}"), "left_of_limit".to_owned(), "42 USC 666(b)(6)(A)(i)".to_owned()]
    {
        assert!(explained.contains(&part), "{part}");
    }
}

#[test]
fn a_fee_is_a_line_of_its_own_that_the_employer_keeps() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let _bank = crate::money::bank_and_agencies(&company.world).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        let with_fee = order(&company, &ana, Some(true)).await;
        order(&company, &max, Some(false)).await;
        for who in [&ana, &max] {
            enter(&company, &payroll, who, hours("80")).await.ok();
        }
        let told = company.calculate(&payroll).await;
        assert_eq!(
            of(&told, &max)["garnishment_fees"],
            Value::Null,
            "nobody takes a fee without asking for it"
        );
        let both = [&ana, &max].map(|who| cents(&of(&told, who)["net_pay"]));
        assert_eq!(both[1] - both[0], 333);
        is_a_line_of_its_own(&company, &payroll, &ana, &with_fee).await;

        company.submit(&payroll).await;
        let range = "start_date=2026-06-01&end_date=2026-07-31";
        let remitted =
            company.get(format!("/v1/companies/{{company}}/child_support_remittances?{range}")).await.list();
        let amounts: Vec<_> = remitted.iter().map(|one| text(one, "amount")).collect();
        assert_eq!(amounts, ["100.00", "100.00"]);
        let lines = company.get(format!("/v1/companies/{{company}}/journal?{range}")).await.list();
        let sum = |account: &str| -> i64 {
            let of_account = lines.iter().filter(|line| line["account"] == account);
            of_account.map(|line| cents(&line["debit"]) - cents(&line["credit"])).sum()
        };
        assert_eq!((sum("garnishment_fees"), sum("garnishments_payable")), (-333, -20_000));
        let all: i64 = lines.iter().map(|line| cents(&line["debit"]) - cents(&line["credit"])).sum();
        assert_eq!(all, 0);
        let receipt = company.get(format!("/v1/payrolls/{payroll}/receipt")).await.ok();
        let mut all = receipt["employee_compensations"].as_array().unwrap().iter();
        let of_ana = all.find(|one| one["employee_uuid"] == ana).unwrap();
        assert_eq!(text(of_ana, "total_garnishments"), "103.33");
        assert_eq!(text(of_ana, "child_support_garnishment"), "100.00");
    });
}

#[test]
fn a_fee_is_off_by_default_can_be_changed_and_is_refused_where_no_law_has_one() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let id = order(&company, &ana, None).await;
        let path_of = format!("/v1/garnishments/{id}");
        let held = company.get(&path_of).await.ok();
        assert_eq!(held["employer_fee"], false);
        let on = json!({ "version": held["version"], "employer_fee": true });
        let changed = company.put(&path_of, on).await.ok();
        assert_eq!(changed["employer_fee"], true);
        let preview = format!("/v1/employees/{ana}/garnishments/preview?gross=2000&pay_frequency=Monthly");
        assert_eq!(text(&company.get(preview).await.ok()["deductions"][0], "employer_fee"), "10.00");
        let loan = json!({ "court_ordered": true, "garnishment_type": "student_loan", "amount": "10", "employer_fee": true });
        let refused = company.post(format!("/v1/employees/{ana}/garnishments"), loan).await.refused(422);
        assert_eq!(refused.fault().0, "employer_fee");
        // Off-cycle pay takes no fee: what a state allows for a month or a period is for the regular payment.
        let paid = super::paid_on(&company, &ana, ("2026-06-01", "2026-06-14", "2026-06-19")).await;
        assert_eq!(of(&read(&company, &paid, "deductions").await, &ana)["garnishment_fees"], Value::Null);
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        assert_eq!(
            number(&of(&read(&company, &payroll, "deductions").await, &ana)["garnishment_fees"][0]["amount"]),
            "3.33"
        );
    });
}

#[test]
fn a_bonus_before_the_first_regular_payment_leaves_the_fee_of_the_first_payment_to_it() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let tampa = id_of(&company.location("FL").await);
        let (ana, _) = company.onboarded("Ana", &tampa, ("25.00", "Hour", "Nonexempt")).await;
        order(&company, &ana, Some(true)).await;
        let bonus = company.off_cycle(&[&ana]).await;
        let gift = json!({ "fixed_compensations": [{ "name": "Bonus", "amount": "60.00" }] });
        enter(&company, &bonus, &ana, gift).await.ok();
        company.calculate(&bonus).await;
        let told = read(&company, &bonus, "deductions").await;
        let of_ana = of(&told, &ana);
        assert!(cents(&of_ana["deductions"][0]["amount"]) > 0, "{of_ana}");
        assert_eq!(of_ana["garnishment_fees"], Value::Null, "an off-cycle payroll takes no fee");
        company.submit(&bonus).await;
        // Florida: 5.00 of the first payment, 2.00 of later ones.
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let told = read(&company, &payroll, "deductions").await;
        assert_eq!(number(&of(&told, &ana)["garnishment_fees"][0]["amount"]), "5.00");
        explanation_of(&company, &payroll, &ana).await;
    });
}
