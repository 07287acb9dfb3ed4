//! Refresh tokens: the next pair, the same one until it is used.

use domain::access::users::Role;
use jiff::ToSpan;
use serde_json::Value;

use super::{code_for, connected, error, exchange, public_client, reads, refresh_with, request, token, user};
use crate::support::{Engine, on_both_engines, text};

#[test]
fn sixteen_refreshes_at_once_get_one_and_the_same_new_pair() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (company, _, first) = connected(&world).await;
        let body = refresh_with(&world, &text(&first, "refresh_token"));
        let asked: Vec<_> = (0..16)
            .map(|_| {
                let (world, body) = (world.clone(), body.clone());
                tokio::spawn(async move { token(&world, &body).await })
            })
            .collect();
        let mut pairs = Vec::new();
        for one in asked {
            let given = one.await.unwrap().ok();
            pairs.push((
                text(&given, "access_token"),
                text(&given, "refresh_token"),
                given["created_at"].clone(),
            ));
        }
        pairs.dedup();
        assert_eq!(pairs.len(), 1, "{pairs:?}");
        let (access, refresh, _) = &pairs[0];
        assert!(*access != text(&first, "access_token") && *refresh != text(&first, "refresh_token"));
        assert_eq!(reads(&company, access).await, 200);
    });
}

#[test]
fn a_lost_answer_can_be_asked_for_again_until_the_new_access_token_is_used() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let (company, _, first) = connected(&world).await;
        let body = refresh_with(&world, &text(&first, "refresh_token"));
        let given = token(&world, &body).await.ok();
        assert_eq!(given["expires_in"], 7_200);
        // The first access token lives on: it does not show that the answer has arrived.
        assert_eq!(reads(&company, &text(&first, "access_token")).await, 200);
        world.wait(100.seconds()).await;
        let again = token(&world, &body).await.ok();
        for key in ["access_token", "refresh_token", "created_at", "scope"] {
            assert_eq!(again[key], given[key], "{key}");
        }
        assert_eq!(again["expires_in"], 7_100, "the pair is no younger for being told again");
        assert_eq!(reads(&company, &text(&given, "access_token")).await, 200);
        assert_eq!(error(&token(&world, &body).await.is(400)), "invalid_grant");
        // A confidential client is not thrown out for it.
        assert_eq!(reads(&company, &text(&given, "access_token")).await, 200);
        token(&world, &refresh_with(&world, &text(&given, "refresh_token"))).await.ok();
    });
}

#[test]
fn an_answer_that_is_asked_for_again_when_its_access_token_is_over_has_one_that_is_good() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let (company, _, first) = connected(&world).await;
        let body = refresh_with(&world, &text(&first, "refresh_token"));
        let lost = token(&world, &body).await.ok();
        world.wait(3.hours()).await;
        // A token that is over is no use of its pair.
        assert_eq!(reads(&company, &text(&lost, "access_token")).await, 401);
        let again = token(&world, &body).await.ok();
        assert_eq!(again["expires_in"], 7_200);
        assert_eq!(
            again["refresh_token"], lost["refresh_token"],
            "whoever has the lost answer is not shut out"
        );
        assert_ne!(again["access_token"], lost["access_token"]);
        assert_eq!(token(&world, &body).await.ok()["access_token"], again["access_token"]);
        assert_eq!(reads(&company, &text(&again, "access_token")).await, 200);
        assert_eq!(error(&token(&world, &body).await.is(400)), "invalid_grant");
        assert_eq!(reads(&company, &text(&lost, "access_token")).await, 401);
        token(&world, &refresh_with(&world, &text(&again, "refresh_token"))).await.ok();
    });
}

#[test]
fn the_first_use_of_the_new_refresh_token_withdraws_the_old_one_too() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (_, _, first) = connected(&world).await;
        let old = refresh_with(&world, &text(&first, "refresh_token"));
        let second = token(&world, &old).await.ok();
        let third = token(&world, &refresh_with(&world, &text(&second, "refresh_token"))).await.ok();
        assert_eq!(error(&token(&world, &old).await.is(400)), "invalid_grant");
        assert_ne!(third["access_token"], second["access_token"]);
    });
}

#[test]
fn tokens_end_after_two_hours_and_are_renewed_again_and_again() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let (company, _, mut pair) = connected(&world).await;
        for _ in 0..5 {
            let access = text(&pair, "access_token");
            world.wait(7_199.seconds()).await;
            assert_eq!(reads(&company, &access).await, 200);
            world.wait(1.second()).await;
            assert_eq!(reads(&company, &access).await, 401);
            pair = token(&world, &refresh_with(&world, &text(&pair, "refresh_token"))).await.ok();
        }
    });
}

