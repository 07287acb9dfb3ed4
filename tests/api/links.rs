//! Links to the hosted pages: for whom they are made, what opening one does, and when they end.

use jiff::ToSpan;
use serde_json::json;

use crate::pages::Browser;
use crate::support::{Answer, Company, Engine, NOBODY, World, id_of, on_both_engines, text};

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
        assert_eq!(made.as_object().unwrap().len(), 3, "address, name and end");
        assert!(!text(&made, "url").contains(&text(&made, "uuid")), "the name opens nothing");
        assert_ne!(company.post(PATH, body).await.created(), made, "each link is a new one");
        assert_eq!(
            company.status(&id).await,
            "self_onboarding_pending_invite",
            "making one is not opening it"
        );
    });
}

#[test]
fn options_that_the_flows_do_not_have_are_refused_one_by_one() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let with = |options: serde_json::Value| json!({ "flow_type": "deductions", "entity_type": "Employee", "entity_uuid": id, "options": options });
        company.post(PATH, with(json!({}))).await.created();
        company.post(PATH, with(json!(null))).await.created();
        let refused = company.post(PATH, with(json!({ "hide_back": true, "step": 2 }))).await.refused(422);
        assert_eq!(refused.fault(), ("options", "nested_errors"));
        let told = &refused.0[0];
        assert_eq!(told["metadata"]["flow_type"], "deductions");
        assert_eq!(
            (&told["errors"][0]["error_key"], &told["errors"][1]["error_key"]),
            (&json!("hide_back"), &json!("step"))
        );
        assert!(text(&told["errors"][0], "message").contains("these flows have none"), "{told}");
        let refused = company.post(PATH, with(json!(["step"]))).await.refused(422);
        assert_eq!(refused.fault(), ("options", "invalid_attribute_value"));
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
            ["reverse_wire_accounts", "", "employee_self_management,", "employee_self_management,run_payroll"]
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
        // A company's flows are for the company of the token, and for no other.
        call("company_onboarding,run_payroll", "Company", &company.id.to_string()).await.created();
        // It need not be told: there is no other that could be meant.
        company.post(PATH, json!({ "flow_type": "add_employees,sign_all_forms" })).await.created();
        let alone = company.post(PATH, json!({ "flow_type": "deductions" })).await.refused(422);
        assert_eq!(alone.keys(), ["entity_type", "entity_uuid"]);
        assert_eq!(call("run_payroll", "Employee", &id).await.refused(422).fault().0, "entity_type");
        let other = company.world.company().await.id.to_string();
        for stranger in [NOBODY, &other, &id] {
            let refused = call("run_payroll", "Company", stranger).await.refused(422);
            assert_eq!(refused.keys(), ["entity_type", "entity_uuid"]);
        }
        assert_eq!(
            company.post(PATH, json!({})).await.refused(422).keys(),
            ["flow_type", "entity_type", "entity_uuid"]
        );
    });
}

#[test]
fn what_loads_a_link_in_advance_and_what_shows_a_preview_of_it_opens_nothing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        company.ask_for(&hired.id, "self_onboarding_invited").await.ok();
        let link = company.link(&hired.id).await;
        for (name, value) in [
            ("sec-purpose", "prefetch"),
            ("sec-purpose", "prefetch;prerender"),
            ("purpose", "prefetch"),
            ("user-agent", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"),
            ("user-agent", "WhatsApp/2.23.20.0"),
        ] {
            let page = company.world.call("GET", &link).header(name, value).send().await.is(200);
            assert_eq!(
                (page.header("set-cookie"), page.header("cache-control")),
                ("", "no-store"),
                "{value}"
            );
            assert!(
                page.text().contains("Open it in your browser") && !page.text().contains("Ana"),
                "{value}"
            );
            assert_eq!(company.status(&hired.id).await, "self_onboarding_invited", "{value}");
        }
        // None of them has used it up, and a person opens it as ever.
        let browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
        company.world.call("GET", &link).header("user-agent", browser).send().await.is(303);
        assert_eq!(company.status(&hired.id).await, "self_onboarding_invited_started");
    });
}

