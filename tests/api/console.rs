//! The console: who gets in, who sees what of which company, and what its buttons do.

use domain::Error;
use domain::access::users::Role;
use domain::company::companies::rows as companies;
use domain::platform::audit::seals;
use domain::platform::jobs;
use jiff::{Timestamp, ToSpan};
use serde_json::json;
use store::{Json, Tx, params};

use crate::oauth::{Browser, User, set_role, user, value_of};
use crate::receiver::{Receiver, status};
use crate::support::{Answer, Call, Company, Engine, NOBODY, Target, World, id_of, on_both_engines, place};

const HERE: &str = "127.0.0.1:40000";
const ELSEWHERE: &str = "203.0.113.9:40000";

/// A company with something on every page, and the addresses of those pages.
async fn filled(world: &World) -> (Company, Vec<String>) {
    let company = world.company().await;
    let target = Target::of(company.clone()).await;
    let base = format!("/console/companies/{}", company.id);
    let employee = format!("{base}/employees/{}", target.id("employee_id"));
    let payroll = format!("{base}/payrolls/{}", target.id("calculated_payroll"));
    let paid = company.get(payroll.replace("/console/", "/v1/")).await.ok();
    let paid = paid["employee_compensations"][0]["employee_uuid"].as_str().unwrap().to_owned();
    let events = format!("/v1/events?limit=1&resource_uuid={}", company.id);
    let event = id_of(&company.get(events).await.list()[0]);
    let pages = vec![
        base.clone(),
        format!("{base}/employees"),
        employee.clone(),
        format!("{employee}/benefits"),
        format!("{employee}/salary"),
        format!("{base}/payrolls"),
        payroll.clone(),
        format!("{payroll}/employees/{paid}"),
        format!("{base}/events"),
        format!("{base}/events/{event}"),
        format!("{base}/webhooks"),
        format!("{base}/audit"),
        format!("{base}/jobs"),
        format!("{employee}/garnishments"),
        format!("{base}/taxes"),
        format!("{base}/money"),
        format!("{base}/reports"),
    ];
    (company, pages)
}

/// Signs in at an address of the console.
pub async fn signed_in(world: &World, user: &User, address: &str) -> (Browser, Answer) {
    let mut browser = Browser::new(world);
    let page = browser.get(address).await.is(200);
    let to = value_of(&page.text(), "to");
    let fields = [("email", user.email.as_str()), ("password", user.password.as_str()), ("to", to.as_str())];
    let came = browser.press(&page, "", &fields).await;
    (browser, came)
}

/// What every form sends.
async fn form_token(browser: &mut Browser) -> String {
    value_of(&browser.get("/console").await.is(200).text(), "form_token")
}

#[track_caller]
fn is_sign_in(answer: &Answer) {
    assert!(answer.text().contains("<h1>Sign in to the console</h1>"), "{}", answer.text());
}

async fn rename(company: &Company, name: &'static str) {
    let id = company.id;
    let renamed = company.world.app.store.write(move |tx| {
        tx.guard(id, "companies", id)?;
        companies::set_identity(tx, id, name, None)
    });
    renamed.await.unwrap_or_else(|error: Error| panic!("{error:?}"));
}

#[test]
fn whoever_is_not_signed_in_is_asked_to_sign_in_and_learns_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (_, mut pages) = filled(&world).await;
        pages.extend(
            ["/console", "/console/data", "/console/requests", "/console/companies/none"].map(str::to_owned),
        );
        for page in pages {
            for peer in [HERE, ELSEWHERE] {
                let answer = world.call("GET", &page).from(peer).send().await.is(200);
                is_sign_in(&answer);
                assert!(!answer.text().contains("Blue Heron"), "{page}");
                assert!(answer.header("set-cookie").starts_with("__Host-stipend-user="));
                let policy = answer.header("content-security-policy");
                assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
            }
        }
        world.call("GET", "/console/clock").from(HERE).send().await.is(404);
        assert!(world.app.journal.is_none(), "no request is kept");
    });
}

