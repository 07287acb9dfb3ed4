//! The same request twice has one effect and one answer.

use domain::access::scope::Scopes;
use domain::access::tokens::TokenKind;
use jiff::ToSpan;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tower::ServiceExt;

use crate::support::{Answer, Company, Engine, id_of, on_both_engines, place};

store::statements! {
    SPOIL = "UPDATE idempotency SET status = 99999 WHERE owner_id = $1";
}

const EMPLOYEES: &str = "/v1/companies/{company}/employees";

fn ana() -> Value {
    json!({ "first_name": "Ana", "last_name": "Lee" })
}

async fn send(company: &Company, method: &str, path: &str, key: &str, body: &Value) -> Answer {
    let call = company.call(method, path).header("idempotency-key", key);
    if body.is_null() { call.send().await } else { call.json(body).send().await }
}

#[test]
fn a_repetition_gets_the_first_answer_and_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let first = send(&company, "POST", EMPLOYEES, "one", &ana()).await.is(201);
        let known = (company.count_events().await, company.audit().await.len());
        for _ in 0..3 {
            assert_eq!(send(&company, "POST", EMPLOYEES, "one", &ana()).await.essence(), first.essence());
        }
        assert_eq!((company.count_events().await, company.audit().await.len()), known);
        assert_eq!(company.get(EMPLOYEES).await.list().len(), 1);
        send(&company, "POST", EMPLOYEES, "two", &ana()).await.is(201);
        assert_eq!(company.get(EMPLOYEES).await.list().len(), 2);
    });
}

#[test]
fn another_spelling_of_the_same_address_is_a_repetition_too() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (body, id) = (json!({ "title": "Kitchen" }), company.id.to_string());
        let first =
            send(&company, "POST", &format!("/v1/companies/{id}/departments"), "k", &body).await.is(201);
        for spelling in [
            format!("/v1/companies/{id}/%64epartments"),
            format!("/v1/companies/{}/departments", id.to_uppercase()),
            format!("/v1/companies/{}/departments", id.replace('-', "%2D")),
            format!("/v1/compan%69es/{id}/d%65partments"),
        ] {
            let again = send(&company, "POST", &spelling, "k", &body).await;
            // Where a spelling is no address of the service, it makes nothing either.
            if again.status != 404 {
                assert_eq!(again.essence(), first.essence(), "{spelling}");
            }
        }
        assert_eq!(company.get("/v1/companies/{company}/departments").await.list().len(), 1);
    });
}

#[test]
fn updates_deletions_and_links_can_be_repeated_as_well() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = company.self_onboarding_employee("Ana").await;
        let path = format!("/v1/employees/{}", id_of(&employee));
        let update = json!({ "version": employee["version"], "first_name": "Anna" });
        let first = send(&company, "PUT", &path, "k", &update).await.is(200);
        let again = send(&company, "PUT", &path, "k", &update).await;
        assert_eq!(again.essence(), first.essence(), "the version was right when it was first asked");
        send(&company, "PUT", &path, "another", &update).await.is(409);

        let link =
            json!({ "flow_type": "deductions", "entity_type": "Employee", "entity_uuid": id_of(&employee) });
        let flows = "/v1/companies/{company}/flows";
        let first = send(&company, "POST", flows, "k", &link).await.is(201);
        assert_eq!(send(&company, "POST", flows, "k", &link).await.essence(), first.essence());

        let first = send(&company, "DELETE", &path, "k", &Value::Null).await.is(204);
        assert_eq!(send(&company, "DELETE", &path, "k", &Value::Null).await.essence(), first.essence());
        send(&company, "DELETE", &path, "another", &Value::Null).await.is(404);
    });
}

#[test]
fn a_key_that_was_used_with_another_body_is_refused() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        send(&company, "POST", EMPLOYEES, "k", &ana()).await.is(201);
        let other = json!({ "first_name": "Ben", "last_name": "Lee" });
        let refused = send(&company, "POST", EMPLOYEES, "k", &other).await.refused(422);
        assert_eq!(refused.fault(), ("request", "invalid_parameter"));
        assert_eq!(company.get(EMPLOYEES).await.list().len(), 1);
        // On another address the same key names another request.
        send(&company, "POST", "/v1/companies/{company}/locations", "k", &place("TX")).await.is(201);
    });
}

#[test]
fn a_refusal_is_not_kept() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        send(&company, "POST", EMPLOYEES, "k", &json!({ "first_name": "Ana" })).await.is(422);
        send(&company, "POST", EMPLOYEES, "k", &ana()).await.is(201);
    });
}

#[test]
fn thirty_two_at_once_with_one_key_make_one_employee() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let mut calls = JoinSet::new();
        for _ in 0..32 {
            let company = company.clone();
            calls
                .spawn(async move { send(&company, "POST", EMPLOYEES, "k", &ana()).await.is(201).essence() });
        }
        let answers = calls.join_all().await;
        assert!(answers.iter().all(|answer| *answer == answers[0]));
        assert_eq!(company.get(EMPLOYEES).await.list().len(), 1);
        assert_eq!(company.event_types_since(0).await, ["employee.created"]);
    });
}