#[test]
fn a_link_in_use_is_opened_again_until_an_hour_after_the_last_page_and_to_a_day_after_it_was_made() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        world.app.worker.schedule_upkeep().await;
        let company = world.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let (first, second) = (company.link(&hired.id).await, company.link(&hired.id).await);
        let cookie_of = async |link: &str| {
            let opened = company.world.call("GET", link).send().await.is(303);
            opened.header("set-cookie").split(';').next().unwrap().to_owned()
        };
        let (by_pages, by_link) = (cookie_of(&first).await, cookie_of(&second).await);
        let with = async |path: &str, cookie: &str| {
            company.world.call("GET", path).header("cookie", cookie).send().await.status.as_u16()
        };
        // For 23 hours, a page of one and the link of the other every 50 minutes.
        for _ in 0..27 {
            world.wait(50.minutes()).await;
            assert_eq!(with("/flow/welcome", &by_pages).await, 200);
            assert_eq!(with(&second, &by_link).await, 303);
        }
        // Both are opened again without the cookie, as on another device.
        for link in [&first, &second] {
            assert_eq!(company.world.call("GET", link).send().await.status, 303, "it is in use");
        }
        world.wait(50.minutes()).await;
        assert_eq!(with("/flow/welcome", &by_pages).await, 200);
        world.wait(50.minutes()).await;
        for (link, cookie) in [(&first, &by_pages), (&second, &by_link)] {
            assert_eq!(company.world.call("GET", link).send().await.status, 410, "a day after it was made");
            assert_eq!(with("/flow/welcome", cookie).await, 410);
        }
        // What is not used ends after an hour.
        let unused = company.link(&hired.id).await;
        world.wait(61.minutes()).await;
        assert_eq!(company.world.call("GET", &unused).send().await.status, 410);
    });
}

#[test]
fn a_link_opens_documents_only_if_its_flow_shows_them() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let ana = company.signed_i9("Ana").await;
        let forms = company.get(format!("/v1/employees/{ana}/forms")).await.list();
        let form = text(&forms[0], "uuid");
        for (flow, opens) in [("pay_stubs", 404), ("deductions", 404), ("employee_form_signing", 303)] {
            let body = json!({ "flow_type": flow, "entity_type": "Employee", "entity_uuid": ana });
            let link = text(&company.post(PATH, body).await.created(), "url");
            let path = link.strip_prefix("https://pages.example").unwrap();
            let opened = company.world.call("GET", path).send().await.is(303);
            let cookie = opened.header("set-cookie").split(';').next().unwrap().to_owned();
            let document =
                company.world.call("GET", format!("/flow-documents/{form}")).header("cookie", cookie);
            assert_eq!(document.send().await.status.as_u16(), opens, "{flow}");
        }
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
        assert!(page.text().contains("expired") && page.text().contains("Ask whoever sent it for a new one"));
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

#[test]
fn a_link_that_is_revoked_opens_nothing_and_ends_what_was_opened_with_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, other) = (world.company().await, world.company().await);
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let body =
            json!({ "flow_type": "employee_self_management", "entity_type": "Employee", "entity_uuid": id });
        let made = async || {
            let made = company.post(PATH, body.clone()).await.created();
            (
                text(&made, "url").strip_prefix("https://pages.example").unwrap().to_owned(),
                text(&made, "uuid"),
            )
        };
        let ((link, name), (kept, _)) = (made().await, made().await);
        let (visited, stays) =
            (Browser::follow(&company, &link).await, Browser::follow(&company, &kept).await);
        let path = |of: &str| format!("{PATH}/{of}");
        other.delete(path(&name)).await.refused(404);
        company.delete(path(NOBODY)).await.refused(404);
        company.with_scopes("flows:read").await.delete(path(&name)).await.refused(403);
        visited.get("welcome").await.is(200);

        for _ in 0..2 {
            company.delete(path(&name)).await.deleted();
        }
        visited.get("welcome").await.is(410);
        open(&company, &link).await.is(410);
        stays.get("welcome").await.is(200);
        open(&company, &kept).await.is(303);
        let audit = company.audit().await;
        assert_eq!(audit.iter().filter(|entry| entry.action == "revoked").count(), 1, "told once");
    });
}

#[test]
fn a_link_is_opened_on_three_devices_at_a_time_and_fifty_times() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let link = company.link(&id).await;
        let mut devices = Vec::new();
        for _ in 0..4 {
            world.wait(2.minutes()).await;
            devices.push(Browser::follow(&company, &link).await);
        }
        devices[0].get("welcome").await.is(410);
        for device in &devices[1..] {
            device.get("welcome").await.is(200);
        }
        // Whoever is there already goes on, and opens nothing.
        for _ in 0..60 {
            let again = devices[3].open_again(&link).await.is(303);
            assert_eq!((again.header("location"), again.header("set-cookie")), ("/flow", ""));
        }
        for _ in 4..50 {
            open(&company, &link).await.is(303);
        }
        open(&company, &link).await.is(410);
    });
}

/// A browser with a link to somebody whose number is held.
async fn stolen(world: &World) -> (Company, String, Browser) {
    let company = world.company().await;
    let hired = company.hire("Ana", "2026-07-01").await;
    company.enter_personal_details(&hired.id, "412551031").await;
    let link = company.link(&hired.id).await;
    let browser = Browser::follow(&company, &link).await;
    (company, hired.id, browser)
}

const ACCOUNT: [(&str, &str); 6] = [
    ("action", "add"),
    ("name", "Mine"),
    ("routing_number", "021001208"),
    ("account_number", "90126600418"),
    ("account_number_again", "90126600418"),
    ("account_type", "Checking"),
];

