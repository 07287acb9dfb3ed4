//! The employer's pages: the onboarding of a company from its first address to its end, who may change the bank account, and a
//! payroll from its hours to its receipt and back.

use jiff::ToSpan;
use serde_json::json;

use crate::page_entries::field_of;
use crate::pages::{Browser, unescaped, value_of};
use crate::support::{Company, Engine, World, id_of, on_both_engines, signatory, text};

/// The largest page, in bytes.
pub const LARGEST: usize = 40_000;

/// A browser that has opened a link to a flow of the company.
pub async fn open(company: &Company, flow_type: &str) -> Browser {
    let body = json!({ "flow_type": flow_type, "entity_type": "Company", "entity_uuid": company.id });
    let made = company.post("/v1/companies/{company}/flows", body).await.created();
    Browser::follow(company, text(&made, "url").strip_prefix("https://pages.example").unwrap()).await
}

/// A world whose clock the test moves, with a company.
pub async fn quiet(engine: Engine) -> (World, Company) {
    let world = engine.own_world_with(|setup| setup.time_passes = false).await;
    let company = world.company().await;
    (world, company)
}

pub const PLACE: [(&str, &str); 6] = [
    ("action", "save"),
    ("street_1", "300 3rd Street"),
    ("city", "San Antonio"),
    ("state", "TX"),
    ("zip", "78205"),
    ("phone_number", "(210) 555-0100"),
];

const SIGNATORY: [(&str, &str); 14] = [
    ("first_name", "Susan"),
    ("last_name", "Whitfield"),
    ("title", "Owner"),
    ("phone", "210-555-0100"),
    ("email", "susan@people.example"),
    ("birthday.month", "1"),
    ("birthday.day", "22"),
    ("birthday.year", "1971"),
    ("ssn", "412-55-1004"),
    ("street_1", "19 Willow Court"),
    ("street_2", ""),
    ("city", "San Antonio"),
    ("state", "TX"),
    ("zip", "78209"),
];

const ACCOUNT: [(&str, &str); 5] = [
    ("action", "add"),
    ("routing_number", "021000021"),
    ("account_number", "9012 6600 418"),
    ("account_number_again", "9012-6600-418"),
    ("account_type", "Checking"),
];

/// Every fault is told at its field, and nothing is lost; a number that identifies is never shown.
async fn address_and_signatory(browser: &Browser) {
    let refused = browser.fill_in("addresses", &[("action", "save"), ("street_1", "300 3rd Street")]).await;
    let refused = refused.is(422).text();
    for name in ["city-problem", "state-problem", "zip-problem", "phone_number-problem"] {
        assert!(refused.contains(&format!("id=\"{name}\"")), "{name}: {refused}");
    }
    assert_eq!(value_of(&refused, "street_1"), "300 3rd Street");
    browser.fill_in("addresses", &PLACE).await.is(303);
    let onward = browser.fill_in("addresses", &[("action", "")]).await.is(303);
    assert_eq!(onward.header("location"), "/flow/signatory");

    let refused =
        browser.fill_in("signatory", &[("first_name", "Susan"), ("ssn", "12")]).await.is(422).text();
    assert!(!refused.contains("value=\"12\""), "a number that identifies is not sent back");
    let saved = browser.fill_in("signatory", &SIGNATORY).await.is(303);
    assert!(!saved.header("location").contains("signatory"));
    assert!(!browser.get("signatory").await.text().contains("1004"), "nor is it shown");
}

/// What a state asks is refused at its field, and percent is kept as a fraction.
async fn states(company: &Company, browser: &Browser) {
    let states = browser.get("states").await.is(200).text();
    assert!(states.contains("Texas") && states.contains("Unemployment Insurance Rate"), "{states}");
    let wrong = [
        ("TX.registrations.unemployment_account_number", "12-3456789"),
        ("TX.taxrates.unemployment_rate", "x"),
    ];
    let refused = browser.fill_in("states", &wrong).await.is(422).text();
    assert!(refused.contains("id=\"TX.taxrates.unemployment_rate-problem\""), "{refused}");
    let right = [
        ("TX.registrations.unemployment_account_number", "12-3456789"),
        ("TX.taxrates.unemployment_rate", "2.7%"),
    ];
    browser.fill_in("states", &right).await.is(303);
    let asked = company.get("/v1/companies/{company}/tax_requirements/TX").await.ok().to_string();
    assert!(asked.contains("0.027"), "percent is kept as a fraction: {asked}");
}

