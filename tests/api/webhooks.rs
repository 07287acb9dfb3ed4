//! Webhooks as a partner meets them: subscriptions and their verification, what is delivered to whom and signed how,
//! the schedule of tries by the test clock, and the record of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use background::delivery::sign;
use background::worker::Fired;
use jiff::{Timestamp, ToSpan};
use pages::routes;
use serde_json::{Value, json};

use crate::receiver::{Receiver, status};
use crate::support::{Company, Engine, NOBODY, World, id_of, on_both_engines, open_store, place};

const SUBSCRIPTIONS: &str = "/v1/webhook_subscriptions";
/// From the first try to the last.
const DAYS_3: i64 = 72 * 3_600;

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
fn a_subscription_is_pending_until_its_token_comes_back() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let id = subscribe(&company, &receiver.url, &["Location"]).await;
        let pending = read(&company, &id).await;
        assert_eq!(
            pending,
            json!({ "uuid": id, "url": receiver.url, "status": "pending", "subscription_types": ["Location"] })
        );
        happen(&company).await;
        settle(&company).await;
        let calls = receiver.calls();
        assert_eq!(calls.len(), 1, "a pending subscription gets its token and nothing else");
        let call = calls[0].json();
        assert_eq!(call["webhook_subscription_uuid"], id.as_str());
        let token = calls[0].token().unwrap();
        let parsed: uuid::Uuid = token.parse().unwrap();
        assert_eq!((token.len(), parsed.get_version_num()), (36, 4));

        company.get(format!("{SUBSCRIPTIONS}/{id}/request_verification_token")).await.ok();
        settle(&company).await;
        assert_eq!(receiver.tokens(), [token.clone(), token.clone()]);

        let verify = format!("{SUBSCRIPTIONS}/{id}/verify");
        let wrong = json!({ "verification_token": NOBODY });
        let refused = company.put(&verify, wrong).await.refused(422);
        assert_eq!(refused.fault(), ("verification_token", "invalid_attribute_value"));
        assert_eq!(read(&company, &id).await["status"], "pending");
        let right = json!({ "verification_token": token });
        let told = company.put(&verify, right.clone()).await;
        assert!(!told.everything().contains(&token), "the token is in no answer");
        assert_eq!(told.ok()["status"], "verified");
        assert_eq!(company.put(&verify, right).await.ok()["status"], "verified");
        let event = happen(&company).await;
        settle(&company).await;
        let events = receiver.events();
        assert_eq!(events.len(), 1, "what happened before is not delivered");
        assert_eq!(events[0].json()["uuid"], event.as_str());
    });
}

#[test]
fn wrong_tokens_are_looked_at_five_times_a_minute() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = company(&world).await;
        let id = subscribe(&company, "http://127.0.0.1:9/", &["Location"]).await;
        let verify = format!("{SUBSCRIPTIONS}/{id}/verify");
        let guess = async |token: &str| company.put(&verify, json!({ "verification_token": token })).await;
        for _ in 0..5 {
            guess(NOBODY).await.refused(422);
        }
        let refused = guess(NOBODY).await;
        assert!(!refused.header("retry-after").is_empty());
        refused.refused(429);
        guess(&company.verification_token(&id).await).await.refused(429);
        guess("none").await.refused(422);
        // Another subscription is not hindered.
        let other = subscribe(&company, "http://127.0.0.1:9/", &["Location"]).await;
        let right = json!({ "verification_token": company.verification_token(&other).await });
        company.put(format!("{SUBSCRIPTIONS}/{other}/verify"), right).await.ok();
    });
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
        let end = world.app.store.write(move |tx| domain::access::connections::end(tx, of, application));
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
fn a_connection_is_told_to_every_subscription_whatever_its_types() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        verified(&company, &receiver, &["Payroll"]).await;
        let id = company.id;
        let emit = world
            .app
            .store
            .write(move |tx| domain::events::emit(tx, id, domain::events::COMPANY_PROVISIONED, id));
        emit.await.unwrap_or_else(|error| panic!("{error:?}"));
        settle(&company).await;
        assert_eq!(receiver.events()[0].json()["event_type"], "company.provisioned");
    });
}

/// Seconds from the first to each further one.
fn offsets(fired: &[Timestamp]) -> Vec<i64> {
    fired.iter().map(|at| at.as_second() - fired[0].as_second()).collect()
}

fn of_event(fired: &[Fired], event: &str) -> Vec<Timestamp> {
    fired.iter().filter(|one| one.uuid.to_string() == event).map(|one| one.at).collect()
}

