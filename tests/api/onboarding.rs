//! Onboarding: every move from one status to another, and what brings it about.

use serde_json::{Value, json};

use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// Every step in its order; the last one is the employer's review.
pub const STEPS: [&str; 10] = [
    "personal_details",
    "compensation_details",
    "add_work_address",
    "add_home_address",
    "federal_tax_setup",
    "state_tax_setup",
    "direct_deposit_setup",
    "employee_form_signing",
    "file_new_hire_report",
    "admin_review",
];

const ADMIN: &str = "admin_onboarding_incomplete";
/// Steps that are left open: one that may be, and one that may not.
const LAST: &[&str] = &["direct_deposit_setup", "file_new_hire_report"];
const PENDING: &str = "self_onboarding_pending_invite";
const INVITED: &str = "self_onboarding_invited";
const STARTED: &str = "self_onboarding_invited_started";
const OVERDUE: &str = "self_onboarding_invited_overdue";
const BY_EMPLOYEE: &str = "self_onboarding_completed_by_employee";
const REVIEW: &str = "self_onboarding_awaiting_admin_review";
const COMPLETED: &str = "onboarding_completed";
const STATUSES: [&str; 8] = [ADMIN, PENDING, INVITED, STARTED, OVERDUE, BY_EMPLOYEE, REVIEW, COMPLETED];

/// What a partner may ask for, and the event that tells of it.
fn allowed(status: &str) -> Vec<(&'static str, &'static str)> {
    let finish = (COMPLETED, "employee.onboarded");
    match status {
        ADMIN => vec![
            (PENDING, "employee.marked_for_self_onboarding"),
            (INVITED, "employee.marked_for_self_onboarding"),
            finish,
        ],
        PENDING => vec![(ADMIN, "employee.updated"), (INVITED, "employee.updated"), finish],
        INVITED => vec![(ADMIN, "employee.updated"), finish],
        BY_EMPLOYEE => vec![(REVIEW, "employee.updated"), finish],
        COMPLETED => vec![],
        _ => vec![finish],
    }
}

/// An employee in a status, with every required step but the review complete and data for an invitation.
async fn employee_in(company: &Company, status: &str) -> String {
    let hired = company.hire("Ana", "2026-06-30").await;
    let id = hired.id;
    company.ask_for(&id, ADMIN).await.ok();
    let but =
        |left_out: &[&str]| STEPS[..9].iter().copied().filter(|s| !left_out.contains(s)).collect::<Vec<_>>();
    let ask = async |status: &str| company.ask_for(&id, status).await.ok();
    match status {
        BY_EMPLOYEE | REVIEW => {
            let entered = but(&["employee_form_signing", "direct_deposit_setup"]);
            company.mark_and_ask_for(&id, &entered, PENDING).await.ok();
            company.mark(&id, &["employee_form_signing"]).await.ok();
            if status == REVIEW {
                ask(REVIEW).await;
            }
        }
        // One step is left, with which onboarding ends.
        ADMIN => drop(company.mark(&id, &but(LAST)).await.ok()),
        COMPLETED => drop(company.mark(&id, &but(&["direct_deposit_setup"])).await.ok()),
        _ => {
            let invited = if status == PENDING { PENDING } else { INVITED };
            company.mark_and_ask_for(&id, &but(&["direct_deposit_setup"]), invited).await.ok();
            if status == STARTED {
                company.world.call("GET", company.link(&id).await).send().await.is(303);
            }
            if status == OVERDUE {
                company.world.wait_until("2026-07-02T00:00:00Z".parse().unwrap()).await;
                // Whoever is invited later is overdue from the day after.
                let next = company.world.now() + jiff::Span::new().hours(29);
                company.world.wait_until(next).await;
            }
        }
    }
    assert_eq!(company.status(&id).await, status);
    id
}

