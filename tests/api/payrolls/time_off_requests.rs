//! Requests for time off: asked for, decided on, and paid by the payrolls of their days.

use serde_json::{Value, json};

use super::{company, enter, hours, line, number, of, path};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const POLICIES: &str = "/v1/companies/{company}/time_off_policies";
const REQUESTS: &str = "/v1/companies/{company}/time_off/requests";
const APPROVED: &str = "/v1/companies/{company}/time_off/admin_approved_requests";

/// A policy of vacation that an employee has with a balance.
async fn policy(company: &Company, employee: &str, balance: &str, terms: Value) -> String {
    let mut body = json!({ "name": "Days off", "policy_type": "vacation", "accrual_method": "per_hour_worked",
                           "accrual_rate": "1", "accrual_rate_unit": "30", "complete": true });
    for (field, value) in terms.as_object().unwrap() {
        body[field] = value.clone();
    }
    let policy = id_of(&company.post(POLICIES, body).await.created());
    let joins = json!({ "employees": [{ "uuid": employee, "balance": balance }] });
    company.put(format!("/v1/time_off_policies/{policy}/add_employees"), joins).await.ok();
    policy
}

/// A request for some days of June 2026.
fn asks(employee: &str, policy: &str, days: &[(&str, &str)]) -> Value {
    let by_day: serde_json::Map<_, _> =
        days.iter().map(|(day, hours)| (format!("2026-06-{day}"), json!(hours))).collect();
    json!({ "employee_uuid": employee, "policy_uuid": policy,
            "start_date": format!("2026-06-{}", days[0].0),
            "end_date": format!("2026-06-{}", days[days.len() - 1].0), "days": by_day })
}

async fn status(company: &Company, request: &str) -> String {
    text(&company.get(format!("/v1/time_off/requests/{request}")).await.ok(), "status")
}

async fn balance(company: &Company, employee: &str) -> Value {
    company.read("employees", employee).await["eligible_paid_time_off"][0]["accrual_balance"].clone()
}

fn vacation(payroll: &Value, employee: &str) -> Value {
    line(&of(payroll, employee)["paid_time_off"], "Vacation Hours")["hours"].clone()
}

#[test]
fn an_approved_request_is_paid_by_the_payrolls_of_its_days_and_consumed_with_the_last_of_them() {
    on_both_engines(async |engine: Engine| {
        // The payroll of 1 to 14 June 2026.
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(&company, &ana, "40", json!({})).await;
        let mut body = asks(&ana, &days_off, &[("11", "8.000"), ("12", "4"), ("15", "8")]);
        body["employee_note"] = json!("A long weekend");
        let asked = company.post(REQUESTS, body).await.created();
        let request = id_of(&asked);
        assert_eq!(
            asked,
            json!({ "uuid": request, "status": "pending", "employee_note": "A long weekend", "employer_note": null,
                    "policy_type": "vacation", "policy_uuid": days_off,
                    "days": { "2026-06-11": "8.000", "2026-06-12": "4.000", "2026-06-15": "8.000" },
                    "employee": { "uuid": ana, "full_name": "Ana Silva" },
                    "initiator": { "uuid": ana, "full_name": "Ana Silva" }, "approver": null }),
        );
        let all = company.get("/v1/companies/{company}/time_off/balances").await.list();
        assert_eq!(all[0]["balances"][0]["pending_hours"], "20.000");
        enter(&company, &payroll, &ana, hours("60")).await.ok();
        assert_eq!(vacation(&company.calculate(&payroll).await, &ana), "0.000", "nobody has decided yet");

        let approve = format!("/v1/time_off/requests/{request}/approve");
        let approved = company.put(&approve, json!({ "employer_note": "Enjoy it" })).await.ok();
        assert_eq!(
            (&approved["status"], &approved["employer_note"]),
            (&json!("approved"), &json!("Enjoy it"))
        );
        company.put(&approve, json!({})).await.refused(422);
        let told = company.calculate(&payroll).await;
        // 12 hours of the two days of this pay period: 72 hours at 20.00.
        assert_eq!(vacation(&told, &ana), "12.000");
        assert_eq!(number(&of(&told, &ana)["gross_pay"]), "1440.00");
        assert_eq!(balance(&company, &ana).await, "40.000");
        company.submit(&payroll).await;
        // 12 taken, 60 / 30 earned.
        assert_eq!(balance(&company, &ana).await, "30.000");
        assert_eq!(status(&company, &request).await, "approved", "a day is left");
        company.delete(format!("/v1/time_off/requests/{request}")).await.refused(422);

        let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-09-01").await.list();
        let next = periods.iter().find(|period| period["start_date"] == "2026-06-15").unwrap();
        let next = text(&next["payroll"], "payroll_uuid");
        // Other hours that somebody enters count in their place; the day was paid all the same.
        let six = json!({ "paid_time_off": [{ "name": "Vacation Hours", "hours": "6" }] });
        enter(&company, &next, &ana, six).await.ok();
        assert_eq!(vacation(&company.calculate(&next).await, &ana), "6.000");
        company.submit(&next).await;
        assert_eq!(status(&company, &request).await, "consumed");
        company.put(path(&next, "/cancel"), json!({})).await.ok();
        company.work().await;
        assert_eq!(status(&company, &request).await, "approved");
        assert_eq!(balance(&company, &ana).await, "30.000");
    });
}

