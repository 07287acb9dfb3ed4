//! What an application asks for in the address, and where the answer goes.

use domain::access::users::Role;

use super::{Browser, address_of, code_for, exchange, form, public_client, request, sent, token, user};
use crate::support::{Engine, ISSUER, NOBODY, REDIRECT_URI, REDIRECT_WITH_QUERY, on_both_engines};

const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Addresses that are almost `https://pos.example/callback`.
const ALMOST: [&str; 42] = [
    "",
    "/callback",
    "//pos.example/callback",
    "pos.example/callback",
    "http://pos.example/callback",
    "HTTPS://pos.example/callback",
    "https://POS.example/callback",
    "https://pos.example/Callback",
    "https://pos.example/callback/",
    "https://pos.example//callback",
    "https://pos.example/./callback",
    "https://pos.example/x/../callback",
    "https://pos.example/callback/..",
    "https://pos.example/callback/../../evil",
    "https://pos.example/callback?",
    "https://pos.example/callback?x=1",
    "https://pos.example/callback&x=1",
    "https://pos.example/callback;x",
    "https://pos.example/callback#",
    "https://pos.example/callback#x",
    "https://pos.example/%63allback",
    "https://pos.example/callback%2F",
    "https://pos.example/callback%00",
    "https://pos.example/callback%20",
    "https://pos.example/callback ",
    " https://pos.example/callback",
    "https://pos.example/callback\t",
    "https://pos.example/callback\r\nset-cookie: x=1",
    "https://pos.example:443/callback",
    "https://pos.example:80/callback",
    "https://pos.example./callback",
    "https://www.pos.example/callback",
    "https://pos.example.evil.example/callback",
    "https://evil.example/https://pos.example/callback",
    "https://pos.example@evil.example/callback",
    "https://evil.example@pos.example/callback",
    "https://pos.example\\@evil.example/callback",
    "https://xn--ps-yka.example/callback",
    "https://p\u{43e}s.example/callback",
    "javascript:location='https://pos.example/callback'",
    "data:text/html,https://pos.example/callback",
    "https://pos.example/callback,https://pos.example/callback",
];

#[test]
fn an_address_that_is_not_registered_character_by_character_is_refused_on_a_page_and_never_redirected_to() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let mut browser = Browser::new(&world);
        let consent = browser.sign_in(&request(&world, &[]), &user).await.is(200);
        let own = super::value_of(&consent.text(), "form_token");
        let id = company.id.to_string();
        let fields = [("form_token", own.as_str()), ("action", "allow"), ("company", &id)];
        let deny = [("form_token", own.as_str()), ("action", "deny")];
        for almost in ALMOST {
            let address = request(&world, &[("redirect_uri", almost)]);
            // Before and after the sign-in, with a fault besides, and for a form that says yes or no.
            let calls = [
                world.call("GET", &address),
                browser.call("GET", &address),
                world.call("GET", request(&world, &[("redirect_uri", almost), ("response_type", "token")])),
                browser.post(&address, &fields),
                browser.post(&address, &deny),
            ];
            for call in calls {
                let answer = call.send().await.is(400);
                assert_eq!(answer.header("location"), "", "{almost}");
                assert!(answer.header("content-type").starts_with("text/html"), "{almost}");
                assert!(!answer.header("content-security-policy").contains("pos.example"), "{almost}");
            }
        }
        // Two addresses, of which one is right.
        for order in [[REDIRECT_URI, "https://evil.example/"], ["https://evil.example/", REDIRECT_URI]] {
            let twice = order.map(|uri| ("redirect_uri", uri));
            let address = format!("{}&{}", request(&world, &[("redirect_uri", "")]), form(&twice));
            assert_eq!(browser.get(&address).await.is(400).header("location"), "");
        }
    });
}