#[test]
fn a_refresh_token_that_comes_back_from_a_public_client_ends_everything_of_its_consent() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let client = public_client(&world).await.to_string();
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        let asked = [
            ("client_id", client.as_str()),
            ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
        ];
        let code = code_for(&request(&world, &asked), &world, &user, &company).await;
        let of_client = |mut body: Value| {
            body["client_id"] = client.as_str().into();
            body["client_secret"] = Value::Null;
            body
        };
        let mut body = of_client(exchange(&world, &code));
        body["code_verifier"] = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".into();
        let first = token(&world, &body).await.ok();
        let old = of_client(refresh_with(&world, &text(&first, "refresh_token")));
        let second = token(&world, &old).await.ok();
        assert_eq!(reads(&company, &text(&second, "access_token")).await, 200);
        assert_eq!(error(&token(&world, &old).await.is(400)), "invalid_grant");
        assert_eq!(reads(&company, &text(&second, "access_token")).await, 401);
        let newest = of_client(refresh_with(&world, &text(&second, "refresh_token")));
        assert_eq!(error(&token(&world, &newest).await.is(400)), "invalid_grant");
    });
}

#[test]
fn another_application_can_do_nothing_with_a_refresh_token() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (company, _, first) = connected(&world).await;
        let client = public_client(&world).await.to_string();
        let mut body = refresh_with(&world, &text(&first, "refresh_token"));
        body["client_id"] = client.into();
        body["client_secret"] = Value::Null;
        assert_eq!(error(&token(&world, &body).await.is(400)), "invalid_grant");
        for wrong in [text(&first, "access_token"), company.token.clone(), "unknown".to_owned()] {
            assert_eq!(error(&token(&world, &refresh_with(&world, &wrong)).await.is(400)), "invalid_grant");
        }
        token(&world, &refresh_with(&world, &text(&first, "refresh_token"))).await.ok();
    });
}

#[test]
fn a_refresh_keeps_the_scope_and_gives_no_other() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let asked = request(&world, &[("scope", "employees:read companies:read")]);
        let code = code_for(&asked, &world, &user, &company).await;
        let first = token(&world, &exchange(&world, &code)).await.ok();
        assert_eq!(first["scope"], "companies:read employees:read");
        let mut body = refresh_with(&world, &text(&first, "refresh_token"));
        body["scope"] = "companies:read employees:read employees:write".into();
        assert_eq!(error(&token(&world, &body).await.is(400)), "invalid_scope");
        body["scope"] = "employees:read companies:read".into();
        let second = token(&world, &body).await.ok();
        assert_eq!(second["scope"], first["scope"]);
        // What is recorded is enforced.
        let access = text(&second, "access_token");
        assert_eq!(reads(&company, &access).await, 200);
        let locations =
            world.call("GET", format!("/v1/companies/{}/pay_schedules", company.id)).bearer(&access);
        assert_eq!(locations.send().await.refused(403).fault(), ("request", "missing_oauth_scopes"));
    });
}

#[test]
fn what_is_given_back_is_good_for_nothing_and_a_token_that_does_not_exist_is_no_fault() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (company, _, first) = connected(&world).await;
        let second = token(&world, &refresh_with(&world, &text(&first, "refresh_token"))).await.ok();
        let give_back = async |token: &str| {
            let mut body = refresh_with(&world, "");
            body["token"] = token.into();
            world.call("POST", "/oauth/revoke").json(&body).send().await
        };
        assert_eq!(reads(&company, &text(&first, "access_token")).await, 200);
        let noted = async || company.audit().await.into_iter().filter(|e| e.action == "revoked").count();
        assert_eq!(noted().await, 0);
        give_back(&text(&first, "access_token")).await.is(200);
        assert_eq!(reads(&company, &text(&first, "access_token")).await, 401);
        assert_eq!(reads(&company, &text(&second, "access_token")).await, 200, "an access token ends alone");
        assert_eq!(noted().await, 1);
        give_back(&text(&second, "refresh_token")).await.is(200);
        assert_eq!(reads(&company, &text(&second, "access_token")).await, 401, "a refresh token ends all");
        assert_eq!(noted().await, 2);
        let audit = company.audit().await;
        let entry = audit.iter().rfind(|entry| entry.action == "revoked").unwrap();
        assert_eq!((&*entry.actor_kind, entry.actor), ("application", world.application));
        assert!(entry.changes["tokens"].as_u64() > Some(0), "{:?}", entry.changes);
        give_back(&text(&second, "refresh_token")).await.is(200);
        assert_eq!(noted().await, 2, "nothing was left to revoke");
        let again = token(&world, &refresh_with(&world, &text(&second, "refresh_token"))).await;
        assert_eq!(error(&again.is(400)), "invalid_grant");
        give_back("unknown").await.is(200);
        assert_eq!(error(&give_back("").await.is(400)), "invalid_request");
        // Another application's token is left alone, and nothing is told about it.
        let (_, _, other) = connected(&world).await;
        let client = public_client(&world).await;
        let body = serde_json::json!({ "token": other["access_token"], "client_id": client });
        world.call("POST", "/oauth/revoke").json(&body).send().await.is(200);
        let alive = world.call("GET", "/v1/token_info").bearer(&text(&other, "access_token"));
        alive.send().await.is(200);
    });
}
