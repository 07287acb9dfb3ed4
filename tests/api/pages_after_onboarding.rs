//! Hosted pages of those who have been onboarded long ago: what is signed, what is open after a move or a return, and what who has left
//! is told.

use jiff::ToSpan;
use serde_json::{Value, json};

use crate::page_entries::{is_refused_at, of_company, of_employee, quiet, send};
use crate::pages::{Browser, value_of};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// Answers Form W-4 through the interface.
async fn answer_w4(company: &Company, employee: &str, status: &str) {
    let path = format!("/v1/employees/{employee}/federal_taxes");
    let version = match company.get(&path).await {
        held if held.status == 200 => held.ok()["version"].clone(),
        _ => Value::Null,
    };
    let w4 = json!({ "version": version, "w4_data_type": "rev_2020_w4", "filing_status": status, "two_jobs": false,
                     "dependents_amount": "0", "other_income": "0", "deductions": "0", "extra_withholding": "0" });
    company.put(&path, w4).await.ok();
}

#[test]
fn a_signature_stands_under_what_the_page_showed_and_under_nothing_else() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        answer_w4(&company, &hired.id, "Single").await;
        let browser = of_employee(&company, "employee_form_signing", &hired.id).await;
        let page = browser.get("documents").await.is(200).text();
        answer_w4(&company, &hired.id, "Exempt from withholding").await;
        let signed = [("signature_text", "Ana Okafor"), ("agree", "on")];
        let told = send(&browser, "documents", &page, &signed).await.is(409).text();
        let forms = async || company.get(format!("/v1/employees/{}/forms", hired.id)).await.list();
        assert_eq!(forms().await[0]["requires_signing"], true, "what was not shown is not signed");
        // Whoever claims exemption certifies both of its conditions.
        assert!(
            told.contains("nothing is signed") && told.contains("I had no federal income tax liability"),
            "{told}"
        );
        send(&browser, "documents", &told, &signed).await.is(303);
        assert_eq!(forms().await[0]["requires_signing"], false);
        send(&browser, "documents", &told, &signed).await.is(303);
    });
}

/// Somebody who has been onboarded in Texas, lives there since January, and has answered and signed nothing here.
async fn settled(company: &Company) -> (String, Value) {
    let location = id_of(&company.location("TX").await);
    let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
    let homes = format!("/v1/employees/{ana}/home_addresses");
    let home = company.get(&homes).await.list().remove(0);
    let since = json!({ "version": home["version"], "effective_date": "2026-01-02" });
    let home = company.put(format!("/v1/home_addresses/{}", id_of(&home)), since).await.ok();
    (ana, home)
}

#[test]
fn somebody_who_moves_after_onboarding_says_since_when_and_is_led_to_what_is_open() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (ana, home) = settled(&company).await;
        let homes = async || company.get(format!("/v1/employees/{ana}/home_addresses")).await.list();
        let browser = Browser::open(&company, &ana).await;
        let page = browser.get("address").await.is(200).text();
        let moved = [("street_1", "77 New Road"), ("city", "Baltimore"), ("state", "MD"), ("zip", "21201")];
        let on = |day: &'static str| [&moved[..], &[("effective_date.month", day)]].concat();
        for wrong in ["", "2025-12-31", "2099-01-01", "soon"] {
            let refused = send(&browser, "address", &page, &on(wrong)).await.is(422).text();
            is_refused_at(&refused, "effective_date");
        }
        assert_eq!(homes().await.len(), 1);
        let saved = send(&browser, "address", &page, &on("2026-06-10")).await.is(303);
        assert_eq!(saved.header("location"), "/flow/state", "the new state asks something");
        send(&browser, "address", &page, &on("2026-06-10")).await.is(303);
        let held = homes().await;
        let lines: Vec<_> =
            held.iter().map(|one| (text(one, "effective_date"), text(one, "state"))).collect();
        let both = [("2026-01-02", "TX"), ("2026-06-10", "MD")];
        assert_eq!(lines, both.map(|(day, state)| (day.to_owned(), state.to_owned())));
        assert_eq!(held[0]["street_1"], home["street_1"], "where somebody lived stays");
        let review = browser.get("review").await.is(200).text();
        assert!(review.contains("Still open"), "{review}");

        // An address that was wrong from the beginning is put right in its place.
        let page = browser.get("address").await.is(200).text();
        let wrong = [("street_1", "78 New Road"), ("effective_date.month", "2026-06-10")];
        send(&browser, "address", &page, &wrong).await.is(303);
        let held = homes().await;
        assert_eq!((held.len(), &held[1]["street_1"]), (2, &json!("78 New Road")));
    });
}

