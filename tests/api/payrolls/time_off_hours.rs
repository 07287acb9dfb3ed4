//! Time off and hours: what hours by day or workweek accrue, and how the hours of salaried employees are paid.

use serde_json::{Value, json};

use super::time_off::{changes, join, policy};
use super::{company, enter, hours, number, of};
use crate::support::{Engine, on_both_engines};

#[test]
fn hours_by_day_and_by_workweek_earn_what_hours_of_the_pay_period_earn() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let days_off = policy(&company, json!({})).await;
        let no_overtime = json!({ "policy_type": "sick", "accrual_method": "per_hour_worked_no_overtime" });
        let sick = policy(&company, no_overtime).await;
        let line = |name: &str, hours: &str, key: &str, day: Value| json!({ "name": name, "hours": hours, key: day });
        let day = |day: u32| line("Regular Hours", "10", "date", format!("2026-06-{day:02}").into());
        let of_week = |key: &str, day: Value| {
            vec![line("Regular Hours", "40", key, day.clone()), line("Overtime", "10", key, day)]
        };
        let by_hour = ("20.00", "Hour", "Nonexempt");
        let mut people = Vec::new();
        for (pay, entered) in [
            (by_hour, of_week("workweek_start", Value::Null)),
            (by_hour, of_week("workweek_start", "2026-06-01".into())),
            (by_hour, (1..=5).map(day).collect()),
            (("52000.00", "Year", "Salaried Nonexempt"), (1..=5).map(day).collect()),
        ] {
            let (who, _) = company.onboarded("Ana", &location, pay).await;
            for policy in [&days_off, &sick] {
                join(&company, policy, &who, "0").await;
            }
            enter(&company, &payroll, &who, json!({ "hourly_compensations": entered })).await.ok();
            people.push(who);
        }
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        for who in people {
            // 50 / 30 hours with overtime, 40 / 30 without, rounded up to a thousandth.
            assert_eq!(changes(&company, &who, "vacation").await.1, "1.667");
            assert_eq!(changes(&company, &who, "sick").await.1, "1.334");
        }
    });
}

#[test]
fn hours_off_of_a_salaried_person_are_paid_by_the_hour_where_no_salary_is_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let days_off = policy(
            &company,
            json!({ "accrual_method": "per_calendar_year", "accrual_rate": "80", "accrual_rate_unit": null }),
        )
        .await;
        join(&company, &days_off, &max, "37.5").await;
        let bonus = company.off_cycle(&[&max]).await;
        let off = json!({ "paid_time_off": [{ "name": "Vacation Hours", "hours": "10" }] });
        enter(&company, &bonus, &max, off.clone()).await.ok();
        let told = company.calculate(&bonus).await;
        assert_eq!(number(&of(&told, &max)["gross_pay"]), "250.00", "10 x 52,000 / 2,080");
        super::explanation_of(&company, &bonus, &max).await;
        company.submit(&bonus).await;
        let (told, left) = changes(&company, &max, "vacation").await;
        assert_eq!((told.last().unwrap(), &*left), (&("used".to_owned(), "-10.000".to_owned()), "27.500"));

        // The regular payroll pays them within the salary.
        enter(&company, &payroll, &max, off).await.ok();
        let told = company.calculate(&payroll).await;
        assert_eq!(number(&of(&told, &max)["gross_pay"]), "2000.00");
    });
}

#[test]
fn regular_hours_of_a_salaried_person_that_pay_nothing_are_told() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let bonus = company.off_cycle(&[&max]).await;
        for (payroll, gross, warned) in [(&bonus, "0.00", true), (&payroll, "2000.00", false)] {
            enter(&company, payroll, &max, hours("8")).await.ok();
            let told = company.calculate(payroll).await;
            assert_eq!(number(&of(&told, &max)["gross_pay"]), gross);
            let explained = super::explanation_of(&company, payroll, &max).await;
            let mut warnings = explained["warnings"].as_array().unwrap().iter();
            assert_eq!(warnings.any(|one| one["key"] == "hours_of_salary_not_paid"), warned, "{explained}");
        }
    });
}

#[test]
fn leave_without_pay_lowers_a_salary_and_fewer_hours_alone_are_told() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let (eva, _) = company.onboarded("Eva", &location, ("52000.00", "Year", "Salaried Nonexempt")).await;
        let (ana, _) = company.onboarded("Ana", &location, ("52000.00", "Year", "Exempt")).await;
        let leave =
            |hours: &str| json!({ "paid_time_off": [{ "name": "Unpaid Leave Hours", "hours": hours }] });
        let mut out = leave("8");
        out["paid_time_off"][0]["final_payout_unused_hours_input"] = "8".into();
        let refused = enter(&company, &payroll, &max, out).await.is(422).text();
        assert!(refused.contains("leave without pay is not paid out"), "{refused}");
        // 64 of 80 hours.
        enter(&company, &payroll, &max, leave("16")).await.ok();
        enter(&company, &payroll, &eva, leave("3")).await.ok();
        enter(&company, &payroll, &ana, hours("64")).await.ok();
        let told = company.calculate(&payroll).await;
        let gross = |told: &Value, who: &str| number(&of(told, who)["gross_pay"]);
        assert_eq!(
            [&max, &eva, &ana].map(|who| gross(&told, who)),
            ["1600.00", "1925.00", "2000.00"].map(str::to_owned)
        );
        let warned = |told: &Value, who: &str, key: &str| {
            let warnings = of(told, who)["warnings"].as_array().unwrap().iter();
            warnings.filter(|one| one["key"] == key).count()
        };
        assert_eq!(
            [&max, &ana].map(|who| warned(&told, who, "hours_below_salary")),
            [0, 1],
            "what was entered is paid in full"
        );
        // Part of a day of whoever is exempt is paid, and told.
        enter(&company, &payroll, &max, leave("12")).await.ok();
        let told = company.calculate(&payroll).await;
        assert_eq!(
            (gross(&told, &max), warned(&told, &max, "unpaid_leave_not_deducted")),
            ("1800.00".to_owned(), 1)
        );
        super::explanation_of(&company, &payroll, &max).await;
    });
}