#[test]
fn an_employee_moves_from_one_status_only_to_those_that_may_follow() {
    on_both_engines(async |engine: Engine| {
        for from in STATUSES {
            let company = engine.own_world_if(from == OVERDUE).await.company().await;
            let id = employee_in(&company, from).await;
            let may_follow = allowed(from);
            let known = company.count_events().await;
            for to in STATUSES.into_iter().filter(|to| may_follow.iter().all(|(status, _)| status != to)) {
                let answer = company.ask_for(&id, to).await;
                if to == from {
                    assert_eq!(
                        text(&answer.ok(), "onboarding_status"),
                        from,
                        "asking for the present one is fine"
                    );
                    continue;
                }
                let refused = answer.refused(422);
                assert_eq!(refused.fault(), ("onboarding_status", "invalid_operation"), "{from} to {to}");
                assert!(
                    may_follow.iter().all(|(status, _)| refused.message().contains(status)),
                    "{from} to {to}"
                );
            }
            assert_eq!(company.status(&id).await, from);
            assert_eq!(company.count_events().await, known, "nothing has happened");
            for (to, event) in may_follow {
                let id = employee_in(&company, from).await;
                let known = company.count_events().await;
                let told = match (from, to) {
                    (ADMIN, COMPLETED) => company.mark(&id, &LAST[1..]).await.ok(),
                    _ => company.ask_for(&id, to).await.ok(),
                };
                assert_eq!(text(&told, "onboarding_status"), to);
                let mut expected = vec![event];
                expected.extend((to == REVIEW).then_some("notification.employee_review.created"));
                let reviewed = from == REVIEW || (from == BY_EMPLOYEE && to == COMPLETED);
                expected.extend(reviewed.then_some("notification.employee_review.resolved"));
                assert_eq!(company.event_types_since(known).await, expected, "{from} to {to}");
                assert_eq!(company.read("employees", &id).await["onboarded"], json!(to == COMPLETED));
            }
        }
    });
}

/// The steps that are complete.
pub fn complete(told: &Value) -> Vec<String> {
    let steps = told["onboarding_steps"].as_array().unwrap();
    steps.iter().filter(|step| step["completed"] == true).map(|step| text(step, "id")).collect()
}

#[test]
fn an_employee_who_has_entered_everything_is_reported_done_once() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        company.ask_for(&hired.id, INVITED).await.ok();
        company.enter_personal_details(&hired.id, "412551013").await;
        company.mark(&hired.id, &["federal_tax_setup"]).await.ok();
        let known = company.count_events().await;
        company.home_address(&hired.id).await;
        assert_eq!(company.status(&hired.id).await, INVITED);
        company.mark(&hired.id, &["state_tax_setup", "employee_form_signing"]).await.ok();
        assert_eq!(company.status(&hired.id).await, BY_EMPLOYEE);
        let expected = [
            "employee.home_address.created",
            "employee.self_onboarding_completed",
            "notification.employee_review.created",
        ];
        assert_eq!(company.event_types_since(known).await, expected);
        // Once every step is marked the employer is told, but the employee is not reported again.
        company.mark(&hired.id, &["direct_deposit_setup", "file_new_hire_report"]).await.ok();
        assert_eq!(company.status(&hired.id).await, REVIEW);
        let expected = ["employee.updated", "notification.employee_review.created"];
        assert_eq!(company.event_types_since(known + 3).await, expected);
        company.ask_for(&hired.id, COMPLETED).await.ok();
        let all = company.event_types_since(0).await;
        assert_eq!(all.iter().filter(|name| *name == "employee.self_onboarding_completed").count(), 1);
        assert!(
            all.ends_with(
                &["employee.onboarded", "notification.employee_review.resolved"].map(str::to_owned)
            )
        );
    });
}

#[test]
fn data_that_the_employee_enters_last_complete_the_employees_part() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        company
            .mark(
                &hired.id,
                &["add_home_address", "federal_tax_setup", "state_tax_setup", "employee_form_signing"],
            )
            .await
            .ok();
        assert_eq!(company.status(&hired.id).await, PENDING);
        let known = company.count_events().await;
        company.enter_personal_details(&hired.id, "412551014").await;
        assert_eq!(company.status(&hired.id).await, BY_EMPLOYEE);
        let expected = [
            "employee.updated",
            "employee.self_onboarding_completed",
            "notification.employee_review.created",
        ];
        assert_eq!(company.event_types_since(known).await, expected);
    });
}

