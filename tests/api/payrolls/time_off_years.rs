//! Time off at the beginning of a policy's year and at the end of policies and employments.

use serde_json::json;

use super::time_off::{changes, join, policy, told};
use super::{company, enter, hours, number, of, path};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// An approved request for hours of days of June 2026.
async fn approved(company: &Company, employee: &str, policy: &str, days: &[&str]) -> String {
    let by_day: serde_json::Map<_, _> =
        days.iter().map(|day| (format!("2026-06-{day}"), json!("8"))).collect();
    let body = json!({ "employee_uuid": employee, "policy_uuid": policy, "start_date": format!("2026-06-{}", days[0]),
                       "end_date": format!("2026-06-{}", days[days.len() - 1]), "days": by_day });
    id_of(&company.post("/v1/companies/{company}/time_off/admin_approved_requests", body).await.created())
}

#[test]
fn hours_of_the_old_year_that_are_paid_in_the_new_one_are_not_lost_at_its_beginning() {
    on_both_engines(async |engine: Engine| {
        // The year of the policy begins on 22 June, within the pay period of 15 to 28 June.
        let (company, location, _) = company(engine).await;
        let terms = json!({ "accrual_method": "per_calendar_year", "accrual_rate": "40", "accrual_rate_unit": null,
                            "carryover_limit_hours": "24", "max_hours": "80", "policy_reset_date": "06-22" });
        let yearly = policy(&company, terms).await;
        let mut people = Vec::new();
        for name in ["Ana", "Bea", "Cleo"] {
            let (id, _) = company.onboarded(name, &location, ("20.00", "Hour", "Nonexempt")).await;
            join(&company, &yearly, &id, "80").await;
            people.push(id);
        }
        let [ana, bea, cleo] = &people[..] else { unreachable!("three") };
        approved(&company, ana, &yearly, &["18", "19", "22"]).await;
        company.world.wait_until("2026-06-22T05:01:00Z".parse().unwrap()).await;
        // 16 of 80 were taken before, so that 64 were left, of which 40 are lost; room for 80 - 24 is more than the 40 of the year.
        let of_ana = [("starting_balance", "80.000"), ("carryover", "-40.000"), ("accrual", "40.000")];
        assert_eq!(changes(&company, ana, "vacation").await, (told(&of_ana), "80.000".to_owned()));
        let all = [("starting_balance", "80.000"), ("carryover", "-56.000"), ("accrual", "40.000")];
        assert_eq!(changes(&company, bea, "vacation").await, (told(&all), "64.000".to_owned()));
        // Approved afterwards for a day before, and taken back.
        let late = approved(&company, cleo, &yearly, &["18"]).await;
        assert_eq!(changes(&company, cleo, "vacation").await.1, "72.000");
        let no = json!({ "employer_note": "You were at work" });
        company.put(format!("/v1/time_off/requests/{late}/decline"), no).await.ok();
        assert_eq!(changes(&company, cleo, "vacation").await.1, "64.000");

        let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-08-31").await.list();
        let found = periods.iter().find(|period| period["start_date"] == "2026-06-15").unwrap();
        let payroll = text(&found["payroll"], "payroll_uuid");
        enter(&company, &payroll, ana, hours("56")).await.ok();
        // Entered for the period, without days: it began in the old year.
        let mut by_hand = hours("70");
        by_hand["paid_time_off"] = json!([{ "policy_uuid": yearly, "hours": "10" }]);
        enter(&company, &payroll, bea, by_hand).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        // 24 are carried over, 40 are given, and the day after the turn is taken of them.
        let (of_ana, left) = changes(&company, ana, "vacation").await;
        assert_eq!((of_ana[3..].to_vec(), left), (told(&[("used", "-24.000")]), "56.000".to_owned()));
        let (of_bea, left) = changes(&company, bea, "vacation").await;
        let expected = told(&[("used", "-10.000"), ("carryover", "10.000")]);
        assert_eq!((of_bea[3..].to_vec(), left), (expected, "64.000".to_owned()));
        // Taken back, she has taken nothing.
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        company.work().await;
        assert_eq!(changes(&company, bea, "vacation").await.1, "64.000");
        assert_eq!(changes(&company, ana, "vacation").await.1, "80.000");
    });
}

