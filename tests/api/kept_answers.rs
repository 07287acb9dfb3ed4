//! Forms of hosted pages are answered by sending the browser on: going back sends nothing again, and what is kept of a refused form
//! is shown to its session alone.

use serde_json::json;

use crate::page_entries::{field_of, listed_payroll, of_company, quiet, send};
use crate::pages::{Browser, value_of};
use crate::support::{Company, Engine, id_of, on_both_engines};

/// A refused form of the screen about the person: the address that it leads to.
async fn refused(browser: &Browser) -> String {
    let (token, version) = browser.hidden("personal").await;
    let fields = [
        ("form_token", token.as_str()),
        ("version", version.as_str()),
        ("first_name", ""),
        ("last_name", "Alvarez Ruiz"),
        ("ssn", "412551077"),
        ("date_of_birth.month", "07/31/1990"),
    ];
    let sent = browser.form("personal", &fields).staying().send().await.is(303);
    let to = sent.header("location").to_owned();
    assert!(to.starts_with("/flow/personal?answer="), "{to}");
    to
}

#[test]
fn a_refused_form_leads_to_a_page_that_can_be_read_again_and_shows_no_ssn() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let browser = Browser::open(&company, &hired.id).await;
        let to = refused(&browser).await;
        for _ in 0..2 {
            let page = browser.call("GET", &to).send().await.is(422).text();
            assert!(page.contains("id=\"first_name-problem\""), "{page}");
            assert_eq!(value_of(&page, "last_name"), "Alvarez Ruiz");
            assert_eq!(
                value_of(&page, "date_of_birth.month"),
                "7",
                "a whole date comes back in its three fields"
            );
            assert_eq!(value_of(&page, "date_of_birth.year"), "1990");
            assert!(!page.contains("412551077") && !page.contains("412-55-1077"));
        }
        let other = Browser::open(&company, &company.hire("Ben", "2026-07-01").await.id).await;
        let again = Browser::open(&company, &hired.id).await;
        for stranger in [&other, &again] {
            let answer = stranger.call("GET", &to).send().await.is(303);
            assert_eq!(answer.header("location"), "/flow/personal", "another session reads nothing of it");
        }
        let elsewhere = to.replace("personal", "address");
        assert_eq!(browser.call("GET", &elsewhere).send().await.is(303).header("location"), "/flow/address");
    });
}

#[test]
fn after_a_form_is_accepted_the_page_of_the_refused_one_is_gone() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let browser = Browser::open(&company, &hired.id).await;
        let to = refused(&browser).await;
        let right = [
            ("first_name", "Maria"),
            ("last_name", "Alvarez"),
            ("email", "maria@people.example"),
            ("ssn", "412551077"),
            ("date_of_birth", "1990-07-31"),
        ];
        browser.fill_in("personal", &right).await.is(303);
        let answer = browser.call("GET", &to).send().await.is(303);
        assert_eq!(answer.header("location"), "/flow/personal", "the screen with what was saved");
    });
}

/// A company in Texas with one person at a rate, a payroll that is calculated, and its page.
async fn calculated(engine: Engine, rate: &str) -> (Company, Browser, String) {
    let (world, company) = quiet(engine).await;
    let location = id_of(&company.location("TX").await);
    company.onboarded("Ana", &location, (rate, "Hour", "Nonexempt")).await;
    let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                           "anchor_end_of_pay_period": "2026-06-21" });
    company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
    world.wait(jiff::Span::new()).await;
    let browser = of_company(&company, "run_payroll").await;
    let payroll = listed_payroll(&browser).await;
    let hours = format!("payrolls/{payroll}/hours");
    let page = browser.get(&hours).await.is(200).text();
    let name = field_of(&page, "Regular hours");
    send(&browser, &hours, &page, &[(&name, "40"), ("action", "calculate")]).await.is(303);
    world.wait(jiff::Span::new()).await;
    (company, browser, format!("payrolls/{payroll}"))
}

#[test]
fn a_payroll_of_checks_says_what_is_handed_out_and_what_leaves_the_account() {
    on_both_engines(async |engine: Engine| {
        let (_, browser, path) = calculated(engine, "18.50").await;
        let preview = browser.get(&path).await.is(200).text();
        assert!(preview.contains("and you hand out one check for $"), "{preview}");
        let asked = send(&browser, &path, &preview, &[("action", "submit")]).await.is(200).text();
        assert!(
            asked.contains("You hand out one check for $") && asked.contains("In addition, $"),
            "{asked}"
        );
        assert!(!asked.contains("people are paid on"), "nobody is paid to an account: {asked}");
        assert!(!asked.contains("name=\"confirmed\""), "nothing has to be confirmed");
    });
}

#[test]
fn pay_below_the_minimum_wage_is_confirmed_by_name_before_a_payroll_is_submitted() {
    on_both_engines(async |engine: Engine| {
        let (company, browser, path) = calculated(engine, "5.00").await;
        let preview = browser.get(&path).await.is(200).text();
        let asked = send(&browser, &path, &preview, &[("action", "submit")]).await.is(200).text();
        let findings = asked.split_once("class=\"findings\"").map(|(_, rest)| rest).unwrap_or_default();
        assert!(
            findings.contains("<b>Ana Silva</b>") && findings.contains("5.00 an hour is below 7.25"),
            "{asked}"
        );
        let refused = send(&browser, &path, &asked, &[("action", "submitted")]).await.is(422).text();
        assert!(refused.contains("id=\"confirmed-problem\""), "{refused}");
        let read = format!("/v1/companies/{{company}}/{path}");
        assert_eq!(company.get(&read).await.ok()["processed"], false);
        let confirmed = [("action", "submitted"), ("confirmed", "on")];
        send(&browser, &path, &refused, &confirmed).await.is(303);
        company.world.wait(jiff::Span::new()).await;
        assert_eq!(company.get(&read).await.ok()["processed"], true);
        let audit = company.audit().await.into_iter().map(|entry| format!("{entry:?}"));
        let noted: Vec<_> = audit.filter(|entry| entry.contains("warnings_confirmed")).collect();
        assert!(noted.len() == 1 && noted[0].contains("below_minimum_wage"), "{noted:?}");
    });
}

#[test]
fn a_link_for_payrolls_and_onboarding_of_an_approved_company_opens_the_payrolls() {
    on_both_engines(async |engine: Engine| {
        let (company, ..) = calculated(engine, "18.50").await;
        let browser = of_company(&company, "run_payroll,company_onboarding").await;
        let opened = browser.call("GET", "/flow").send().await.is(303);
        assert_eq!(opened.header("location"), "/flow/payrolls");
        let only = of_company(&company, "company_onboarding").await;
        assert_ne!(only.call("GET", "/flow").send().await.is(303).header("location"), "/flow/payrolls");
    });
}
