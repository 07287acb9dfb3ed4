//! Webhooks as a partner meets them: subscriptions and their verification, what is delivered to whom and signed how,
//! the schedule of tries by the test clock, and the record of them.

mod subscriptions;
mod tries;

use background::delivery::sign;
use background::worker::Fired;
use jiff::ToSpan;
use serde_json::{Value, json};
use store::Clock;

use crate::receiver::{Receiver, status};
use crate::support::{Company, Engine, NOBODY, World, id_of, on_both_engines, place};

const SUBSCRIPTIONS: &str = "/v1/webhook_subscriptions";

/// A company whose application has no other one.
async fn company(world: &World) -> Company {
    world.company().await.for_another_application().await
}

async fn subscribe(company: &Company, url: &str, types: &[&str]) -> String {
    let body = json!({ "url": url, "subscription_types": types });
    id_of(&company.post(SUBSCRIPTIONS, body).await.created())
}

/// Makes all that is due happen.
async fn settle(company: &Company) -> Vec<Fired> {
    company.world.wait(1.second()).await
}

/// A verified subscription of a receiver, and its token.
async fn verified(company: &Company, receiver: &Receiver, types: &[&str]) -> (String, String) {
    let id = subscribe(company, &receiver.url, types).await;
    settle(company).await;
    let token = receiver.tokens().pop().unwrap();
    let path = format!("{SUBSCRIPTIONS}/{id}/verify");
    company.put(path, json!({ "verification_token": token })).await.ok();
    (id, token)
}

/// Makes a location, and returns the event of it.
async fn happen(company: &Company) -> String {
    let made = company.post("/v1/companies/{company}/locations", place("TX")).await.created();
    let newest = company.get("/v1/events?sort_order=desc&limit=1").await.list();
    assert_eq!(newest[0]["entity_uuid"], made["uuid"]);
    id_of(&newest[0])
}

async fn read(company: &Company, id: &str) -> Value {
    company.get(format!("{SUBSCRIPTIONS}/{id}")).await.ok()
}

async fn delivery(company: &Company, event: &str) -> Value {
    company.get(format!("/v1/events/{event}/deliveries")).await.list().remove(0)
}

#[test]
fn an_event_comes_signed_with_the_bytes_of_the_list() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (_, token) = verified(&company, &receiver, &["Location"]).await;
        let event = happen(&company).await;
        settle(&company).await;
        let call = receiver.events().remove(0);
        let signature = sign::service_signature(&token, call.body.as_bytes());
        assert_eq!(call.header("x-service-signature"), signature);
        assert_eq!(call.header("x-gusto-signature"), signature);
        assert_eq!(
            (call.header("webhook-id"), call.header("content-type")),
            (event.as_str(), "application/json")
        );
        let time = call.header("webhook-timestamp");
        let here = Clock::wall_time().as_second() - time.parse::<i64>().unwrap();
        assert!(
            (0..60).contains(&here),
            "libraries refuse what is old by their clock, and this world's stands"
        );
        let standard = sign::standard_signature(&token, &event, time, call.body.as_bytes());
        assert_eq!(call.header("webhook-signature"), standard);
        let listed = company.get("/v1/events?sort_order=desc&limit=1").await.text();
        assert_eq!(listed, format!("[{}]", call.body));
        let fields: Vec<_> = call.json().as_object().unwrap().keys().cloned().collect();
        assert_eq!(
            fields,
            [
                "uuid",
                "event_type",
                "resource_type",
                "resource_uuid",
                "entity_type",
                "entity_uuid",
                "timestamp"
            ]
        );
    });
}

#[test]
fn a_subscription_gets_its_own_types_of_its_own_companies_while_they_are_connected() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, _) = verified(&company, &receiver, &["Employee"]).await;
        world.company().await.self_onboarding_employee("Bo").await; // of another application
        happen(&company).await;
        company.self_onboarding_employee("Ana").await;
        settle(&company).await;
        let types = || receiver.events().iter().map(|c| c.json()["event_type"].clone()).collect::<Vec<_>>();
        assert_eq!(types(), ["employee.created", "employee.marked_for_self_onboarding"]);

        let path = format!("{SUBSCRIPTIONS}/{id}");
        company
            .put(&path, json!({ "subscription_types": ["Location"], "url": "http://127.0.0.1:1/" }))
            .await
            .ok();
        assert_eq!(read(&company, &id).await["url"], receiver.url.as_str(), "an url never changes");
        happen(&company).await;
        company.self_onboarding_employee("Cy").await;
        settle(&company).await;
        assert_eq!(types()[2..], ["location.created"]);

        let (of, application) = (company.id, company.application);
        let end = world
            .app
            .store
            .write(move |tx| domain::access::connections::disconnect_application(tx, of, application));
        assert!(end.await.unwrap_or_else(|error: domain::Error| panic!("{error:?}")));
        company.post("/v1/companies/{company}/locations", place("TX")).await.created();
        settle(&company).await;
        assert_eq!(types().len(), 3);

        company.delete(&path).await.deleted();
        company.get(&path).await.refused(404);
        assert!(company.get(SUBSCRIPTIONS).await.list().is_empty());
    });
}

