//! Plans of benefits beside payrolls that are processed already.

use serde_json::{Value, json};

use super::{company, enter, hours};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// The deduction of each coming payroll without the plan and with it, by the last day of the pay period.
async fn planned(
    company: &Company,
    employee: &str,
    (benefit, window): (&str, Value),
) -> Vec<(String, String, String)> {
    let body = json!({ "company_benefit_uuid": benefit, "timeline": [window] });
    let plan = company.post(format!("/v1/employees/{employee}/employee_benefits/plan"), body).await.ok();
    let deduction = |one: &Value, side: &str| text(&one[side], "employee_deduction");
    let payrolls = plan["payrolls"].as_array().unwrap().iter();
    payrolls
        .map(|one| (text(one, "pay_period_end_date"), deduction(one, "before"), deduction(one, "after")))
        .collect()
}

#[test]
fn a_plan_says_nothing_of_a_payroll_that_is_processed_and_counts_it_once() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let care = json!({ "benefit_type": 11, "description": "Dependent care" });
        let care = id_of(&company.post("/v1/companies/{company}/company_benefits", care).await.created());
        let held = json!({ "company_benefit_uuid": care, "employee_deduction": "25.00", "effective_date": "2026-06-01",
                           "employee_deduction_annual_maximum": "75.00" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
        let periods = company.get("/v1/companies/{company}/pay_periods").await.list();
        let period = periods.iter().find(|one| one["end_date"] == "2026-06-28").unwrap();
        let payroll = text(&period["payroll"], "payroll_uuid");
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let ended = (&*care, json!({ "effective_date": "2026-06-20", "enrolled": false }));
        let row =
            |(end, before, after): (&str, &str, &str)| (end.to_owned(), before.to_owned(), after.to_owned());
        let told = planned(&company, &ana, ended.clone()).await;
        let open = [
            ("2026-06-28", "25.00", "0.00"),
            ("2026-07-12", "25.00", "0.00"),
            ("2026-07-26", "25.00", "0.00"),
        ];
        assert_eq!(told[..3], open.map(row), "calculated alone it can still change");

        company.submit(&payroll).await;
        let told = planned(&company, &ana, ended).await;
        assert_eq!(told[..2], open[1..].iter().map(|one| row(*one)).collect::<Vec<_>>()[..]);
        // 25.00 of the 75.00 are taken.
        let later = (&*care, json!({ "effective_date": "2026-08-20", "enrolled": false }));
        let told = planned(&company, &ana, later).await;
        let expected = [
            ("2026-07-12", "25.00", "25.00"),
            ("2026-07-26", "25.00", "25.00"),
            ("2026-08-09", "0.00", "0.00"),
        ];
        assert_eq!(told[..3], expected.map(row));
    });
}

#[test]
fn a_plan_knows_that_the_wages_of_the_year_before_make_catch_up_contributions_roth_contributions() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("100000", "Year", "Exempt")).await;
        let path = format!("/v1/employees/{ana}");
        let version = company.get(&path).await.ok()["version"].clone();
        company.put(&path, json!({ "version": version, "date_of_birth": "1970-05-05" })).await.ok();
        let savings = json!({ "benefit_type": 5, "description": "401(k)" });
        let savings =
            id_of(&company.post("/v1/companies/{company}/company_benefits", savings).await.created());
        let elsewhere = |year: i64, dollars: &str| json!({ "benefit_type": 5, "tax_year": year, "ytd_employee_deduction_amount": dollars });
        let told = format!("{path}/ytd_benefit_amounts_from_different_company");
        company.post(&told, elsewhere(2026, "24000.00")).await.is(204);
        let held = json!({ "company_benefit_uuid": savings, "employee_deduction": "1000.00", "catch_up": true,
                           "effective_date": "2026-06-15" });
        company.post(format!("{path}/employee_benefits"), held).await.created();
        let wish = || (&*savings, json!({ "effective_date": "2026-07-13", "employee_deduction": "1000.00" }));
        let of = async |company: &Company| {
            let told = planned(company, &ana, wish()).await;
            told.into_iter().map(|(_, before, _)| before).take(2).collect::<Vec<_>>()
        };
        assert_eq!(of(&company).await, ["1000.00", "1000.00"], "catch-up contributions before tax");

        // 24,500.00 of the year less 24,000.00: what is beyond would have to be Roth contributions.
        let balances =
            json!({ "year": 2025, "wages": [{ "name": "social_security", "amount": "170000.00" }] });
        company.put(format!("{path}/opening_balances"), balances).await.ok();
        assert_eq!(of(&company).await, ["500.00", "0.00"]);
        let decided = json!({ "effective_year": 2026, "is_high_earner": false });
        company.post(format!("{path}/section603_high_earner_statuses"), decided).await.created();
        assert_eq!(of(&company).await, ["1000.00", "1000.00"], "the company has decided");
    });
}

#[test]
fn a_plan_over_the_turn_of_the_year_knows_what_counts_in_the_next_one() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("100000", "Year", "Exempt")).await;
        let savings = json!({ "benefit_type": 5, "description": "401(k)" });
        let savings =
            id_of(&company.post("/v1/companies/{company}/company_benefits", savings).await.created());
        let held = json!({ "company_benefit_uuid": savings, "employee_deduction": "100.00", "effective_date": "2026-06-15" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
        let told = format!("/v1/employees/{ana}/ytd_benefit_amounts_from_different_company");
        let next =
            json!({ "benefit_type": 5, "tax_year": 2027, "ytd_employee_deduction_amount": "99999.00" });
        company.post(&told, next).await.is(204);
        let wish = json!({ "effective_date": "2027-01-01", "employee_deduction": "100.00" });
        let told = planned(&company, &ana, (&savings, wish)).await;
        let taken = |year: &str| {
            told.iter().filter(|one| one.0.starts_with(year)).map(|one| &*one.1).collect::<Vec<_>>()
        };
        assert!(taken("2026-1").iter().all(|dollars| *dollars == "100.00"), "{told:?}");
        assert_eq!(
            taken("2027-01").last(),
            Some(&"0.00"),
            "the limit of 2027 is used up elsewhere: {told:?}"
        );
    });
}
