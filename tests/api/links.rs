//! Links to the hosted pages: for whom they are made, what opening one does, and when they end.

use jiff::ToSpan;
use serde_json::json;

use crate::support::{Answer, Company, Engine, NOBODY, id_of, on_both_engines, text};

const PATH: &str = "/v1/companies/{company}/flows";

async fn open(company: &Company, link: &str) -> Answer {
    company.world.call("GET", link).send().await
}

#[test]
fn a_link_is_a_long_secret_on_the_hosts_pages() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let body = json!({ "flow_type": "employee_self_management", "entity_type": "Employee", "entity_uuid": id, "options": {} });
        let made = company.post(PATH, body.clone()).await.created();
        let token = text(&made, "url").strip_prefix("https://pages.example/flows/").unwrap().to_owned();
        assert!(
            token.len() == 43 && token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)),
            "{token}"
        );
        assert_eq!(made.as_object().unwrap().len(), 1);
        assert_ne!(company.post(PATH, body).await.created(), made, "each link is a new one");
        assert_eq!(
            company.status(&id).await,
            "self_onboarding_pending_invite",
            "making one is not opening it"
        );
    });
}

#[test]
fn a_link_is_made_for_the_flows_of_an_employee_of_the_company() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let call = async |flow: &str, kind: &str, id: &str| {
            company.post(PATH, json!({ "flow_type": flow, "entity_type": kind, "entity_uuid": id })).await
        };
        for flow in [
            "employee_form_signing",
            "employee_federal_setup,employee_state_setup",
            "deductions, employee_self_management",
        ] {
            call(flow, "Employee", &id).await.created();
        }
        for flow in
            ["company_onboarding", "", "employee_self_management,", "employee_self_management,payroll"]
        {
            let refused = call(flow, "Employee", &id).await.refused(422);
            assert_eq!(refused.fault(), ("flow_type", "invalid_attribute_value"), "{flow}");
        }
        let refused = call("deductions", "Employee", NOBODY).await.refused(422);
        assert_eq!(refused.keys(), ["entity_type", "entity_uuid"]);
        assert_eq!(
            call("deductions", "Company", &company.id.to_string()).await.refused(422).fault(),
            ("entity_type", "invalid_attribute_value")
        );
        assert_eq!(
            company.post(PATH, json!({})).await.refused(422).keys(),
            ["flow_type", "entity_type", "entity_uuid"]
        );
    });
}

#[test]
fn opening_a_link_greets_the_employee_and_begins_the_onboarding() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("D'Arcy", "2026-07-01").await;
        company.ask_for(&hired.id, "self_onboarding_invited").await.ok();
        let link = company.link(&hired.id).await;
        let known = company.count_events().await;
        // Those who only look, as scanners of messages do, open nothing.
        company.world.call("HEAD", &link).send().await.is(200);
        assert_eq!(company.status(&hired.id).await, "self_onboarding_invited");
        let opened = open(&company, &link).await.is(303);
        assert!(opened.header("content-security-policy").contains("default-src 'none'"));
        assert!(opened.header("content-security-policy").contains("frame-ancestors 'none'"));
        assert_eq!(
            (opened.header("referrer-policy"), opened.header("x-frame-options")),
            ("no-referrer", "DENY")
        );
        let cookie = opened.header("set-cookie").split(';').next().unwrap();
        let follow = async |path: &str| company.world.call("GET", path).header("cookie", cookie).send().await;
        let onward = follow(opened.header("location")).await.is(303);
        let page = follow(onward.header("location")).await.is(200);
        assert!(page.header("content-type").starts_with("text/html"));
        let html = page.text();
        assert!(html.contains("Arcy") && !html.contains("D'Arcy"), "names are shown as text: {html}");
        assert!(html.contains("Blue Heron Diners") && html.contains("Personal details"));
        assert!(!html.contains("<script>") && !html.contains("http://") && !html.contains("https://"));
        assert_eq!(company.status(&hired.id).await, "self_onboarding_invited_started");
        assert_eq!(company.event_types_since(known).await, ["employee.updated"]);
        let entry = company.audit().await.pop().unwrap();
        assert_eq!((entry.actor_kind.as_str(), entry.actor.to_string()), ("employee", hired.id));
        // Opened again it changes nothing.
        open(&company, &link).await.is(303);
        assert_eq!(company.count_events().await, known + 1);
    });
}

#[test]
fn opening_a_link_moves_nobody_who_is_further_or_not_in_self_onboarding() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let admin = id_of(&company.employee("Ana").await);
        let done = id_of(&company.self_onboarding_employee("Ben").await);
        company.mark(&done, &crate::onboarding::STEPS[..9]).await.ok();
        for (id, status) in
            [(&admin, "admin_onboarding_incomplete"), (&done, "self_onboarding_awaiting_admin_review")]
        {
            let link = company.link(id).await;
            open(&company, &link).await.is(303);
            assert_eq!(company.status(id).await, status);
        }
        let pending = id_of(&company.self_onboarding_employee("Cem").await);
        let link = company.link(&pending).await;
        open(&company, &link).await.is(303);
        assert_eq!(company.status(&pending).await, "self_onboarding_invited_started");
    });
}

#[test]
fn a_link_that_is_not_used_for_an_hour_has_ended() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let (unused, used) = (company.link(&id).await, company.link(&id).await);
        world.wait(3_599.seconds()).await;
        open(&company, &used).await.is(303);
        let fired = world.wait(1.second()).await;
        assert_eq!(fired.iter().map(|fired| fired.kind).collect::<Vec<_>>(), ["flow_link.expired"]);
        let page = open(&company, &unused).await.is(410);
        assert!(page.text().contains("expired") && page.text().contains("Ask your employer for a new one"));
        assert_eq!(page.header("x-frame-options"), "DENY");
        world.wait(3_598.seconds()).await;
        open(&company, &used).await.is(303);
        world.wait(3_600.seconds()).await;
        open(&company, &used).await.is(410);
        // A new one can be had at any time.
        let next = company.link(&id).await;
        open(&company, &next).await.is(303);
    });
}

#[test]
fn a_link_ends_a_day_after_it_was_made_however_much_it_is_used() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let link = company.link(&id).await;
        for _ in 0..47 {
            world.wait(30.minutes()).await;
            open(&company, &link).await.is(303);
        }
        world.wait(1_799.seconds()).await;
        open(&company, &link).await.is(303);
        world.wait(1.second()).await;
        open(&company, &link).await.is(410);
    });
}

#[test]
fn a_link_has_ended_even_where_nobody_noticed_its_time() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let link = company.link(&id_of(&company.self_onboarding_employee("Ana").await)).await;
        world.app.store.clock().advance_to(world.now() + 2.hours());
        open(&company, &link).await.is(410);
    });
}

#[test]
fn a_link_that_nobody_made_is_not_there() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let link = company.link(&hired.id).await;
        let cut = &link[..link.len() - 1];
        let long = format!("/flows/{}", "a".repeat(4_000));
        for wrong in [cut, "/flows/x", "/flows/%00", &long, &format!("/flows/{}", company.token)] {
            let page = open(&company, wrong).await.is(404);
            assert!(page.header("content-type").starts_with("text/html"), "{wrong}");
            assert!(page.text().contains("This link does not work"), "{wrong}");
        }
        open(&company, "/flows/%FF").await.is(404);
        company.delete(format!("/v1/employees/{}", hired.id)).await.deleted();
        open(&company, &link).await.is(404);
    });
}