#[test]
fn an_event_that_gets_its_number_after_they_were_connected_again_is_delivered_too() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        verified(&company, &receiver, &["Location"]).await;
        let (of, application, store) = (company.id, company.application, &world.app.store);
        let later = || store.clock().advance_to(store.clock().now() + 1.second());
        company.post("/v1/companies/{company}/locations", place("TX")).await.created();
        later();
        let end = store
            .write(move |tx| domain::access::connections::disconnect_application(tx, of, application))
            .await;
        assert!(end.unwrap_or_else(|error: domain::Error| panic!("{error:?}")));
        later();
        // Nobody hears of what happens in between, now or later.
        let nobodys = domain::events::LOCATION_UPDATED;
        let emit = store.write(move |tx| domain::events::emit_event(tx, of, nobodys, of)).await;
        emit.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
        later();
        let begin = store
            .write(move |tx| domain::access::connections::connect_application(tx, of, application))
            .await;
        begin.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
        settle(&company).await;
        let types: Vec<_> = receiver.events().iter().map(|call| call.json()["event_type"].clone()).collect();
        assert_eq!(types, ["location.created"]);
        let listed = company.get("/v1/events?event_type=location.*").await.list();
        assert_eq!(listed.len(), 1, "as the list has it");
    });
}

#[test]
fn a_connection_is_told_to_every_subscription_whatever_its_types() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        verified(&company, &receiver, &["Payroll"]).await;
        let id = company.id;
        let emit = world
            .app
            .store
            .write(move |tx| domain::events::emit_event(tx, id, domain::events::COMPANY_PROVISIONED, id));
        emit.await.unwrap_or_else(|error| panic!("{error:?}"));
        settle(&company).await;
        assert_eq!(receiver.events()[0].json()["event_type"], "company.provisioned");
    });
}

#[test]
fn the_events_of_a_time_are_delivered_once_more() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let before = happen(&company).await;
        let (id, _) = verified(&company, &receiver, &["Location", "Employee"]).await;
        let event = happen(&company).await;
        settle(&company).await;
        assert_eq!(receiver.events().len(), 1);
        let replay = format!("{SUBSCRIPTIONS}/{id}/replay");
        let all = json!({ "from": "2026-06-01T00:00:00Z", "event_type": "location.*" });
        let told = company.post(&replay, all).await.ok();
        assert_eq!(told, json!({ "replayed": 2, "continue_after_uuid": null }));
        settle(&company).await;
        let mut came: Vec<_> =
            receiver.events()[1..].iter().map(|c| c.header("webhook-id").to_owned()).collect();
        came.sort();
        assert_eq!(came, [before, event.clone()]);
        let told = company.get(format!("{SUBSCRIPTIONS}/{id}/deliveries?status=delivered")).await.list();
        let nowhere = format!("{SUBSCRIPTIONS}/{id}/deliveries?starting_after_uuid=here");
        assert_eq!(company.get(nowhere).await.refused(422).keys(), ["starting_after_uuid"]);
        let attempts = |one: &Value| one["attempts"].as_array().unwrap().len();
        assert_eq!(told.iter().find(|one| one["event_uuid"] == event.as_str()).map(attempts), Some(2));
        let none = json!({ "from": "2026-06-01T00:00:00Z", "to": "2026-06-02T00:00:00Z" });
        assert_eq!(company.post(&replay, none).await.ok()["replayed"], 0);
        let wrong = json!({ "from": "yesterday", "to": 7, "event_type": "%", "starting_after_uuid": "x" });
        let refused = company.post(&replay, wrong).await.refused(422);
        assert_eq!(refused.keys(), ["from", "to", "event_type", "starting_after_uuid"]);
    });
}

#[test]
fn the_list_of_deliveries_goes_on_where_it_was_left_whatever_became_of_those_that_were_read() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, _) = verified(&company, &receiver, &["Location"]).await;
        receiver.answer(|_| status(500));
        let mut made = Vec::new();
        for _ in 0..5 {
            made.push(happen(&company).await);
        }
        settle(&company).await;
        receiver.answer(|_| status(204));
        let mut read: Vec<String> = Vec::new();
        loop {
            let after = read.last().map(|event| format!("&starting_after_uuid={event}")).unwrap_or_default();
            let path = format!("{SUBSCRIPTIONS}/{id}/deliveries?status=open&limit=2{after}");
            let page = company.get(path).await.list();
            if page.is_empty() {
                break;
            }
            for one in page {
                let event = crate::support::text(&one, "event_uuid");
                // It is open no more when the next page is read.
                company
                    .post(format!("{SUBSCRIPTIONS}/{id}/deliveries/{event}/redeliver"), json!({}))
                    .await
                    .ok();
                read.push(event);
            }
            settle(&company).await;
        }
        assert_eq!(read, made);
        let delivered = format!("{SUBSCRIPTIONS}/{id}/deliveries?status=delivered&limit=100");
        assert_eq!(company.get(delivered).await.list().len(), 6, "with the call that verified it");
    });
}

