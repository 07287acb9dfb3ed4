//! Laws on wages that a paycheck cannot hold with what was entered: it says which one may ask for more.

use serde_json::{Value, json};

use super::pay::{adjust, wage, warned};
use super::{company, enter, line, of, path};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// A location.
async fn location(company: &Company, (city, state, zip): (&str, &str, &str)) -> String {
    let body = json!({ "street_1": "1 Main Street", "city": city, "state": state, "zip": zip, "phone_number": "2105550142" });
    id_of(&company.post("/v1/companies/{company}/locations", body).await.created())
}

/// Which of some warnings a paycheck has.
async fn told_of(company: &Company, (payroll, employee): (&str, &str), keys: &[&str]) -> Vec<String> {
    company.calculate(payroll).await;
    let warned = warned(company, payroll, employee).await;
    warned.into_iter().filter(|key| keys.contains(&key.as_str())).collect()
}

/// Eight hours of a day.
fn day(day: &str) -> Value {
    json!({ "name": "Regular Hours", "hours": "8", "date": day })
}

#[test]
fn an_hourly_rate_below_the_minimum_wage_of_the_place_without_the_adjustment_is_paid_and_told() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let california = id_of(&company.location("CA").await);
        let told = async |name: &str, place: &str, rate: &str, status: &str, adjusted: bool| {
            let (ana, job) = company.onboarded(name, place, (rate, "Hour", status)).await;
            if adjusted {
                adjust(&company, &job, &wage(&company, place, "Federal").await).await;
            }
            enter(&company, &payroll, &ana, json!({ "hourly_compensations": [day("2026-06-02")] }))
                .await
                .ok();
            told_of(&company, (&payroll, &ana), &["below_minimum_wage"]).await
        };
        let is_told = ["below_minimum_wage"];
        assert_eq!(told("Ana", &texas, "7.24", "Nonexempt", false).await, is_told);
        assert_eq!(told("Bea", &texas, "7.25", "Nonexempt", false).await, [""; 0]);
        // The adjustment brings it up.
        assert_eq!(told("Cal", &texas, "2.13", "Nonexempt", true).await, [""; 0]);
        // The city's is higher than the state's 16.90.
        assert_eq!(told("Dan", &california, "17.00", "Nonexempt", false).await, is_told);
    });
}

#[test]
fn tips_count_by_the_week_in_massachusetts_and_the_paycheck_says_that_the_law_asks_by_shift() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let boston = id_of(&company.location("MA").await);
        for (name, place, authority, rate, tips, is_told) in [
            ("Ana", &boston, "State", "6.75", "330.00", true),
            ("Bea", &boston, "State", "6.75", "0.00", false),
            ("Cal", &texas, "Federal", "2.13", "330.00", false),
        ] {
            let (ana, job) = company.onboarded(name, place, (rate, "Hour", "Nonexempt")).await;
            adjust(&company, &job, &wage(&company, place, authority).await).await;
            let mut what = json!({ "hourly_compensations": [day("2026-06-02"), day("2026-06-03")] });
            if tips != "0.00" {
                what["fixed_compensations"] = json!([{ "name": "Paycheck Tips", "amount": tips }]);
            }
            enter(&company, &payroll, &ana, what).await.ok();
            let told = told_of(&company, (&payroll, &ana), &["tips_by_shift"]).await;
            assert_eq!(!told.is_empty(), is_told, "{name}");
        }
    });
}

#[test]
fn tips_of_hawaii_count_as_far_as_they_are_above_seven_dollars_an_hour() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let honolulu = id_of(&company.location("HI").await);
        for (name, tips, missing) in
            [("Ana", "80.00", "50.00"), ("Bea", "310.00", "20.00"), ("Cal", "400.00", "0.00")]
        {
            let (ana, job) = company.onboarded(name, &honolulu, ("14.75", "Hour", "Nonexempt")).await;
            adjust(&company, &job, &wage(&company, &honolulu, "State").await).await;
            let what = json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": "40", "workweek_start": "2026-06-01" }],
                               "fixed_compensations": [{ "name": "Paycheck Tips", "amount": tips }] });
            enter(&company, &payroll, &ana, what).await.ok();
            let told = company.calculate(&payroll).await;
            let found = &line(&of(&told, &ana)["fixed_compensations"], "Minimum Wage Adjustment")["amount"];
            assert!(found == missing || (found.is_null() && missing == "0.00"), "{name}: {found}");
        }
    });
}

#[test]
fn sundays_and_holidays_in_rhode_island_and_long_days_in_new_york_are_told() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let providence = location(&company, ("Providence", "RI", "02903")).await;
        let brooklyn = id_of(&company.location("NY").await);
        let keys = ["sunday_and_holiday_pay", "spread_of_hours"];
        let long = |hours: &str| json!({ "name": "Regular Hours", "hours": hours, "date": "2026-06-02" });
        for (name, place, hours, expected) in [
            // A Tuesday, and a Sunday.
            ("Ana", &providence, day("2026-06-02"), None),
            ("Bea", &providence, day("2026-06-07"), Some(keys[0])),
            ("Cal", &providence, json!({ "name": "Regular Hours", "hours": "8" }), Some(keys[0])),
            ("Dan", &brooklyn, day("2026-06-07"), None),
            ("Eva", &brooklyn, long("10"), None),
            ("Fay", &brooklyn, long("10.01"), Some(keys[1])),
        ] {
            let (ana, _) = company.onboarded(name, place, ("30.00", "Hour", "Nonexempt")).await;
            enter(&company, &payroll, &ana, json!({ "hourly_compensations": [hours] })).await.ok();
            let told = told_of(&company, (&payroll, &ana), &keys).await;
            assert_eq!(told.first().map(String::as_str), expected, "{name}");
        }
    });
}

#[test]
fn a_bonus_that_a_state_without_a_rate_taxes_alone_is_told() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, _) = company(engine).await;
        let (newark, brooklyn) = (id_of(&company.location("NJ").await), id_of(&company.location("NY").await));
        for (name, place, flat, is_told) in [
            ("Ana", &newark, true, true),
            ("Bea", &newark, false, false),
            // New York has a rate, and Texas no tax.
            ("Cal", &brooklyn, true, false),
            ("Dan", &texas, true, false),
        ] {
            let (ana, _) = company.onboarded(name, place, ("50.00", "Hour", "Nonexempt")).await;
            let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01", "end_date": "2026-06-14",
                               "check_date": "2026-06-19", "fixed_withholding_rate": flat, "employee_uuids": [ana] });
            let made = company.post("/v1/companies/{company}/payrolls", body).await.ok();
            let payroll = text(&made, "payroll_uuid");
            company.put(path(&payroll, "/prepare"), json!({})).await.ok();
            let bonus = json!({ "fixed_compensations": [{ "name": "Bonus", "amount": "1000.00" }] });
            enter(&company, &payroll, &ana, bonus).await.ok();
            let told = told_of(&company, (&payroll, &ana), &["supplemental_alone"]).await;
            assert_eq!(!told.is_empty(), is_told, "{name}");
        }
    });
}
