//! Who is let in: tokens, their kinds and their ends, and how many requests they are good for.

use domain::access::scope::Scopes;
use domain::access::tokens::TokenKind;
use jiff::ToSpan;
use serde_json::json;

use crate::support::{Engine, Operation, Target, World, on_both_engines, operations};

/// The values of `Authorization` that open nothing, each with a name.
async fn bad_credentials(world: &World, target: &Target) -> Vec<(&'static str, Vec<String>)> {
    let all = Scopes::ALL.to_text();
    let company = Some(target.company.id);
    let token = &target.company.token;
    let expired = world.token(TokenKind::Company, world.application, company, &all, Some(0)).await;
    let revoked = world.token(TokenKind::Company, world.application, company, &all, None).await;
    world.revoke(&revoked).await;
    let refresh = world.token(TokenKind::Refresh, world.application, company, &all, None).await;
    let link = target.company.link(target.id("employee_id")).await.replace("/flows/", "");
    vec![
        ("none", vec![]),
        ("an empty one", vec!["Bearer ".to_owned()]),
        ("no scheme", vec![token.clone()]),
        ("another scheme", vec![format!("Basic {token}")]),
        ("the scheme of API tokens", vec![format!("Token {token}")]),
        ("garbage", vec![format!("Bearer {}", "\u{fffd}\"'; --")]),
        ("a long one", vec![format!("Bearer {}", "a".repeat(10_000))]),
        ("an unknown one", vec![format!("Bearer {}", "A".repeat(43))]),
        ("an expired one", vec![format!("Bearer {expired}")]),
        ("a revoked one", vec![format!("Bearer {revoked}")]),
        ("a refresh token", vec![format!("Bearer {refresh}")]),
        ("an API token as bearer", vec![format!("Bearer {}", world.api_token)]),
        ("the token of a link", vec![format!("Bearer {link}")]),
        ("two at once", vec![format!("Bearer {token}"), format!("Bearer {token}")]),
    ]
}

#[test]
fn without_a_good_token_nothing_is_told_and_nothing_is_done() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let target = Target::of(world.company().await).await;
        let credentials = bad_credentials(&world, &target).await;
        let before = target.all_there_is().await;
        for operation in operations().iter().filter(|o| o.needs_a_token()) {
            for (name, values) in &credentials {
                let call = target.call(operation).await;
                let call = values.iter().fold(call, |call, value| call.header("authorization", value));
                let refused = call.send().await.refused(401);
                assert_eq!(refused.fault(), ("request", "invalid_token"), "{}: {name}", operation.name());
                assert!(!refused.message().contains(&target.company.token));
            }
        }
        assert_eq!(target.all_there_is().await, before);
    });
}

#[test]
fn a_token_that_was_sent_is_called_invalid_and_a_request_without_one_is_only_asked_for_one() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let target = Target::of(world.company().await).await;
        let without = ["none", "an empty one", "no scheme", "another scheme", "garbage", "a long one"];
        for (name, values) in bad_credentials(&world, &target).await {
            let call = world.call("GET", format!("/v1/companies/{}", target.company.id));
            let call = values.iter().fold(call, |call, value| call.header("authorization", value));
            let challenge = call.send().await.is(401).header("www-authenticate").to_owned();
            // RFC 6750, section 3.
            let expected = if without.contains(&name) { "Bearer" } else { "Bearer error=\"invalid_token\"" };
            assert_eq!(challenge, expected, "{name}");
        }
    });
}

#[test]
fn the_name_of_the_scheme_is_read_in_capitals_and_small_letters() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let call = company.world.call("GET", format!("/v1/companies/{}", company.id));
            call.header("authorization", format!("{scheme} {}", company.token)).send().await.is(200);
        }
    });
}

#[test]
fn a_token_ends_with_its_time_and_another_moment_later_it_is_refused() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let all = Scopes::ALL.to_text();
        let token =
            world.token(TokenKind::Company, world.application, Some(company.id), &all, Some(7_200)).await;
        let read =
            async || world.call("GET", format!("/v1/companies/{}", company.id)).bearer(&token).send().await;
        read().await.is(200);
        world.wait(7_199.seconds()).await;
        read().await.is(200);
        world.wait(1.second()).await;
        read().await.refused(401);
    });
}

#[test]
fn a_token_that_is_withdrawn_elsewhere_is_good_for_a_second_at_most() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        company.get("/v1/companies/{company}").await.is(200);
        company.world.revoke(&company.token).await;
        tokio::time::sleep(std::time::Duration::from_millis(1_020)).await;
        company.get("/v1/companies/{company}").await.refused(401);
    });
}

