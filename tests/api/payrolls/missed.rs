//! What payrolls do not pay, or not as it is owed now: days of somebody who was onboarded too late, what lay in a payroll that was
//! skipped, and pay that was changed afterwards.

use jiff::ToSpan;
use serde_json::{Value, json};

use super::{company, enter, hours, of, paid_on, path};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

#[test]
fn somebody_onboarded_after_the_payroll_of_the_first_days_is_told_to_be_paid_for_them() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.world.wait(jiff::Span::new().hours(1)).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-07-31").await.list();
        let next = periods.iter().find(|period| period["start_date"] == "2026-06-15").unwrap();
        let next = text(&next["payroll"], "payroll_uuid");
        let missed = async |who: &str| {
            let told = company.calculate(&next).await;
            let warnings = of(&told, who)["warnings"].as_array().cloned().unwrap_or_default();
            let missed = warnings.into_iter().filter(|warning| warning["key"] == "days_not_paid");
            missed.map(|warning| text(&warning, "message")).collect::<Vec<_>>()
        };
        let told = missed(&max).await;
        assert!(told.len() == 1 && told[0].contains("from 2026-06-01 to 2026-06-14"), "{told:?}");
        assert_eq!(missed(&ana).await, [""; 0]);
        assert!(told[0].contains("2000.00 of their salary is still owed"), "{told:?}");
        // Paid outside the schedule, the days are told with what is left, until nothing is: hours pay nothing to a salaried job.
        let outside = paid_on(&company, &max, ("2026-06-01", "2026-06-14", "2026-06-26")).await;
        company.submit(&outside).await;
        for (amount, left) in [("0.01", Some("1999.99")), ("1499.99", Some("500.00")), ("500.00", None)] {
            correct(&company, &max, amount).await;
            company.put(path(&next, "/prepare"), json!({})).await.ok();
            let told = missed(&max).await;
            match left {
                Some(left) => {
                    assert!(told.len() == 1 && told[0].contains(&format!(": {left} of")), "{told:?}")
                }
                None => assert_eq!(told, [""; 0]),
            }
        }
    });
}

/// Pays a correction for the first two weeks of June outside the schedule.
async fn correct(company: &Company, employee: &str, amount: &str) {
    let body = json!({ "off_cycle": true, "off_cycle_reason": "Correction", "start_date": "2026-06-01",
                       "end_date": "2026-06-14", "employee_uuids": [employee] });
    let outside = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
    let owed = json!({ "fixed_compensations": [{ "name": "Correction Payment", "amount": amount }] });
    enter(company, &outside, employee, owed).await.ok();
    company.calculate(&outside).await;
    company.submit(&outside).await;
}

#[test]
fn hours_off_and_expenses_of_a_payroll_that_was_skipped_are_told_on_the_next_paycheck() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let policy = json!({ "name": "Days off", "policy_type": "vacation", "accrual_method": "unlimited" });
        let policy = company.post("/v1/companies/{company}/time_off_policies", policy).await.created();
        let joins = json!({ "employees": [{ "uuid": ana }] });
        let policy = id_of(&policy);
        company.put(format!("/v1/time_off_policies/{policy}/add_employees"), joins).await.ok();
        let asks = json!({ "employee_uuid": ana, "policy_uuid": policy, "start_date": "2026-06-11",
                           "end_date": "2026-06-12", "days": { "2026-06-11": "8", "2026-06-12": "4.5" } });
        let approved = "/v1/companies/{company}/time_off/admin_approved_requests";
        let request = id_of(&company.post(approved, asks).await.created());
        let expenses = json!({ "reimbursements": [{ "amount": "50.00", "description": "Taxi" }] });
        enter(&company, &payroll, &ana, expenses).await.ok();
        let skipped = json!({ "payroll_type": "Regular", "end_date": "2026-06-14" });
        company.post("/v1/companies/{company}/payrolls/skip", skipped).await.is(202);
        company.world.wait(2.minutes()).await;

        let of_days = async |start: &str| {
            let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-07-31").await.list();
            let found = periods.iter().find(|period| period["start_date"] == start).unwrap();
            text(&found["payroll"], "payroll_uuid")
        };
        let next = of_days("2026-06-15").await;
        let told = async |payroll: &str| {
            let told = company.calculate(payroll).await;
            let warnings = of(&told, &ana)["warnings"].as_array().cloned().unwrap_or_default();
            let of_before = |one: &serde_json::Value| text(one, "key").ends_with("_not_paid");
            warnings.iter().filter(|one| of_before(one)).map(|one| text(one, "message")).collect::<Vec<_>>()
        };
        let warned = told(&next).await;
        assert_eq!(warned.len(), 2, "{warned:?}");
        assert!(
            warned[0].starts_with("12.500 Vacation Hours of approved requests from 2026-06-11 to 2026-06-12")
        );
        assert!(
            warned[1].contains("2026-06-01 to 2026-06-14 was skipped with reimbursements of 50.00"),
            "{warned:?}"
        );
        let declined = json!({ "employer_note": "Entered by hand" });
        company.put(format!("/v1/time_off/requests/{request}/decline"), declined).await.ok();
        assert_eq!(told(&next).await.len(), 1, "the hours are settled");
        company.submit(&next).await;
        let last = of_days("2026-06-29").await;
        assert_eq!(told(&last).await, [""; 0], "expenses are told once");
    });
}

/// What a payroll says to somebody of pay that was changed for days that were paid.
async fn changed(company: &Company, payroll: &str, who: &str) -> Vec<String> {
    company.put(path(payroll, "/prepare"), json!({})).await.ok();
    let told = company.calculate(payroll).await;
    let warnings = of(&told, who)["warnings"].as_array().cloned().unwrap_or_default();
    let changed = warnings.into_iter().filter(|warning| warning["key"] == "pay_changed_for_paid_days");
    changed.map(|warning| text(&warning, "message")).collect()
}