#[test]
fn an_administrator_sees_his_own_companies_and_no_trace_of_another() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (mine, pages) = filled(&world).await;
        let (other, foreign) = filled(&world).await;
        rename(&other, "Somebody Else").await;
        let admin = user(&world, &[(&mine, Role::FullAccess)]).await;
        let (mut browser, came) = signed_in(&world, &admin, &pages[1]).await;
        assert!(came.is(200).text().contains("<h1>Employees"), "where he wanted to go");
        for page in &pages {
            let text = browser.get(page).await.is(200).text();
            assert!(text.contains("Blue Heron Diners") && !text.contains("Somebody Else"), "{page}");
        }
        let list = browser.get("/console").await.is(200).text();
        assert!(list.contains(&mine.id.to_string()) && !list.contains(&other.id.to_string()));
        // Another company's record is answered like one that does not exist, under its company and under one's own.
        let nobody = browser.get(&format!("/console/companies/{NOBODY}")).await.is(404).essence();
        for page in &foreign {
            assert_eq!(browser.get(page).await.is(404).essence(), nobody, "{page}");
            let inside = page.replace(&other.id.to_string(), &mine.id.to_string());
            if inside.matches('-').count() > 4 {
                let text = browser.get(&inside).await.is(404).text();
                assert!(!text.contains("Somebody Else"), "{inside}");
            }
        }
        // Whoever is not an administrator any more sees nothing from the next page on.
        set_role(&world, &mine, &admin, Role::Limited).await;
        browser.get(&pages[5]).await.is(403);
    });
}

#[test]
fn with_limited_rights_nobody_sees_pay_benefits_or_the_audit_log() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, pages) = filled(&world).await;
        let admin = user(&world, &[(&company, Role::Limited)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let mut seen = Vec::new();
        for page in &pages {
            let answer = browser.get(page).await;
            assert!(matches!(answer.status.as_u16(), 200 | 403), "{page}");
            seen.push(answer.status == 200);
        }
        // company, employees, employee; benefits, salary; payrolls, payroll, paycheck; events, event; webhooks; audit; jobs; garnishments; taxes; money; reports
        let expected = [1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0].map(|seen| seen == 1);
        assert_eq!(seen, expected);
        assert!(!browser.get(&pages[2]).await.text().contains('$'), "no pay with the employee");
        let token = form_token(&mut browser).await;
        for path in [format!("{}/redeliver", pages[9]), pages[10].clone()] {
            browser.post(&path, &[("form_token", &token), ("subscription", NOBODY)]).send().await.is(403);
        }
    });
}

#[test]
fn signing_in_makes_a_new_session_and_signing_out_ends_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let admin = user(&world, &[(&company, Role::Primary)]).await;
        let mut browser = Browser::new(&world);
        let page = browser.get("/console").await.is(200);
        let first = browser.cookie.clone();
        let wrong = [("email", admin.email.as_str()), ("password", "wrong"), ("to", "https://evil.example")];
        let refused = browser.press(&page, "", &wrong).await.is(422);
        assert!(refused.text().contains("is not right"));
        let right =
            [("email", admin.email.as_str()), ("password", &admin.password), ("to", "//evil.example")];
        let came = browser.press(&page, "", &right).await.is(200);
        assert!(came.text().contains("<h1>Companies"), "one stays in the console");
        assert_ne!(browser.cookie, first, "nobody can know the session beforehand");
        // A session that is used lasts; one that is not ends.
        for _ in 0..3 {
            world.wait(20.minutes()).await;
            assert!(browser.get("/console").await.is(200).text().contains("<h1>Companies"));
        }
        let (kept, token) = (browser.cookie.clone(), form_token(&mut browser).await);
        browser.post("/console/sign_out", &[("form_token", &token)]).send().await.is(303);
        browser.cookie = kept;
        is_sign_in(&browser.get("/console").await);
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        world.wait(31.minutes()).await;
        is_sign_in(&browser.get("/console").await);
    });
}

/// A company that a receiver hears of, which has refused an event so far: receiver, subscription, event.
async fn heard_of(world: &World) -> (Company, Receiver, String, String) {
    let company = world.company().await.for_another_application().await;
    let receiver = Receiver::new();
    let url = format!("{}?key=of-the-partner", receiver.url);
    let body = json!({ "url": url, "subscription_types": ["Location"] });
    let id = id_of(&company.post("/v1/webhook_subscriptions", body).await.created());
    world.wait(1.second()).await;
    let token = receiver.tokens().pop().unwrap();
    let path = format!("/v1/webhook_subscriptions/{id}/verify");
    company.put(path, json!({ "verification_token": token })).await.ok();
    receiver.answer(|_| status(503));
    company.post("/v1/companies/{company}/locations", place("TX")).await.created();
    world.wait(1.second()).await;
    let event = id_of(&company.get("/v1/events?sort_order=desc&limit=1").await.list()[0]);
    (company, receiver, id, event)
}

