//! What people enter on hosted pages counts as they meant it: numbers with commas, the same form twice, and what was changed elsewhere
//! while the page was open.

use jiff::ToSpan;
use serde_json::{Value, json};

use crate::pages::{Browser, unescaped, value_of};
use crate::support::{Company, Engine, World, id_of, on_both_engines, text};

/// A browser that has opened a link to a flow.
async fn open(company: &Company, flow_type: &str, (kind, entity): (&str, &str)) -> Browser {
    let body = json!({ "flow_type": flow_type, "entity_type": kind, "entity_uuid": entity });
    let made = company.post("/v1/companies/{company}/flows", body).await.created();
    Browser::follow(company, text(&made, "url").strip_prefix("https://pages.example").unwrap()).await
}

pub async fn of_company(company: &Company, flow_type: &str) -> Browser {
    open(company, flow_type, ("Company", &company.id.to_string())).await
}

pub async fn of_employee(company: &Company, flow_type: &str, employee: &str) -> Browser {
    open(company, flow_type, ("Employee", employee)).await
}

/// A world whose clock the test moves, with a company.
pub async fn quiet(engine: Engine) -> (World, Company) {
    let world = engine.own_world_with(|setup| setup.time_passes = false).await;
    let company = world.company().await;
    (world, company)
}

/// What a browser sends of the page's own form as it was shown: lines of text, hidden fields, choices and ticked boxes.
fn as_shown(html: &str) -> Vec<(String, String)> {
    let main = html.split_once("<main").unwrap().1.split("</main>").next().unwrap();
    let part = |tag: &str, name: &str| {
        tag.split_once(&format!(" {name}=\"")).map(|(_, rest)| unescaped(rest.split('"').next().unwrap()))
    };
    let mut fields: Vec<(String, String)> = Vec::new();
    for tag in main.split('<').map(|tag| tag.split('>').next().unwrap()) {
        let is = |name: &str| tag.starts_with(&format!("{name} "));
        if is("select") {
            fields.push((part(tag, "name").unwrap(), String::new()));
        } else if is("option") && tag.ends_with(" selected") {
            fields.last_mut().unwrap().1 = part(tag, "value").unwrap();
        } else if is("input") && (!tag.contains("type=\"checkbox\"") || tag.ends_with(" checked")) {
            fields.push((part(tag, "name").unwrap(), part(tag, "value").unwrap_or_default()));
        }
    }
    fields
}

/// Sends a page as it was shown, but for these fields.
pub async fn send(
    browser: &Browser,
    screen: &str,
    html: &str,
    changed: &[(&str, &str)],
) -> crate::support::Answer {
    let mut fields = as_shown(html);
    fields.retain(|(name, _)| changed.iter().all(|(other, _)| other != name));
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    browser.form(screen, &[&fields[..], changed].concat()).send().await
}

/// The name of the first field of a page of hours with a label.
#[track_caller]
pub fn field_of(page: &str, label: &str) -> String {
    let marked = format!("<label>{label}<input type=\"text\" name=\"");
    let rest = page.split_once(&marked).unwrap_or_else(|| panic!("no field {label}: {page}")).1;
    rest.split('"').next().unwrap().to_owned()
}

/// The payroll that the page of payrolls lists first.
pub async fn listed_payroll(browser: &Browser) -> String {
    let list = browser.get("payrolls").await.is(200).text();
    list.split("href=\"/flow/payrolls/").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

#[track_caller]
pub fn is_refused_at(html: &str, field: &str) {
    assert!(html.contains(&format!("id=\"{field}-problem\"")), "{field}: {html}");
}

fn maria<'p>(place: &'p str, rate: &'p str) -> [(&'p str, &'p str); 9] {
    [
        ("action", "save"),
        ("first_name", "Maria"),
        ("last_name", "Alvarez"),
        ("email", "maria@people.example"),
        ("location", place),
        ("title", "Cook"),
        ("hire_date", "2026-07-06"),
        ("terms", "Hour/Nonexempt"),
        ("rate", rate),
    ]
}