#[test]
fn hours_beyond_the_balance_are_refused_where_the_policy_allows_no_negative_one() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(&company, &ana, "12", json!({ "allow_negative_balance": false })).await;
        let first = asks(&ana, &days_off, &[("11", "8")]);
        let request = id_of(&company.post(REQUESTS, first.clone()).await.created());
        let second = asks(&ana, &days_off, &[("12", "4.5")]);
        let refused = company.post(REQUESTS, second.clone()).await.refused(422);
        assert_eq!(refused.keys(), ["days"]);
        company.post(APPROVED, second.clone()).await.refused(422);
        let preview = company.post(format!("{REQUESTS}/preview"), second.clone()).await.ok();
        assert_eq!(
            preview,
            json!({ "balance_hours": "12.000", "this_request_hours": "4.500", "other_requested_hours": "8.000",
                    "remaining_balance_hours": "-0.500", "allow_negative_balance": false, "unlimited": false })
        );
        let mut instead = second.clone();
        instead["request_uuid"] = json!(request);
        let preview = company.post(format!("{REQUESTS}/preview"), instead.clone()).await.ok();
        assert_eq!(preview["remaining_balance_hours"], "7.500", "the request's own hours do not count twice");
        let more = json!({ "days": { "2026-06-11": "13" } });
        let approve = format!("/v1/time_off/requests/{request}/approve");
        assert_eq!(company.put(&approve, more).await.refused(422).keys(), ["days"]);
        let fewer = company.put(&approve, json!({ "days": { "2026-06-11": "6" } })).await.ok();
        assert_eq!(fewer["days"], json!({ "2026-06-11": "6.000" }));
        company.post(REQUESTS, second.clone()).await.created();
        let policy = company.get(format!("/v1/time_off_policies/{days_off}")).await.ok();
        let change = json!({ "version": policy["version"], "allow_negative_balance": true });
        company.put(format!("/v1/time_off_policies/{days_off}"), change).await.ok();
        company.post(REQUESTS, asks(&ana, &days_off, &[("13", "8")])).await.created();
    });
}

