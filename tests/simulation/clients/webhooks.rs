//! Subscriptions to events, from the address that is named to the one that is given up.

use serde_json::{Value, json};

use super::good_or;
use crate::model::Subscription;
use crate::wire::Ask;
use crate::world::World;

/// Maximum subscriptions of one world.
const MOST: usize = 4;
const TYPES: [&str; 6] =
    ["Employee", "Location", "Payroll", "EmployeeBenefit", "EmployeeJobCompensation", "Form"];

fn ask(world: &World, method: &'static str, path: &str, body: Value) -> Ask {
    Ask::write(method, format!("/v1/webhook_subscriptions{path}"), &world.base.system, body)
}

pub(super) async fn step(world: &mut World) {
    let all: Vec<_> = world.model.subscriptions.iter().filter(|one| !one.removed).cloned().collect();
    let pending = all.iter().find(|one| one.verified.is_none()).cloned();
    match (world.dice.below(10), pending) {
        (0..=6, Some(pending)) => verify(world, &pending).await,
        (9, _) if world.dice.percent(30) => {
            if let Some(one) = world.dice.any(&all).cloned() {
                remove(world, &one).await;
            }
        }
        _ if all.len() < MOST => subscribe(world).await,
        _ => change(world, &all).await,
    }
}

async fn subscribe(world: &mut World) {
    let url = format!("http://127.0.0.1:9/hooks/{}", world.model.next());
    let types: Vec<String> =
        TYPES.iter().filter(|_| world.dice.percent(60)).map(|&name| name.to_owned()).collect();
    let told = world.ask(ask(world, "POST", "", json!({ "url": url, "subscription_types": types }))).await;
    if !good_or(&told, if types.is_empty() { &[422] } else { &[] }, "a subscription") {
        return;
    }
    let id = told.id();
    world.model.subscriptions.push(Subscription { id, url, types, verified: None, removed: false });
    world.work(jiff::Span::new()).await;
}

async fn verify(world: &mut World, pending: &Subscription) {
    let Some(secret) = world.network.secret(&pending.url) else {
        // The call did not arrive: another one is asked for.
        let path = format!("/{}/request_verification_token", pending.id);
        let told = world.ask(ask(world, "GET", &path, Value::Null)).await;
        assert_eq!(told.status, 200, "{}", told.text());
        world.work(jiff::Span::new()).await;
        return;
    };
    let body = json!({ "verification_token": secret });
    let told = world.ask(ask(world, "PUT", &format!("/{}/verify", pending.id), body)).await;
    assert_eq!(told.status, 200, "{}", told.text());
    let now = world.now();
    find(world, pending).verified = Some(now);
}

fn find<'w>(world: &'w mut World, subscription: &Subscription) -> &'w mut Subscription {
    world.model.subscriptions.iter_mut().find(|one| one.id == subscription.id).unwrap()
}

async fn remove(world: &mut World, subscription: &Subscription) {
    let told = world.ask(ask(world, "DELETE", &format!("/{}", subscription.id), Value::Null)).await;
    assert_eq!(told.status, 204, "{}", told.text());
    find(world, subscription).removed = true;
}

/// Has what was not delivered delivered again, or looks.
async fn change(world: &mut World, all: &[Subscription]) {
    let one = world.dice.of(all).clone();
    if world.dice.percent(50) {
        let (from, to) = (world.base.begins, world.now());
        let body = json!({ "from": from.to_string(), "to": to.to_string() });
        let told = world.ask(ask(world, "POST", &format!("/{}/replay", one.id), body)).await;
        good_or(&told, &[409, 422], "a replay");
        return;
    }
    let told = world.ask(ask(world, "GET", &format!("/{}", one.id), Value::Null)).await;
    assert_eq!((told.status, &told.json()["url"]), (200, &json!(one.url)), "{}", told.text());
}
