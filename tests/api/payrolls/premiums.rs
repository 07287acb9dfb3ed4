//! Premiums of insurance that paychecks did not deduct: told until they are recovered.

use serde_json::json;

use super::{calculated, cents, company, enter, hours, of, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const SETTINGS: &str = "/v1/companies/{company}/payroll_settings";

/// Enrolls an employee in a medical plan of 100.00 for each pay period.
async fn enroll(company: &Company, employee: &str, from: &str) -> String {
    let plan = json!({ "benefit_type": 1, "description": "Medical" });
    let plan = id_of(&company.post("/v1/companies/{company}/company_benefits", plan).await.created());
    let held =
        json!({ "company_benefit_uuid": plan, "employee_deduction": "100.00", "effective_date": from });
    company.post(format!("/v1/employees/{employee}/employee_benefits"), held).await.created();
    plan
}

/// The payroll of the pay period that ends on a day.
async fn ending(company: &Company, end: &str) -> String {
    let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-08-31").await.list();
    let period = periods.iter().find(|period| period["end_date"] == end).unwrap();
    text(&period["payroll"], "payroll_uuid")
}

/// Calculates and submits the payroll with these hours; what it deducts in cents, and the amounts of its warnings of missed premiums.
async fn pay(company: &Company, payroll: &str, employee: &str, worked: &str) -> (i64, Vec<String>) {
    enter(company, payroll, employee, hours(worked)).await.ok();
    let told = calculated(company, payroll).await;
    let with_benefits = read(company, payroll, "benefits").await;
    let benefits = of(&with_benefits, employee)["benefits"].as_array().unwrap();
    let deducted = benefits.iter().map(|one| cents(&one["employee_deduction"])).sum();
    let warnings = of(&told, employee)["warnings"].as_array().unwrap();
    let missed =
        warnings.iter().filter(|one| one["key"] == "premiums_missed").map(|one| text(one, "message"));
    let amount = |message: String| message.split(' ').nth(2).unwrap().to_owned();
    let missed = missed.map(amount).collect();
    company.submit(payroll).await;
    (deducted, missed)
}

#[test]
fn a_premium_that_the_pay_did_not_cover_is_told_until_later_paychecks_recover_it() {
    on_both_engines(async |engine: Engine| {
        let (company, location, first) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enroll(&company, &ana, "2026-06-01").await;
        // 40.00 of pay cover 36.94 of the premium after 3.06 of Social Security and Medicare: the rest is told as cut.
        let (deducted, missed) = pay(&company, &first, &ana, "2").await;
        assert!(deducted > 0 && deducted < 10_000 && missed.is_empty(), "{deducted} {missed:?}");
        let open = format!("{}.{:02}", (10_000 - deducted) / 100, (10_000 - deducted) % 100);
        let second = ending(&company, "2026-06-28").await;
        assert_eq!(pay(&company, &second, &ana, "80").await, (10_000, vec![open]));
        let set = company.put(SETTINGS, json!({ "recover_missed_premiums": true })).await.ok();
        assert_eq!(set["recover_missed_premiums"], true);
        let third = ending(&company, "2026-07-12").await;
        assert_eq!(pay(&company, &third, &ana, "80").await, (20_000 - deducted, vec![]));
        let fourth = ending(&company, "2026-07-26").await;
        assert_eq!(pay(&company, &fourth, &ana, "80").await, (10_000, vec![]), "it is recovered once");
    });
}

#[test]
fn premiums_of_a_late_enrollment_are_those_of_the_pay_periods_that_were_paid_before_it() {
    on_both_engines(async |engine: Engine| {
        let (company, location, first) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        assert_eq!(pay(&company, &first, &ana, "80").await, (0, vec![]));
        let second = ending(&company, "2026-06-28").await;
        assert_eq!(pay(&company, &second, &ana, "80").await, (0, vec![]));
        // It is entered after both, and counts from a day within the second.
        let plan = enroll(&company, &ana, "2026-06-20").await;
        let third = ending(&company, "2026-07-12").await;
        assert_eq!(pay(&company, &third, &ana, "80").await, (10_000, vec!["100.00".to_owned()]));
        let fourth = ending(&company, "2026-07-26").await;
        assert_eq!(
            pay(&company, &fourth, &ana, "80").await,
            (10_000, vec!["100.00".to_owned()]),
            "counted once"
        );
        // A new record ends the warning: what was missed is settled in another way.
        let held = json!({ "company_benefit_uuid": plan, "employee_deduction": "100.00", "effective_date": "2026-07-27" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
        let fifth = ending(&company, "2026-08-09").await;
        assert_eq!(pay(&company, &fifth, &ana, "80").await, (10_000, vec![]));
    });
}

#[test]
fn a_record_in_place_of_another_one_misses_only_what_it_asks_for_beyond_it() {
    on_both_engines(async |engine: Engine| {
        let (company, location, first) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let plan = enroll(&company, &ana, "2026-06-01").await;
        assert_eq!(pay(&company, &first, &ana, "80").await, (10_000, vec![]));
        let dearer = json!({ "company_benefit_uuid": plan, "employee_deduction": "130.00", "effective_date": "2026-06-10" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), dearer).await.created();
        let second = ending(&company, "2026-06-28").await;
        assert_eq!(pay(&company, &second, &ana, "80").await, (13_000, vec!["30.00".to_owned()]));
    });
}