/// The paydays are shown before anything is stored.
async fn schedule(company: &Company, browser: &Browser) {
    let terms = [
        ("frequency", "Every other week"),
        ("anchor_pay_date.month", "6"),
        ("anchor_pay_date.day", "26"),
        ("anchor_pay_date.year", "2026"),
        ("anchor_end_of_pay_period", "2026-06-21"),
        ("day_1", ""),
        ("day_2", ""),
    ];
    let shown =
        browser.fill_in("schedule", &[&terms[..], &[("action", "show")]].concat()).await.is(200).text();
    assert!(shown.contains("Paid on July 10, 2026"), "{shown}");
    assert!(
        company.get("/v1/companies/{company}/pay_schedules").await.list().is_empty(),
        "nothing is stored yet"
    );
    browser.fill_in("schedule", &terms).await.is(303);
}

/// An employee is added and invited; when the employee has entered the rest, the employer finishes.
async fn employee(company: &Company, browser: &Browser) {
    let employees = browser.get("employees").await.is(200).text();
    let place = employees.split("<option value=\"").find(|text| text.contains("300 3rd Street")).unwrap();
    let place = place.split('"').next().unwrap();
    let person = [
        ("action", "save"),
        ("first_name", "Maria"),
        ("last_name", "Alvarez"),
        ("email", "maria@people.example"),
        ("location", place),
        ("title", "Cook"),
        ("hire_date", "2026-01-05"),
        ("terms", "Hour/Nonexempt"),
        ("rate", "$18.50"),
    ];
    browser.fill_in("employees", &person[..5]).await.is(422);
    browser.fill_in("employees", &person).await.is(303);
    let all = company.get("/v1/companies/{company}/employees").await.list();
    assert_eq!(all.len(), 1, "what was refused is not stored");
    let id = id_of(&all[0]);
    assert_eq!(company.status(&id).await, "self_onboarding_invited");
    company.enter_personal_details(&id, "412551001").await;
    company.home_address(&id).await;
    let steps = ["federal_tax_setup", "state_tax_setup", "direct_deposit_setup", "employee_form_signing"];
    company.mark(&id, &steps).await.ok();
    let list = browser.get("employees").await.is(200).text();
    assert!(list.contains(&format!("finish:{id}")), "{}: {list}", company.status(&id).await);
    let asked = browser.fill_in("employees", &[("action", &format!("finish:{id}"))]).await.is(200).text();
    assert!(asked.contains("new hire report"), "{asked}");
    let answer = [("action", "finished"), ("record", id.as_str()), ("TX.file_new_hire_report", "true")];
    browser.fill_in("employees", &answer).await.is(303);
    assert_eq!(company.status(&id).await, "onboarding_completed");
}