#[test]
fn a_receiver_that_always_fails_is_tried_seventeen_times_in_three_days_and_is_then_unreachable() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, token) = verified(&company, &receiver, &["Location"]).await;
        receiver.answer(|_| status(500));
        let event = happen(&company).await;
        let mut fired = world.wait(36.hours()).await;
        let second = happen(&company).await;
        fired.extend(world.wait(36.hours()).await);
        let tries = of_event(&fired, &event);
        let offsets = offsets(&tries);
        eprintln!("seconds after the first try: {offsets:?}");
        assert_eq!(tries.len(), 17);
        assert!(*offsets.last().unwrap() <= DAYS_3 && *offsets.last().unwrap() > DAYS_3 * 8 / 10);
        let gaps: Vec<_> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.windows(2).all(|pair| pair[1] > pair[0]), "{gaps:?}");

        assert_eq!(read(&company, &id).await["status"], "unreachable");
        let told = delivery(&company, &event).await;
        let attempts = told["attempts"].as_array().unwrap();
        assert_eq!((told["status"].as_str(), attempts.len()), (Some("failed"), 17));
        assert!(attempts.iter().all(|one| one["response_status"] == 500));
        assert!(attempts[..16].iter().all(|one| !one["next_try_at"].is_null()));
        assert!(attempts[16]["next_try_at"].is_null());
        assert_eq!(delivery(&company, &second).await["status"], "abandoned");
        let calls: Vec<_> = receiver.events();
        let of_first: Vec<_> = calls.iter().filter(|call| call.header("webhook-id") == event).collect();
        assert!(of_first.iter().all(|call| call.body == of_first[0].body), "the same bytes on every try");

        happen(&company).await;
        let more = world.wait((24 * 7).hours()).await;
        assert!(more.iter().all(|one| one.kind != "webhook.delivery"), "{more:?}");
        // Verified again it receives again, and what was given up can be replayed.
        receiver.answer(|_| status(204));
        let again = json!({ "verification_token": token });
        assert_eq!(
            company.put(format!("{SUBSCRIPTIONS}/{id}/verify"), again).await.ok()["status"],
            "verified"
        );
        company.post(format!("{SUBSCRIPTIONS}/{id}/deliveries/{second}/redeliver"), json!({})).await.ok();
        settle(&company).await;
        assert_eq!(delivery(&company, &second).await["status"], "delivered");
    });
}

#[test]
fn a_restart_between_any_two_tries_changes_nothing_about_their_times() {
    on_both_engines(async |engine: Engine| {
        let mut runs: Vec<Vec<i64>> = Vec::new();
        for restarts in [false, true] {
            let world = engine.own_world_with(|setup| setup.seed = Some(11)).await;
            let (company, receiver) = (company(&world).await, Receiver::new());
            verified(&company, &receiver, &["Location"]).await;
            receiver.answer(|_| status(503));
            let event = happen(&company).await;
            let (start, mut fired) = (world.now(), Vec::new());
            if restarts {
                let halfway = runs[0].windows(2).map(|tries| i64::midpoint(tries[0], tries[1]));
                let mut now = start;
                for end in halfway.chain([DAYS_3]).map(|second| start + second.seconds()) {
                    // Another process on the same data: it knows nothing but what is stored.
                    let store = open_store(world.url(), None);
                    store.clock().advance_to(now);
                    let (app, _) = routes::service(store, world.app.settings.clone());
                    fired.extend(app.worker.advance(end).await.unwrap());
                    now = end;
                }
            } else {
                fired = world.wait(DAYS_3.seconds()).await;
            }
            let tries = of_event(&fired, &event);
            assert_eq!((tries.len(), receiver.events().len()), (17, 17));
            runs.push(offsets(&tries));
        }
        assert_eq!(runs[0], runs[1]);
    });
}

#[test]
fn success_at_any_try_is_the_last_one() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, _) = verified(&company, &receiver, &["Location"]).await;
        for right in 1..=17 {
            let calls = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&calls);
            receiver.answer(move |_| {
                status(if count.fetch_add(1, Ordering::SeqCst) + 1 == right { 202 } else { 404 })
            });
            let event = happen(&company).await;
            world.wait(80.hours()).await;
            assert_eq!(calls.load(Ordering::SeqCst), right);
            let told = delivery(&company, &event).await;
            assert_eq!(told["status"], "delivered");
            assert_eq!(told["attempts"].as_array().unwrap().len(), right);
            assert_eq!(read(&company, &id).await["status"], "verified");
        }
    });
}

#[test]
fn retry_after_lengthens_the_delay() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        verified(&company, &receiver, &["Location"]).await;
        receiver
            .answer(|_| "HTTP/1.1 429 x\r\nretry-after: 3600\r\ncontent-length: 4\r\n\r\nwait".to_owned());
        let event = happen(&company).await;
        let tries = of_event(&world.wait(DAYS_3.seconds()).await, &event);
        let offsets = offsets(&tries);
        assert!(offsets.windows(2).all(|pair| pair[1] - pair[0] >= 3_600), "{offsets:?}");
        assert!((6..17).contains(&offsets.len()) && *offsets.last().unwrap() <= DAYS_3, "{offsets:?}");
        assert_eq!(delivery(&company, &event).await["attempts"][0]["response_start"], "wait");
    });
}

#[test]
fn a_subscription_to_which_anything_got_through_stays_verified() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, _) = verified(&company, &receiver, &["Location"]).await;
        let bad = happen(&company).await;
        let refused = bad.clone();
        receiver.answer(move |call| status(if call.header("webhook-id") == refused { 500 } else { 200 }));
        world.wait(1.hour()).await;
        happen(&company).await;
        world.wait(80.hours()).await;
        assert_eq!(delivery(&company, &bad).await["status"], "failed");
        assert_eq!(read(&company, &id).await["status"], "verified");
    });
}