#[test]
fn a_comma_that_may_be_a_decimal_point_is_refused_and_never_dropped() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let employee = Browser::open(&company, &hired.id).await;
        let w4 = |extra: &'static str| {
            [("filing_status", "Single"), ("two_jobs", "false"), ("extra_withholding", extra)]
        };
        for wrong in ["25,50", "1,23", "12,3456", "1e3"] {
            let refused = employee.fill_in("federal", &w4(wrong)).await.is(422).text();
            is_refused_at(&refused, "extra_withholding");
            assert_eq!(value_of(&refused, "extra_withholding"), wrong);
        }
        employee.fill_in("federal", &w4("$1,250.50")).await.is(303);
        let told = company.get(format!("/v1/employees/{}/federal_taxes", hired.id)).await.ok();
        assert!(told["extra_withholding"].to_string().contains("1250.5"), "{told}");

        // The page multiplies people, and tells the total of the form in people again.
        let people = [
            ("filing_status", "Single"),
            ("two_jobs", "false"),
            ("children", "2"),
            ("other_dependents", "1"),
        ];
        employee.fill_in("federal", &people).await.is(303);
        let told = company.get(format!("/v1/employees/{}/federal_taxes", hired.id)).await.ok();
        assert!(told["dependents_amount"].to_string().contains("4900"), "{told}");
        let shown = employee.get("federal").await.is(200).text();
        assert_eq!(
            (value_of(&shown, "children"), value_of(&shown, "other_dependents")),
            ("2".into(), "1".into())
        );
        let refused =
            employee.fill_in("federal", &[("children", "1.5"), people[0], people[1]]).await.is(422).text();
        is_refused_at(&refused, "children");

        let employer = of_company(&company, "add_employees").await;
        for wrong in ["20,50", "0", "-5"] {
            let refused = employer.fill_in("employees", &maria(&hired.location, wrong)).await.is(422).text();
            is_refused_at(&refused, "rate");
        }
        assert_eq!(company.get("/v1/companies/{company}/employees").await.list().len(), 1);
    });
}

#[test]
fn what_is_sent_twice_is_added_once() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let browser = of_company(&company, "add_employees,add_addresses").await;
        let (token, _) = browser.hidden("employees").await;
        let token = [("form_token", token.as_str())];
        let person = [&token[..], &maria(&location, "18.50")].concat();
        let once = || browser.form("employees", &person).send();
        let (one, two) = tokio::join!(once(), once());
        assert_eq!((one.status.as_u16(), two.status.as_u16()), (303, 303));
        once().await.is(303);
        let people = company.get("/v1/companies/{company}/employees").await.list();
        assert_eq!(people.len(), 1, "{people:?}");
        // Somebody of the same name who begins on another day is somebody else.
        let mut other = person.clone();
        other.iter_mut().find(|(name, _)| *name == "hire_date").unwrap().1 = "2026-08-03";
        browser.form("employees", &other).send().await.is(303);
        assert_eq!(company.get("/v1/companies/{company}/employees").await.list().len(), 2);

        let place = [
            ("action", "save"),
            ("record", ""),
            ("street_1", "300 3rd Street"),
            ("city", "Austin"),
            ("state", "TX"),
            ("zip", "78701"),
            ("phone_number", "(512) 555-0100"),
        ];
        let place = [&token[..], &place].concat();
        let once = || browser.form("addresses", &place).send();
        let (one, two) = tokio::join!(once(), once());
        assert_eq!((one.status.as_u16(), two.status.as_u16()), (303, 303));
        assert_eq!(company.get("/v1/companies/{company}/locations").await.list().len(), 2);

        let browser = of_company(&company, "time_off_management").await;
        let (token, _) = browser.hidden("policies").await;
        let policy = [
            ("form_token", token.as_str()),
            ("action", "save"),
            ("record", ""),
            ("name", "Vacation"),
            ("policy_type", "vacation"),
            ("accrual_method", "per_pay_period"),
            ("accrual_rate", "3.08"),
        ];
        let once = || browser.form("policies", &policy).send();
        let (one, two) = tokio::join!(once(), once());
        assert_eq!((one.status.as_u16(), two.status.as_u16()), (303, 303));
        assert_eq!(company.get("/v1/companies/{company}/time_off_policies").await.list().len(), 1);
    });
}

