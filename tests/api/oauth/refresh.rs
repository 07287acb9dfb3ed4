//! Refresh tokens: the next pair, the same one until it is used.

use domain::access::tokens::Token;
use domain::access::users::Role;
use jiff::ToSpan;
use serde_json::{Value, json};

use super::{code_for, connected, error, exchange, public_client, reads, refresh_with, request, token, user};
use crate::support::{Engine, on_both_engines, text};

store::statements! {
    PAIRS = "SELECT count(*) FROM token_pairs";
    REVOKE = "UPDATE tokens SET revoked_at = $1 WHERE hash = $2";
}

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
        world.wait(59.seconds()).await;
        let again = token(&world, &body).await.ok();
        for key in ["access_token", "refresh_token", "created_at", "scope"] {
            assert_eq!(again[key], given[key], "{key}");
        }
        assert_eq!(again["expires_in"], 7_141, "the pair is no younger for being told again");
        assert_eq!(reads(&company, &text(&given, "access_token")).await, 200);
        assert_eq!(error(&token(&world, &body).await.is(400)), "invalid_grant");
        // Within the minute it may be a second process of the same client, which is not thrown out for it.
        assert_eq!(reads(&company, &text(&given, "access_token")).await, 200);
        token(&world, &refresh_with(&world, &text(&given, "refresh_token"))).await.ok();
    });
}

#[test]
fn an_answer_that_is_asked_for_again_after_a_minute_is_a_reuse_and_ends_everything_of_the_consent() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        for used in [false, true] {
            let (company, _, first) = connected(&world).await;
            let body = refresh_with(&world, &text(&first, "refresh_token"));
            let second = token(&world, &body).await.ok();
            if used {
                assert_eq!(reads(&company, &text(&second, "access_token")).await, 200);
            }
            world.wait(60.seconds()).await;
            assert_eq!(error(&token(&world, &body).await.is(400)), "invalid_grant");
            for ended in [&first, &second] {
                assert_eq!(reads(&company, &text(ended, "access_token")).await, 401, "{used}");
                let renewed = token(&world, &refresh_with(&world, &text(ended, "refresh_token"))).await;
                assert_eq!(error(&renewed.is(400)), "invalid_grant", "{used}");
            }
            let ended: Vec<_> = company.audit().await.into_iter().filter(|e| e.action == "revoked").collect();
            assert_eq!(ended.len(), 1, "the first reuse has ended everything");
            assert_eq!((&*ended[0].actor_kind, ended[0].actor), ("application", world.application));
        }
    });
}

#[test]
fn a_stolen_refresh_token_is_noticed_whoever_uses_it_first() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        for thief_first in [true, false] {
            let (company, _, first) = connected(&world).await;
            let stolen = refresh_with(&world, &text(&first, "refresh_token"));
            // The owner renews every hundred minutes; the thief is a while before or after.
            world.wait(90.minutes()).await;
            let of_first = token(&world, &stolen).await.ok();
            assert_eq!(reads(&company, &text(&of_first, "access_token")).await, 200);
            world.wait(10.minutes()).await;
            let of_second = token(&world, &stolen).await.is(400);
            assert_eq!(error(&of_second), "invalid_grant", "the thief comes first: {thief_first}");
            assert_eq!(reads(&company, &text(&of_first, "access_token")).await, 401);
            let goes_on = token(&world, &refresh_with(&world, &text(&of_first, "refresh_token"))).await;
            assert_eq!(error(&goes_on.is(400)), "invalid_grant");
        }
    });
}

#[test]
fn a_refresh_token_ends_when_it_is_not_used_for_a_hundred_days_and_two_years_after_the_consent() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let body = json!({ "user": { "first_name": "Nora", "last_name": "Lind", "email": "nora@people.example" },
                           "company": { "name": "Lind and Daughters", "ein": "30-1852096" } });
        let create = world.call("POST", "/v1/partner_managed_companies").bearer(&world.system_token);
        let mut created = create.json(&body).send().await.ok();
        let (_, _, mut consented) = connected(&world).await;
        let (_, _, idle) = connected(&world).await;
        let renew =
            async |pair: &Value| token(&world, &refresh_with(&world, &text(pair, "refresh_token"))).await;
        for period in 1..=9 {
            world.wait((99 * 24).hours()).await;
            created = renew(&created).await.ok();
            let renewed = renew(&consented).await;
            match period {
                // 7 times 99 days are less than two years.
                ..=7 => consented = renewed.ok(),
                _ => assert_eq!(error(&renewed.is(400)), "invalid_grant", "{period}"),
            }
            if period >= 2 {
                assert_eq!(error(&renew(&idle).await.is(400)), "invalid_grant", "not used for 198 days");
            }
        }
        // Nobody was asked for a company that the application created: its tokens last as long as they are used.
        world.wait((100 * 24).hours()).await;
        assert_eq!(error(&renew(&created).await.is(400)), "invalid_grant");
    });
}

