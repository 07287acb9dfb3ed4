//! Inviting employees, and what happens when one has not begun by the first day of work.

use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

use crate::support::{Company, Engine, id_of, on_both_engines, text};

const INVITED: &str = "self_onboarding_invited";
const OVERDUE: &str = "self_onboarding_invited_overdue";

fn at(moment: &str) -> Timestamp {
    moment.parse().unwrap()
}

/// An employee who was invited and starts on `hire_date`.
async fn invited(company: &Company, hire_date: &str) -> crate::support::Hired {
    let hired = company.hire("Ana", hire_date).await;
    company.ask_for(&hired.id, INVITED).await.ok();
    hired
}

#[test]
fn an_employee_can_be_invited_only_with_a_start_date_a_place_of_work_and_pay() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let id = id_of(&company.employee("Ana").await);
        let missing = async || {
            let refused = company.ask_for(&id, INVITED).await.refused(422);
            assert!(refused.categories().iter().all(|category| *category == "invalid_operation"));
            refused.keys().join(" ")
        };
        assert_eq!(missing().await, "start_date work_address compensation");
        let job = company.job(&id, "Cook", "2026-07-01").await;
        assert_eq!(missing().await, "work_address compensation", "the empty pay of a new job is none");
        company.work_address(&id, &location).await;
        assert_eq!(missing().await, "compensation");
        company.pay(&job, "18.50", "Hour", "Nonexempt").await;
        let known = company.count_events().await;
        let told = company.ask_for(&id, INVITED).await.ok();
        assert_eq!(text(&told, "onboarding_status"), INVITED);
        assert_eq!(company.event_types_since(known).await, ["employee.marked_for_self_onboarding"]);
        // Invitations can be in-app, so an e-mail address is not needed; that there is none is said.
        assert_eq!(told["warnings"].as_array().unwrap().len(), 1);
        let warning = &told["warnings"][0];
        assert_eq!((&warning["field"], &warning["category"]), (&json!("email"), &json!("missing_value")));
        let version = &company.read("employees", &id).await["version"];
        let address = json!({ "version": version, "email": "a@people.example" });
        company.put(format!("/v1/employees/{id}"), address).await.ok();
        let told = company.get(format!("/v1/employees/{id}/onboarding_status")).await.ok();
        assert_eq!(told["warnings"], Value::Null);
    });
}

#[test]
fn a_step_marked_by_hand_takes_the_place_of_no_data_for_an_invitation() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        company.mark(&id, &["compensation_details", "add_work_address"]).await.ok();
        let refused = company.ask_for(&id, INVITED).await.refused(422);
        assert_eq!(refused.keys(), ["start_date", "work_address", "compensation"]);
    });
}

#[test]
fn somebody_who_lives_on_commission_can_be_invited_without_a_rate() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let job = company.job(&id, "Agent", "2026-07-01").await;
        company.work_address(&id, &location).await;
        company.pay(&job, "0.00", "Year", "Commission Only Nonexempt").await;
        company.ask_for(&id, INVITED).await.ok();
    });
}

#[test]
fn an_invited_employee_is_overdue_when_the_start_date_has_passed_where_the_company_is() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let hired = invited(&company, "2026-07-01").await;
        let known = company.count_events().await;
        // Midnight in Texas is five o'clock in Greenwich.
        assert!(world.wait_until(at("2026-07-02T04:59:59Z")).await.is_empty());
        assert_eq!(company.status(&hired.id).await, INVITED);
        let fired = world.wait_until(at("2026-07-02T05:00:00Z")).await;
        let fired: Vec<_> = fired.iter().map(|f| (f.at, f.kind, f.uuid.to_string())).collect();
        assert_eq!(
            fired,
            [(at("2026-07-02T05:00:00Z"), "employee.self_onboarding_overdue", hired.id.clone())]
        );
        assert_eq!(company.status(&hired.id).await, OVERDUE);
        assert_eq!(company.event_types_since(known).await, ["employee.updated"]);
        let entry = company.audit().await.pop().unwrap();
        assert_eq!((entry.actor_kind.as_str(), entry.action.as_str()), ("service", "onboarding"));
        // Overdue is not too late.
        world.call("GET", company.link(&hired.id).await).send().await.is(303);
        assert_eq!(company.status(&hired.id).await, "self_onboarding_invited_started");
        assert!(world.wait(3.hours()).await.iter().all(|fired| fired.kind == "flow_link.expired"));
    });
}