#[test]
fn a_page_that_is_sent_twice_is_taken_twice_and_changes_nothing_the_second_time() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let config = format!("/v1/employees/{}/onboarding_documents_config", hired.id);
        company.put(config, json!({ "i9_document": true })).await.ok();
        let browser = Browser::open(&company, &hired.id).await;
        let person = [
            ("first_name", "Ana"),
            ("last_name", "Okafor-Lee"),
            ("email", "ana@people.example"),
            ("date_of_birth", "1990-04-01"),
            ("ssn", "412-55-1031"),
        ];
        let w4 = [("filing_status", "Single"), ("two_jobs", "false"), ("extra_withholding", "$2,000")];
        let i9 = [("authorization_status", "permanent_resident"), ("document_number", "A-123 456 789")];
        for (screen, fields) in [("personal", &person[..]), ("federal", &w4), ("i9", &i9)] {
            let (token, version) = browser.hidden(screen).await;
            let hidden = [("form_token", token.as_str()), ("version", version.as_str())];
            let fields = [&hidden, fields].concat();
            let first = browser.form(screen, &fields).send().await.is(303);
            let known = company.audit().await.len();
            let second = browser.form(screen, &fields).send().await.is(303);
            assert_eq!(second.header("location"), first.header("location"), "{screen}");
            assert_eq!(company.audit().await.len(), known, "{screen}");
        }
        // Something else from the page of before is still told.
        let (token, _) = browser.hidden("federal").await;
        let other = [("form_token", token.as_str()), ("version", "0"), ("filing_status", "Married")];
        let other = [&other[..], &w4[1..]].concat();
        browser.form("federal", &other).send().await.is(409);
    });
}

/// The rate of unemployment insurance that a company has in Texas.
async fn texan_rate(company: &Company) -> String {
    let asked = company.get("/v1/companies/{company}/tax_requirements/TX").await.ok();
    let sets = asked["requirement_sets"].as_array().unwrap();
    let all = sets.iter().flat_map(|set| set["requirements"].as_array().unwrap());
    let rate = { all }.find(|one| one["key"] == "unemployment_rate").unwrap();
    rate["value"].to_string().replace('"', "")
}

async fn set_texan_rate(company: &Company, rate: &str) {
    let sets = json!({ "requirement_sets": [{ "key": "taxrates", "state": "TX",
        "requirements": [{ "key": "unemployment_rate", "value": rate }] }] });
    company.put("/v1/companies/{company}/tax_requirements/TX", sets).await.is(200);
}