#[test]
fn a_signature_that_is_asked_for_after_onboarding_is_open_on_the_pages() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (ana, _) = settled(&company).await;
        answer_w4(&company, &ana, "Single").await;
        let link = || of_employee(&company, "employee_form_signing", &ana);
        let browser = link().await;
        let page = browser.get("documents").await.is(200).text();
        let signed = [("signature_text", "Ana Silva"), ("agree", "on")];
        send(&browser, "documents", &page, &signed).await.is(303);
        assert_eq!(link().await.call("GET", "/flow").send().await.is(303).header("location"), "/flow/review");
        answer_w4(&company, &ana, "Married").await;
        let again = link().await;
        assert!(again.get("review").await.is(200).text().contains("Still open"));
        let page = again.get("documents").await.is(200).text();
        send(&again, "documents", &page, &signed).await.is(303);
        assert!(!again.get("review").await.is(200).text().contains("Still open"));
    });
}

#[test]
fn whose_certificate_the_partner_holds_and_who_is_paid_by_check_has_nothing_to_sign() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        company.mark(&hired.id, &["federal_tax_setup"]).await.ok();
        company.enter_personal_details(&hired.id, "412551031").await;
        company.home_address(&hired.id).await;
        let browser = Browser::open(&company, &hired.id).await;
        browser.fill_in("payment", &[("action", "confirm"), ("ssn_last_four", "1031")]).await.is(303);
        assert_eq!(
            company.status(&hired.id).await,
            "self_onboarding_invited_started",
            "how she is paid is open"
        );
        let onward = browser.fill_in("payment", &[("type", "Check")]).await.is(303);
        assert_eq!(onward.header("location"), "/flow/review");
        assert_eq!(company.status(&hired.id).await, "self_onboarding_completed_by_employee");
    });
}

#[test]
fn whoever_has_left_is_told_as_such_and_is_none_of_those_who_can_be_paid() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let browser = of_company(&company, "add_employees").await;
        let page = async || browser.get("employees").await.is(200).text();
        assert!(page().await.contains("can be paid") && !page().await.contains("has left"));
        let left = json!({ "effective_date": "2026-05-20", "run_termination_payroll": false });
        company.post(format!("/v1/employees/{max}/terminations"), left).await.created();
        assert!(page().await.contains("has left") && !page().await.contains("can be paid"));
    });
}

#[test]
fn somebody_who_comes_back_looks_at_form_w4_and_signs_it_anew() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        answer_w4(&company, &max, "Single").await;
        let browser = of_employee(&company, "employee_form_signing", &max).await;
        let page = browser.get("documents").await.is(200).text();
        send(&browser, "documents", &page, &[("signature_text", "Max Silva"), ("agree", "on")]).await.is(303);
        let w4 = async || {
            let forms = company.get(format!("/v1/employees/{max}/forms")).await.list();
            let form = forms.into_iter().find(|form| form["name"] == "US_W-4").unwrap();
            form["requires_signing"].clone()
        };
        assert_eq!(w4().await, false);
        let left = json!({ "effective_date": "2026-05-20", "run_termination_payroll": false });
        company.post(format!("/v1/employees/{max}/terminations"), left).await.created();
        let back = json!({ "effective_date": "2026-06-01", "file_new_hire_report": false, "work_location_uuid": location });
        company.post(format!("/v1/employees/{max}/rehire"), back).await.created();
        company.work().await;
        assert_eq!(w4().await, true, "an employment begins with a certificate");
        let browser = of_employee(&company, "employee_form_signing", &max).await;
        assert!(browser.get("review").await.is(200).text().contains("Still open"));
        let page = browser.get("documents").await.is(200).text();
        assert!(page.contains("First day back at work"), "{page}");
        send(&browser, "documents", &page, &[("signature_text", "Max Silva"), ("agree", "on")]).await.is(303);
        assert_eq!(w4().await, false);
        assert!(!browser.get("review").await.is(200).text().contains("Still open"));
    });
}

#[test]
fn entries_that_waited_do_not_put_back_what_was_answered_since() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        let hired = company.hire("Ana", "2026-07-01").await;
        answer_w4(&company, &hired.id, "Single").await;
        let browser = of_employee(&company, "employee_federal_setup", &hired.id).await;
        let page = browser.get("federal").await.is(200).text();
        world.app.store.clock().advance_to(world.now() + 2.hours());
        let late = [("filing_status", "Married"), ("extra_withholding", "77")];
        send(&browser, "federal", &page, &late).await.is(410);
        answer_w4(&company, &hired.id, "Head of Household").await;
        let browser = of_employee(&company, "employee_federal_setup", &hired.id).await;
        let kept = browser.get("federal").await.is(200).text();
        assert_eq!(value_of(&kept, "extra_withholding"), "77");
        let told = send(&browser, "federal", &kept, &[]).await.is(409).text();
        let held = company.get(format!("/v1/employees/{}/federal_taxes", hired.id)).await.ok();
        assert_eq!(held["filing_status"], "Head of Household");
        send(&browser, "federal", &told, &[]).await.is(303);
    });
}
