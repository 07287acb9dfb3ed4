//! How an application says who it is to the token endpoint, and what it is answered.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{connected, error, form, public_client, token};
use crate::support::{Engine, NOBODY, World, on_both_engines, text};

fn system_access(world: &World) -> Value {
    json!({ "grant_type": "system_access", "client_id": world.application, "client_secret": world.client_secret })
}

fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

#[test]
fn an_application_gets_tokens_of_its_own_by_json_form_and_http_basic_and_all_are_good_together() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let id = world.application.to_string();
        let secret = world.client_secret.as_str();
        let fields = [("grant_type", "system_access"), ("client_id", &id), ("client_secret", secret)];
        let call = || world.call("POST", "/oauth/token");
        let of_form = |call: crate::support::Call, fields: &[(&str, &str)]| {
            call.header("content-type", "application/x-www-form-urlencoded; charset=utf-8").body(form(fields))
        };
        let calls = [
            call().json(&system_access(&world)),
            of_form(call(), &fields),
            of_form(call().header("authorization", basic(&id, secret)), &fields[..1]),
            of_form(call().header("authorization", basic(&id, secret)), &fields[..2]),
            call()
                .header("authorization", basic(&id, secret))
                .json(&json!({ "grant_type": "system_access" })),
            // What a client sends with every request says nothing here.
            call().bearer("anything").json(&system_access(&world)),
        ];
        let mut tokens = Vec::new();
        for call in calls {
            let answer = call.send().await.is(200);
            assert_eq!((answer.header("pragma"), answer.header("cache-control")), ("no-cache", "no-store"));
            let given = answer.json();
            assert_eq!((&given["token_type"], &given["expires_in"]), (&json!("Bearer"), &json!(7_200)));
            assert!(given.get("refresh_token").is_none());
            tokens.push(text(&given, "access_token"));
        }
        for token in tokens {
            assert!(
                token.len() == 43 && token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
            );
            let told = world.call("GET", "/v1/token_info").bearer(&token).send().await.ok();
            assert_eq!(told["resource"]["type"], "Oauth::Application");
        }
    });
}

#[test]
fn created_at_is_text_in_the_version_that_wants_text_and_a_number_in_all_others() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let ask = async |header: &str, version: &str| {
            let call = world.call("POST", "/oauth/token").json(&system_access(&world));
            if version.is_empty() { call } else { call.header(header, version) }.send().await
        };
        for header in ["x-service-api-version", "x-gusto-api-version"] {
            for version in ["2024-04-01", "2025-06-15", "2025-11-15", "2026-02-01", "2026-06-15"] {
                let answer = ask(header, version).await.is(200);
                assert_eq!(answer.header(header), version);
                let now = world.now().as_second();
                let wanted = if version == "2024-04-01" { json!(now.to_string()) } else { json!(now) };
                let given = answer.json()["created_at"].clone();
                assert_eq!(given.is_string(), wanted.is_string(), "{version}: {given}");
                let seconds = given.as_i64().or_else(|| given.as_str()?.parse().ok()).unwrap();
                assert!((now - 60..=now).contains(&seconds), "{given} is not {now}");
            }
            assert!(ask(header, "").await.ok()["created_at"].is_number());
            ask(header, "2023-01-01").await.refused(406);
        }
    });
}

#[test]
fn who_is_not_known_or_has_another_secret_gets_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let id = world.application.to_string();
        let public = public_client(&world).await.to_string();
        let with = |key: &str, value: Value| {
            let mut body = system_access(&world);
            body[key] = value;
            body
        };
        for body in [
            with("client_id", json!(NOBODY)),
            with("client_id", json!("x")),
            with("client_id", json!(public)),
            with("client_secret", Value::Null),
            with("client_secret", json!("wrong")),
            with("client_secret", json!(format!("{}x", world.client_secret))),
            with("client_secret", json!(world.client_secret.to_lowercase())),
            with("client_secret", json!(world.api_token)),
        ] {
            assert_eq!(error(&token(&world, &body).await.is(401)), "invalid_client", "{body}");
        }
        let wrong = basic(&id, "wrong");
        for authorization in [wrong.as_str(), "Basic", "Basic ???", &basic("", "")] {
            let call = world.call("POST", "/oauth/token").header("authorization", authorization);
            let answer = call.json(&json!({ "grant_type": "system_access" })).send().await;
            assert!([400, 401].contains(&answer.status.as_u16()), "{authorization}");
        }
        let of_public = json!({ "grant_type": "system_access", "client_id": public });
        assert_eq!(error(&token(&world, &of_public).await.is(400)), "unauthorized_client");
    });
}