#[test]
fn the_employer_is_notified_when_the_employee_finishes_entering_information() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = employee_in(&company, BY_EMPLOYEE).await;
        let told = company.get("/v1/companies/{company}/notifications").await.list();
        assert_eq!(told.len(), 1);
        assert_eq!((&told[0]["uuid"], &told[0]["category"]), (&json!(id), &json!("employee_review")));
        assert!(text(&told[0], "message").contains("completed the employee's part"), "{told:?}");
        assert_eq!(company.get(format!("/v1/notifications/{id}")).await.ok(), told[0]);
        company.ask_for(&id, COMPLETED).await.ok();
        assert!(company.get("/v1/companies/{company}/notifications").await.list().is_empty());
        company.get(format!("/v1/notifications/{id}")).await.refused(422);
    });
}

#[test]
fn any_status_leads_to_the_review_when_the_partner_marks_every_step() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        for from in STATUSES.into_iter().filter(|status| ![OVERDUE, REVIEW, COMPLETED].contains(status)) {
            let id = employee_in(&company, from).await;
            let known = company.count_events().await;
            let told = company.mark(&id, &STEPS[..9]).await.ok();
            assert_eq!(text(&told, "onboarding_status"), REVIEW, "{from}");
            let expected = ["employee.updated", "notification.employee_review.created"];
            assert!(company.event_types_since(known).await.ends_with(&expected.map(str::to_owned)), "{from}");
            let notices = company.get("/v1/companies/{company}/notifications").await.list();
            assert!(notices.iter().any(|one| one["uuid"] == json!(id)), "{from}");
            // The one call more is the employer's.
            assert_eq!(company.read("employees", &id).await["onboarded"], false, "{from}");
            assert_eq!(text(&company.ask_for(&id, COMPLETED).await.ok(), "onboarding_status"), COMPLETED);
        }
        // Also for those who are overdue; what was done before stays so, and tells nobody again.
        for (from, to) in [(REVIEW, REVIEW), (COMPLETED, COMPLETED), (OVERDUE, REVIEW)] {
            let id = employee_in(&company, from).await;
            let known = company.count_events().await;
            let told = company.mark(&id, &STEPS[..9]).await.ok();
            assert_eq!(text(&told, "onboarding_status"), to, "{from}");
            let events = company.event_types_since(known).await;
            let notices = events.iter().filter(|name| *name == "notification.employee_review.created");
            assert_eq!(notices.count(), usize::from(from == OVERDUE), "{from}: {events:?}");
        }
        // Whom the administrator onboards has not onboarded himself.
        let id = employee_in(&company, ADMIN).await;
        let known = company.count_events().await;
        company.mark(&id, &STEPS[..9]).await.ok();
        let events = company.event_types_since(known).await;
        assert_eq!(events, ["employee.updated", "notification.employee_review.created"]);
    });
}

/// The fields of which an answer warns.
fn warned(told: &Value) -> Vec<String> {
    told["warnings"].as_array().into_iter().flatten().map(|one| text(one, "field")).collect()
}

#[test]
fn finishing_with_steps_that_were_only_marked_warns_of_what_is_not_on_file() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.employee("Ana").await);
        assert!(warned(&company.mark(&id, &STEPS[..9]).await.ok()).is_empty(), "not finished yet");
        let told = company.ask_for(&id, COMPLETED).await.ok();
        assert_eq!(warned(&told), ["ssn", "federal_taxes", "state_taxes"]);
        for warning in told["warnings"].as_array().unwrap() {
            assert_eq!(warning["category"], "missing_value");
            assert!(text(warning, "message").len() > 40);
        }
        company.enter_personal_details(&id, "412551013").await;
        let version = company.get(format!("/v1/employees/{id}/federal_taxes")).await.ok()["version"].clone();
        let w4 = json!({ "version": version, "w4_data_type": "rev_2020_w4", "filing_status": "Single" });
        company.put(format!("/v1/employees/{id}/federal_taxes"), w4).await.ok();
        let location = id_of(&company.location("TX").await);
        company.work_address(&id, &location).await;
        company.home_address(&id).await;
        let told = company.get(format!("/v1/employees/{id}/onboarding_status")).await.ok();
        assert_eq!(told["warnings"], Value::Null, "everything is on file, and Texas asks nothing");
    });
}

