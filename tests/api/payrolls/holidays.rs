//! Holidays that a company pays.

use serde_json::{Value, json};

use super::{company, enter, hours, line, number, of, path, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const POLICY: &str = "/v1/companies/{company}/holiday_pay_policy";

/// The payroll of 15 to 28 June 2026, in which Juneteenth falls on a Friday.
async fn second_payroll(company: &Company) -> String {
    let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-09-01").await.list();
    let period = periods.iter().find(|period| period["start_date"] == "2026-06-15").unwrap();
    text(&period["payroll"], "payroll_uuid")
}

async fn add(company: &Company, employees: &[&str]) -> Value {
    let version = company.get(POLICY).await.ok()["version"].clone();
    let employees: Vec<_> = employees.iter().map(|employee| json!({ "uuid": employee })).collect();
    company.put(format!("{POLICY}/add"), json!({ "version": version, "employees": employees })).await.ok()
}

fn holiday_hours(payroll: &Value, employee: &str) -> Value {
    line(&of(payroll, employee)["paid_time_off"], "Holiday Hours")["hours"].clone()
}

#[test]
fn a_selected_holiday_puts_eight_hours_into_the_payrolls_of_those_whom_the_policy_pays() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        let chosen = json!({ "federal_holidays": { "juneteenth": { "selected": true } } });
        company.post(POLICY, chosen).await.ok();
        let policy = add(&company, &[&ana]).await;
        assert_eq!(policy["employees"], json!([{ "uuid": ana }]));
        let payroll = second_payroll(&company).await;
        for who in [&ana, &max] {
            enter(&company, &payroll, who, hours("72")).await.ok();
        }
        let told = company.calculate(&payroll).await;
        assert_eq!(holiday_hours(&told, &ana), "8.000");
        assert_eq!(holiday_hours(&told, &max), "0.000");
        // 72 and 8 hours at 20.00; 72 hours.
        assert_eq!(number(&of(&told, &ana)["gross_pay"]), "1600.00");
        assert_eq!(number(&of(&told, &max)["gross_pay"]), "1440.00");

        // Other hours that somebody enters count in their place, none included.
        let off = |hours: &str| json!({ "paid_time_off": [{ "name": "Holiday Hours", "hours": hours }] });
        enter(&company, &payroll, &ana, off("0")).await.ok();
        let told = company.calculate(&payroll).await;
        assert_eq!(number(&of(&told, &ana)["gross_pay"]), "1440.00");
        enter(&company, &payroll, &ana, off("4")).await.ok();
        let told = company.calculate(&payroll).await;
        assert_eq!(number(&of(&told, &ana)["gross_pay"]), "1520.00");
    });
}

#[test]
fn a_payroll_that_was_calculated_shows_the_holidays_that_it_pays_whatever_becomes_of_the_policy() {
    on_both_engines(async |engine: Engine| {
        let (company, location, first) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        company
            .post(POLICY, json!({ "federal_holidays": { "juneteenth": { "selected": true } } }))
            .await
            .ok();
        add(&company, &[&ana]).await;
        let payroll = second_payroll(&company).await;
        let told = company.calculate(&payroll).await;
        assert_eq!(holiday_hours(&told, &ana), "8.000");
        assert_eq!(number(&of(&told, &ana)["gross_pay"]), "160.00");
        company.delete(POLICY).await.deleted();
        let told = read(&company, &payroll, "taxes").await;
        assert_eq!(holiday_hours(&told, &ana), "8.000");
        // Prepared again, it goes by what is in force.
        let prepared = company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        assert_eq!(holiday_hours(&prepared, &ana), "0.000");
        // No holiday falls in the pay period before.
        assert_eq!(holiday_hours(&company.calculate(&first).await, &ana), "0.000");
    });
}

