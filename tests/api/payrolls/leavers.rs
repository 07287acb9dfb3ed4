//! Payrolls that were calculated before the employment of somebody changed: they are calculated again, and no day is paid twice.

use serde_json::{Value, json};

use super::time_off::{changes, join, policy, told};
use super::{company, hours, of, path};
use crate::support::{Answer, Company, Engine, id_of, on_both_engines, text};

/// The regular payroll of 15 to 28 June 2026; today is 15 June.
async fn current(company: &Company) -> String {
    let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-08-31").await.list();
    let found = periods.iter().find(|period| period["start_date"] == "2026-06-15").unwrap();
    text(&found["payroll"], "payroll_uuid")
}

/// A company with two people who earn 2,000 for two weeks.
async fn two(engine: Engine) -> (Company, String, String, String) {
    let (company, location, _) = company(engine).await;
    let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
    let (eva, _) = company.onboarded("Eva", &location, ("52000.00", "Year", "Exempt")).await;
    (company, location, max, eva)
}

async fn terminate(company: &Company, employee: &str, last_day: &str, apart: bool) -> Value {
    let body = json!({ "effective_date": last_day, "run_termination_payroll": apart });
    company.post(format!("/v1/employees/{employee}/terminations"), body).await.created()
}

/// Changes the termination as it stands.
async fn change(company: &Company, employee: &str, last_day: &str, more: Value) {
    let put = format!("/v1/terminations/{employee}");
    let mut body = more;
    body["version"] = company.get(&put).await.ok()["version"].clone();
    body["effective_date"] = last_day.into();
    company.put(put, body).await.ok();
}

async fn submit(company: &Company, payroll: &str) -> Answer {
    company.put(path(payroll, "/submit"), json!({})).await
}

/// Gross pay by employee, in the order in which they were entered.
fn gross(payroll: &Value) -> Vec<(String, String)> {
    let all = payroll["employee_compensations"].as_array().unwrap().iter();
    all.map(|one| (text(one, "employee_uuid"), one["gross_pay"].to_string())).collect()
}

/// Holds that a payroll is no longer calculated and cannot be submitted, and calculates it again.
async fn again(company: &Company, payroll: &str, why: &str) -> Vec<(String, String)> {
    let told = company.get(path(payroll, "")).await.ok();
    assert_eq!((&told["calculated_at"], &told["processing_request"]), (&Value::Null, &Value::Null), "{why}");
    let refused = submit(company, payroll).await.refused(422);
    assert_eq!(refused.fault(), ("base", "invalid_operation"), "{why}");
    gross(&company.calculate(payroll).await)
}

async fn stays(company: &Company, payroll: &str, why: &str) {
    let told = company.get(path(payroll, "")).await.ok();
    assert_eq!(told["processing_request"]["status"], "calculate_success", "{why}");
}

#[test]
fn a_payroll_is_calculated_again_once_a_termination_touches_its_days() {
    on_both_engines(async |engine: Engine| {
        let (company, _, max, eva) = two(engine).await;
        let payroll = current(&company).await;
        let pays = |of_max: &str| vec![(max.clone(), of_max.to_owned()), (eva.clone(), "2000.00".to_owned())];
        assert_eq!(gross(&company.calculate(&payroll).await), pays("2000.00"));
        // A last day in a later pay period touches none of these.
        terminate(&company, &max, "2026-07-10", false).await;
        stays(&company, &payroll, "of a later day").await;
        // 15 to 24 June are 10 of 14 days of 2,000.
        change(&company, &max, "2026-06-24", json!({})).await;
        assert_eq!(again(&company, &payroll, "earlier").await, pays("1428.57"));
        change(&company, &max, "2026-06-22", json!({})).await;
        assert_eq!(again(&company, &payroll, "moved").await, pays("1142.86"));
        change(&company, &max, "2026-06-22", json!({ "separation": "quit" })).await;
        stays(&company, &payroll, "why somebody leaves pays nobody otherwise").await;
        change(&company, &max, "2026-06-22", json!({ "run_termination_payroll": true })).await;
        let without = vec![(eva.clone(), "2000.00".to_owned())];
        assert_eq!(again(&company, &payroll, "paid apart").await, without);
        change(&company, &max, "2026-06-22", json!({ "run_termination_payroll": false })).await;
        assert_eq!(again(&company, &payroll, "paid together").await, pays("1142.86"));
        company.delete(format!("/v1/employees/{max}/terminations")).await.is(204);
        assert_eq!(again(&company, &payroll, "taken back").await, pays("2000.00"));
        // Leaving on the last day of the pay period brings as much, but it is the last pay.
        terminate(&company, &max, "2026-06-28", false).await;
        assert_eq!(again(&company, &payroll, "last day").await, pays("2000.00"));
        submit(&company, &payroll).await.is(202);
        let updated =
            company.events().await.into_iter().filter(|event| event.event_type == "payroll.updated");
        assert_eq!(updated.filter(|event| event.entity.to_string() == payroll).count(), 6);
    });
}