#[test]
fn an_unknown_application_and_a_parameter_that_is_there_twice_are_refused_on_a_page() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let mut wrong = vec![
            request(&world, &[("client_id", "")]),
            request(&world, &[("client_id", NOBODY)]),
            request(&world, &[("client_id", "x' OR 1=1")]),
            request(&world, &[("state", &"x".repeat(2_049))]),
            "/oauth/authorize".to_owned(),
        ];
        for name in ["client_id", "response_type", "state", "scope", "code_challenge", "anything"] {
            wrong.push(format!("{}&{name}=1&{name}=2", request(&world, &[])));
        }
        for address in wrong {
            let answer = world.call("GET", &address).send().await.is(400);
            assert_eq!(answer.header("location"), "", "{address}");
        }
    });
}

#[test]
fn once_the_address_is_certain_the_application_hears_what_was_wrong() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let public = public_client(&world).await.to_string();
        let plain = [("code_challenge", CHALLENGE), ("code_challenge_method", "plain")];
        let cases: [(&[(&str, &str)], &str); 11] = [
            (&[("response_type", "")], "invalid_request"),
            (&[("response_type", "token")], "unsupported_response_type"),
            (&[("response_type", "code token")], "unsupported_response_type"),
            (&[("response_mode", "fragment")], "invalid_request"),
            (&[("scope", "everything")], "invalid_scope"),
            (&[("scope", "employees:read everything")], "invalid_scope"),
            (&plain, "invalid_request"),
            (&[("code_challenge", CHALLENGE)], "invalid_request"),
            (&[("code_challenge", "short"), ("code_challenge_method", "S256")], "invalid_request"),
            (&[("code_challenge_method", "S256")], "invalid_request"),
            (&[("client_id", &public)], "invalid_request"),
        ];
        for (changes, error) in cases {
            let answer = world.call("GET", request(&world, changes)).send().await.is(303);
            assert!(answer.header("location").starts_with(&format!("{REDIRECT_URI}?")), "{changes:?}");
            assert_eq!(sent(&answer, "error").as_deref(), Some(error), "{changes:?}");
            assert_eq!(sent(&answer, "state").as_deref(), Some("state 1"));
            assert_eq!(sent(&answer, "iss").as_deref(), Some(ISSUER));
        }
    });
}

#[test]
fn the_state_comes_back_as_it_was_sent_and_the_address_keeps_its_own_query() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let id = company.id.to_string();
        let mut browser = Browser::new(&world);
        browser.sign_in(&request(&world, &[]), &user).await;
        for state in ["", "a b+c&d=e%20#?/\u{20ac}\"<>", &"x".repeat(2_048)] {
            let address = request(&world, &[("state", state), ("redirect_uri", REDIRECT_WITH_QUERY)]);
            let page = browser.get(&address).await.is(200);
            let left = browser.press(&page, "allow", &[("company", &id)]).await.is(200);
            let location = address_of(&left);
            assert!(location.starts_with(&format!("{REDIRECT_WITH_QUERY}&code=")), "{location}");
            assert_eq!(sent(&left, "state").unwrap_or_default(), state);
            assert_eq!(sent(&left, "tenant").as_deref(), Some("7"));
        }
    });
}

#[test]
fn a_developer_is_told_which_part_mismatched_and_nobody_else_is() {
    on_both_engines(async |engine: Engine| {
        for dev in [false, true] {
            let world = engine.own_world_with(|setup| setup.settings.dev = dev).await;
            let page =
                world.call("GET", request(&world, &[("redirect_uri", "https://pos.example/Callback")]));
            let page = page.send().await.is(400).text();
            assert_eq!(page.contains("the path is"), dev, "{page}");
            assert_eq!(page.contains("/callback"), dev, "what is registered is told to a developer alone");
            let company = world.company().await;
            let user = user(&world, &[(&company, Role::Primary)]).await;
            let code = code_for(&request(&world, &[]), &world, &user, &company).await;
            let mut body = exchange(&world, &code);
            body["redirect_uri"] = REDIRECT_WITH_QUERY.into();
            let told = token(&world, &body).await.is(400).text();
            assert_eq!(told.contains("(redirect_uri: "), dev, "{told}");
            let mut body = exchange(&world, &code);
            body["client_secret"] = "wrong".into();
            let told = token(&world, &body).await.is(401).text();
            assert_eq!(told.contains("(client_secret: "), dev, "{told}");
        }
    });
}
