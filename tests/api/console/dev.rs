//! The console under `stipend dev`: open to whoever sits at the machine, with the last requests and the test clock.

use domain::access::users::Role;
use jiff::ToSpan;
use serde_json::json;

use super::{ELSEWHERE, HERE, developers, filled, is_sign_in};
use crate::oauth::{Browser, user};
use crate::pages::value_of;
use crate::support::{Engine, id_of, on_both_engines};

#[test]
fn under_dev_it_is_open_to_whoever_sits_at_the_machine_and_to_nobody_else() {
    on_both_engines(async |engine: Engine| {
        let world = developers(engine).await;
        let (company, pages) = filled(&world).await;
        let path = format!("/console/companies/{}", company.id);
        for page in &pages {
            world.call("GET", page).from(HERE).send().await.is(200);
        }
        for open in ["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            let answer = world.call("GET", &path).from(open).send().await.is(200);
            assert!(answer.text().contains("Blue Heron Diners"), "{open}");
        }
        let by_name = |name| world.call("GET", &path).replace_header("host", name).from(HERE);
        assert!(by_name("127.0.0.1:8080").send().await.text().contains("Blue Heron Diners"));
        let closed = [
            world.call("GET", &path).from(ELSEWHERE),
            world.call("GET", &path),
            by_name("payroll.example"),
            world.call("GET", &path).from(HERE).header("x-forwarded-for", "203.0.113.9"),
            world.call("GET", &path).from(HERE).header("forwarded", "for=203.0.113.9"),
        ];
        for call in closed {
            is_sign_in(&call.send().await.is(200));
        }
        by_name("evil.example").send().await.is(421);
    });
}

#[test]
fn under_dev_the_last_requests_are_kept_without_what_is_secret() {
    on_both_engines(async |engine: Engine| {
        let world = developers(engine).await;
        let company = world.company().await;
        let body = json!({ "first_name": "Ana", "last_name": "Okafor", "ssn": "412551007", "self_onboarding": false });
        let made = company.post("/v1/companies/{company}/employees", body).await.created();
        let wrong = world.call("GET", "/v1/token_info?access_token=query-secret").bearer("header-secret");
        wrong.send().await.is(401);
        let list = world.call("GET", "/console/requests").from(HERE).send().await.is(200).text();
        assert!(list.contains("/v1/token_info") && list.contains(">401<") && list.contains(">201<"));
        let number = |what: &str| {
            let before = list.split(what).next().unwrap();
            before.rsplit("/console/requests/").next().unwrap().split('"').next().unwrap().to_owned()
        };
        let refused = number("GET /v1/token_info");
        let created = number("POST /v1/companies");
        let mut told = list.clone();
        for number in [&refused, &created] {
            told += &world
                .call("GET", format!("/console/requests/{number}"))
                .from(HERE)
                .send()
                .await
                .is(200)
                .text();
        }
        for secret in ["412551007", "query-secret", "header-secret", company.token.as_str()] {
            assert!(!told.contains(secret), "{secret}");
        }
        assert!(told.contains("Okafor") && told.contains(&id_of(&made)) && told.contains("2025-06-15"));
        assert!(told.contains("invalid_token"), "a refusal is kept, too");
        let only = world.call("GET", "/console/requests?only=refused").from(HERE).send().await.text();
        assert!(only.contains(">401<") && !only.contains(">201<"));
        // To somebody elsewhere, even an administrator, nothing of it is shown.
        let admin = user(&world, &[(&company, Role::Primary)]).await;
        let mut browser = Browser::new(&world);
        let page = browser.get("/console/requests").await;
        let fields = [
            ("email", admin.email.as_str()),
            ("password", admin.password.as_str()),
            ("to", "/console/requests"),
        ];
        let shown = browser.press(&page, "", &fields).await.is(200).text();
        assert!(shown.contains("no such list") && !shown.contains("token_info"), "{shown}");
        browser.get(&format!("/console/requests/{created}")).await.is(404);
        browser.get("/console/clock").await.is(404);
    });
}

#[test]
fn the_test_clock_is_moved_by_a_button_of_its_own_page() {
    on_both_engines(async |engine: Engine| {
        let world = developers(engine).await;
        let company = world.company().await;
        let hired = company.hire("Ines", "2026-06-16").await;
        company.ask_for(&hired.id, "self_onboarding_invited").await.ok();
        let page = world.call("GET", "/console/clock").from(HERE).send().await.is(200);
        let cookie = page.header("set-cookie").split(';').next().unwrap().to_owned();
        let token = value_of(&page.text(), "form_token");
        let before = world.now();
        let send = |fields: &[(&str, &str)]| {
            let call = world.call("POST", "/console/clock").header("cookie", &cookie);
            let call = call.header("content-type", "application/x-www-form-urlencoded");
            call.body(crate::oauth::form(fields))
        };
        send(&[("form_token", "x"), ("seconds", "60")]).from(HERE).send().await.is(403);
        send(&[("form_token", &token), ("seconds", "60")]).from(ELSEWHERE).send().await.is(404);
        for wrong in
            [("seconds", "-60"), ("to", "2020-01-01T00:00"), ("seconds", "99999999999"), ("to", "soon")]
        {
            send(&[("form_token", &token), wrong]).from(HERE).send().await.is(422);
        }
        assert_eq!(world.now(), before);
        send(&[("form_token", &token), ("seconds", "259200")]).from(HERE).send().await.is(303);
        assert_eq!(world.now(), before + 72.hours());
        let told = world.call("GET", "/console/clock").from(HERE).send().await.is(200).text();
        assert!(told.contains("Employee self onboarding overdue"), "{told}");
        send(&[("form_token", &token), ("to", "2026-07-01T12:00:30")]).from(HERE).send().await.is(303);
        assert_eq!(world.now(), "2026-07-01T12:00:30Z".parse().unwrap());
    });
}