#[test]
fn a_payroll_is_calculated_again_once_somebody_comes_back_or_is_hired() {
    on_both_engines(async |engine: Engine| {
        let (company, location, max, eva) = two(engine).await;
        terminate(&company, &max, "2026-06-10", false).await;
        let payroll = current(&company).await;
        let pays = |of_max: &str| vec![(max.clone(), of_max.to_owned()), (eva.clone(), "2000.00".to_owned())];
        let without = vec![(eva.clone(), "2000.00".to_owned())];
        assert_eq!(gross(&company.calculate(&payroll).await), without);
        let rehire = format!("/v1/employees/{max}/rehire");
        let back = |day: &str| json!({ "effective_date": day, "file_new_hire_report": false, "work_location_uuid": location });
        let made = company.post(&rehire, back("2026-06-22")).await.created();
        assert_eq!(again(&company, &payroll, "comes back").await, pays("1000.00"), "7 days of 14");
        let mut later = back("2026-06-25");
        later["version"] = made["version"].clone();
        company.put(&rehire, later).await.ok();
        assert_eq!(again(&company, &payroll, "comes back later").await, pays("571.43"), "4 days of 14");
        company.delete(&rehire).await.is(204);
        assert_eq!(again(&company, &payroll, "stays away").await, without);
        // Eva was hired on 20 June, and Ida is onboarded only now.
        let job = company.get(format!("/v1/employees/{eva}/jobs")).await.list().remove(0);
        let hired = json!({ "version": job["version"], "hire_date": "2026-06-20" });
        company.put(format!("/v1/jobs/{}", id_of(&job)), hired).await.ok();
        let late = again(&company, &payroll, "hired later").await;
        assert_eq!(late, [(eva.clone(), "1285.71".to_owned())], "9 days of 14");
        let (ida, _) = company.onboarded("Ida", &location, ("52000.00", "Year", "Exempt")).await;
        let both = again(&company, &payroll, "somebody new").await;
        assert_eq!(both, [late[0].clone(), (ida, "2000.00".to_owned())]);
    });
}

#[test]
fn the_last_days_are_paid_once_by_the_regular_payroll_or_by_one_of_their_own() {
    on_both_engines(async |engine: Engine| {
        let (company, location, max, eva) = two(engine).await;
        let payroll = current(&company).await;
        company.calculate(&payroll).await;
        terminate(&company, &max, "2026-06-17", true).await;
        submit(&company, &payroll).await.refused(422);
        // Back in the same pay period: the regular payroll pays from then on, 22 to 28 June.
        let day = "2026-06-18".parse::<jiff::civil::Date>().unwrap().in_tz("America/Chicago").unwrap();
        company.world.wait_until(day.timestamp()).await;
        let back = json!({ "effective_date": "2026-06-22", "file_new_hire_report": false, "work_location_uuid": location });
        company.post(format!("/v1/employees/{max}/rehire"), back).await.created();
        let regular = gross(&company.calculate(&payroll).await);
        assert_eq!(regular, [(max.clone(), "1000.00".into()), (eva, "2000.00".into())]);
        company.submit(&payroll).await;
        // 15 to 17 June are still to be paid, and are paid by a payroll of their own.
        let last = json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": "2026-06-15",
                           "end_date": "2026-06-28", "employee_uuids": [max] });
        let last = id_of(&company.post("/v1/companies/{company}/payrolls", last).await.ok());
        assert_eq!(gross(&company.calculate(&last).await), [(max, "428.57".into())]);
        company.submit(&last).await;
    });
}