#[test]
fn what_was_not_touched_on_a_page_stays_as_it_was_changed_elsewhere() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let browser = of_company(&company, "state_setup").await;
        let field = "TX.taxrates.unemployment_rate";
        let number = ("TX.registrations.unemployment_account_number", "12-3456789");
        let empty = browser.get("states").await.is(200).text();
        send(&browser, "states", &empty, &[number, (field, "2.5")]).await.is(303);
        let page = browser.get("states").await.is(200).text();
        set_texan_rate(&company, "0.031").await;
        send(&browser, "states", &page, &[]).await.is(303);
        assert_eq!(texan_rate(&company).await, "0.031", "an untouched rate is not put back");
        let corrected = ("TX.taxrates.effective_from", "2026-01-01");
        let told = send(&browser, "states", &page, &[(field, "2.6"), corrected]).await.is(409).text();
        assert_eq!(value_of(&told, field), "2.6", "nothing that was entered is lost");
        assert_eq!(texan_rate(&company).await, "0.031");
        send(&browser, "states", &told, &[corrected]).await.is(303);
        assert_eq!(texan_rate(&company).await, "0.026", "whoever was told decides");

        // The same of the hours of a time off policy.
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (ben, _) = company.onboarded("Ben", &location, ("20.00", "Hour", "Nonexempt")).await;
        let policy = json!({ "name": "Vacation", "policy_type": "vacation", "accrual_method": "per_pay_period",
                             "accrual_rate": "3" });
        let policy =
            id_of(&company.post("/v1/companies/{company}/time_off_policies", policy).await.created());
        let path = format!("/v1/time_off_policies/{policy}");
        let join =
            json!({ "employees": [{ "uuid": ana, "balance": "10" }, { "uuid": ben, "balance": "10" }] });
        company.put(format!("{path}/add_employees"), join).await.ok();
        let browser = of_company(&company, "time_off_management").await;
        let asked = [("action", &*format!("people:{policy}"))];
        let page = browser.fill_in("policies", &asked).await.is(200).text();
        let set = json!({ "employees": [{ "uuid": ana, "balance": "50" }] });
        company.put(format!("{path}/balance"), set).await.ok();
        let of_ben = format!("hours.{ben}");
        let shown = page.split_once("id=\"open-form\"").unwrap().1;
        let page = format!("<main{shown}");
        send(&browser, "policies", &page, &[("action", "members"), (&of_ben, "11")]).await.is(303);
        let told = company.get(&path).await.ok();
        let balance = |person: &str| {
            let one = told["employees"].as_array().unwrap().iter().find(|one| one["uuid"] == person).unwrap();
            one["balance"].clone()
        };
        assert_eq!((balance(&ana), balance(&ben)), (json!("50.000"), json!("11.000")));
        let of_ana = format!("hours.{ana}");
        let both = [("action", "members"), (&*of_ana, "12")];
        send(&browser, "policies", &page, &both).await.is(409);
    });
}

/// Somebody hired in Texas who lives in a place that asks something.
async fn lives_in(company: &Company, home: Value) -> (String, Browser) {
    let hired = company.hire("Ana", "2026-07-01").await;
    company.post(format!("/v1/employees/{}/home_addresses", hired.id), home).await.created();
    let browser = of_employee(company, "employee_state_setup", &hired.id).await;
    (hired.id, browser)
}

/// The stored answer of an employee to a question.
async fn answer(company: &Company, employee: &str, key: &str) -> Value {
    let told = company.get(format!("/v1/employees/{employee}/state_taxes")).await.ok();
    let states = told.as_array().unwrap().iter();
    let mut asked = states.flat_map(|state| state["questions"].as_array().unwrap());
    asked.find(|question| question["key"] == key).unwrap()["answers"][0]["value"].clone()
}

#[test]
fn an_answer_that_nobody_can_have_is_refused_with_what_is_asked_for() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let baltimore =
            json!({ "street_1": "5 Harbor Way", "city": "Baltimore", "state": "MD", "zip": "21201" });
        let (ana, browser) = lives_in(&company, baltimore).await;
        let page = browser.get("state").await.is(200).text();
        let right = [("MD.filing_status", "single"), ("MD.exempt", "false")];
        for wrong in ["", "0", "3,2", "100"] {
            let fields = [&right[..], &[("MD.local_rate", wrong)]].concat();
            let refused = send(&browser, "state", &page, &fields).await.is(422).text();
            is_refused_at(&refused, "MD.local_rate");
            assert!(refused.contains("from 2.25 to 3.3"), "{wrong}: {refused}");
        }
        let extra = [("MD.local_rate", "3.2%"), ("MD.additional_withholding", "$1,000.00")];
        send(&browser, "state", &page, &[&right[..], &extra].concat()).await.is(303);
        assert_eq!(answer(&company, &ana, "local_rate").await, json!(3.2));
        assert_eq!(answer(&company, &ana, "additional_withholding").await, json!("1000.0"));
        let zero = json!({ "states": [{ "state": "MD", "questions": [
            { "key": "local_rate", "answers": [{ "value": 0, "valid_from": "2010-01-01" }] }] }] });
        company.put(format!("/v1/employees/{ana}/state_taxes"), zero).await.is(422);

        // What was not touched stays, and a conflict is told.
        let page = browser.get("state").await.is(200).text();
        let set = |dollars: &str| {
            json!({ "states": [{ "state": "MD", "questions": [{ "key": "additional_withholding",
                "answers": [{ "value": dollars, "valid_from": "2010-01-01" }] }] }] })
        };
        company.put(format!("/v1/employees/{ana}/state_taxes"), set("75")).await.is(200);
        send(&browser, "state", &page, &[("MD.exemptions", "3")]).await.is(303);
        assert_eq!(answer(&company, &ana, "additional_withholding").await, json!("75.0"));
        send(&browser, "state", &page, &[("MD.additional_withholding", "5")]).await.is(409);
    });
}