#[test]
fn an_administrator_has_an_event_of_his_company_delivered_once_more_and_no_other() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver, subscription, event) = heard_of(&world).await;
        let stranger = world.company().await;
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let base = format!("/console/companies/{}", company.id);
        let page = browser.get(&format!("{base}/events/{event}")).await.is(200).text();
        assert!(page.contains("503") && page.contains(">open<"), "{page}");
        assert!(!page.contains("of-the-partner"), "the rest of the address is the partner's");
        let webhooks = format!("{base}/webhooks");
        assert!(browser.get(&webhooks).await.is(200).text().contains(&event), "it is told as not delivered");
        receiver.answer(|_| status(200));
        let token = form_token(&mut browser).await;
        let fields = [("form_token", token.as_str()), ("subscription", subscription.as_str())];
        let before = receiver.events().len();
        let done = browser.post(&format!("{base}/events/{event}/redeliver"), &fields).send().await.is(303);
        assert!(done.header("location").ends_with("?done=redelivered"));
        world.wait(1.second()).await;
        assert_eq!(receiver.events().len(), before + 1);
        assert!(browser.get(&format!("{base}/events/{event}")).await.text().contains(">delivered<"));
        assert!(!browser.get(&webhooks).await.is(200).text().contains(&event));
        let log = browser.get(&format!("{base}/audit")).await.is(200).text();
        assert!(log.contains(&format!("{} (user) redelivered", admin.email)), "{log}");

        // A stretch of time, of this company alone.
        let all = [&fields[..], &[("from", "2026-01-01T00:00"), ("event_type", "location.created")]].concat();
        let replayed = browser.post(&format!("{base}/webhooks"), &all).send().await.is(303);
        assert!(replayed.header("location").ends_with("?replayed=1&more=false"), "{:?}", replayed.headers);
        let wrong = [&fields[..], &[("from", "yesterday")]].concat();
        assert!(
            browser.post(&format!("{base}/webhooks"), &wrong).send().await.is(422).text().contains("moment")
        );

        // Another company's administrator reaches neither the event nor the subscription.
        let other = user(&world, &[(&stranger, Role::Primary)]).await;
        let (mut browser, _) = signed_in(&world, &other, "/console").await;
        let token = form_token(&mut browser).await;
        let fields = [("form_token", token.as_str()), ("subscription", subscription.as_str())];
        let fields = [&fields[..], &[("from", "2026-01-01T00:00")]].concat();
        for company in [company.id, stranger.id] {
            for path in [format!("events/{event}/redeliver"), "webhooks".to_owned()] {
                let path = format!("/console/companies/{company}/{path}");
                browser.post(&path, &fields).send().await.is(404);
            }
        }
    });
}

#[test]
fn a_replay_reaches_the_events_of_one_company_where_the_application_has_several() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver, subscription, event) = heard_of(&world).await;
        let application = company.application;
        let second = world.company_of(application).await;
        let second = Company { system_token: company.system_token.clone(), ..second };
        second.post("/v1/companies/{company}/locations", place("NY")).await.created();
        world.wait(1.second()).await;
        let foreign = id_of(&company.get("/v1/events?sort_order=desc&limit=1").await.list()[0]);
        assert_ne!(foreign, event);
        receiver.answer(|_| status(200));
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let token = form_token(&mut browser).await;
        let fields = [
            ("form_token", token.as_str()),
            ("subscription", subscription.as_str()),
            ("from", "2026-01-01T00:00"),
        ];
        let base = format!("/console/companies/{}", company.id);
        let told = browser.get(&format!("{base}/webhooks")).await.is(200).text();
        assert!(told.contains(&event) && !told.contains(&foreign), "{told}");
        let before = receiver.events().len();
        browser.post(&format!("{base}/webhooks"), &fields).send().await.is(303);
        world.wait(1.second()).await;
        let replayed: Vec<_> = receiver.events()[before..].iter().map(|one| id_of(&one.json())).collect();
        assert!(replayed.contains(&event) && !replayed.contains(&foreign), "{replayed:?}");
        // The subscription is known here, the event is not this company's.
        browser.post(&format!("{base}/events/{foreign}/redeliver"), &fields[..2]).send().await.is(404);
        browser.get(&format!("{base}/events/{foreign}")).await.is(404);
    });
}