#[test]
fn an_employee_who_has_begun_or_is_no_longer_invited_is_never_overdue() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let started = invited(&company, "2026-07-01").await;
        world.call("GET", company.link(&started.id).await).send().await.is(303);
        let cancelled = invited(&company, "2026-07-01").await;
        company.ask_for(&cancelled.id, "admin_onboarding_incomplete").await.ok();
        let waiting = company.hire("Ben", "2026-07-01").await;
        let deleted = invited(&company, "2026-07-01").await;
        company.delete(format!("/v1/employees/{}", deleted.id)).await.deleted();
        let fired = world.wait(30 * 24.hours()).await;
        assert_eq!(fired.iter().map(|fired| fired.kind).collect::<Vec<_>>(), ["flow_link.expired"]);
        assert_eq!(company.status(&started.id).await, "self_onboarding_invited_started");
        assert_eq!(company.status(&cancelled.id).await, "admin_onboarding_incomplete");
        assert_eq!(company.status(&waiting.id).await, "self_onboarding_pending_invite");
    });
}

#[test]
fn a_start_date_that_is_moved_moves_the_day_on_which_the_employee_is_overdue() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let (later, earlier) = (invited(&company, "2026-07-01").await, invited(&company, "2026-07-20").await);
        for (hired, day) in [(&later, "2026-07-10"), (&earlier, "2026-07-05")] {
            let version = &company.read("jobs", &hired.job).await["version"];
            let body = json!({ "version": version, "hire_date": day });
            company.put(format!("/v1/jobs/{}", hired.job), body).await.ok();
        }
        let fired = world.wait(60 * 24.hours()).await;
        let fired: Vec<_> = fired.iter().map(|f| (f.at, f.uuid.to_string())).collect();
        assert_eq!(fired, [(at("2026-07-06T05:00:00Z"), earlier.id), (at("2026-07-11T05:00:00Z"), later.id)]);
    });
}

#[test]
fn an_invitation_after_the_start_date_is_overdue_when_the_day_of_the_invitation_has_passed() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        // Three weeks after the hire date, at 9:00 in Texas.
        let hired = invited(&company, "2026-05-25").await;
        world.wait(1.minute()).await;
        assert_eq!(company.status(&hired.id).await, INVITED);
        world.wait_until(at("2026-06-16T04:59:59Z")).await;
        assert_eq!(company.status(&hired.id).await, INVITED);
        // A start date that is moved, but is still past, moves nothing.
        let version = &company.read("jobs", &hired.job).await["version"];
        let body = json!({ "version": version, "hire_date": "2026-05-26" });
        company.put(format!("/v1/jobs/{}", hired.job), body).await.ok();
        let fired = world.wait_until(at("2026-06-16T05:00:00Z")).await;
        assert_eq!(fired.iter().map(|fired| fired.at).collect::<Vec<_>>(), [at("2026-06-16T05:00:00Z")]);
        assert_eq!(company.status(&hired.id).await, OVERDUE);
    });
}

#[test]
fn on_the_start_date_itself_nobody_is_overdue_yet() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let hired = invited(&company, "2026-06-15").await;
        world.wait(12.hours()).await;
        assert_eq!(company.status(&hired.id).await, INVITED);
        world.wait(5.hours()).await;
        assert_eq!(company.status(&hired.id).await, OVERDUE);
    });
}

#[test]
fn the_operator_can_grant_days_of_grace() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.overdue_after_days = 2).await;
        let company = world.company().await;
        let hired = invited(&company, "2026-07-01").await;
        world.wait_until(at("2026-07-04T04:59:59Z")).await;
        assert_eq!(company.status(&hired.id).await, INVITED);
        world.wait_until(at("2026-07-04T05:00:00Z")).await;
        assert_eq!(company.status(&hired.id).await, OVERDUE);
    });
}

#[test]
fn whoever_is_invited_twice_is_overdue_once() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let hired = invited(&company, "2026-07-01").await;
        company.ask_for(&hired.id, INVITED).await.ok();
        company.ask_for(&hired.id, "admin_onboarding_incomplete").await.ok();
        company.ask_for(&hired.id, INVITED).await.ok();
        let fired = world.wait(60 * 24.hours()).await;
        assert_eq!(fired.len(), 1);
        assert_eq!(company.status(&hired.id).await, OVERDUE);
    });
}