/// Both documents are signed in one go.
async fn documents(browser: &Browser) {
    let signed = [("signature_text", "Susan Whitfield"), ("agree", "on")];
    let page = browser.get("documents").await.is(200).text();
    let documents: Vec<_> = page
        .split("name=\"document\" value=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert_eq!(documents.len(), 2, "{page}");
    let documents: Vec<_> = documents.into_iter().map(|id| ("document", id)).collect();
    browser.fill_in("documents", &[&documents[..], &signed].concat()).await.is(303);
}

/// In the other language every screen is there, too, and none is larger than it may be.
async fn in_spanish(browser: &Browser, form_token: &str) {
    browser.form("language", &[("form_token", form_token), ("language", "es")]).send().await.is(303);
    for screen in [
        "welcome",
        "addresses",
        "signatory",
        "federal",
        "industry",
        "bank",
        "employees",
        "states",
        "schedule",
        "documents",
        "verify",
        "review",
        "done",
    ] {
        let page = browser.get(screen).await.is(200).text();
        assert!(page.contains("lang=\"es\"") && page.len() < LARGEST, "{screen}: {}", page.len());
    }
}

/// The account is verified by what the test deposits came to.
async fn verify(company: &Company, browser: &Browser) {
    let account = company.get("/v1/companies/{company}/bank_accounts").await.list();
    let (first, second) = company.test_deposits(&id_of(&account[0])).await;
    let wrong =
        browser.fill_in("verify", &[("deposit_1", "0.01"), ("deposit_2", "0.01")]).await.is(422).text();
    assert!(wrong.contains("Attempts left: 4"), "{wrong}");
    browser.fill_in("verify", &[("deposit_1", &first), ("deposit_2", &second)]).await.is(303);
}

#[test]
fn a_company_goes_through_its_onboarding_on_pages_alone() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        let browser = open(&company, "company_onboarding").await;
        let welcome = browser.get("welcome").await.is(200).text();
        assert!(welcome.contains("Blue Heron Diners") && welcome.contains("half an hour"), "{welcome}");

        address_and_signatory(&browser).await;
        let federal = [
            ("legal_name", "Blue Heron Diners LLC"),
            ("ein", ""),
            ("tax_payer_type", "LLC"),
            ("filing_form", "941"),
        ];
        browser.fill_in("federal", &federal).await.is(303);
        browser.fill_in("industry", &[("title", "Restaurant"), ("naics_code", "7225")]).await.is(422);
        browser.fill_in("industry", &[("title", "Restaurant"), ("naics_code", "722511")]).await.is(303);
        browser
            .fill_in("bank", &[ACCOUNT.as_slice(), &[("account_number_again", "1")]].concat())
            .await
            .is(303);
        states(&company, &browser).await;
        schedule(&company, &browser).await;
        employee(&company, &browser).await;
        documents(&browser).await;
        assert!(browser.get("verify").await.text().contains("on their way"));
        let review = browser.get("review").await.is(200).text();
        assert!(
            review.contains("Still open") && !review.contains("412-55") && !review.contains("90126600418"),
            "{review}"
        );
        verify(&company, &browser).await;
        let known = company.count_events().await;
        browser.fill_in("review", &[]).await.is(303);
        assert!(company.event_types_since(known).await.contains(&"company.onboarded".to_owned()));
        let status = company.get("/v1/companies/{company}/onboarding_status").await.ok();
        assert_eq!(status["onboarding_completed"], true, "{status}");
        assert!(browser.get("done").await.is(200).text().contains("approved"));
        browser.fill_in("review", &[]).await.is(303);
        let entry =
            company.audit().await.into_iter().find(|entry| entry.action == "onboarding_finished").unwrap();
        assert_eq!((entry.actor_kind.as_str(), entry.actor), ("employer", company.id));
        in_spanish(&browser, &value_of(&review, "form_token")).await;
        drop(world);
    });
}

