//! Pay that a retirement plan leaves out of deductions and contributions in percent.

use serde_json::{Value, json};

use super::{company, enter, explanation_of, of, read};
use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines, text};

async fn plan(company: &Company, kind: i64) -> String {
    let body = json!({ "benefit_type": kind, "description": "401(k)" });
    id_of(&company.post("/v1/companies/{company}/company_benefits", body).await.created())
}

fn exclusions(plan: &str) -> String {
    format!("/v1/company_benefits/{plan}/contribution_exclusions")
}

fn named<'l>(list: &'l [Value], name: &str) -> &'l Value {
    list.iter().find(|one| one["contribution_type"] == name).unwrap_or_else(|| panic!("{name} in {list:?}"))
}

/// Leaves out the pay of some names, and counts all other pay.
async fn leave_out(company: &Company, plan: &str, names: &[&str]) -> Vec<Value> {
    let mut all = company.get(exclusions(plan)).await.list();
    for one in &mut all {
        let excluded = names.contains(&one["contribution_type"].as_str().unwrap());
        one["excluded"] = excluded.into();
    }
    company.put(exclusions(plan), json!({ "contribution_exclusions": all })).await.is(200).list()
}

#[test]
fn percentages_of_a_plan_are_of_the_pay_that_it_counts() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let gym = json!({ "name": "Gym Membership" });
        company.post("/v1/companies/{company}/earning_types", gym).await.created();
        let plan = plan(&company, 5).await;
        let enrolled = json!({ "company_benefit_uuid": plan, "employee_deduction": "10", "deduct_as_percentage": true,
                               "contribution": { "type": "percentage", "value": "5" }, "effective_date": "2026-01-01" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), enrolled).await.created();
        let what = json!({
            "hourly_compensations": [{ "name": "Regular Hours", "hours": "80" }, { "name": "Overtime", "hours": "10" }],
            "fixed_compensations": [{ "name": "Bonus", "amount": "400" }, { "name": "Gym Membership", "amount": "100" }],
        });
        enter(&company, &payroll, &ana, what).await.ok();
        let taken = async || {
            company.calculate(&payroll).await;
            let calculated = read(&company, &payroll, "benefits").await;
            let benefit = of(&calculated, &ana)["benefits"][0].clone();
            explanation_of(&company, &payroll, &ana).await;
            (benefit["employee_deduction"].to_string(), benefit["company_contribution"].to_string())
        };
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        // 80 hours at 20, 10 at 30, a bonus of 400 and 100 for the gym: 2,400.
        assert_eq!(taken().await, pair("240.00", "120.00"));
        let told = leave_out(&company, &plan, &["Bonus", "Overtime"]).await;
        assert_eq!(named(&told, "Bonus")["excluded"], true);
        assert_eq!(named(&told, "Regular")["excluded"], false);
        assert_eq!(taken().await, pair("170.00", "85.00"), "of 1,700");
        leave_out(&company, &plan, &["Gym Membership"]).await;
        assert_eq!(taken().await, pair("230.00", "115.00"), "of 2,300");
        leave_out(&company, &plan, &["Regular"]).await;
        assert_eq!(taken().await, pair("80.00", "40.00"), "of 800");
        leave_out(&company, &plan, &[]).await;
        assert_eq!(taken().await, pair("240.00", "120.00"));
    });
}

#[test]
fn a_bonus_that_a_plan_leaves_out_takes_nothing_of_the_pay_that_it_may_count_in_the_year() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("100.00", "Hour", "Nonexempt")).await;
        let plan = plan(&company, 5).await;
        leave_out(&company, &plan, &["Bonus"]).await;
        let enrolled = json!({ "company_benefit_uuid": plan, "contribution": { "type": "percentage", "value": "4" },
                               "effective_date": "2026-01-01" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), enrolled).await.created();
        let given = async |payroll: &str, what: Value| {
            enter(&company, payroll, &ana, what).await.ok();
            company.calculate(payroll).await;
            let calculated = read(&company, payroll, "benefits").await;
            explanation_of(&company, payroll, &ana).await;
            of(&calculated, &ana)["benefits"][0]["company_contribution"].to_string()
        };
        let bonus = company.off_cycle(&[&ana]).await;
        let amount = json!({ "fixed_compensations": [{ "name": "Bonus", "amount": "400000" }] });
        assert_eq!(given(&bonus, amount).await, "0.00");
        company.submit(&bonus).await;
        // 26 USC 401(a)(17): of 360,000.00 nothing was counted yet.
        assert_eq!(given(&payroll, super::hours("80")).await, "320.00");
    });
}

#[test]
fn only_plans_of_deferrals_leave_pay_out_and_only_pay_that_there_is() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (medical, plan) = (plan(&company, 1).await, plan(&company, 105).await);
        assert_eq!(
            company.get(exclusions(&medical)).await.refused(422).fault(),
            ("base", "invalid_operation")
        );
        company.get(exclusions(NOBODY)).await.refused(404);
        let all = company.get(exclusions(&plan)).await.list();
        let names: Vec<_> = all.iter().map(|one| text(one, "contribution_type")).collect();
        let expected = [
            "Regular",
            "Overtime",
            "Paid Time Off",
            "Bonus",
            "Commission",
            "Paycheck Tips",
            "Cash Tips",
            "Correction Payment",
        ];
        assert_eq!(names, expected);
        assert!(all.iter().all(|one| one["excluded"] == false));

        let put = async |items: Value| {
            company.put(exclusions(&plan), json!({ "contribution_exclusions": items })).await
        };
        let bonus = named(&all, "Bonus")["contribution_uuid"].clone();
        let wrong =
            put(json!([{ "contribution_uuid": NOBODY, "excluded": true }, { "contribution_uuid": bonus }]));
        let faults = wrong.await.refused(422);
        assert_eq!(faults.keys(), ["contribution_exclusions", "contribution_exclusions"]);
        company.put(exclusions(&plan), json!({})).await.refused(422);
        assert_eq!(company.get(exclusions(&plan)).await.list(), all, "nothing was changed");

        let known = company.count_events().await;
        let one = json!([{ "contribution_uuid": bonus, "excluded": true }]);
        put(one.clone()).await.ok();
        put(one).await.ok();
        assert_eq!(company.event_types_since(known).await, ["company_benefit.updated"], "once");
        company.put(exclusions(&medical), json!({ "contribution_exclusions": [] })).await.refused(422);
    });
}