#[test]
fn a_code_has_its_digits_and_what_concerns_few_can_be_left_out() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let pittsburgh =
            json!({ "street_1": "30 Foundry Row", "city": "Pittsburgh", "state": "PA", "zip": "15222" });
        let (ana, browser) = lives_in(&company, pittsburgh).await;
        let page = browser.get("state").await.is(200).text();
        assert!(page.contains("(optional)"), "{page}");
        let fields = |code: &'static str| [("PA.psd_code", code), ("PA.exempt", "false")];
        for wrong in ["", "0", "Pittsburgh"] {
            let refused = send(&browser, "state", &page, &fields(wrong)).await.is(422).text();
            is_refused_at(&refused, "PA.psd_code");
            assert!(refused.contains("6 digits") && !refused.contains("PA.lst_exempt-problem"), "{refused}");
        }
        send(&browser, "state", &page, &fields("700102")).await.is(303);
        assert_eq!(answer(&company, &ana, "psd_code").await, json!("700102"));

        let columbus =
            json!({ "street_1": "65 Buckeye Walk", "city": "Columbus", "state": "OH", "zip": "43215" });
        let (ben, browser) = lives_in(&company, columbus).await;
        let page = browser.get("state").await.is(200).text();
        for wrong in ["", "0", "Hilliard City"] {
            let fields = [("OH.school_district", wrong), ("OH.exempt", "false")];
            is_refused_at(
                &send(&browser, "state", &page, &fields).await.is(422).text(),
                "OH.school_district",
            );
        }
        send(&browser, "state", &page, &[("OH.school_district", "2510"), ("OH.exempt", "false")])
            .await
            .is(303);
        assert_eq!(answer(&company, &ben, "school_district").await, json!("2510"));
    });
}

#[test]
fn a_share_that_is_no_whole_percent_is_told_at_its_field() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        company.enter_personal_details(&hired.id, "412551031").await;
        let accounts = format!("/v1/employees/{}/bank_accounts", hired.id);
        let mut fields = vec![("split_by".to_owned(), "Percentage".to_owned())];
        for (number, share) in [("90126600418", "33.3"), ("90126600419", "66.7")] {
            let body = json!({ "name": "Bank", "routing_number": "021000021", "account_number": number,
                               "account_type": "Checking" });
            let made = company.post(&accounts, body).await.created();
            fields.push((format!("splits.{}", id_of(&made)), share.to_owned()));
        }
        let browser = Browser::open(&company, &hired.id).await;
        browser.fill_in("payment", &[("action", "confirm"), ("ssn_last_four", "1031")]).await.is(303);
        let mut sent: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        sent.push(("type", "Direct Deposit"));
        let refused = browser.fill_in("payment", &sent).await.is(422).text();
        is_refused_at(&refused, &fields[1].0);
        assert!(refused.contains("whole numbers that add up to 100"), "{refused}");
    });
}