/// A payroll of last wages for the pay period of 15 to 28 June.
fn last_wages(employee: &str) -> Value {
    json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": "2026-06-15",
            "end_date": "2026-06-28", "employee_uuids": [employee] })
}

#[test]
fn whoever_leaves_twice_in_a_pay_period_is_paid_apart_for_each_of_both_stretches() {
    on_both_engines(async |engine: Engine| {
        let (company, location, max, eva) = two(engine).await;
        let regular = current(&company).await;
        let payrolls = "/v1/companies/{company}/payrolls";
        let unprocessed = "/v1/companies/{company}/pay_periods/unprocessed_termination_pay_periods";
        terminate(&company, &max, "2026-06-17", true).await;
        let first = id_of(&company.post(payrolls, last_wages(&max)).await.ok());
        assert_eq!(gross(&company.calculate(&first).await), [(max.clone(), "428.57".into())]);
        company.submit(&first).await;
        company.world.wait_until("2026-06-18T12:00:00Z".parse().unwrap()).await;
        let back = json!({ "effective_date": "2026-06-22", "file_new_hire_report": false, "work_location_uuid": location });
        company.post(format!("/v1/employees/{max}/rehire"), back).await.created();
        company.world.wait_until("2026-06-22T12:00:00Z".parse().unwrap()).await;
        assert_eq!(company.get(unprocessed).await.list(), [] as [Value; 0]);
        terminate(&company, &max, "2026-06-25", true).await;
        let listed = company.get(unprocessed).await.list();
        assert_eq!((listed.len(), &listed[0]["employee_uuid"]), (1, &json!(max)));
        // 22 to 25 June are 4 of 14 days; what the first payroll has paid is not paid again.
        let second = id_of(&company.post(payrolls, last_wages(&max)).await.ok());
        assert_eq!(gross(&company.calculate(&second).await), [(max.clone(), "571.43".into())]);
        let refused = company.post(payrolls, last_wages(&max)).await.refused(422);
        assert_eq!(refused.keys(), ["employee_uuids"]);
        company.submit(&second).await;
        assert_eq!(company.get(unprocessed).await.list(), [] as [Value; 0]);
        company.post(payrolls, last_wages(&max)).await.refused(422);
        assert_eq!(gross(&company.calculate(&regular).await), [(eva, "2000.00".into())]);
        assert_eq!(gross(&company.get(path(&first, "")).await.ok()), [(max, "428.57".into())]);
    });
}

#[test]
fn a_pay_period_earns_time_off_once_although_two_payrolls_pay_its_days() {
    on_both_engines(async |engine: Engine| {
        let (company, location, max, eva) = two(engine).await;
        let of_period =
            json!({ "accrual_method": "per_pay_period", "accrual_rate": "4", "accrual_rate_unit": null });
        let days_off = policy(&company, of_period).await;
        join(&company, &days_off, &max, "0").await;
        join(&company, &days_off, &eva, "0").await;
        terminate(&company, &max, "2026-06-17", true).await;
        let first = id_of(&company.post("/v1/companies/{company}/payrolls", last_wages(&max)).await.ok());
        company.calculate(&first).await;
        company.submit(&first).await;
        company.world.wait_until("2026-06-18T12:00:00Z".parse().unwrap()).await;
        let back = json!({ "effective_date": "2026-06-22", "file_new_hire_report": false, "work_location_uuid": location });
        company.post(format!("/v1/employees/{max}/rehire"), back).await.created();
        let regular = current(&company).await;
        let would = format!("/v1/payrolls/{regular}/employees/{max}/calculate_accruing_time_off_hours");
        let would = company.post(would, json!({ "regular_hours_worked": "40" })).await.ok();
        assert_eq!(would["hours_earned"][0]["hours"], "0.000", "{would}");
        company.calculate(&regular).await;
        company.submit(&regular).await;
        for employee in [&max, &eva] {
            let (all, balance) = changes(&company, employee, "vacation").await;
            assert_eq!((all, balance.as_str()), (told(&[("accrual", "4.000")]), "4.000"));
        }
    });
}