#[test]
fn a_token_that_is_withdrawn_here_is_refused_at_once() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        company.get("/v1/companies/{company}").await.is(200);
        company.world.revoke(&company.token).await;
        company.world.app.grants.forget_token(&domain::access::tokens::Token::hash_of(&company.token));
        company.get("/v1/companies/{company}").await.refused(401);
    });
}

#[test]
fn a_caller_hears_first_of_the_token_then_of_the_version_then_of_the_scope_and_last_of_the_body() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let reader = company.with_scopes("employees:read").await;
        let path = "/v1/companies/{company}/employees";
        let status = async |company: &crate::support::Company, bearer: bool, version: &str, body: &str| {
            let call = if bearer {
                company.call("POST", path)
            } else {
                company.world.call("POST", path.replace("{company}", &company.id.to_string()))
            };
            call.header("x-service-api-version", version).raw(body.to_owned()).send().await.status.as_u16()
        };
        assert_eq!(status(&reader, false, "wrong", "{").await, 401);
        assert_eq!(status(&reader, true, "wrong", "{").await, 406);
        assert_eq!(status(&reader, true, "2025-06-15", "{").await, 403);
        assert_eq!(status(&company, true, "2025-06-15", "{").await, 400);
        assert_eq!(status(&company, true, "2025-06-15", "{}").await, 422);
    });
}

#[test]
fn a_token_has_so_many_requests_and_then_has_to_wait() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.rate_limit = 3).await;
        let (company, another) = (world.company().await, world.company().await);
        for remaining in ["2", "1", "0"] {
            let answer = company.get("/v1/companies/{company}").await.is(200);
            assert_eq!(
                (answer.header("x-ratelimit-limit"), answer.header("x-ratelimit-remaining")),
                ("3", remaining)
            );
            let reset = answer.header("x-ratelimit-reset");
            assert!(reset.starts_with("2026-06-15 12:0") && reset.ends_with(" +0000"), "{reset}");
        }
        // What is refused for another reason is counted and told the same way.
        let body = json!({ "first_name": "Ana", "last_name": "Lee" });
        let answer = company.post("/v1/companies/{company}/employees", body).await.is(429);
        let wait: u64 = answer.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        assert_eq!((answer.header("x-ratelimit-limit"), answer.header("x-ratelimit-remaining")), ("3", "0"));
        assert_eq!(answer.refused(429).fault(), ("request", "rate_limit_exceeded"));
        assert_eq!(company.count_events().await, 0);
        // Each token has its own limit, and what needs none has none.
        another.get("/v1/companies/{company}").await.is(200);
        for _ in 0..5 {
            world.call("GET", "/healthz").send().await.is(200);
        }
    });
}

#[test]
fn every_operation_counts_against_the_limit() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.rate_limit = 1).await;
        let company = world.company().await;
        company.get("/v1/companies/{company}").await.is(200);
        company.get("/v1/events").await.is(200);
        for operation in operations().iter().filter(|o| Operation::needs_a_token(o)) {
            let path = operation.route.replace("{company_id}", &company.id.to_string());
            let path = path.replace(['{', '}'], "");
            let answer = company.call(&operation.method, path).send().await.is(429);
            assert!(!answer.header("retry-after").is_empty(), "{}", operation.name());
        }
    });
}

#[test]
fn an_address_has_so_many_requests_without_a_good_token_and_good_ones_go_on() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.address_rate_limit = 3).await;
        let company = world.company().await;
        let (here, elsewhere) = ("203.0.113.7:4000", "203.0.113.8:4000");
        let path = format!("/v1/companies/{}", company.id);
        let ask = async |from: &str, token: &str| {
            world.call("GET", &path).from(from).bearer(token).send().await.status.as_u16()
        };
        assert_eq!(ask(here, &company.token).await, 200);
        let mut answered = Vec::new();
        for n in 0..5 {
            answered.push(ask(here, &format!("guess-{n}")).await);
        }
        assert_eq!(answered, [401, 401, 401, 429, 429]);
        assert_eq!(ask(here, &company.token).await, 200, "who was known before shares the address");
        // Whatever strangers ask of the token endpoint.
        let stranger =
            serde_json::json!({ "grant_type": "system_access", "client_id": "x", "client_secret": "y" });
        let refused = world.call("POST", "/oauth/token").from(elsewhere).json(&stranger).send().await;
        assert_eq!(refused.status.as_u16(), 401);
        assert_eq!(ask(here, &company.token).await, 200);
        // And whatever else is withdrawn.
        world.app.grants.forget_all();
        assert_eq!(ask(here, &company.token).await, 200);
        assert_eq!(ask(elsewhere, "guess").await, 401);
        // Pages that need no token count with them; whoever watches the service does not.
        for (path, from, status) in [("/docs", here, 429), ("/docs", elsewhere, 200), ("/healthz", here, 200)]
        {
            world.call("GET", path).from(from).send().await.is(status);
        }
    });
}