#[test]
fn every_step_marked_brings_the_employee_before_the_employer() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let known = company.count_events().await;
        let told = company.mark(&id, &STEPS[..9]).await.ok();
        assert_eq!(text(&told, "onboarding_status"), REVIEW);
        let expected = [
            "employee.self_onboarding_completed",
            "employee.updated",
            "notification.employee_review.created",
        ];
        assert_eq!(company.event_types_since(known).await, expected);
        let events = company.events().await;
        let notice = events.last().unwrap();
        assert_eq!((notice.entity_type.as_str(), notice.entity.to_string()), ("Notification", id.clone()));
        for event in events {
            let payload = &event.payload;
            assert_eq!(
                (&payload["resource_type"], &payload["resource_uuid"]),
                (&json!("Company"), &json!(company.id))
            );
            assert_eq!(
                (&payload["event_type"], &payload["entity_uuid"]),
                (&json!(event.event_type), &json!(event.entity))
            );
            assert!(payload["timestamp"].is_i64() && payload["uuid"].is_string());
        }
    });
}

#[test]
fn onboarding_cannot_finish_before_its_steps_do() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let refused = company.ask_for(&hired.id, COMPLETED).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        let open = [
            "personal_details",
            "add_home_address",
            "federal_tax_setup",
            "state_tax_setup",
            "employee_form_signing",
            "file_new_hire_report",
        ];
        assert_eq!(refused.only()["metadata"]["open_steps"], json!(open));
        assert!(open.iter().all(|step| refused.message().contains(step)));
        // Steps and a status in one call: the steps come first.
        let marks: Vec<_> = open.iter().map(|id| json!({ "id": id, "completed": true })).collect();
        let body = json!({ "onboarding_status": COMPLETED, "onboarding_steps": marks });
        let told = company.put(format!("/v1/employees/{}/onboarding_status", hired.id), body).await.ok();
        assert_eq!(text(&told, "onboarding_status"), COMPLETED);
        assert_eq!(
            complete(&told),
            STEPS[..9],
            "the optional step counts as complete, too, and the review lies behind"
        );
        assert_eq!(company.read("employees", &hired.id).await["onboarded"], true);
        let refused = company.mark(&hired.id, &["admin_review"]).await.refused(422);
        assert_eq!(refused.fault(), ("onboarding_steps", "invalid_operation"));
    });
}

#[test]
fn a_refused_status_takes_the_marks_of_its_call_with_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let path = format!("/v1/employees/{id}/onboarding_status");
        let before = company.get(&path).await.ok();
        let body = json!({ "onboarding_status": COMPLETED, "onboarding_steps": [{ "id": "federal_tax_setup", "completed": true }] });
        company.put(&path, body).await.refused(422);
        assert_eq!(company.get(&path).await.ok(), before);
        assert_eq!(company.count_events().await, 2);
    });
}

#[test]
fn two_employees_of_one_company_with_one_ssn_block_each_other() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (company, other) = (world.company().await, world.company().await);
        let with_ssn = async |company: &Company, ssn: &str| {
            let body = json!({ "first_name": "Ana", "last_name": "Lee", "ssn": ssn });
            id_of(&company.post("/v1/companies/{company}/employees", body).await.created())
        };
        let blockers = async |id: &str| {
            company.get(format!("/v1/employees/{id}/onboarding_status")).await.ok()["blockers"].clone()
        };
        let ana = with_ssn(&company, "412551015").await;
        with_ssn(&other, "412551015").await;
        assert_eq!(blockers(&ana).await, Value::Null, "another company's people are nobody's business");
        let ben = with_ssn(&company, "412551015").await;
        for id in [&ana, &ben] {
            let told = blockers(id).await;
            assert_eq!((&told[0]["field"], &told[0]["category"]), (&json!("ssn"), &json!("duplicate_value")));
            assert!(!told.to_string().contains("412551015"));
        }
        let version = &company.read("employees", &ben).await["version"];
        company
            .put(format!("/v1/employees/{ben}"), json!({ "version": version, "ssn": "412551016" }))
            .await
            .ok();
        assert_eq!((blockers(&ana).await, blockers(&ben).await), (Value::Null, Value::Null));
    });
}