#[test]
fn days_before_a_return_that_the_regular_payroll_was_to_pay_are_paid_with_last_wages() {
    on_both_engines(async |engine: Engine| {
        let (company, location, max, eva) = two(engine).await;
        let regular = current(&company).await;
        terminate(&company, &max, "2026-06-16", false).await;
        company.world.wait_until("2026-06-17T12:00:00Z".parse().unwrap()).await;
        let back = json!({ "effective_date": "2026-06-22", "file_new_hire_report": false, "work_location_uuid": location });
        company.post(format!("/v1/employees/{max}/rehire"), back).await.created();
        company.world.wait_until("2026-06-22T12:00:00Z".parse().unwrap()).await;
        terminate(&company, &max, "2026-06-24", true).await;
        assert_eq!(gross(&company.calculate(&regular).await), [(eva, "2000.00".into())]);
        let last = id_of(&company.post("/v1/companies/{company}/payrolls", last_wages(&max)).await.ok());
        // 15 and 16, and 22 to 24 June: 5 of 14 days.
        assert_eq!(gross(&company.calculate(&last).await), [(max, "714.29".into())]);
    });
}

#[test]
fn hours_that_were_entered_stay_when_a_calculation_is_forgotten() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let payroll = current(&company).await;
        super::enter(&company, &payroll, &ana, hours("60")).await.ok();
        company.calculate(&payroll).await;
        terminate(&company, &ana, "2026-06-26", false).await;
        again(&company, &payroll, "leaves").await;
        let told = company.get(path(&payroll, "")).await.ok();
        assert_eq!(of(&told, &ana)["gross_pay"].to_string(), "1200.00");
    });
}

#[test]
fn the_end_of_employment_stays_once_the_regular_payroll_of_its_days_is_submitted() {
    on_both_engines(async |engine: Engine| {
        let (company, _, max, eva) = two(engine).await;
        let payroll = current(&company).await;
        // Max is paid by the regular payroll until his last day; it leaves Eva out, who is paid apart.
        terminate(&company, &max, "2026-06-24", false).await;
        terminate(&company, &eva, "2026-06-24", true).await;
        assert_eq!(gross(&company.calculate(&payroll).await), [(max.clone(), "1428.57".to_owned())]);
        submit(&company, &payroll).await.is(202);
        let changed = async |employee: &str, last_day: &str, apart: bool| {
            let put = format!("/v1/terminations/{employee}");
            let version = company.get(&put).await.ok()["version"].clone();
            let body =
                json!({ "version": version, "effective_date": last_day, "run_termination_payroll": apart });
            company.put(put, body).await
        };
        // Other days of Max would be paid by nobody, or were paid for nothing; so would those of Eva by the regular payroll, or
        // of a later period.
        for (employee, last_day, apart) in [
            (&max, "2026-06-26", false),
            (&max, "2026-06-22", false),
            (&max, "2026-06-24", true),
            (&eva, "2026-06-24", false),
            (&eva, "2026-07-01", true),
        ] {
            let refused = changed(employee, last_day, apart).await.refused(422);
            assert_eq!(refused.fault(), ("base", "invalid_operation"), "{last_day} {apart}");
            assert!(
                refused.message().contains("2026-06-15 to 2026-06-28 was submitted"),
                "{}",
                refused.message()
            );
            assert_eq!(refused.only()["metadata"]["entity_uuid"], payroll.as_str());
        }
        company.delete(format!("/v1/employees/{max}/terminations")).await.refused(422);
        // Another day of the same pay period is still paid apart.
        changed(&eva, "2026-06-22", true).await.ok();
        // Once the payroll is cancelled, everything can be changed again.
        company.work().await;
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        changed(&eva, "2026-06-22", false).await.ok();
        company.delete(format!("/v1/employees/{max}/terminations")).await.is(204);
        let paid = gross(&company.calculate(&payroll).await);
        assert_eq!(paid, [(max, "2000.00".to_owned()), (eva, "1142.86".to_owned())]);
    });
}
