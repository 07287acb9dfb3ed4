//! How an application gets tokens: codes that are exchanged, and pairs that are refreshed. There is no idempotency key
//! here; what a lost answer leads to is in the rules of the protocol itself.

use domain::access::oauth::codes;
use domain::access::oauth::codes::Consent;
use domain::access::oauth::tokens::Holder;
use domain::access::scope::Scopes;
use jiff::Span;
use serde_json::{Value, json};

use super::{some_tenant, tenant};
use crate::base::REDIRECT;
use crate::model::Connection;
use crate::wire::{Ask, Told, text};
use crate::world::World;

/// Connections that are kept in mind.
const MOST: usize = 3;

pub(super) async fn step(world: &mut World) {
    let held = world.model.connections.len();
    if held == 0 || (held < MOST && world.dice.percent(40)) {
        return exchange(world).await;
    }
    let place = world.dice.below(held);
    let connection = world.model.connections[place].clone();
    if world.dice.percent(50) { reads(world, &connection).await } else { refresh(world, place).await }
}

async fn token(world: &mut World, mut body: Value) -> Told {
    body["client_id"] = world.base.application.to_string().into();
    body["client_secret"] = world.base.client_secret.as_str().into();
    let ask = Ask { token: String::new(), ..Ask::write("POST", "/oauth/token", "", body) };
    // What may be lost are its answers; a disk without room would be another story.
    world.mend();
    world.once(ask).await
}

/// A code is exchanged once; the second time it takes back what it gave.
async fn exchange(world: &mut World) {
    let place = some_tenant(world);
    let (company, user) = (tenant(world, place).id, tenant(world, place).user);
    let application = world.base.application;
    let code = world
        .directly(move |tx| {
            let holder = Holder { application, company, user: Some(user), scopes: Scopes::ALL.to_text() };
            let redirect_uri = REDIRECT.to_owned();
            codes::issue_code(tx, &Consent { holder, user, redirect_uri, challenge: None })
        })
        .await;
    let late = world.dice.percent(10);
    if late {
        world.pass(Span::new().minutes(11));
    }
    let body = json!({ "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT });
    let told = token(world, body.clone()).await;
    if late {
        assert_eq!(told.status, 400, "the code is too old: {}", told.text());
        return;
    }
    assert_eq!(told.status, 200, "{}", told.text());
    let connection = pair(world, place, &told.json());
    reads(world, &connection).await;
    if world.dice.percent(30) {
        let again = token(world, body).await;
        assert_eq!(again.status, 400, "a code is good for once: {}", again.text());
        assert_eq!(read(world, &connection).await, 401, "its tokens are withdrawn");
        return;
    }
    world.model.connections.push(connection);
}

fn pair(world: &World, place: usize, told: &Value) -> Connection {
    let lasts = told["expires_in"].as_i64().unwrap();
    let expires = world.now() + Span::new().seconds(lasts);
    Connection {
        tenant: place,
        access: text(told, "access_token"),
        refresh: text(told, "refresh_token"),
        expires,
    }
}

/// A refresh token gives the same pair until that is used.
async fn refresh(world: &mut World, place: usize) {
    let old = world.model.connections[place].clone();
    let body = json!({ "grant_type": "refresh_token", "refresh_token": old.refresh });
    let told = token(world, body.clone()).await;
    assert_eq!(told.status, 200, "{}", told.text());
    if world.dice.percent(50) {
        let again = token(world, body.clone()).await;
        let pair = |told: &Told| (text(&told.json(), "access_token"), text(&told.json(), "refresh_token"));
        assert_eq!(pair(&told), pair(&again), "the same pair until it is used");
    }
    let new = pair(world, old.tenant, &told.json());
    assert_eq!(read(world, &new).await, 200);
    let spent = token(world, body).await;
    assert_eq!(spent.status, 400, "the pair has been used: {}", spent.text());
    world.model.connections[place] = new;
}

/// An access token is good until it ends.
async fn reads(world: &mut World, connection: &Connection) {
    let before = world.now() < connection.expires;
    let status = read(world, connection).await;
    // It may end on the way.
    let expected: &[u16] = match (before, world.now() < connection.expires) {
        (true, true) => &[200],
        (true, false) => &[200, 401],
        _ => &[401],
    };
    assert!(expected.contains(&status), "{status} for a token that ends at {}", connection.expires);
}

async fn read(world: &mut World, connection: &Connection) -> u16 {
    let company = tenant(world, connection.tenant).id;
    world.mend();
    world.once(Ask::get(format!("/v1/companies/{company}"), &connection.access)).await.status
}