#[test]
fn a_form_that_was_sent_from_elsewhere_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver, subscription, event) = heard_of(&world).await;
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let token = form_token(&mut browser).await;
        let mut stranger = Browser::new(&world);
        let foreign = value_of(&stranger.get("/console").await.text(), "form_token");
        let path = format!("/console/companies/{}/events/{event}/redeliver", company.id);
        let tried = receiver.events().len();
        let send =
            |token: &str| browser.post(&path, &[("form_token", token), ("subscription", &subscription)]);
        let refused: [Call; 6] = [
            send(""),
            send(&foreign),
            send(&token).header("sec-fetch-site", "cross-site"),
            send(&token).header("sec-fetch-site", "same-site"),
            send(&token).header("origin", "https://evil.example"),
            stranger.post(&path, &[("form_token", &token), ("subscription", &subscription)]),
        ];
        for call in refused {
            assert!(call.send().await.is(403).text().contains("nothing was changed"));
        }
        // His own token, but nobody is signed in.
        let own = [("form_token", foreign.as_str()), ("subscription", subscription.as_str())];
        assert_eq!(stranger.post(&path, &own).send().await.is(303).header("location"), "/console");
        let large = send(&"x".repeat(20 << 10)).send().await;
        assert_eq!(large.status, 413);
        world.wait(1.second()).await;
        assert_eq!(receiver.events().len(), tried);
        browser.get(&path).await.is(405);
    });
}

#[test]
fn what_people_enter_is_shown_as_text() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, pages) = filled(&world).await;
        rename(&company, "<script>alert(1)</script>\" onload=\"x").await;
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let hostile = "%3Cscript%3E%22%27%3C/script%3E";
        let (mut browser, came) = signed_in(&world, &admin, &format!("/console?page=x&a={hostile}")).await;
        let mut shown = vec![came.is(200)];
        for page in &pages {
            shown.push(browser.get(page).await.is(200));
        }
        let base = &pages[0];
        for query in ["employees?q=", "events?type=", "events?before=", "payrolls?until=", "audit?before="] {
            shown.push(browser.get(&format!("{base}/{query}{hostile}")).await.is(200));
        }
        shown.push(browser.get(&format!("{base}/employees/{hostile}")).await.is(404));
        for answer in shown {
            let text = answer.text();
            assert!(!text.contains("<script") && !text.contains("\" onload"), "{text}");
            assert!(text.len() < 60 << 10, "{} bytes", text.len());
        }
        let list = browser.get("/console").await.text();
        assert!(list.contains("&#60;script&#62;alert(1)"), "{list}");
    });
}

/// A developer's world, on whose machine nobody signs in.
async fn developers(engine: Engine) -> World {
    engine
        .own_world_with(|setup| {
            setup.settings.dev = true;
            setup.time_passes = false;
        })
        .await
}

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

store::statements! {
    SPOILED = "UPDATE payroll_results SET facts = $1 WHERE company_id = $2";
}

#[test]
fn taxes_are_listed_by_name_and_an_employees_with_the_places_of_the_addresses() {
    on_both_engines(async |engine: Engine| {
        let world = developers(engine).await;
        let company = world.company().await;
        let office = id_of(&company.location("OH").await);
        company.answer_state("OH").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let base = format!("/console/companies/{}", company.id);
        let page = async |path: String| world.call("GET", &path).from(HERE).send().await.is(200).text();
        let found = page(format!("{base}/taxes?q=columbus%20city")).await;
        assert!(found.contains("Columbus city tax") && !found.contains("Cincinnati"), "{found}");
        let none = page(format!("{base}/taxes?q=%3Cb%3E")).await;
        assert!(none.contains("No tax is called") && !none.contains("<b>"), "{none}");
        let of_ana = page(format!("{base}/employees/{ana}")).await;
        assert!(of_ana.contains("Columbus (by city)"), "{of_ana}");
        assert!(
            of_ana.contains("Columbus city tax") && of_ana.contains("by the name of the city"),
            "{of_ana}"
        );
    });
}

