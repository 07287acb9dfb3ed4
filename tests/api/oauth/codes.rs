//! Codes: one use, ten minutes, and for nobody else.

use domain::access::users::Role;
use jiff::ToSpan;
use serde_json::{Value, json};

use super::{code_for, connected, error, exchange, public_client, reads, request, set_role, token, user};
use crate::support::{Engine, REDIRECT_WITH_QUERY, on_both_engines, text};

/// RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const WITH_CHALLENGE: [(&str, &str); 2] = [("code_challenge", CHALLENGE), ("code_challenge_method", "S256")];

#[test]
fn one_code_used_by_64_requests_at_once_gives_tokens_once_and_then_they_are_withdrawn() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let code = code_for(&request(&world, &[]), &world, &user, &company).await;
        let asked: Vec<_> = (0..64)
            .map(|_| {
                let (world, body) = (world.clone(), exchange(&world, &code));
                tokio::spawn(async move { token(&world, &body).await })
            })
            .collect();
        let mut given = Vec::new();
        let mut refused = 0;
        for one in asked {
            let answer = one.await.unwrap();
            if answer.status == 200 {
                given.push(answer.json());
            } else {
                assert_eq!(error(&answer.is(400)), "invalid_grant");
                refused += 1;
            }
        }
        assert_eq!((given.len(), refused), (1, 63));
        assert_eq!(reads(&company, &text(&given[0], "access_token")).await, 401);
        let refresh = super::refresh_with(&world, &text(&given[0], "refresh_token"));
        assert_eq!(error(&token(&world, &refresh).await.is(400)), "invalid_grant");
        let provisioned =
            company.events().await.into_iter().filter(|e| e.event_type == "company.provisioned");
        assert_eq!(provisioned.count(), 1);
    });
}

#[test]
fn a_token_that_was_in_use_is_refused_once_its_code_is_used_again() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let code = code_for(&request(&world, &[]), &world, &user, &company).await;
        let given = token(&world, &exchange(&world, &code)).await.ok();
        let access = text(&given, "access_token");
        assert_eq!(reads(&company, &access).await, 200);
        // Whoever cannot prove that the code is theirs withdraws nothing with it.
        for (key, value) in [("client_secret", "wrong"), ("redirect_uri", REDIRECT_WITH_QUERY)] {
            let mut body = exchange(&world, &code);
            body[key] = value.into();
            assert!(token(&world, &body).await.status.is_client_error());
            assert_eq!(reads(&company, &access).await, 200);
        }
        assert_eq!(error(&token(&world, &exchange(&world, &code)).await), "invalid_grant");
        assert_eq!(reads(&company, &access).await, 401);
    });
}

#[test]
fn a_code_is_good_for_ten_minutes() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        for (seconds, status) in [(599, 200), (601, 400)] {
            let code = code_for(&request(&world, &[]), &world, &user, &company).await;
            world.wait(seconds.seconds()).await;
            token(&world, &exchange(&world, &code)).await.is(status);
        }
    });
}

#[test]
fn a_code_is_good_only_for_the_application_the_address_and_the_challenge_that_it_was_given_for() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let code = code_for(&request(&world, &WITH_CHALLENGE), &world, &user, &company).await;
        let right = |verifier: Value| {
            let mut body = exchange(&world, &code);
            body["code_verifier"] = verifier;
            body
        };
        let wrong = |key: &str, value: Value| {
            let mut body = right(json!(VERIFIER));
            body[key] = value;
            body
        };
        let other = public_client(&world).await;
        for body in [
            right(Value::Null),
            right(json!(CHALLENGE)),
            right(json!(VERIFIER.to_uppercase())),
            right(json!("short")),
            wrong("redirect_uri", json!(REDIRECT_WITH_QUERY)),
            wrong("code", json!(format!("{code}A"))),
            wrong("code", json!(code.to_lowercase())),
        ] {
            assert_eq!(error(&token(&world, &body).await.is(400)), "invalid_grant", "{body}");
        }
        let mut stolen = wrong("client_id", json!(other));
        stolen["client_secret"] = Value::Null;
        assert_eq!(error(&token(&world, &stolen).await.is(400)), "invalid_grant");
        // None of them has used it up.
        token(&world, &right(json!(VERIFIER))).await.is(200);
    });
}

