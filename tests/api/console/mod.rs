//! The console: who gets in, who sees what of which company, and what its buttons do.

mod dev;
mod employees;
mod overview;
mod refused;
mod webhooks;

use domain::Error;
use domain::access::users::Role;
use domain::company::companies::rows as companies;
use domain::platform::audit::seals;
use domain::platform::jobs;
use jiff::{Timestamp, ToSpan};

use crate::oauth::{Browser, User, set_role, user};
use crate::pages::value_of;
use crate::support::{Answer, Company, Engine, NOBODY, Target, World, id_of, on_both_engines};

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
        format!("{base}/owed"),
        format!("{base}/reports"),
        format!("{base}/time_off"),
        format!("{base}/tax_returns"),
        format!("{base}/contractors"),
        format!("{base}/contractors/{}", target.id("contractor_uuid")),
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
pub async fn form_token(browser: &mut Browser) -> String {
    value_of(&browser.get("/console").await.is(200).text(), "form_token")
}

#[track_caller]
fn is_sign_in(answer: &Answer) {
    assert!(answer.text().contains("<h1>Sign in to the console</h1>"), "{}", answer.text());
}

async fn rename(company: &Company, name: &'static str) {
    let id = company.id;
    let renamed = company.world.app.store.write(move |tx| {
        tx.take_guard(id, "companies", id)?;
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
        // company, employees, employee; benefits, salary; payrolls, payroll, paycheck; events, event; webhooks; audit; jobs; garnishments; taxes; money; what is owed; reports; time off; tax returns; contractors, contractor
        let expected =
            [1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0].map(|seen| seen == 1);
        assert_eq!(seen, expected);
        assert!(!browser.get(&pages[2]).await.text().contains('$'), "no pay with the employee");
        let token = form_token(&mut browser).await;
        for path in [format!("{}/redeliver", pages[9]), pages[10].clone(), format!("{}/end", pages[18])] {
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
        assert!(refused.text().contains("is wrong"));
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
        for query in [
            "employees?q=",
            "contractors?q=",
            "events?type=",
            "events?before=",
            "payrolls?until=",
            "audit?before=",
        ] {
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
        let newest = store.read(move |tx| seals::newest_seal(tx, id)).await.unwrap().unwrap();
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
                jobs::schedule_job(tx, company, jobs::JobKind::PayrollForget, company, now)?;
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
        assert!(after.contains("No job has failed"), "{after}");
        assert!(mine.audit().await.iter().any(|entry| format!("{entry:?}").contains("retried")));
        assert_eq!(
            world.app.store.read(jobs::dead_letters::count_failed_jobs).await.unwrap(),
            1,
            "the other company's"
        );
    });
}

#[test]
fn who_is_not_paid_and_what_is_owed_is_one_page_and_each_line_is_settled_there() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let _folder = crate::money::bank(&world, |_| {}).await;
        let (company, location, payroll) = crate::money::employer(&world, "90126600418").await;
        let (eva, _) = company.onboarded("Eva", &location, ("52000.00", "Year", "Exempt")).await;
        crate::money::run(&company, &payroll).await;
        world.wait_until("2026-06-19T18:00:00Z".parse().unwrap()).await;
        let void = format!("/v1/companies/{{company}}/payrolls/{payroll}/employees/{eva}/void");
        company.put(void, serde_json::json!({ "reason": "Not owed" })).await.ok();
        let path = format!("/console/companies/{}/owed", company.id);
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, page) = signed_in(&world, &admin, &path).await;
        let text = page.is(200).text();
        assert!(
            text.contains("Eva")
                && text.contains("Pay that was not owed")
                && text.contains("Paid back today"),
            "{text}"
        );
        assert!(text.contains("Everybody is paid"), "{text}");
        let liability = company.get("/v1/companies/{company}/liabilities").await.list();
        let owed = liability.iter().find(|one| one["account"] == "employee_receivables").unwrap();
        let (id, amount) = (id_of(owed), owed["balance"].as_str().unwrap().to_owned());
        let token = form_token(&mut browser).await;
        let record = format!("{path}/record");
        let fields = [("form_token", token.as_str()), ("liability", &id), ("amount", &amount)];
        browser.post(&record, &[("form_token", "another"), fields[1], fields[2]]).send().await.is(403);
        browser.post(&record, &fields).send().await.is(303);
        let after = browser.get(&format!("{path}?done=recorded")).await.is(200).text();
        assert!(
            after.contains("The payment is recorded") && after.contains("No employee owes anything"),
            "{after}"
        );
        browser.post(&record, &fields).send().await.is(422);

        // The payday of 2 July passes, and nobody has run the payroll.
        world.wait_until("2026-07-02T18:00:00Z".parse().unwrap()).await;
        let (_, page) = signed_in(&world, &admin, &path).await;
        let late = page.is(200).text();
        assert!(late.contains("missed payday") && late.contains("Open the payroll"), "{late}");
    });
}