#[test]
fn an_employee_is_shown_with_each_stretch_of_employment_and_what_is_left_of_time_off() {
    on_both_engines(async |engine: Engine| {
        let world = developers(engine).await;
        let company = world.company().await;
        let office = id_of(&company.location("TX").await);
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        for (of, method) in [("vacation", "per_pay_period"), ("sick", "unlimited")] {
            let policy = json!({ "name": "Days off", "policy_type": of, "accrual_method": method, "accrual_rate": "4" });
            let made = company.post("/v1/companies/{company}/time_off_policies", policy).await.created();
            let joins = json!({ "employees": [{ "uuid": ana, "balance": "37.5" }] });
            company.put(format!("/v1/time_off_policies/{}/add_employees", id_of(&made)), joins).await.ok();
        }
        let leaves = json!({ "effective_date": "2026-05-01" });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        let back = json!({ "effective_date": "2026-07-06", "file_new_hire_report": false, "work_location_uuid": office });
        company.post(format!("/v1/employees/{ana}/rehire"), back).await.created();
        world.wait_until("2026-07-06T15:00:00Z".parse().unwrap()).await;
        let path = format!("/console/companies/{}/employees/{ana}", company.id);
        let page = world.call("GET", &path).from(HERE).send().await.is(200).text();
        for line in
            ["Mar 1, 2026 to May 1, 2026", "since Jul 6, 2026", "37.500 (Days off)", "unlimited (Days off)"]
        {
            assert!(page.contains(line), "{line} in {page}");
        }
    });
}

#[test]
fn a_paycheck_whose_inputs_cannot_be_read_is_shown_as_it_was_paid_and_says_so() {
    on_both_engines(async |engine: Engine| {
        let world = developers(engine).await;
        let (company, pages) = filled(&world).await;
        let page =
            pages.iter().find(|page| page.contains("/payrolls/") && page.contains("/employees/")).unwrap();
        let whole = world.call("GET", page).from(HERE).send().await.is(200).text();
        assert!(!whole.contains("These are the lines that were paid"), "{whole}");
        let id = company.id;
        let spoil = move |tx: &mut Tx<'_>| {
            Ok::<_, Error>(tx.change(SPOILED, params![Json("{\"format\": 99}"), id])?.rows())
        };
        assert!(world.app.store.write(spoil).await.unwrap() > 0);
        let shown = world.call("GET", page).from(HERE).send().await.is(200).text();
        assert!(shown.contains("These are the lines that were paid"), "{shown}");
        assert!(shown.contains("cannot read what it was worked out from"), "{shown}");
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

#[test]
fn the_audit_log_says_how_far_it_is_sealed() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        company.location("TX").await;
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let page = format!("/console/companies/{}/audit", company.id);
        let (mut browser, came) = signed_in(&world, &admin, &page).await;
        assert!(came.text().contains("Nothing is sealed yet"));
        let store = &world.app.store;
        seals::seal_all(store, store.clock().now() + 11.minutes()).await.unwrap();
        company.location("NY").await;
        let text = browser.get(&page).await.is(200).text();
        let id = company.id;
        let newest = store.read(move |tx| seals::newest(tx, id)).await.unwrap().unwrap();
        assert!(text.contains(&hex::encode(newest.seal)), "{text}");
        let entries = text.matches("<summary>Details").count();
        let sealed = text.matches(">sealed</span>").count();
        assert!(sealed >= 1 && sealed < entries, "{sealed} of {entries}");
    });
}

#[test]
fn work_that_was_given_up_is_begun_again_by_whoever_may_and_from_the_console_alone() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (mine, other) = (world.company().await, world.company().await);
        let give_up = async |company: uuid::Uuid| {
            let given_up = world.app.store.write(move |tx| {
                let now = tx.now();
                jobs::schedule(tx, company, jobs::Kind::PayrollForget, company, now)?;
                loop {
                    let due =
                        jobs::due_until(tx, now + 1.hour(), (Timestamp::UNIX_EPOCH, uuid::Uuid::nil()), 100)?;
                    let piece = *due.iter().find(|piece| piece.company == company).unwrap();
                    if jobs::put_off(tx, &piece, "no room on the disk")? {
                        return Ok::<_, Error>(piece.id.to_string());
                    }
                }
            });
            given_up.await.unwrap()
        };
        let (job, foreign) = (give_up(mine.id).await, give_up(other.id).await);
        let path = format!("/console/companies/{}/jobs", mine.id);
        let admin = user(&world, &[(&mine, Role::FullAccess)]).await;
        let (mut browser, page) = signed_in(&world, &admin, &path).await;
        let text = page.is(200).text();
        assert!(
            text.contains(&job) && text.contains("Payroll forgotten") && !text.contains(&foreign),
            "{text}"
        );
        assert!(!text.contains("no room on the disk"), "the reason is the operator's");
        let token = form_token(&mut browser).await;
        let retry = format!("{path}/retry");
        browser.post(&retry, &[("form_token", "another"), ("job", &job)]).send().await.is(403);
        browser.post(&retry, &[("form_token", &token), ("job", &foreign)]).send().await.is(404);
        browser.post(&retry, &[("form_token", &token), ("job", &job)]).send().await.is(303);
        let after = browser.get(&format!("{path}?done=retried")).await.is(200).text();
        assert!(after.contains("Nothing was given up"), "{after}");
        assert!(mine.audit().await.iter().any(|entry| format!("{entry:?}").contains("retried")));
        assert_eq!(world.app.store.read(jobs::dead_letters::count).await.unwrap(), 1, "the other company's");
    });
}