#[test]
fn a_raise_that_is_dated_back_into_paid_days_is_told_until_a_correction_is_paid_and_a_cut_once() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, of_ana) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, of_max) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let (eva, _) = company.onboarded("Eva", &location, ("20.00", "Hour", "Nonexempt")).await;
        for employee in [&ana, &eva] {
            enter(&company, &payroll, employee, hours("80")).await.ok();
        }
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.world.wait(jiff::Span::new().hours(1)).await;
        let from = |job: &Value, rate: &str, unit: &str, flsa: &str, day: &str| {
            let terms =
                json!({ "rate": rate, "payment_unit": unit, "flsa_status": flsa, "effective_date": day });
            (format!("/v1/jobs/{}/compensations", id_of(job)), terms)
        };
        let (path_of_ana, raise) = from(&of_ana, "22.00", "Hour", "Nonexempt", "2026-06-08");
        company.post(path_of_ana, raise).await.created();
        let (path_of_max, cut) = from(&of_max, "49400.00", "Year", "Exempt", "2026-06-10");
        company.post(path_of_max, cut).await.created();

        let begins = async |day: &str| {
            let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-08-31").await.list();
            let found = periods.iter().find(|period| period["start_date"] == day).unwrap();
            text(&found["payroll"], "payroll_uuid")
        };
        let next = begins("2026-06-15").await;
        let told = changed(&company, &next, &ana).await;
        let days = "days from 2026-06-08 to 2026-06-14 were paid at 20.00 per hour, and the compensation";
        assert!(told.len() == 1 && told[0].starts_with(days), "{told:?}");
        assert!(told[0].contains("22.00 per hour") && told[0].contains("Correction Payment"), "{told:?}");
        let told = changed(&company, &next, &max).await;
        assert!(told.len() == 1 && told[0].contains("more was paid than is owed; it stays"), "{told:?}");
        assert_eq!(changed(&company, &next, &eva).await, [""; 0]);
        company.submit(&next).await;

        company.world.wait_until("2026-06-29T12:00:00Z".parse().unwrap()).await;
        let third = begins("2026-06-29").await;
        assert_eq!(changed(&company, &third, &max).await, [""; 0], "it was told");
        let told = changed(&company, &third, &ana).await;
        assert!(told.len() == 1 && told[0].contains(": 80.00 of back pay is still owed"), "{told:?}");
        correct(&company, &ana, "0.01").await;
        let told = changed(&company, &third, &ana).await;
        assert!(told.len() == 1 && told[0].contains(": 79.99 of back pay is still owed"), "{told:?}");
        // The clock stands still, and what was paid counts at once.
        correct(&company, &ana, "79.99").await;
        assert_eq!(changed(&company, &third, &ana).await, [""; 0]);
    });
}

#[test]
fn a_move_that_is_told_after_its_days_were_paid_is_told_by_the_next_paycheck() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        for employee in [&ana, &max] {
            let home = json!({ "street_1": "1 Main St", "city": "San Antonio", "state": "TX", "zip": "78205",
                               "effective_date": "2026-03-01" });
            company.post(format!("/v1/employees/{employee}/home_addresses"), home).await.created();
            let work = json!({ "location_uuid": location, "effective_date": "2026-03-01" });
            company.post(format!("/v1/employees/{employee}/work_addresses"), work).await.created();
            enter(&company, &payroll, employee, hours("80")).await.ok();
        }
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.world.wait(jiff::Span::new().hours(1)).await;
        let moves = async |employee: &str, day: &str| {
            let home = json!({ "street_1": "1 Main St", "city": "Albany", "state": "NY", "zip": "12207",
                               "effective_date": day });
            company.post(format!("/v1/employees/{employee}/home_addresses"), home).await.created();
        };
        moves(&ana, "2026-06-10").await;
        moves(&max, "2026-06-15").await;
        let brooklyn = id_of(&company.location("NY").await);
        company.answer_state("NY").await;
        let work = json!({ "location_uuid": brooklyn, "effective_date": "2026-06-12" });
        company.post(format!("/v1/employees/{ana}/work_addresses"), work).await.created();
        let begins = async |day: &str| {
            let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-08-31").await.list();
            let found = periods.iter().find(|period| period["start_date"] == day).unwrap();
            text(&found["payroll"], "payroll_uuid")
        };
        let told = async |payroll: &str, who: &str| {
            company.put(path(payroll, "/prepare"), json!({})).await.ok();
            let told = company.calculate(payroll).await;
            let warnings = of(&told, who)["warnings"].as_array().cloned().unwrap_or_default();
            let moved = warnings.into_iter().filter(|one| one["key"] == "places_changed_for_paid_days");
            moved.map(|warning| text(&warning, "message")).collect::<Vec<_>>()
        };
        let next = begins("2026-06-15").await;
        let warned = told(&next, &ana).await;
        assert_eq!(warned.len(), 2, "{warned:?}");
        let days = "the work address from 2026-06-12 on was entered or changed after days up to 2026-06-14 had been paid";
        assert!(warned[0].starts_with(days), "{warned:?}");
        assert!(
            warned[1].starts_with("the home address from 2026-06-10 on was entered or changed"),
            "{warned:?}"
        );
        assert_eq!(told(&next, &max).await, [""; 0], "these days are not paid yet");
        company.submit(&next).await;
        company.world.wait_until("2026-06-29T12:00:00Z".parse().unwrap()).await;
        assert_eq!(told(&begins("2026-06-29").await, &ana).await, [""; 0], "it was told");
    });
}