#[test]
fn the_bank_account_is_changed_by_somebody_who_knows_the_signatory() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        company.post("/v1/companies/{company}/signatories", signatory()).await.ok();
        let browser = open(&company, "add_bank_info").await;
        let accounts = async || company.get("/v1/companies/{company}/bank_accounts").await.list();
        let asked = browser.get("bank").await.is(200).text();
        assert!(asked.contains("name=\"ssn_last_four\"") && !asked.contains("routing_number"), "{asked}");
        browser.fill_in("bank", &ACCOUNT).await.is(200);
        assert!(accounts().await.is_empty(), "a link alone changes nothing");
        browser.fill_in("bank", &[("action", "confirm"), ("ssn_last_four", "0000")]).await.is(422);
        browser.fill_in("bank", &[("action", "confirm"), ("ssn_last_four", "1004")]).await.is(303);
        browser.fill_in("bank", &ACCOUNT).await.is(303);
        assert_eq!(accounts().await.len(), 1);
        let page = browser.get("bank").await.is(200).text();
        assert!(!page.contains("90126600418") && page.contains("0418"), "by its last digits: {page}");
        let actions: Vec<_> = company.audit().await.into_iter().map(|entry| entry.action).collect();
        for action in ["opened", "confirmed", "confirmation_failed"] {
            assert_eq!(actions.iter().filter(|found| *found == action).count(), 1, "{action}");
        }

        // Another number in the place of the one that is held would let a stolen link confirm itself.
        let thief = open(&company, "sign_all_forms").await;
        let other = [SIGNATORY.as_slice(), &[("ssn", "412-55-9999")]].concat();
        let other: Vec<_> = other.into_iter().filter(|field| *field != ("ssn", "412-55-1004")).collect();
        assert!(thief.fill_in("signatory", &other).await.is(422).text().contains("name=\"ssn_last_four\""));
        let guess = async |digits: &str| {
            let fields = [other.as_slice(), &[("ssn_last_four", digits)]].concat();
            thief.fill_in("signatory", &fields).await
        };
        let failed = async || {
            let told = company.events().await;
            told.into_iter().filter(|event| event.event_type == "company.confirmation_failed").count()
        };
        for digits in ["0001", "0002", "0003", "0004", "0005"] {
            assert_eq!(failed().await, 0);
            guess(digits).await.is(422);
        }
        assert_eq!(failed().await, 1, "the partner is told");
        assert!(guess("1004").await.is(422).text().contains("too many wrong answers"));
        world.wait(25.hours()).await;
        let next = open(&company, "add_bank_info").await;
        next.fill_in("bank", &[("action", "confirm"), ("ssn_last_four", "1004")]).await.is(303);
    });
}

/// The number of the page's button for an action.
pub fn offers(page: &str, action: &str) -> bool {
    page.contains(&format!("name=\"action\" value=\"{action}\""))
}

/// The values of every hidden field of a name.
pub fn each(page: &str, name: &str) -> Vec<String> {
    let marked = format!("name=\"{name}\" value=\"");
    page.split(&marked).skip(1).map(|rest| unescaped(rest.split('"').next().unwrap())).collect()
}

/// The form of a page of hours, with an entry in one of its fields.
fn hours_form(page: &str, name: &str, entry: &str, action: &str) -> Vec<(String, String)> {
    let mut fields = vec![("form_token".to_owned(), value_of(page, "form_token"))];
    let mut add = |name: &str, value: &str| fields.push((name.to_owned(), value.to_owned()));
    add("page", "1");
    for id in each(page, "e") {
        add("e", &id);
    }
    add(name, entry);
    add("action", action);
    fields
}