#[test]
fn the_fields_of_an_income_withholding_order_are_explained_in_english_and_spanish() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let location = id_of(&company.location("TX").await);
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                            "deduct_as_percentage": true, "pay_period_maximum": "300",
                            "income_withholding_order": { "arrears": "25.00", "arrears_over_12_weeks": true },
                            "child_support": { "state": "AL", "payment_period": "Every other week", "fips_code": "01000",
                                               "case_number": "AL-77" } });
        company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
        let admin = user(&world, &[(&company, Role::Primary)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let address = format!("/console/companies/{}/employees/{ana}/garnishments", company.id);
        let english = browser.get(&address).await.is(200).text();
        for part in ["Past-due support", "$25.00", "15 USC 1673(b)(2)", "not told", "yes"] {
            assert!(english.contains(part), "{part}");
        }
        let spanish = browser.get(&format!("{address}?language=es")).await.is(200).text();
        for part in ["Manutención atrasada", "$25.00", "sin indicar", "lang=\"es\""] {
            assert!(spanish.contains(part), "{part}");
        }
        let employee =
            browser.get(&format!("/console/companies/{}/employees/{ana}", company.id)).await.is(200);
        assert!(employee.text().contains("/garnishments\">Garnishments"));
    });
}

#[test]
fn whoever_may_write_employees_corrects_the_places_of_an_address() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let office = id_of(&company.location("OH").await);
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let path = format!("/console/companies/{}/employees/{ana}", company.id);
        let page = browser.get(&path).await.is(200).text();
        assert!(page.contains("Columbus (by city)") && page.contains("Dublin (OH-22694)"), "{page}");
        let work = company.get(format!("/v1/employees/{ana}/work_addresses")).await.list().remove(0);
        let (id, version) = (id_of(&work), work["version"].as_str().unwrap().to_owned());
        let token = form_token(&mut browser).await;
        let fields = |version: &str, codes: &str, add: &str, act: &str| {
            let fields = [
                ("form_token", &*token),
                ("side", "work"),
                ("address", &id),
                ("version", version),
                ("codes", codes),
                ("add", add),
                ("do", act),
            ];
            fields.map(|(name, value)| (name.to_owned(), value.to_owned()))
        };
        let places = format!("{path}/places");
        let mut send = async |fields: [(String, String); 7], status: u16| {
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
            browser.post(&places, &fields).send().await.is(status);
            browser.get(&path).await.is(200).text()
        };
        let page = send(fields(&version, "", "OH-22694", ""), 303).await;
        assert!(page.contains("Dublin (set by hand)") && !page.contains("Columbus (by city)"), "{page}");
        // The address was changed meanwhile; and a code of another state.
        send(fields(&version, "OH-18000", "", ""), 409).await;
        let work = company.get(format!("/v1/employees/{ana}/work_addresses")).await.list().remove(0);
        assert_eq!(work["jurisdictions"][0]["code"], "OH-22694");
        let version = work["version"].as_str().unwrap();
        send(fields(version, "MO-KANSAS_CITY", "", ""), 422).await;
        let page = send(fields(version, "", "", "reset"), 303).await;
        assert!(page.contains("Columbus (by city)"), "{page}");

        // Neither another employee's address nor somebody with limited access.
        let (ben, _) = company.onboarded("Ben", &office, ("20.00", "Hour", "Nonexempt")).await;
        let work = company.get(format!("/v1/employees/{ana}/work_addresses")).await.list().remove(0);
        let version = work["version"].as_str().unwrap();
        let other = format!("/console/companies/{}/employees/{ben}/places", company.id);
        let sent = fields(version, "OH-22694", "", "");
        let sent: Vec<(&str, &str)> = sent.iter().map(|(name, value)| (&**name, &**value)).collect();
        browser.post(&other, &sent).send().await.is(404);
        set_role(&world, &company, &admin, Role::Limited).await;
        browser.post(&places, &sent).send().await.is(403);
        assert!(
            !browser.get(&path).await.is(200).text().contains("Set by hand"),
            "no form without the scope"
        );
    });
}
