//! Subscriptions: what can be subscribed, their verification, and the secret that signs.

use background::delivery::sign;
use domain::access::tokens::TokenKind;
use jiff::ToSpan;
use serde_json::{Value, json};

use super::{SUBSCRIPTIONS, company, happen, read, settle, subscribe, verified};
use crate::receiver::Receiver;
use crate::support::{Engine, NOBODY, on_both_engines};

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

/// "API calls carry the header authorization: Bearer <ACCESS_TOKEN>": only the creation takes an API token in its example.
#[test]
fn a_companys_token_of_the_same_application_verifies_a_subscription() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = company(&world).await;
        let id = subscribe(&company, "http://127.0.0.1:9/", &["Location"]).await;
        let right = json!({ "verification_token": company.verification_token(&id).await });
        let verify = format!("{SUBSCRIPTIONS}/{id}/verify");
        let of_company = async |scopes: &str| {
            world.token(TokenKind::Company, company.application, Some(company.id), scopes, None).await
        };
        let without = of_company("webhook_subscriptions:read").await;
        // The company's token of another application knows nothing of it.
        for (token, status) in [(&without, 403), (&company.token, 404)] {
            world.call("PUT", &verify).bearer(token).json(&right).send().await.refused(status);
        }
        assert_eq!(read(&company, &id).await["status"], "pending");
        let token = of_company("webhook_subscriptions:write").await;
        let told = world.call("PUT", &verify).bearer(&token).json(&right).send().await.ok();
        assert_eq!(told["status"], "verified");
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
fn a_secret_that_is_replaced_twice_in_its_overlap_leaves_the_one_that_receivers_know() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, old) = verified(&company, &receiver, &["Location"]).await;
        for _ in 0..2 {
            let rotate = format!("{SUBSCRIPTIONS}/{id}/rotate_secret");
            company.post(rotate, json!({ "overlap_seconds": 3600 })).await.ok();
        }
        happen(&company).await;
        settle(&company).await;
        let event = receiver.events().pop().unwrap();
        assert_eq!(event.header("x-service-signature"), sign::service_signature(&old, event.body.as_bytes()));
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
fn a_host_is_asked_so_often_a_minute_whether_it_takes_webhooks() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.webhook_verifications = 3).await;
        let company = company(&world).await;
        let id = subscribe(&company, "http://127.0.0.1:9/a", &["Location"]).await;
        let again = format!("{SUBSCRIPTIONS}/{id}/request_verification_token");
        company.get(&again).await.ok();
        subscribe(&company, "http://127.0.0.1:10/b", &["Location"]).await;
        // Neither another subscription nor another path or port helps, nor a new secret, nor an end and a new beginning.
        company.post(format!("{SUBSCRIPTIONS}/{id}/rotate_secret"), json!({})).await.refused(429);
        let refused = company.get(&again).await;
        assert!(!refused.header("retry-after").is_empty());
        refused.refused(429);
        // A new secret is posted there, too.
        let rotate = format!("{SUBSCRIPTIONS}/{id}/rotate_secret");
        company.post(rotate, json!({ "overlap_seconds": 0 })).await.refused(429);
        company.delete(format!("{SUBSCRIPTIONS}/{id}")).await.is(204);
        let body = json!({ "url": "http://127.0.0.1:11/c", "subscription_types": ["Location"] });
        company.post(SUBSCRIPTIONS, body).await.refused(429);
        // Another host is not concerned.
        subscribe(&company, "http://127.0.0.2:9/", &["Location"]).await;
    });
}