#[test]
fn a_request_that_is_not_one_is_refused_with_what_to_change() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let id = world.application.to_string();
        let secret = world.client_secret.as_str();
        let ask = || world.call("POST", "/oauth/token");
        let of_form =
            |body: String| ask().header("content-type", "application/x-www-form-urlencoded").body(body);
        let right = form(&[("grant_type", "system_access"), ("client_id", &id), ("client_secret", secret)]);
        let calls = vec![
            ("no grant_type", ask().json(&json!({ "client_id": id, "client_secret": secret }))),
            ("no client", ask().json(&json!({ "grant_type": "system_access" }))),
            ("nothing", of_form(String::new())),
            ("no JSON", ask().raw("{")),
            ("a list", ask().raw("[]")),
            ("a number", ask().raw(r#"{"grant_type": 1}"#)),
            ("an object", ask().raw(r#"{"grant_type": {}}"#)),
            ("twice in JSON", ask().raw(r#"{"grant_type": "system_access", "grant_type": "system_access"}"#)),
            ("twice in a form", of_form(format!("{right}&grant_type=system_access"))),
            ("another type", ask().header("content-type", "text/plain").body(right.clone())),
            ("no type", ask().body(right.clone())),
            ("too long", of_form(format!("{right}&x={}", "x".repeat(5_000)))),
            ("too large", of_form(format!("{right}&x={}", "x".repeat(70_000)))),
            ("too many", of_form(right.clone() + &(0..60).map(|n| format!("&p{n}=1")).collect::<String>())),
            (
                "a secret in the address",
                world
                    .call("POST", format!("/oauth/token?client_secret={secret}"))
                    .json(&system_access(&world)),
            ),
            ("everything in the address", world.call("POST", format!("/oauth/token?{right}")).raw("{}")),
            (
                "credentials both ways",
                ask().header("authorization", basic(&id, secret)).json(&system_access(&world)),
            ),
            (
                "a code without one",
                of_form(form(&[("grant_type", "authorization_code"), ("client_id", &id)])),
            ),
        ];
        for (name, call) in calls {
            assert_eq!(error(&call.send().await.is(400)), "invalid_request", "{name}");
        }
        for grant in ["password", "implicit", "client_credentials", "AUTHORIZATION_CODE", "refresh-token"] {
            let mut body = system_access(&world);
            body["grant_type"] = grant.into();
            assert_eq!(error(&token(&world, &body).await.is(400)), "unsupported_grant_type", "{grant}");
        }
    });
}

#[test]
fn an_access_token_in_the_address_opens_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (company, _, given) = connected(&world).await;
        let access = text(&given, "access_token");
        let path = format!("/v1/companies/{}?access_token={access}", company.id);
        world.call("GET", path).send().await.refused(401);
    });
}

#[test]
fn one_place_in_the_network_has_so_many_requests_a_minute_whoever_it_says_it_is() {
    on_both_engines(async |engine: Engine| {
        let limited = |setup: &mut crate::support::Setup| {
            setup.settings.token_rate_limit = 3;
            setup.settings.behind_proxy = true;
        };
        let world = engine.own_world_with(limited).await;
        let ask = async |path: &str, from: &str, body: &Value| {
            world.call("POST", path).header("x-forwarded-for", from).json(body).send().await
        };
        let (right, mut wrong) = (system_access(&world), system_access(&world));
        wrong["client_secret"] = "wrong".into();
        let (here, elsewhere) = ("203.0.113.7", "203.0.113.8");
        ask("/oauth/token", here, &wrong).await.is(401);
        ask("/oauth/token", here, &right).await.is(200);
        ask("/oauth/revoke", here, &wrong).await.is(400);
        for body in [&right, &wrong] {
            for path in ["/oauth/token", "/oauth/revoke"] {
                let refused = ask(path, here, body).await.is(429);
                assert_eq!(error(&refused), "temporarily_unavailable");
                let wait: u64 = refused.header("retry-after").parse().unwrap();
                assert!((1..=61).contains(&wait), "{wait}");
            }
        }
        ask("/oauth/token", elsewhere, &right).await.is(200);
    });
}

#[test]
fn an_application_has_one_quota_however_many_tokens_it_has() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.rate_limit = 3).await;
        let mut answered = Vec::new();
        for _ in 0..5 {
            let token = world.call("POST", "/oauth/token").json(&system_access(&world)).send().await.is(200);
            let token = token.json()["access_token"].as_str().unwrap().to_owned();
            let asked = world.call("GET", "/v1/token_info").bearer(&token).send().await;
            answered.push(asked.status.as_u16());
        }
        assert_eq!(answered, [200, 200, 200, 429, 429]);
    });
}
