//! What cannot be assigned, what is in the way of it, and what becomes of payrolls that are under way.

use std::sync::Arc;

use domain::pay::payrolls::run::calculation::{Attempt, Changed};
use serde_json::{Value, json};

use super::{ASSIGN, ASSIGNMENTS, PREVIEW, enter, hours, path, runs, told, two};
use crate::support::{Engine, id_of, on_both_engines, text};

const TRANSITION: &str = "Transition from old pay schedule";

#[test]
fn an_assignment_that_cannot_be_says_which_field_why_and_what_is_allowed_and_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let max = two.salaried("Max").await;
        let nobody = "018f2a4e-0000-7000-8000-000000000000";
        let chosen = |employee: &str, schedule: &str| json!({ "employee_uuid": employee, "pay_schedule_uuid": schedule });
        let with = |changes: Value| {
            let mut body = two.by_employee(&[&max]);
            for (key, value) in changes.as_object().unwrap() {
                body[key] = value.clone();
            }
            body
        };
        let cases = [
            (json!({}), "type"),
            (json!({ "type": "by_moon", "default_pay_schedule_uuid": two.weeks }), "type"),
            (json!({ "type": "single" }), "default_pay_schedule_uuid"),
            (
                json!({ "type": "by_employee", "employees": [chosen(&max, &two.months)] }),
                "default_pay_schedule_uuid",
            ),
            (json!({ "type": "by_department" }), "default_pay_schedule_uuid"),
            (
                json!({ "type": "hourly_salaried", "hourly_pay_schedule_uuid": two.weeks }),
                "salaried_pay_schedule_uuid",
            ),
            (
                json!({ "type": "hourly_salaried", "salaried_pay_schedule_uuid": two.weeks }),
                "hourly_pay_schedule_uuid",
            ),
            (with(json!({ "default_pay_schedule_uuid": nobody })), "default_pay_schedule_uuid"),
            (with(json!({ "employees": [chosen(nobody, &two.months)] })), "employee_uuid"),
            (
                with(json!({ "employees": [chosen(&max, &two.months), chosen(&max, &two.weeks)] })),
                "employee_uuid",
            ),
            (with(json!({ "employees": [chosen(&max, nobody)] })), "pay_schedule_uuid"),
            (with(json!({ "employees": [{ "employee_uuid": max }] })), "pay_schedule_uuid"),
            (with(json!({ "employees": [], "partial_assignment": true })), "employees"),
            (
                with(
                    json!({ "departments": [{ "department_uuid": nobody, "pay_schedule_uuid": two.weeks }] }),
                ),
                "departments",
            ),
            (with(json!({ "hourly_pay_schedule_uuid": two.weeks })), "hourly_pay_schedule_uuid"),
            (with(json!({ "partial_assignment": "yes" })), "partial_assignment"),
            (
                json!({ "type": "single", "default_pay_schedule_uuid": two.weeks, "partial_assignment": true }),
                "partial_assignment",
            ),
            (
                json!({ "type": "single", "default_pay_schedule_uuid": two.weeks, "employees": [chosen(&max, &two.weeks)] }),
                "employees",
            ),
            (
                json!({ "type": "by_department", "default_pay_schedule_uuid": two.weeks,
                     "departments": [{ "department_uuid": nobody, "pay_schedule_uuid": two.weeks }] }),
                "department_uuid",
            ),
        ];
        for (body, key) in cases {
            for operation in [ASSIGN, PREVIEW] {
                let refused = two.company.post(operation, body.clone()).await.refused(422);
                assert_eq!(refused.keys(), [key], "{body}");
            }
        }
        let refused = two.company.post(ASSIGN, json!({ "type": "by_moon" })).await.refused(422);
        assert!(refused.message().contains("single, hourly_salaried, by_employee, by_department"));
        assert_eq!(two.company.get(ASSIGNMENTS).await.ok()["type"], "single");
    });
}

