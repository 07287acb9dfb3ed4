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