#[test]
fn a_code_that_was_asked_for_without_a_challenge_takes_no_verifier() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let code = code_for(&request(&world, &[]), &world, &user, &company).await;
        let mut body = exchange(&world, &code);
        body["code_verifier"] = VERIFIER.into();
        assert_eq!(error(&token(&world, &body).await.is(400)), "invalid_grant");
    });
}

#[test]
fn whoever_lost_the_right_between_consent_and_exchange_connects_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::FullAccess)]).await;
        let code = code_for(&request(&world, &[]), &world, &user, &company).await;
        set_role(&world, &company, &user, Role::Limited).await;
        assert_eq!(error(&token(&world, &exchange(&world, &code)).await.is(400)), "invalid_grant");
        assert_eq!(company.count_events().await, 0);
    });
}

#[test]
fn a_connection_is_told_of_written_down_and_makes_whoever_consented_primary() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let first = user(&world, &[(&company, Role::Primary)]).await;
        let second = user(&world, &[(&company, Role::FullAccess)]).await;
        let code = code_for(&request(&world, &[]), &world, &second, &company).await;
        token(&world, &exchange(&world, &code)).await.ok();
        let events: Vec<_> = company.events().await.into_iter().map(|e| (e.event_type, e.entity)).collect();
        let told = |name: &str| (name.to_owned(), company.id);
        assert_eq!(events, [told("company.partner_authorized"), told("company.provisioned")]);
        let audit = company.audit().await;
        for action in ["consented", "authorized"] {
            let entry = audit.iter().find(|entry| entry.action == action).unwrap();
            assert_eq!((entry.actor_kind.as_str(), entry.actor), ("user", second.id), "{action}");
        }
        let primary = &company.get("/v1/companies/{company}").await.ok()["primary_payroll_admin"];
        assert_eq!(primary["email"], second.email.as_str());
        let id = company.id;
        let admins =
            world.app.store.read(move |tx| domain::access::users::list_admins(tx, id)).await.unwrap();
        let roles: Vec<_> = admins.iter().map(|admin| (admin.user, admin.role)).collect();
        assert_eq!(roles, [(first.id, Role::FullAccess), (second.id, Role::Primary)]);
    });
}

#[test]
fn token_info_tells_the_company_of_the_token_and_who_consented() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (company, user, given) = connected(&world).await;
        let info = async |token: &str| world.call("GET", "/v1/token_info").bearer(token).send().await.ok();
        let told = info(&text(&given, "access_token")).await;
        assert_eq!(told["resource"], json!({ "type": "Company", "uuid": company.id }));
        assert_eq!(told["resource_owner"], json!({ "type": "CompanyAdmin", "uuid": user.id }));
        assert_eq!(told["scope"], given["scope"]);
        let told = info(&world.system_token).await;
        assert_eq!(told["resource"], json!({ "type": "Oauth::Application", "uuid": world.application }));
        assert_eq!(told["resource_owner"], Value::Null);
    });
}

#[test]
fn a_public_client_exchanges_its_code_with_the_verifier_alone() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let client = public_client(&world).await.to_string();
        let asked = [WITH_CHALLENGE.as_slice(), &[("client_id", &client)]].concat();
        let code = code_for(&request(&world, &asked), &world, &user, &company).await;
        let mut body = exchange(&world, &code);
        body["client_id"] = client.as_str().into();
        body["code_verifier"] = VERIFIER.into();
        assert_eq!(error(&token(&world, &body).await.is(401)), "invalid_client", "it has no secret to show");
        body["client_secret"] = Value::Null;
        let given = token(&world, &body).await.ok();
        assert_eq!(reads(&company, &text(&given, "access_token")).await, 200);
    });
}