#[test]
fn an_answer_belongs_to_the_application_and_the_company_that_got_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let first = send(&company, "POST", EMPLOYEES, "k", &ana()).await.created();
        let (application, _) = world.another_application().await;
        let token = world
            .token(TokenKind::Company, application, Some(company.id), &Scopes::ALL.to_text(), None)
            .await;
        let another = Company { token, ..company.clone() };
        let second = send(&another, "POST", EMPLOYEES, "k", &ana()).await.created();
        assert_ne!(id_of(&first), id_of(&second));
        assert_eq!(company.get(EMPLOYEES).await.list().len(), 2);
        // A key at the address of another company opens nothing either.
        let stranger = world.company().await;
        let path = EMPLOYEES.replace("{company}", &company.id.to_string());
        send(&stranger, "POST", &path, "k", &ana()).await.refused(404);
        // Another token of the same application is the same caller.
        let token = world
            .token(TokenKind::Company, world.application, Some(company.id), &Scopes::ALL.to_text(), None)
            .await;
        let same = Company { token, ..company.clone() };
        assert_eq!(send(&same, "POST", EMPLOYEES, "k", &ana()).await.created(), first);
    });
}

#[test]
fn a_token_that_may_not_do_it_gets_no_kept_answer() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        send(&company, "POST", EMPLOYEES, "k", &ana()).await.is(201);
        let reader = company.with_scopes("employees:read").await;
        send(&reader, "POST", EMPLOYEES, "k", &ana()).await.refused(403);
    });
}

#[test]
fn a_kept_answer_shows_no_token_more_than_it_may_see_and_no_version_the_form_of_another() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let (id, _) = company.onboarded("Ana", &location, ("52000", "Year", "Exempt")).await;
        let path = format!("/v1/employees/{id}");
        let employee = company.get(&path).await.is(200).json();
        assert!(employee["jobs"][0]["rate"].is_string(), "the whole token sees pay");
        let update = json!({ "version": employee["version"], "preferred_first_name": "Annie" });
        let first = send(&company, "PUT", &path, "k", &update).await.is(200);
        let narrow = company.with_scopes("employees:read employees:write jobs:read jobs:write").await;
        let refused = send(&narrow, "PUT", &path, "k", &update).await.refused(422);
        assert!(refused.message().contains("token of other scopes"), "{}", refused.message());
        assert!(!refused.message().contains("52000"));
        let other = company.call("PUT", &path).header("idempotency-key", "k");
        other.header("x-gusto-api-version", "2026-06-15").json(&update).send().await.refused(422);
        send(&company, "PUT", &format!("{path}?include=all_compensations"), "k", &update).await.refused(422);
        assert_eq!(send(&company, "PUT", &path, "k", &update).await.essence(), first.essence());
    });
}

#[test]
fn answers_are_kept_for_a_day_and_then_forgotten() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        // What begins with the worker: the daily sweeping.
        world.app.worker.schedule_upkeep().await;
        let company = world.company().await;
        let first = send(&company, "POST", EMPLOYEES, "k", &ana()).await.is(201);
        world.wait(23.hours()).await;
        send(&company, "POST", EMPLOYEES, "later", &ana()).await.is(201);
        assert_eq!(send(&company, "POST", EMPLOYEES, "k", &ana()).await.essence(), first.essence());
        world.wait(2.hours()).await;
        assert_eq!(world.kept_answers().await, 2, "neither was a day old when the sweeper came");
        world.wait(24.hours()).await;
        assert_eq!(world.kept_answers().await, 0);
        let anew = send(&company, "POST", EMPLOYEES, "k", &ana()).await.is(201);
        assert_ne!(anew.essence(), first.essence());
        assert_eq!(company.get(EMPLOYEES).await.list().len(), 3);
        // Events are kept for longer; the newest one stays, because the next one is numbered after it.
        assert_eq!(company.count_events().await, 3);
        world.wait((31 * 24).hours()).await;
        assert_eq!(company.count_events().await, 1);
    });
}

#[test]
fn a_key_has_at_most_255_visible_characters() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        for wrong in ["", "Schlüssel", &"k".repeat(256)] {
            let refused = send(&company, "POST", EMPLOYEES, wrong, &ana()).await.refused(400);
            assert_eq!(refused.fault(), ("request", "invalid_parameter"), "{wrong}");
        }
        send(&company, "POST", EMPLOYEES, &"k".repeat(255), &ana()).await.is(201);
        // A read needs none, and does not mind one.
        send(&company, "GET", EMPLOYEES, "Schlüssel", &Value::Null).await.is(200);
    });
}

#[test]
fn a_kept_answer_whose_status_cannot_be_read_is_not_given_as_another() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = company.id;
        send(&company, "POST", EMPLOYEES, "spoilt", &ana()).await.is(201);
        let spoil = company
            .world
            .app
            .store
            .write(move |tx| Ok::<_, domain::Error>(tx.change_rows(SPOIL, store::params![id])?.is_one()));
        assert!(spoil.await.unwrap());
        let request = axum::http::Request::post(format!("/v1/companies/{id}/employees"))
            .header("authorization", format!("Bearer {}", company.token))
            .header("content-type", "application/json")
            .header("idempotency-key", "spoilt");
        let answer = company
            .world
            .router
            .clone()
            .oneshot(request.body(axum::body::Body::from(ana().to_string())).unwrap());
        assert_eq!(answer.await.unwrap().status(), 500);
        assert_eq!(company.get(EMPLOYEES).await.list().len(), 1);
    });
}