#[test]
fn the_employer_submits_the_sums_that_the_page_showed_and_no_others() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        let location = id_of(&company.location("TX").await);
        let (ben, _) = company.onboarded("Ben", &location, ("62000", "Year", "Exempt")).await;
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        world.wait(jiff::Span::new()).await;
        let browser = of_company(&company, "run_payroll").await;
        let id = listed_payroll(&browser).await;
        let (payroll, hours) = (format!("payrolls/{id}"), format!("payrolls/{id}/hours"));
        let calculate = async |bonus: &str| {
            let page = browser.get(&hours).await.is(200).text();
            let name = field_of(&page, "Bonus, $");
            send(&browser, &hours, &page, &[(&name, bonus), ("action", "calculate")]).await.is(303);
            world.wait(jiff::Span::new()).await;
        };
        calculate("").await;
        let page = browser.get(&payroll).await.is(200).text();
        let asked = send(&browser, &payroll, &page, &[("action", "submit")]).await.is(200).text();
        calculate("50,000").await;
        let told = send(&browser, &payroll, &asked, &[("action", "submitted")]).await.is(409).text();
        assert!(told.contains("changed somewhere else") && told.contains("value=\"submitted\""), "{told}");
        let processed = async || {
            company.get(format!("/v1/companies/{{company}}/payrolls/{id}")).await.ok()["processed"].clone()
        };
        assert_eq!(processed().await, false, "nobody has agreed to the new sums");
        send(&browser, &payroll, &told, &[("action", "submitted")]).await.is(303);
        send(&browser, &payroll, &told, &[("action", "submitted")]).await.is(303);
        world.wait(jiff::Span::new()).await;
        assert_eq!(processed().await, true);

        // Until its payday it can be cancelled, and nobody has been paid.
        let stubs =
            async || of_employee(&company, "pay_stubs", &ben).await.get("pay_stubs").await.is(200).text();
        let before = stubs().await;
        assert!(
            before.contains("To be paid on June 26, 2026") && !before.contains("2026 so far"),
            "{before}"
        );
        world.wait((12 * 24).hours()).await;
        let after = stubs().await;
        assert!(after.contains("Paid on June 26, 2026") && after.contains("2026 so far"), "{after}");
    });
}

#[test]
fn a_payroll_whose_deadline_has_passed_is_said_to_be_late() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        let location = id_of(&company.location("TX").await);
        company.onboarded("Ben", &location, ("62000", "Year", "Exempt")).await;
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        world.wait((10 * 24).hours()).await;
        let browser = of_company(&company, "run_payroll").await;
        let list = browser.get("payrolls").await.is(200).text();
        assert!(list.contains("If you submit now, people are paid on"), "{list}");
        let id = list.split("href=\"/flow/payrolls/").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let hours = format!("payrolls/{id}/hours");
        let page = browser.get(&hours).await.is(200).text();
        send(&browser, &hours, &page, &[("action", "calculate")]).await.is(303);
        world.wait(jiff::Span::new()).await;
        let preview = browser.get(&format!("payrolls/{id}")).await.is(200).text();
        assert!(preview.contains("payday was June 26, 2026"), "{preview}");
    });
}

#[test]
fn an_invitation_that_lacks_what_the_employer_enters_says_what() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        company.location("TX").await;
        let ana = id_of(&company.self_onboarding_employee("Ana").await);
        let browser = of_company(&company, "add_employees").await;
        let invite = format!("invite:{ana}");
        let refused = browser.fill_in("employees", &[("action", &invite)]).await.is(422).text();
        for what in ["a job with its first day of work", "where the employee works", "the pay"] {
            assert!(refused.contains(what), "{what}: {refused}");
        }
        assert!(!refused.contains("the remaining steps"), "{refused}");
    });
}

#[test]
fn somebody_whom_an_administrator_has_begun_to_enter_can_be_invited_to_enter_the_rest() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let person = json!({ "first_name": "Ana", "last_name": "Silva", "email": "ana@people.example" });
        let ana = id_of(&company.post("/v1/companies/{company}/employees", person).await.created());
        let status = async || text(&company.read("employees", &ana).await, "onboarding_status");
        assert_eq!(status().await, "admin_onboarding_incomplete");
        let browser = of_company(&company, "add_employees").await;
        let invite = format!("invite:{ana}");
        assert!(browser.get("employees").await.is(200).text().contains(&invite));
        let refused = browser.fill_in("employees", &[("action", &invite)]).await.is(422).text();
        assert!(refused.contains("the pay"), "{refused}");
        company.work_address(&ana, &location).await;
        let job = company.job(&ana, "Cook", "2026-07-01").await;
        company.pay(&job, "19.50", "Hour", "Nonexempt").await;
        browser.fill_in("employees", &[("action", &invite)]).await.is(303);
        assert_eq!(status().await, "self_onboarding_invited");
    });
}