#[test]
fn whoever_holds_a_link_sends_no_pay_elsewhere_without_the_last_four_digits() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, id, thief) = stolen(&world).await;
        let accounts = format!("/v1/employees/{id}/bank_accounts");
        let page = thief.get("payment").await.is(200).text();
        assert!(page.contains("confirm that it is you") && !page.contains("routing_number"), "{page}");
        for fields in [&ACCOUNT[..], &[("action", "save"), ("type", "Check")]] {
            let asked = thief.fill_in("payment", fields).await.is(200).text();
            assert!(asked.contains("confirm that it is you"));
        }
        assert!(company.get(&accounts).await.list().is_empty());
        // Nor can another number be put in the place of the one that is held.
        let person = [
            ("first_name", "Ana"),
            ("last_name", "Okafor"),
            ("email", "ana@people.example"),
            ("date_of_birth", "1990-04-01"),
            ("ssn", "412-55-9999"),
        ];
        let refused = thief.fill_in("personal", &person).await.is(422).text();
        assert!(refused.contains("name=\"ssn_last_four\""), "{refused}");

        let confirm = async |browser: &Browser, digits: &str| {
            browser.fill_in("payment", &[("action", "confirm"), ("ssn_last_four", digits)]).await
        };
        let wrong = confirm(&thief, "9999").await.is(422).text();
        assert!(wrong.contains("These are not the last four digits"), "{wrong}");
        confirm(&thief, "1031").await.is(303);
        thief.fill_in("payment", &ACCOUNT).await.is(303);
        let held = company.get(&accounts).await.list();
        assert_eq!(held.len(), 1);
        let told: Vec<_> = company.events().await.into_iter().map(|event| event.event_type).collect();
        assert!(told.contains(&"employee.bank_account.created".to_owned()));
        let remove = format!("removed:{}", text(&held[0], "uuid"));

        // On another device it is asked anew, and so it is after half an hour.
        let second = Browser::follow(&company, &company.link(&id).await).await;
        second.fill_in("payment", &[("action", &remove)]).await.is(200);
        assert_eq!(company.get(&accounts).await.list().len(), 1);
        world.wait(29.minutes()).await;
        assert!(thief.get("payment").await.text().contains("routing_number"));
        world.wait(2.minutes()).await;
        assert!(!thief.get("payment").await.text().contains("routing_number"));
        let actions: Vec<_> = company.audit().await.into_iter().map(|entry| entry.action).collect();
        for action in ["confirmed", "confirmation_failed"] {
            assert_eq!(actions.iter().filter(|found| *found == action).count(), 1, "{action}");
        }
    });
}

#[test]
fn five_wrong_answers_in_a_day_lock_every_session_and_the_partner_is_told() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let (company, id, first) = stolen(&world).await;
        let second = Browser::follow(&company, &company.link(&id).await).await;
        let confirm = async |browser: &Browser, digits: &str| {
            browser
                .form(
                    "payment",
                    &[
                        ("form_token", &browser.hidden("welcome").await.0),
                        ("action", "confirm"),
                        ("ssn_last_four", digits),
                    ],
                )
                .send()
                .await
        };
        for (browser, digits) in [(&first, "0000"), (&first, "0001"), (&second, "0002"), (&second, "1032")] {
            confirm(browser, digits).await.is(422);
        }
        let failed = async || {
            let told = company.events().await;
            told.into_iter().filter(|event| event.event_type == "employee.confirmation_failed").count()
        };
        assert_eq!(failed().await, 0);
        let locked = confirm(&first, "3104").await.is(422).text();
        assert!(locked.contains("too many wrong answers"), "{locked}");
        assert_eq!(failed().await, 1);
        for browser in [&first, &second] {
            confirm(browser, "1031").await;
            assert!(browser.get("payment").await.text().contains("too many wrong answers"));
        }
        assert_eq!(failed().await, 1, "told once");
        world.wait(24.hours()).await;
        let next = Browser::follow(&company, &company.link(&id).await).await;
        confirm(&next, "1031").await.is(303);
        assert!(next.get("payment").await.text().contains("routing_number"));
    });
}

#[test]
fn somebody_who_has_just_entered_the_number_is_not_asked_for_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let link = company.link(&hired.id).await;
        let browser = Browser::follow(&company, &link).await;
        let page = browser.get("payment").await.is(200).text();
        assert!(page.contains("Enter your Social Security number under personal details first"), "{page}");
        browser.fill_in("payment", &ACCOUNT).await.is(200);
        let person = [
            ("first_name", "Ana"),
            ("last_name", "Okafor"),
            ("email", "ana@people.example"),
            ("date_of_birth", "1990-04-01"),
            ("ssn", "412-55-1031"),
        ];
        browser.fill_in("personal", &person).await.is(303);
        browser.fill_in("payment", &ACCOUNT).await.is(303);
        assert_eq!(company.get(format!("/v1/employees/{}/bank_accounts", hired.id)).await.list().len(), 1);
    });
}