#[test]
fn a_payroll_is_run_on_pages_from_its_hours_to_its_receipt_and_taken_back() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        let browser = open(&company, "run_payroll").await;
        let blocked = browser.get("payrolls").await.is(200).text();
        assert!(blocked.contains("Add the location from which the company files."), "{blocked}");
        let both = open(&company, "run_payroll,add_addresses").await;
        assert!(both.get("payrolls").await.text().contains("<a href=\"/flow/addresses\">Addresses</a>"));

        let location = id_of(&company.location("TX").await);
        let (_, job) = company.onboarded("Ana", &location, ("18.50", "Hour", "Nonexempt")).await;
        company.onboarded("Ben", &location, ("62000", "Year", "Exempt")).await;
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        world.wait(jiff::Span::new()).await;
        let list = browser.get("payrolls").await.is(200).text();
        assert!(!list.contains("Before payroll can be run"), "{list}");
        let path = list.split("href=\"/flow/payrolls/").nth(1).unwrap().split('"').next().unwrap();
        let payroll = format!("payrolls/{path}");
        let hours = format!("{payroll}/hours");

        let moved = browser.get(&payroll).await.is(303);
        assert_eq!(moved.header("location"), format!("/flow/{hours}"));
        let page = browser.get(&hours).await.is(200).text();
        assert!(page.contains("Ana Silva") && page.contains("Regular hours"), "{page}");
        let token = value_of(&page, "form_token");
        let of_ana = page.split("<tbody class=\"person").find(|part| part.contains("Ana Silva")).unwrap();
        let name = field_of(of_ana, "Regular hours");
        let sent = |entry: &str, action: &str| hours_form(&page, &name, entry, action);
        let send = async |path: &str, fields: Vec<(String, String)>| {
            let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            browser.form(path, &fields).send().await
        };
        for wrong in ["many", "-3", "99999"] {
            let refused = send(&hours, sent(wrong, "save")).await.is(422).text();
            assert!(refused.contains("Check hours and amounts") && refused.contains(wrong), "{refused}");
        }
        send(&hours, sent("70.5", "calculate")).await.is(303);
        let waiting = browser.get(&payroll).await.is(200);
        assert_eq!(waiting.header("refresh"), "2", "{}", waiting.text());
        assert!(waiting.text().contains("being calculated"));
        world.wait(jiff::Span::new()).await;
        let preview = browser.get(&payroll).await.is(200).text();
        // 70.5 hours at 18.50, and a year's salary over 26 pays.
        assert!(preview.contains("$1,304.25") && preview.contains("$2,384.62"), "{preview}");
        assert!(preview.len() < LARGEST);
        let version = value_of(&preview, "version");

        let act = async |action: &str| {
            let fields = [("form_token", &*token), ("version", &*version), ("action", action)];
            let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
            send(&payroll, fields.to_vec()).await
        };
        let asked = act("submit").await.is(200).text();
        assert!(offers(&asked, "submitted") && asked.contains("leave the company"), "{asked}");
        let told = company.get(format!("/v1/companies/{{company}}/{payroll}")).await.ok();
        assert_eq!(told["processed"], false, "a question submits nothing");
        act("submitted").await.is(303);
        act("submitted").await.is(303);
        world.wait(jiff::Span::new()).await;
        let receipt = browser.get(&payroll).await.is(200).text();
        assert!(receipt.contains("submitted") && offers(&receipt, "cancel"), "{receipt}");
        assert_eq!(browser.get(&hours).await.is(303).header("location"), format!("/flow/{payroll}"));
        assert!(offers(&act("cancel").await.is(200).text(), "cancelled"));
        act("cancelled").await.is(303);
        let told = company.get(format!("/v1/companies/{{company}}/{payroll}")).await.ok();
        assert_eq!(told["processed"], false);
        let kept = browser.get(&hours).await.is(200).text();
        assert_eq!(value_of(&kept, &name), "70.5", "the hours stay as they were entered");
        drop(job);
    });
}

#[test]
fn a_companys_link_is_revoked_with_its_pages_and_shows_no_employee() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let body = json!({ "flow_type": "run_payroll", "entity_type": "Company", "entity_uuid": company.id,
                           "redirect_url": "https://pos.example/back" });
        let made = company.post("/v1/companies/{company}/flows", body).await.created();
        let browser =
            Browser::follow(&company, text(&made, "url").strip_prefix("https://pages.example").unwrap())
                .await;
        assert!(browser.get("payrolls").await.is(200).text().contains("https://pos.example/back"));
        for screen in ["personal", "payment", "pay_stubs", "bank", "documents"] {
            assert_eq!(browser.get(screen).await.is(303).header("location"), "/flow/payrolls", "{screen}");
        }
        // A payroll of another company is not there.
        let stranger = browser.get("payrolls/0197a1b2-0000-7000-8000-000000000000/hours").await;
        assert_eq!(stranger.is(303).header("location"), "/flow/payrolls");
        company.delete(format!("/v1/companies/{{company}}/flows/{}", text(&made, "uuid"))).await.deleted();
        browser.get("payrolls").await.is(410);
    });
}