#[test]
fn while_a_secret_is_replaced_both_sign_and_afterwards_the_new_one_alone() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, old) = verified(&company, &receiver, &["Location"]).await;
        let rotate = format!("{SUBSCRIPTIONS}/{id}/rotate_secret");
        assert_eq!(
            company.post(&rotate, json!({ "overlap_seconds": 3600 })).await.ok()["status"],
            "verified"
        );
        happen(&company).await;
        settle(&company).await;
        let new = receiver.tokens().pop().unwrap();
        assert_ne!(new, old);
        world.wait(2.hours()).await;
        happen(&company).await;
        settle(&company).await;
        let events = receiver.events();
        let (during, after) = (&events[0], &events[1]);
        let service = |secret: &str, body: &str| sign::service_signature(secret, body.as_bytes());
        assert_eq!(during.header("x-service-signature"), service(&old, &during.body));
        assert_eq!(during.header("webhook-signature").split(' ').count(), 2);
        assert_eq!(after.header("x-service-signature"), service(&new, &after.body));
        assert_eq!(after.header("webhook-signature").split(' ').count(), 1);
        let refused = company.post(&rotate, json!({ "overlap_seconds": 700_000 })).await.refused(422);
        assert_eq!(refused.fault(), ("overlap_seconds", "invalid_attribute_value"));
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
fn what_cannot_be_subscribed_is_refused_and_nothing_is_kept() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.webhook_private_addresses = false).await;
        let company = company(&world).await;
        let good = json!({ "url": "https://93.184.216.34/", "subscription_types": ["Location"] });
        for url in [
            "http://93.184.216.34/",
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://localhost/",
            "https://10.0.0.1/",
            "https://2130706433/",
            "https://93.184.216.34:8443/",
            "hooks",
            "",
        ] {
            let mut body = good.clone();
            body["url"] = url.into();
            let refused = company.post(SUBSCRIPTIONS, body).await.refused(422);
            assert_eq!(refused.fault(), ("url", "invalid_attribute_value"), "{url}");
        }
        for types in [json!([]), json!(["Everything"]), json!(["employee"]), json!("Employee"), Value::Null] {
            let mut body = good.clone();
            body["subscription_types"] = types;
            let refused = company.post(SUBSCRIPTIONS, body).await.refused(422);
            assert_eq!(refused.keys(), ["subscription_types"]);
        }
        let both = company.post(SUBSCRIPTIONS, json!({ "url": "https://localhost/" })).await.refused(422);
        assert_eq!(both.keys(), ["url", "subscription_types"]);
        assert!(company.get(SUBSCRIPTIONS).await.list().is_empty());
        company.post(SUBSCRIPTIONS, good).await.created();
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
fn moving_the_clock_in_one_step_or_two_gives_the_same_tries() {
    on_both_engines(async |engine: Engine| {
        let mut logs = Vec::new();
        for steps in [vec![7_200], vec![60, 7_140], vec![1; 2].into_iter().chain([7_198]).collect()] {
            let world = engine.own_world_with(|setup| setup.seed = Some(5)).await;
            let (company, receiver) = (company(&world).await, Receiver::new());
            verified(&company, &receiver, &["Location"]).await;
            receiver.answer(|_| status(500));
            for _ in 0..3 {
                happen(&company).await;
            }
            let mut log = Vec::new();
            for seconds in steps {
                log.extend(world.wait(i64::from(seconds).seconds()).await);
            }
            logs.push(serde_json::to_string(&log).unwrap());
        }
        assert!(logs[0].contains("webhook.delivery"));
        assert_eq!(logs[0], logs[1]);
        assert_eq!(logs[0], logs[2]);
    });
}

#[test]
fn the_record_of_a_delivery_is_kept_for_delivery_days_and_one_that_is_still_open_stays() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.delivery_days = 1).await;
        // What begins with the worker: the daily sweeping.
        world.app.worker.begin().await;
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

#[test]
fn a_host_is_asked_so_often_a_minute_whether_it_takes_webhooks() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.webhook_verifications = 3).await;
        let company = company(&world).await;
        let id = subscribe(&company, "http://127.0.0.1:9/a", &["Location"]).await;
        let again = format!("{SUBSCRIPTIONS}/{id}/request_verification_token");
        company.get(&again).await.ok();
        subscribe(&company, "http://127.0.0.1:10/b", &["Location"]).await;
        // Neither another subscription nor another path or port helps, nor an end and a new beginning.
        let refused = company.get(&again).await;
        assert!(!refused.header("retry-after").is_empty());
        refused.refused(429);
        company.delete(format!("{SUBSCRIPTIONS}/{id}")).await.is(204);
        let body = json!({ "url": "http://127.0.0.1:11/c", "subscription_types": ["Location"] });
        company.post(SUBSCRIPTIONS, body).await.refused(429);
        // Another host is not concerned.
        subscribe(&company, "http://127.0.0.2:9/", &["Location"]).await;
    });
}