#[test]
fn a_company_has_one_policy_and_every_change_names_its_version() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let nobody = uuid::Uuid::nil().to_string();
        assert_eq!(company.get(POLICY).await.status, 204);
        assert_eq!(company.get("/v1/companies/{company}/paid_holidays").await.list(), Vec::<Value>::new());
        for (method, body) in [("PUT", json!({ "version": "x" })), ("DELETE", Value::Null)] {
            let call = company.world.call(method, POLICY.replace("{company}", &company.id.to_string()));
            let refused = call.json(&body).bearer(&company.token).send().await.refused(422);
            assert_eq!(refused.keys(), ["base"]);
        }
        let made = company
            .post(POLICY, json!({ "federal_holidays": { "christmas_day": { "selected": true } } }))
            .await
            .ok();
        assert_eq!(made["federal_holidays"].as_object().unwrap().len(), 11);
        assert_eq!(
            made["federal_holidays"]["christmas_day"],
            json!({ "selected": true, "name": "Christmas Day", "date": "2026-12-25" })
        );
        assert_eq!(made["federal_holidays"]["labor_day"]["selected"], false);
        company.post(POLICY, json!({})).await.refused(422);

        let version = text(&made, "version");
        let labor = json!({ "version": version, "federal_holidays": { "labor_day": { "selected": true } } });
        let changed = company.put(POLICY, labor.clone()).await.ok();
        assert_eq!(changed["federal_holidays"]["christmas_day"]["selected"], true, "left out, it stays");
        company.put(POLICY, labor).await.refused(409);
        let wrong = json!({ "version": changed["version"], "employees": [{ "uuid": nobody }] });
        assert_eq!(company.put(format!("{POLICY}/add"), wrong).await.refused(422).keys(), ["uuid"]);
        let days = company.get("/v1/companies/{company}/paid_holidays?year=2027").await.list();
        let days: Vec<_> =
            days.iter().map(|day| (text(day, "holiday_key"), text(day, "start_date"))).collect();
        // Christmas 2027 is a Saturday.
        let expected = [("labor_day", "2027-09-06"), ("christmas_day", "2027-12-24")];
        assert!(days.iter().map(|(key, day)| (key.as_str(), day.as_str())).eq(expected), "{days:?}");
        assert_eq!(
            company.get("/v1/companies/{company}/paid_holidays?year=27").await.refused(422).keys(),
            ["year"]
        );

        let policy = add(&company, &[&ana]).await;
        let none = json!({ "version": policy["version"], "employees": [{ "uuid": ana }] });
        let policy = company.put(format!("{POLICY}/remove"), none).await.ok();
        assert_eq!(policy["employees"], json!([]));
        company.delete(POLICY).await.deleted();
        assert_eq!(company.get(POLICY).await.status, 204);
    });
}

#[test]
fn whoever_leaves_before_a_holiday_is_not_paid_for_it() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let chosen = json!({ "federal_holidays": { "juneteenth": { "selected": true } } });
        company.post(POLICY, chosen).await.ok();
        let payroll = second_payroll(&company).await;
        let mut told = Vec::new();
        for last_day in ["2026-06-18", "2026-06-19"] {
            let (who, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
            add(&company, &[&who]).await;
            let leaves = json!({ "effective_date": last_day, "run_termination_payroll": false });
            company.post(format!("/v1/employees/{who}/terminations"), leaves).await.created();
            told.push(holiday_hours(&company.calculate(&payroll).await, &who));
        }
        assert_eq!(told, ["0.000", "8.000"]);
    });
}

#[test]
fn the_last_payroll_of_an_employment_pays_its_holidays() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let chosen = json!({ "federal_holidays": { "juneteenth": { "selected": true } } });
        company.post(POLICY, chosen).await.ok();
        let regular = second_payroll(&company).await;
        let mut told = Vec::new();
        for last_day in ["2026-06-18", "2026-06-19"] {
            let (who, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
            add(&company, &[&who]).await;
            let leaves = json!({ "effective_date": last_day, "run_termination_payroll": true });
            company.post(format!("/v1/employees/{who}/terminations"), leaves).await.created();
            let body = json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": "2026-06-15",
                               "end_date": "2026-06-28", "employee_uuids": [who] });
            let payroll = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
            let last = company.calculate(&payroll).await;
            told.push((holiday_hours(&last, &who), number(&of(&last, &who)["gross_pay"])));
            let everybody = company.get(path(&regular, "")).await.ok()["employee_compensations"].to_string();
            assert!(!everybody.contains(&who), "paid once");
        }
        assert_eq!(told, [(json!("0.000"), "0.00".to_owned()), (json!("8.000"), "160.00".to_owned())]);
    });
}

#[test]
fn a_holiday_is_paid_once_to_somebody_who_leaves_and_comes_back_in_its_pay_period() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let chosen = json!({ "federal_holidays": { "juneteenth": { "selected": true } } });
        company.post(POLICY, chosen).await.ok();
        let regular = second_payroll(&company).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        add(&company, &[&ana]).await;
        let leaves = json!({ "effective_date": "2026-06-19", "run_termination_payroll": true });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        company.world.wait_until("2026-06-20T12:00:00Z".parse().unwrap()).await;
        let back = json!({ "effective_date": "2026-06-25", "file_new_hire_report": false, "work_location_uuid": location });
        company.post(format!("/v1/employees/{ana}/rehire"), back).await.created();
        let body = json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": "2026-06-15",
                           "end_date": "2026-06-28", "employee_uuids": [ana] });
        let last = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
        // 19 June is the last day of the first span.
        let told = company.calculate(&last).await;
        assert_eq!(holiday_hours(&told, &ana), "8.000");
        let prepared = company.put(path(&regular, "/prepare"), json!({})).await.ok();
        assert_eq!(holiday_hours(&prepared, &ana), "0.000");
        enter(&company, &regular, &ana, hours("16")).await.ok();
        assert_eq!(number(&of(&company.calculate(&regular).await, &ana)["gross_pay"]), "320.00");
    });
}