#[test]
fn an_assignment_during_a_calculation_has_it_done_again_without_those_who_left_the_payroll() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let (ana, max) = (two.hourly("Ana").await, two.salaried("Max").await);
        let (store, id) = (&two.company.world.app.store, two.payroll.parse().unwrap());
        runs::request(&two.company, &two.payroll).await;
        let attempt = Attempt::begin(store, two.company.id, id).await.unwrap().unwrap();
        let calculated = attempt.store_paychecks(store).await.unwrap().unwrap();
        two.assign(two.by_employee(&[&max])).await;
        assert_eq!(
            attempt.finish_if_unchanged(store, &Arc::new(calculated)).await.unwrap(),
            Changed::Everything
        );
        let told = two.company.calculate(&two.payroll).await;
        let paid: Vec<_> = told["employee_compensations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| text(one, "employee_uuid"))
            .collect();
        assert_eq!(paid, std::slice::from_ref(&ana));
        // What was calculated before a move is calculated for others than those who are in it now.
        two.assign(two.by_employee(&[])).await;
        let told = two.company.get(path(&two.payroll, "")).await.ok();
        assert_eq!(told["calculated_at"], Value::Null);
        let submit = two.company.put(path(&two.payroll, "/submit"), json!({})).await.refused(422);
        assert_eq!(submit.fault().1, "invalid_operation");
        assert_eq!(two.members(&two.payroll).await.len(), 2);
    });
}

#[test]
fn a_payroll_in_which_something_was_entered_for_somebody_who_would_leave_it_is_in_the_way() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let (ana, max) = (two.hourly("Ana").await, two.salaried("Max").await);
        enter(&two.company, &two.payroll, &ana, hours("80")).await.ok();
        let refused = two.company.post(ASSIGN, two.by_employee(&[&ana])).await.refused(422);
        assert_eq!(refused.0[0]["metadata"]["entity_uuid"], json!(two.payroll));
        two.assign(two.by_employee(&[&max])).await;
        // Terms of a schedule that somebody is about to come to, or to leave, stay until that has been paid.
        let months =
            two.company.get(format!("/v1/companies/{{company}}/pay_schedules/{}", two.months)).await.ok();
        let terms = json!({ "version": months["version"], "frequency": "Quarterly" });
        let path = format!("/v1/companies/{{company}}/pay_schedules/{}", two.months);
        let refused = two.company.put(path, terms).await.refused(422);
        assert_eq!(refused.fault().1, "invalid_operation");
    });
}

#[test]
fn a_transition_of_those_who_leave_is_deleted_made_again_and_skipped() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let max = two.salaried("Max").await;
        two.run_first().await;
        two.assign(two.by_employee(&[&max])).await;
        let made = text(&two.transitions().await[0]["payroll"], "payroll_uuid");
        two.company.delete(path(&made, "")).await.deleted();
        assert_eq!(
            two.transitions().await[0]["payroll"].get("payroll_uuid"),
            None,
            "its days are still to be paid"
        );
        let payrolls = "/v1/companies/{company}/payrolls";
        let own = |start: &str| json!({ "off_cycle": true, "off_cycle_reason": TRANSITION, "start_date": start, "end_date": "2026-06-30" });
        assert_eq!(two.company.post(payrolls, own("2026-06-28")).await.refused(422).keys(), ["start_date"]);
        let own = id_of(&two.company.post(payrolls, own("2026-06-29")).await.ok());
        assert_eq!(two.transitions().await[0]["payroll"]["payroll_uuid"], json!(own));
        assert_eq!(two.members(&own).await, std::slice::from_ref(&max));
        let skip = json!({ "payroll_type": TRANSITION, "start_date": "2026-06-29", "end_date": "2026-06-30",
                           "pay_schedule_uuid": two.weeks });
        two.company.post("/v1/companies/{company}/payrolls/skip", skip).await.is(202);
        two.company.work().await;
        assert_eq!(two.transitions().await[0]["payroll"]["processed"], true);
        // What was paid, or skipped, as days of a transition stays one: whoever goes back has then left the month that begins.
        let [change]: [Value; 1] = two.preview(two.by_employee(&[])).await.try_into().unwrap();
        assert_eq!(
            told(&change),
            ("2026-07-13".to_owned(), json!({ "start_date": "2026-07-01", "end_date": "2026-07-12" }))
        );
    });
}