#[test]
fn the_last_payroll_of_an_employment_is_told_to_earn_what_it_earns() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(
            &company,
            json!({ "accrual_method": "per_pay_period", "accrual_rate": "4", "accrual_rate_unit": null }),
        )
        .await;
        join(&company, &days_off, &ana, "0").await;
        let leaves = json!({ "effective_date": "2026-06-12", "run_termination_payroll": true });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        let body = json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": "2026-06-01",
                           "end_date": "2026-06-14", "employee_uuids": [ana], "check_date": "2026-06-19" });
        let payroll = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
        let earn = format!("/v1/payrolls/{payroll}/employees/{ana}/calculate_accruing_time_off_hours");
        let asked = company.post(&earn, json!({ "regular_hours_worked": "40" })).await.ok();
        assert_eq!(asked["hours_earned"][0]["hours"], "4.000");
        enter(&company, &payroll, &ana, hours("40")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let earned = changes(&company, &ana, "vacation").await.0;
        assert!(earned.contains(&("accrual".to_owned(), "4.000".to_owned())), "{earned:?}");
    });
}

#[test]
fn what_a_deactivated_policy_has_left_is_paid_out_at_the_end_where_it_has_to_be() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let california = id_of(&company.location("CA").await);
        let days_off = policy(&company, json!({})).await;
        let mut people = Vec::new();
        for (name, location) in [("Ana", &california), ("Bea", &texas), ("Cleo", &california)] {
            let (id, _) = company.onboarded(name, location, ("20.00", "Hour", "Nonexempt")).await;
            join(&company, &days_off, &id, "40").await;
            if name != "Cleo" {
                let leaves = json!({ "effective_date": "2026-06-12" });
                company.post(format!("/v1/employees/{id}/terminations"), leaves).await.created();
            }
            enter(&company, &payroll, &id, hours("60")).await.ok();
            people.push(id);
        }
        let at = format!("/v1/time_off_policies/{days_off}/deactivate");
        let taken = approved(&company, &people[2], &days_off, &["18"]).await;
        company.put(&at, json!({})).await.refused(422);
        company.delete(format!("/v1/time_off/requests/{taken}")).await.is(204);
        company.put(&at, json!({})).await.ok();
        let calculated = company.calculate(&payroll).await;
        // 60 hours, and in California 40 more of vacation that was earned (Cal. Lab. Code 227.3); nothing more is earned.
        let gross = |employee: &str| number(&of(&calculated, employee)["gross_pay"]);
        assert_eq!([0, 1, 2].map(|one| gross(&people[one])), ["2000.00", "1200.00", "1200.00"]);
        company.submit(&payroll).await;
        let paid = told(&[("starting_balance", "40.000"), ("paid_out", "-40.000")]);
        assert_eq!(changes(&company, &people[0], "vacation").await, (paid, "0.000".to_owned()));
        assert_eq!(changes(&company, &people[2], "vacation").await.1, "40.000");
    });
}

#[test]
fn a_departure_that_is_recorded_after_the_year_began_takes_back_what_the_year_gave() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, job) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let terms = json!({ "accrual_method": "per_calendar_year", "accrual_rate": "80", "accrual_rate_unit": null,
                            "carryover_limit_hours": "8", "policy_reset_date": "06-22" });
        let yearly = policy(&company, terms).await;
        join(&company, &yearly, &ana, "10").await;
        company.world.wait_until("2026-06-23T12:00:00Z".parse().unwrap()).await;
        assert_eq!(changes(&company, &ana, "vacation").await.1, "88.000");
        let leaves = json!({ "effective_date": "2026-06-19", "run_termination_payroll": true });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        assert_eq!(changes(&company, &ana, "vacation").await.1, "10.000", "the employment had ended before");
        // Nor is the first day of work moved behind the last one.
        let version = company.read("jobs", &id_of(&job)).await["version"].clone();
        let later = json!({ "version": version, "hire_date": "2026-06-22" });
        let refused = company.put(format!("/v1/jobs/{}", id_of(&job)), later).await.refused(422);
        assert_eq!(refused.fault(), ("hire_date", "invalid_attribute_value"));
        let back = json!({ "effective_date": "2026-06-21", "file_new_hire_report": false, "work_location_uuid": location });
        company.post(format!("/v1/employees/{ana}/rehire"), back).await.created();
        company.work().await;
        assert_eq!(
            changes(&company, &ana, "vacation").await.1,
            "88.000",
            "nor was anybody away when it began"
        );
    });
}

