//! Events and webhooks in the console: what was not delivered, and delivering it once more.

use domain::access::users::Role;
use jiff::ToSpan;
use serde_json::json;

use super::{form_token, signed_in};
use crate::oauth::{Browser, user};
use crate::pages::value_of;
use crate::receiver::{Receiver, status};
use crate::support::{Call, Company, Engine, World, id_of, on_both_engines, place};

/// A company that a receiver hears of, which has refused an event so far: receiver, subscription, event.
async fn heard_of(world: &World) -> (Company, Receiver, String, String) {
    let company = world.company().await.for_another_application().await;
    let receiver = Receiver::new();
    let url = format!("{}?key=of-the-partner", receiver.url);
    let body = json!({ "url": url, "subscription_types": ["Location"] });
    let id = id_of(&company.post("/v1/webhook_subscriptions", body).await.created());
    world.wait(1.second()).await;
    let token = receiver.tokens().pop().unwrap();
    let path = format!("/v1/webhook_subscriptions/{id}/verify");
    company.put(path, json!({ "verification_token": token })).await.ok();
    receiver.answer(|_| status(503));
    company.post("/v1/companies/{company}/locations", place("TX")).await.created();
    world.wait(1.second()).await;
    let event = id_of(&company.get("/v1/events?sort_order=desc&limit=1").await.list()[0]);
    (company, receiver, id, event)
}

#[test]
fn an_administrator_has_an_event_of_his_company_delivered_once_more_and_no_other() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver, subscription, event) = heard_of(&world).await;
        let stranger = world.company().await;
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let base = format!("/console/companies/{}", company.id);
        let page = browser.get(&format!("{base}/events/{event}")).await.is(200).text();
        assert!(page.contains("503") && page.contains(">open<"), "{page}");
        assert!(!page.contains("of-the-partner"), "the rest of the address is the partner's");
        let webhooks = format!("{base}/webhooks");
        assert!(browser.get(&webhooks).await.is(200).text().contains(&event), "it is told as not delivered");
        receiver.answer(|_| status(200));
        let token = form_token(&mut browser).await;
        let fields = [("form_token", token.as_str()), ("subscription", subscription.as_str())];
        let before = receiver.events().len();
        let done = browser.post(&format!("{base}/events/{event}/redeliver"), &fields).send().await.is(303);
        assert!(done.header("location").ends_with("?done=redelivered"));
        world.wait(1.second()).await;
        assert_eq!(receiver.events().len(), before + 1);
        assert!(browser.get(&format!("{base}/events/{event}")).await.text().contains(">delivered<"));
        assert!(!browser.get(&webhooks).await.is(200).text().contains(&event));
        let log = browser.get(&format!("{base}/audit")).await.is(200).text();
        assert!(log.contains(&format!("{} (user) redelivered", admin.email)), "{log}");

        // A span of time, of this company alone.
        let all = [&fields[..], &[("from", "2026-01-01T00:00"), ("event_type", "location.created")]].concat();
        let replayed = browser.post(&format!("{base}/webhooks"), &all).send().await.is(303);
        assert!(replayed.header("location").ends_with("?replayed=1&more=false"), "{:?}", replayed.headers);
        let wrong = [&fields[..], &[("from", "yesterday")]].concat();
        assert!(
            browser
                .post(&format!("{base}/webhooks"), &wrong)
                .send()
                .await
                .is(422)
                .text()
                .contains("timestamp")
        );

        // Another company's administrator reaches neither the event nor the subscription.
        let other = user(&world, &[(&stranger, Role::Primary)]).await;
        let (mut browser, _) = signed_in(&world, &other, "/console").await;
        let token = form_token(&mut browser).await;
        let fields = [("form_token", token.as_str()), ("subscription", subscription.as_str())];
        let fields = [&fields[..], &[("from", "2026-01-01T00:00")]].concat();
        for company in [company.id, stranger.id] {
            for path in [format!("events/{event}/redeliver"), "webhooks".to_owned()] {
                let path = format!("/console/companies/{company}/{path}");
                browser.post(&path, &fields).send().await.is(404);
            }
        }
    });
}

#[test]
fn a_replay_reaches_the_events_of_one_company_where_the_application_has_several() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver, subscription, event) = heard_of(&world).await;
        let application = company.application;
        let second = world.company_of(application).await;
        let second = Company { system_token: company.system_token.clone(), ..second };
        second.post("/v1/companies/{company}/locations", place("NY")).await.created();
        world.wait(1.second()).await;
        let foreign = id_of(&company.get("/v1/events?sort_order=desc&limit=1").await.list()[0]);
        assert_ne!(foreign, event);
        receiver.answer(|_| status(200));
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let token = form_token(&mut browser).await;
        let fields = [
            ("form_token", token.as_str()),
            ("subscription", subscription.as_str()),
            ("from", "2026-01-01T00:00"),
        ];
        let base = format!("/console/companies/{}", company.id);
        let told = browser.get(&format!("{base}/webhooks")).await.is(200).text();
        assert!(told.contains(&event) && !told.contains(&foreign), "{told}");
        let before = receiver.events().len();
        browser.post(&format!("{base}/webhooks"), &fields).send().await.is(303);
        world.wait(1.second()).await;
        let replayed: Vec<_> = receiver.events()[before..].iter().map(|one| id_of(&one.json())).collect();
        assert!(replayed.contains(&event) && !replayed.contains(&foreign), "{replayed:?}");
        // The subscription is known here, the event is not this company's.
        browser.post(&format!("{base}/events/{foreign}/redeliver"), &fields[..2]).send().await.is(404);
        browser.get(&format!("{base}/events/{foreign}")).await.is(404);
    });
}

#[test]
fn a_form_that_was_sent_from_elsewhere_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver, subscription, event) = heard_of(&world).await;
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let token = form_token(&mut browser).await;
        let mut stranger = Browser::new(&world);
        let foreign = value_of(&stranger.get("/console").await.text(), "form_token");
        let path = format!("/console/companies/{}/events/{event}/redeliver", company.id);
        let tried = receiver.events().len();
        let send =
            |token: &str| browser.post(&path, &[("form_token", token), ("subscription", &subscription)]);
        let refused: [Call; 6] = [
            send(""),
            send(&foreign),
            send(&token).header("sec-fetch-site", "cross-site"),
            send(&token).header("sec-fetch-site", "same-site"),
            send(&token).header("origin", "https://evil.example"),
            stranger.post(&path, &[("form_token", &token), ("subscription", &subscription)]),
        ];
        for call in refused {
            assert!(call.send().await.is(403).text().contains("nothing was changed"));
        }
        // His own token, but nobody is signed in.
        let own = [("form_token", foreign.as_str()), ("subscription", subscription.as_str())];
        assert_eq!(stranger.post(&path, &own).send().await.is(303).header("location"), "/console");
        let large = send(&"x".repeat(20 << 10)).send().await;
        assert_eq!(large.status, 413);
        world.wait(1.second()).await;
        assert_eq!(receiver.events().len(), tried);
        browser.get(&path).await.is(405);
    });
}