#[test]
fn what_was_replaced_stays_refused_when_it_is_swept_and_its_pair_goes_with_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        // What begins with the worker: the daily sweeping.
        world.app.worker.schedule_upkeep().await;
        let (_, _, first) = connected(&world).await;
        let (_, _, other) = connected(&world).await;
        let retired = refresh_with(&world, &text(&first, "refresh_token"));
        let second = token(&world, &retired).await.ok();
        // The access token of the second pair is never used, and is swept after a week.
        world.wait((9 * 24).hours()).await;
        let third = token(&world, &refresh_with(&world, &text(&second, "refresh_token"))).await.ok();
        for days in [9, 33, 70] {
            world.wait((days * 24).hours()).await;
            // Once the tokens are swept nothing is known of them; before that, the reuse ends the family.
            assert_eq!(error(&token(&world, &retired).await.is(400)), "invalid_grant", "after {days} days");
        }
        let ended = token(&world, &refresh_with(&world, &text(&third, "refresh_token"))).await;
        assert_eq!(error(&ended.is(400)), "invalid_grant");
        let counted = world.app.store.read(|tx| {
            Ok::<_, domain::Error>(
                tx.find_row(PAIRS, store::params![], |row| row.get::<i64>(0))?.unwrap_or(-1),
            )
        });
        assert_eq!(counted.await.unwrap(), 0, "what ended and what expired is swept with its pairs: {other}");
    });
}

#[test]
fn a_company_that_consents_to_less_ends_the_tokens_that_held_more() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let consent = async |scope: &str| {
            let code = code_for(&request(&world, &[("scope", scope)]), &world, &user, &company).await;
            token(&world, &exchange(&world, &code)).await.ok()
        };
        let wide = consent("companies:read employees:read employees:write").await;
        let beside = consent("companies:read jobs:read").await;
        assert_eq!(reads(&company, &text(&wide, "access_token")).await, 200);
        let narrow = consent("companies:read employees:read").await;
        assert_eq!(reads(&company, &text(&wide, "access_token")).await, 401, "at once, also in this process");
        let renewed = token(&world, &refresh_with(&world, &text(&wide, "refresh_token"))).await;
        assert_eq!(error(&renewed.is(400)), "invalid_grant");
        for kept in [&beside, &narrow] {
            assert_eq!(reads(&company, &text(kept, "access_token")).await, 200);
            token(&world, &refresh_with(&world, &text(kept, "refresh_token"))).await.ok();
        }
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
fn a_refresh_may_narrow_the_access_token_and_never_gives_more() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let asked = request(&world, &[("scope", "employees:read companies:read")]);
        let code = code_for(&asked, &world, &user, &company).await;
        let first = token(&world, &exchange(&world, &code)).await.ok();
        assert_eq!(first["scope"], "companies:read employees:read");
        let lists = async |access: &str| {
            let call = world.call("GET", format!("/v1/companies/{}/employees", company.id)).bearer(access);
            call.send().await.status.as_u16()
        };
        let mut body = refresh_with(&world, &text(&first, "refresh_token"));
        for wrong in
            ["companies:read employees:read employees:write", "companies:read everything", "everything"]
        {
            body["scope"] = wrong.into();
            assert_eq!(error(&token(&world, &body).await.is(400)), "invalid_scope", "{wrong}");
        }
        body["scope"] = "companies:read".into();
        let narrow = token(&world, &body).await.ok();
        assert_eq!(narrow["scope"], "companies:read");
        assert_eq!(token(&world, &body).await.ok(), narrow, "the same pair, as long as it is not used");
        let access = text(&narrow, "access_token");
        assert_eq!((reads(&company, &access).await, lists(&access).await), (200, 403));
        // The refresh token keeps what was consented to (RFC 6749, section 6).
        let whole = token(&world, &refresh_with(&world, &text(&narrow, "refresh_token"))).await.ok();
        assert_eq!(whole["scope"], first["scope"]);
        // What is recorded is enforced.
        let access = text(&whole, "access_token");
        assert_eq!((reads(&company, &access).await, lists(&access).await), (200, 200));
        let schedules =
            world.call("GET", format!("/v1/companies/{}/pay_schedules", company.id)).bearer(&access);
        assert_eq!(schedules.send().await.refused(403).fault(), ("request", "missing_oauth_scopes"));
    });
}

#[test]
fn requests_that_revoke_nothing_do_not_empty_the_cache_of_grants() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let public = public_client(&world).await.to_string();
        // A grant is kept for a second, which may pass on a busy machine before the requests are done: then it is tried again.
        for _ in 0..20 {
            let (company, _, given) = connected(&world).await;
            let access = text(&given, "access_token");
            assert_eq!(reads(&company, &access).await, 200);
            // Revoked behind the back of this process: what it still answers comes from its memory.
            let hash = Token::hash_of(&access);
            let revoked = world.app.store.write(move |tx| {
                let now = tx.now();
                Ok::<_, domain::Error>(tx.change_rows(REVOKE, store::params![now, &hash])?.is_one())
            });
            assert!(revoked.await.unwrap());
            for body in [
                json!({ "grant_type": "refresh_token", "client_id": public, "refresh_token": "unknown" }),
                json!({ "grant_type": "authorization_code", "client_id": public, "code": "unknown", "redirect_uri": "x" }),
            ] {
                token(&world, &body).await.is(400);
            }
            let nothing = json!({ "client_id": public, "token": "unknown" });
            world.call("POST", "/oauth/revoke").json(&nothing).send().await.is(200);
            let path = format!("/console/companies/{}/applications/end", company.id);
            world.call("POST", &path).body(format!("application={public}")).send().await;
            if reads(&company, &access).await == 200 {
                return;
            }
        }
        panic!("the grant was looked up again each time");
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