#[test]
fn requests_are_listed_by_their_first_day_and_lead_from_pending_to_declined_and_away() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(&company, &ana, "40", json!({})).await;
        let joins = json!({ "employees": [{ "uuid": max }] });
        company.put(format!("/v1/time_off_policies/{days_off}/add_employees"), joins).await.ok();
        let early = id_of(&company.post(REQUESTS, asks(&ana, &days_off, &[("02", "8")])).await.created());
        let late = id_of(
            &company
                .post(APPROVED, asks(&max, &days_off, &[("10", "8"), ("11", "0"), ("12", "8")]))
                .await
                .created(),
        );
        let uuids = |list: Vec<Value>| list.iter().map(|one| text(one, "uuid")).collect::<Vec<_>>();
        for (query, expected) in [
            ("", vec![&late, &early]),
            ("?sort_order=asc", vec![&early, &late]),
            ("?status=approved,declined", vec![&late]),
            ("?start_date=2026-06-11&end_date=2026-06-11", vec![&late]),
            ("?end_date=2026-06-02", vec![&early]),
            ("?page=2&per=1", vec![&early]),
        ] {
            assert_eq!(
                uuids(company.get(format!("{REQUESTS}{query}")).await.list()).iter().collect::<Vec<_>>(),
                expected,
                "{query}"
            );
        }
        assert_eq!(
            uuids(company.get(format!("{REQUESTS}?employee_uuids={max}")).await.list()),
            std::slice::from_ref(&late)
        );
        assert_eq!(company.get(format!("{REQUESTS}?status=lost")).await.refused(422).keys(), ["status"]);
        let older = "/v1/companies/{company}/time_off_requests";
        let listed = company.get(older).await.list();
        assert_eq!(
            (uuids(listed.clone()), &listed[0]["request_type"]),
            (vec![early.clone(), late.clone()], &json!("vacation"))
        );
        assert_eq!(uuids(company.get(format!("{older}?start_date=2026-06-11")).await.list()), [""; 0]);

        company.put(format!("/v1/time_off_policies/{days_off}/deactivate"), json!({})).await.refused(422);
        let decline = format!("/v1/time_off/requests/{early}/decline");
        assert_eq!(company.put(&decline, json!({})).await.refused(422).keys(), ["employer_note"]);
        let declined = company.put(&decline, json!({ "employer_note": "Full" })).await.ok();
        assert_eq!(declined["status"], "declined");
        company.put(&decline, json!({ "employer_note": "Full" })).await.refused(422);
        company.put(format!("/v1/time_off/requests/{early}/approve"), json!({})).await.refused(422);
        // An approved one can be declined until it is paid, and pays nothing then.
        assert_eq!(vacation(&company.calculate(&payroll).await, &max), "16.000");
        company
            .put(format!("/v1/time_off/requests/{late}/decline"), json!({ "employer_note": "Sorry" }))
            .await
            .ok();
        assert_eq!(vacation(&company.calculate(&payroll).await, &max), "0.000");
        company.delete(format!("/v1/time_off/requests/{late}")).await.deleted();
        company.get(format!("/v1/time_off/requests/{late}")).await.refused(404);
        assert_eq!(uuids(company.get(REQUESTS).await.list()), [early]);
    });
}

#[test]
fn a_request_names_what_is_wrong_with_it_and_days_outside_the_employment_are_not_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(&company, &ana, "40", json!({})).await;
        let right = asks(&ana, &days_off, &[("11", "8"), ("12", "8")]);
        for (field, value, keys) in [
            ("employee_uuid", json!("none"), ["employee_uuid"]),
            ("employee_uuid", json!(max), ["policy_uuid"]),
            ("policy_uuid", json!(ana), ["policy_uuid"]),
            ("start_date", json!("2026-06-13"), ["end_date"]),
            ("end_date", json!("soon"), ["end_date"]),
            ("days", json!({ "2026-06-13": "8" }), ["days"]),
            ("days", json!({ "2026-06-11": "24.5" }), ["days"]),
            ("days", json!({ "2026-06-11": "none" }), ["days"]),
            ("days", json!({}), ["days"]),
            ("days", json!(null), ["days"]),
            ("employee_note", json!("x".repeat(1_001)), ["employee_note"]),
        ] {
            let mut wrong = right.clone();
            wrong[field] = value;
            assert_eq!(company.post(REQUESTS, wrong.clone()).await.refused(422).keys(), keys, "{field}");
        }
        let mut wrong = right.clone();
        wrong["approver_uuid"] = json!(ana);
        assert_eq!(company.post(APPROVED, wrong.clone()).await.refused(422).keys(), ["approver_uuid"]);
        company.post(REQUESTS, right.clone()).await.created();
        let full = company.post(REQUESTS, asks(&ana, &days_off, &[("11", "17")])).await.refused(422);
        assert_eq!(full.keys(), ["days"], "a day has 24 hours");
        assert_eq!(company.get(REQUESTS).await.list().len(), 1);

        company.post(APPROVED, asks(&ana, &days_off, &[("03", "8"), ("05", "8")])).await.created();
        let leaves = json!({ "effective_date": "2026-06-04", "run_termination_payroll": false });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        let late = company.post(REQUESTS, asks(&ana, &days_off, &[("08", "8")])).await.refused(422);
        assert_eq!(late.keys(), ["days"], "nobody takes time off after the last day");
        assert_eq!(vacation(&company.calculate(&payroll).await, &ana), "8.000");
    });
}