#[test]
fn the_list_of_events_goes_on_where_it_was_left() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = company(&world).await;
        let mut made = Vec::new();
        for _ in 0..7 {
            made.push(happen(&company).await);
        }
        let mut read = Vec::new();
        loop {
            let after = read.last().map(|id| format!("&starting_after_uuid={id}")).unwrap_or_default();
            let page = company.get(format!("/v1/events?limit=3{after}")).await.list();
            if page.is_empty() {
                break;
            }
            read.extend(page.iter().map(id_of));
        }
        assert_eq!(read, made);
        let down =
            company.get(format!("/v1/events?sort_order=desc&starting_after_uuid={}", made[2])).await.list();
        assert_eq!(down.iter().map(id_of).collect::<Vec<_>>(), [made[1].clone(), made[0].clone()]);
        let count = async |query: &str| company.get(format!("/v1/events?{query}")).await.list().len();
        assert_eq!(count(&format!("resource_uuid={}", company.id)).await, 7);
        assert_eq!(count("event_type=location.created").await, 7);
        assert_eq!(count("event_type=*.created").await, 7);
        assert_eq!(count("event_type=employee.*").await, 0);
        for wrong in [
            "limit=0",
            "limit=101",
            "limit=x",
            "sort_order=up",
            "event_type=%25",
            "starting_after_uuid=x",
            &format!("starting_after_uuid={NOBODY}"),
            &format!("resource_uuid={NOBODY}"),
        ] {
            let refused = company.get(format!("/v1/events?{wrong}")).await.refused(422);
            assert!(wrong.starts_with(refused.keys()[0]), "{wrong}: {refused:?}");
        }
        world.wait((31 * 24).hours()).await;
        assert_eq!(count("limit=100").await, 0, "events of the last thirty days are listed");
    });
}

#[test]
fn health_is_that_of_the_last_ten_minutes() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let health = async || company.get("/v1/webhooks/health_check").await.ok()["status"].clone();
        assert_eq!(health().await, "unknown");
        verified(&company, &receiver, &["Location"]).await;
        assert_eq!(health().await, "healthy");
        world.wait(11.minutes()).await;
        assert_eq!(health().await, "unknown");
        receiver.answer(|_| status(500));
        happen(&company).await;
        settle(&company).await;
        assert_eq!(health().await, "unhealthy");
    });
}

#[test]
fn what_a_receiver_sends_back_of_its_token_is_not_kept() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, token) = verified(&company, &receiver, &["Location"]).await;
        let body = format!("bad token {token}");
        let answer = format!("HTTP/1.1 400 x\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        receiver.answer(move |_| answer.clone());
        let event = happen(&company).await;
        settle(&company).await;
        assert_eq!(delivery(&company, &event).await["attempts"][0]["response_start"], "bad token ***");
        for path in [SUBSCRIPTIONS.to_owned(), format!("{SUBSCRIPTIONS}/{id}/deliveries")] {
            assert!(!company.get(path).await.everything().contains(&token));
        }
        assert!(company.audit().await.iter().all(|entry| !entry.changes.to_string().contains(&token)));
    });
}

#[test]
fn the_record_of_a_delivery_is_kept_for_delivery_days_and_one_that_is_still_open_stays() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.delivery_days = 1).await;
        // What begins with the worker: the daily sweeping.
        world.app.worker.schedule_upkeep().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, _) = verified(&company, &receiver, &["Location"]).await;
        let path = format!("{SUBSCRIPTIONS}/{id}/deliveries?limit=100");
        let kept = async || {
            let listed = company.get(&path).await.list();
            listed.iter().map(|one| crate::support::text(one, "event_uuid")).collect::<Vec<_>>()
        };
        receiver.answer(|_| status(500));
        let retried = happen(&company).await;
        settle(&company).await;
        let slow = retried.clone();
        receiver.answer(move |call| status(if call.header("webhook-id") == slow { 500 } else { 204 }));
        let delivered = happen(&company).await;
        world.wait(25.hours()).await;
        assert_eq!(kept().await.len(), 3, "none was a day old when the sweeper came, a day after the start");
        let later = happen(&company).await;
        world.wait(24.hours()).await;
        // It came again: the first ones were done two days before, the later one not a day.
        assert_eq!(kept().await, [retried.clone(), later.clone()]);
        assert_eq!(delivery(&company, &retried).await["status"], "open");
        assert!(company.get(format!("/v1/events/{delivered}/deliveries")).await.list().is_empty());
        // The event itself is kept for thirty days, and can be delivered anew.
        let from = json!({ "from": "2026-06-01T00:00:00Z" });
        assert_eq!(company.post(format!("{SUBSCRIPTIONS}/{id}/replay"), from).await.ok()["replayed"], 3);
        settle(&company).await;
        assert_eq!(delivery(&company, &delivered).await["attempts"].as_array().unwrap().len(), 1);
        world.wait((10 * 24).hours()).await;
        assert!(kept().await.is_empty(), "in the end none is open");
    });
}