#[test]
fn the_first_day_after_a_return_is_no_anniversary() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let terms = json!({ "accrual_method": "per_anniversary_year", "accrual_rate": "40", "accrual_rate_unit": null,
                            "carryover_limit_hours": "10" });
        let yearly = policy(&company, terms).await;
        join(&company, &yearly, &ana, "25").await;
        let leaves = json!({ "effective_date": "2026-06-17", "run_termination_payroll": false });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        company.world.wait_until("2026-06-18T12:00:00Z".parse().unwrap()).await;
        let back = json!({ "effective_date": "2026-06-22", "file_new_hire_report": false, "work_location_uuid": location });
        company.post(format!("/v1/employees/{ana}/rehire"), back).await.created();
        company.world.wait_until("2026-06-23T12:00:00Z".parse().unwrap()).await;
        let as_it_was = told(&[("starting_balance", "25.000")]);
        assert_eq!(changes(&company, &ana, "vacation").await, (as_it_was, "25.000".to_owned()));
        company.world.wait_until("2027-06-22T12:00:00Z".parse().unwrap()).await;
        let of_the_year = told(&[("carryover", "-15.000"), ("accrual", "40.000")]);
        let (changes, left) = changes(&company, &ana, "vacation").await;
        assert_eq!((changes[1..].to_vec(), left), (of_the_year, "50.000".to_owned()));
    });
}

#[test]
fn a_transition_earns_its_part_of_what_a_pay_period_earns() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("52000.00", "Year", "Exempt")).await;
        let terms =
            json!({ "accrual_method": "per_pay_period", "accrual_rate": "4", "accrual_rate_unit": null });
        let days_off = policy(&company, terms).await;
        join(&company, &days_off, &ana, "0").await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        // Weekly from the period on that ends on 24 June: 15 to 17 June lead up to it.
        let [schedule] = &company.get("/v1/companies/{company}/pay_schedules").await.list()[..] else {
            panic!("one")
        };
        let weekly = json!({ "version": schedule["version"], "frequency": "Every week", "anchor_pay_date": "2026-06-26",
                             "anchor_end_of_pay_period": "2026-06-24" });
        company
            .put(format!("/v1/companies/{{company}}/pay_schedules/{}", id_of(schedule)), weekly)
            .await
            .ok();
        let all = "/v1/companies/{company}/pay_periods?end_date=2026-08-31&payroll_types=transition";
        let between = company.get(all).await.list().remove(0);
        assert_eq!(
            (&between["start_date"], &between["end_date"]),
            (&json!("2026-06-15"), &json!("2026-06-17"))
        );
        let transition = text(&between["payroll"], "payroll_uuid");
        let earn = format!("/v1/payrolls/{transition}/employees/{ana}/calculate_accruing_time_off_hours");
        let asked = company.post(&earn, json!({ "regular_hours_worked": "24" })).await.ok();
        // 3 of 7 days of 4 hours.
        assert_eq!(asked["hours_earned"][0]["hours"], "1.715");
        company.calculate(&transition).await;
        company.submit(&transition).await;
        let earned = told(&[("accrual", "4.000"), ("accrual", "1.715")]);
        assert_eq!(changes(&company, &ana, "vacation").await, (earned, "5.715".to_owned()));
    });
}