#[test]
fn days_of_a_request_are_paid_by_the_payroll_that_pays_them_at_the_rate_of_the_day() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, job) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(&company, &ana, "40", json!({})).await;
        // A raise within the pay period of 1 to 14 June.
        let raise = json!({ "rate": "30.00", "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2026-06-08" });
        company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), raise).await.created();
        company
            .post(APPROVED, asks(&ana, &days_off, &[("04", "8"), ("05", "0"), ("09", "4")]))
            .await
            .created();
        let told = company.calculate(&payroll).await;
        assert_eq!(vacation(&told, &ana), "12.000");
        // 8 at 20.00 and 4 at 30.00, not 12 at an average of 25.00.
        assert_eq!(number(&of(&told, &ana)["gross_pay"]), "280.00");
        super::explanation_of(&company, &payroll, &ana).await;
        // Other hours that are entered for the period belong to no day.
        let by_hand = json!({ "paid_time_off": [{ "name": "Vacation Hours", "hours": "10" }] });
        enter(&company, &payroll, &ana, by_hand).await.ok();
        assert_eq!(number(&of(&company.calculate(&payroll).await, &ana)["gross_pay"]), "250.00");
    });
}

#[test]
fn a_request_across_a_departure_and_a_return_is_paid_by_two_payrolls() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(&company, &ana, "40", json!({})).await;
        let days = [("02", "8"), ("12", "4")];
        let request = id_of(&company.post(APPROVED, asks(&ana, &days_off, &days)).await.created());
        let leaves = json!({ "effective_date": "2026-06-03", "run_termination_payroll": true });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        let back = json!({ "effective_date": "2026-06-11", "file_new_hire_report": false, "work_location_uuid": location });
        company.post(format!("/v1/employees/{ana}/rehire"), back).await.created();
        let body = json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": "2026-06-01",
                           "end_date": "2026-06-14", "employee_uuids": [ana] });
        let last = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
        assert_eq!(vacation(&company.calculate(&last).await, &ana), "8.000");
        company.submit(&last).await;
        assert_eq!(status(&company, &request).await, "approved", "a day is left");
        assert_eq!(vacation(&company.calculate(&payroll).await, &ana), "4.000");
        company.submit(&payroll).await;
        assert_eq!(status(&company, &request).await, "consumed");
    });
}

#[test]
fn whoever_has_requests_stays_in_the_policy_until_they_are_paid_or_declined() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(&company, &ana, "40", json!({})).await;
        let joins = json!({ "employees": [{ "uuid": max, "balance": "40" }] });
        company.put(format!("/v1/time_off_policies/{days_off}/add_employees"), joins).await.ok();
        let remove = format!("/v1/time_off_policies/{days_off}/remove_employees");
        let both = json!({ "employees": [{ "uuid": ana }, { "uuid": max }] });
        for post in [REQUESTS, APPROVED] {
            let request = id_of(&company.post(post, asks(&ana, &days_off, &[("11", "8")])).await.created());
            let refused = company.put(&remove, both.clone()).await.refused(422);
            assert_eq!(refused.keys(), ["uuid"]);
            assert_eq!(refused.0[0]["metadata"]["entity_uuid"], json!(ana));
            let members = company.get(format!("/v1/time_off_policies/{days_off}")).await.ok();
            assert_eq!(members["employees"].as_array().unwrap().len(), 2, "nothing was changed");
            let no = json!({ "employer_note": "Not now" });
            company.put(format!("/v1/time_off/requests/{request}/decline"), no).await.ok();
        }
        company.put(&remove, both).await.ok();
    });
}
