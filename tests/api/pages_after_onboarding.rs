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
            told.contains("nothing was signed") && told.contains("I had no federal income tax liability"),
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

#[test]
fn accounts_are_paid_in_the_order_that_the_page_shows_and_that_can_be_chosen_there() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        company.enter_personal_details(&hired.id, "412551031").await;
        let mut ids = Vec::new();
        for name in ["A", "B", "C"] {
            let body = json!({ "name": name, "routing_number": "021000021", "account_type": "Checking",
                               "account_number": format!("9012660041{}", ids.len()) });
            let made =
                company.post(format!("/v1/employees/{}/bank_accounts", hired.id), body).await.created();
            ids.push(id_of(&made));
        }
        let method = format!("/v1/employees/{}/payment_method", hired.id);
        let split = |account: usize, priority: i64, cents: Value| json!({ "uuid": ids[account], "priority": priority, "split_amount": cents });
        let sent = json!({ "version": company.get(&method).await.is(200).json()["version"],
                           "type": "Direct Deposit", "split_by": "Amount",
                           "splits": [split(1, 1, json!(10_000)), split(0, 2, json!(150_000)), split(2, 3, Value::Null)] });
        company.put(&method, sent).await.is(200);
        let order = async || {
            let splits = company.get(&method).await.is(200).json()["splits"].clone();
            let told = splits
                .as_array()
                .unwrap()
                .iter()
                .map(|one| format!("{} {}", text(one, "name"), one["split_amount"]));
            told.collect::<Vec<_>>()
        };
        let as_made = ["B 10000", "A 150000", "C null"];
        assert_eq!(order().await, as_made);

        // Saved as it is shown it stays.
        let browser = Browser::open(&company, &hired.id).await;
        browser.fill_in("payment", &[("action", "confirm"), ("ssn_last_four", "1031")]).await.is(303);
        let page = async || browser.get("payment").await.is(200).text();
        let shown = page().await;
        let field = |kind: &str, account: usize| format!("{kind}.{}", ids[account]);
        assert!(shown.find(&field("splits", 1)) < shown.find(&field("splits", 0)), "{shown}");
        send(&browser, "payment", &shown, &[]).await.is(303);
        assert_eq!(order().await, as_made);
        // Nor does a form that asks for no order change it.
        let [a, b, c] = [0, 1, 2].map(|account| field("splits", account));
        let shares =
            [("type", "Direct Deposit"), ("split_by", "Amount"), (&*a, "1,500"), (&*b, "100"), (&*c, "")];
        browser.fill_in("payment", &shares).await.is(303);
        assert_eq!(order().await, as_made);
        // Two accounts cannot have the same place, and another order is taken as it was chosen.
        let [first, second] = [field("places", 0), field("places", 1)];
        let refused = send(&browser, "payment", &page().await, &[(&first, "1")]).await.is(422).text();
        is_refused_at(&refused, &first);
        assert_eq!(order().await, as_made);
        send(&browser, "payment", &page().await, &[(&first, "1"), (&second, "2")]).await.is(303);
        assert_eq!(order().await, ["A 150000", "B 10000", "C null"]);
    });
}

#[test]
fn a_new_rate_of_a_state_holds_from_the_quarter_that_the_employer_chooses_and_leaves_the_one_before() {
    on_both_engines(async |engine: Engine| {
        let (_, company) = quiet(engine).await;
        company.location("TX").await;
        let browser = of_company(&company, "state_setup").await;
        let (rate, from) = ("TX.taxrates.unemployment_rate", "TX.taxrates.effective_from");
        let number = ("TX.registrations.unemployment_account_number", "12-3456789");
        let page = async || browser.get("states").await.is(200).text();
        let rates = async || {
            let told = company.get("/v1/companies/{company}/tax_requirements/TX").await.ok();
            let sets =
                told["requirement_sets"].as_array().unwrap().iter().filter(|set| set["key"] == "taxrates");
            let told = sets.map(|set| {
                let all = set["requirements"].as_array().unwrap();
                let rate = all.iter().find(|one| one["key"] == "unemployment_rate").unwrap();
                format!("{} {}", text(set, "effective_from"), text(rate, "value"))
            });
            told.collect::<Vec<_>>()
        };
        // Nothing is asked beside the first answer.
        let first = page().await;
        assert!(!first.contains(from), "{first}");
        send(&browser, "states", &first, &[number, (rate, "2.7")]).await.is(303);
        let held = rates().await;
        let [begun] = &held[..] else { panic!("{held:?}") };
        let begun = begun.strip_suffix(" 0.027").unwrap();
        // What is sent as it was needs no day, another rate does, and only one that can be chosen.
        send(&browser, "states", &page().await, &[(rate, "2.70")]).await.is(303);
        for day in ["", "2001-01-01", "2026-02-01", "2026-07-02", "2030-01-01", "never"] {
            let refused =
                send(&browser, "states", &page().await, &[(rate, "3.4"), (from, day)]).await.is(422).text();
            is_refused_at(&refused, from);
            assert_eq!(value_of(&refused, rate), "3.4", "what was entered is still there");
        }
        assert_eq!(rates().await, held);
        // A rate to come is said beside the present one, which stays.
        let next = format!("{}-01-01", begun[..4].parse::<i32>().unwrap() + 1);
        send(&browser, "states", &page().await, &[(rate, "3.4"), (from, &next)]).await.is(303);
        assert_eq!(rates().await, [format!("{begun} 0.027"), format!("{next} 0.034")]);
        let shown = page().await;
        assert_eq!(value_of(&shown, rate), "2.7");
        assert!(shown.contains("3.4% from January 1, 2027"), "{shown}");
        // The day of the present one corrects it.
        send(&browser, "states", &shown, &[(rate, "2.8"), (from, begun)]).await.is(303);
        assert_eq!(rates().await, [format!("{begun} 0.028"), format!("{next} 0.034")]);
        // A quarter of this year comes between them.
        send(&browser, "states", &page().await, &[(rate, "2.9"), (from, "2026-07-01")]).await.is(303);
        let all = [format!("{begun} 0.028"), "2026-07-01 0.029".to_owned(), format!("{next} 0.034")];
        assert_eq!(rates().await, all);
        assert!(page().await.contains("2.9% from July 1, 2026"));
    });
}

#[test]
fn what_is_corrected_and_sent_again_is_never_taken_for_the_same_form_sent_twice() {
    on_both_engines(async |engine: Engine| {
        let (_, company) = quiet(engine).await;
        let texas = id_of(&company.location("TX").await);
        let browser = of_company(&company, "add_employees").await;
        let person = [
            ("action", "save"),
            ("record", ""),
            ("first_name", "Twin"),
            ("last_name", "Pay"),
            ("email", "twin@people.example"),
            ("location", &*texas),
            ("title", "Cook"),
            ("hire_date", "2027-02-01"),
            ("terms", "Hour/Nonexempt"),
            ("rate", "30"),
        ];
        let with = |fields: &[(&'static str, &'static str)], name: &str, value: &'static str| {
            let other =
                fields.iter().map(|(field, held)| (*field, if *field == name { value } else { *held }));
            other.collect::<Vec<_>>()
        };
        let person: Vec<(&str, &str)> = person.to_vec();
        for _ in 0..2 {
            browser.fill_in("employees", &person).await.is(303);
        }
        for (name, value) in [("title", "Manager"), ("rate", "31"), ("terms", "Year/Salaried Nonexempt")] {
            let other: Vec<_> = person
                .iter()
                .map(|(field, held)| (*field, if *field == name { value } else { *held }))
                .collect();
            let refused = browser.fill_in("employees", &other).await.is(422).text();
            is_refused_at(&refused, "first_name");
            assert_eq!(value_of(&refused, "rate"), if name == "rate" { "31" } else { "30" });
        }
        let people = company.get("/v1/companies/{company}/employees").await.list();
        assert_eq!(people.len(), 1, "{people:?}");

        let policy = [
            ("action", "save"),
            ("record", ""),
            ("name", "Payout"),
            ("policy_type", "vacation"),
            ("accrual_method", "per_pay_period"),
            ("accrual_rate", "4"),
        ];
        let browser = of_company(&company, "time_off_management").await;
        for _ in 0..2 {
            browser.fill_in("policies", &policy).await.is(303);
        }
        let paid_out = [&policy[..], &[("paid_out_on_termination", "on")]].concat();
        let refused = browser.fill_in("policies", &paid_out).await.is(422).text();
        is_refused_at(&refused, "name");
        browser.fill_in("policies", &with(&paid_out, "name", "Vacation")).await.is(303);
        let held = company.get("/v1/companies/{company}/time_off_policies").await.list();
        let held: Vec<_> =
            held.iter().map(|one| (text(one, "name"), one["paid_out_on_termination"].clone())).collect();
        assert_eq!(held, [("Payout".to_owned(), json!(false)), ("Vacation".to_owned(), json!(true))]);
    });
}

#[test]
fn an_account_that_is_corrected_and_sent_again_is_refused_beside_the_one_that_is_there() {
    on_both_engines(async |engine: Engine| {
        let (_, company) = quiet(engine).await;
        let hired = company.hire("Ana", "2026-07-01").await;
        company.enter_personal_details(&hired.id, "412551031").await;
        let browser = Browser::open(&company, &hired.id).await;
        browser.fill_in("payment", &[("action", "confirm"), ("ssn_last_four", "1031")]).await.is(303);
        let account = [
            ("action", "add"),
            ("name", "Main"),
            ("routing_number", "021000021"),
            ("account_number", "987654321"),
            ("account_number_again", "987654321"),
            ("account_type", "Checking"),
        ];
        for _ in 0..2 {
            browser.fill_in("payment", &account).await.is(303);
        }
        let savings =
            account.map(|(name, value)| (name, if name == "account_type" { "Savings" } else { value }));
        let refused = browser.fill_in("payment", &savings).await.is(422).text();
        is_refused_at(&refused, "account_number");
        let held = company.get(format!("/v1/employees/{}/bank_accounts", hired.id)).await.list();
        assert_eq!(held.len(), 1, "{held:?}");
        assert_eq!(held[0]["account_type"], "Checking");
    });
}

#[test]
fn an_hourly_rate_below_the_minimum_wage_of_the_place_is_taken_only_when_it_is_said_to_be_right() {
    on_both_engines(async |engine: Engine| {
        let (_, company) = quiet(engine).await;
        let california = id_of(&company.location("CA").await);
        let browser = of_company(&company, "add_employees").await;
        let person = |email: &'static str, rate: &'static str| {
            [
                ("action", "save"),
                ("record", ""),
                ("first_name", "Lou"),
                ("last_name", "Wage"),
                ("email", email),
                ("location", &*california),
                ("title", "Cook"),
                ("hire_date", "2026-07-01"),
                ("terms", "Hour/Nonexempt"),
                ("rate", rate),
            ]
            .map(|(name, value)| (name, value.to_owned()))
        };
        let send = async |fields: &[(&str, String)], more: &[(&str, &str)]| {
            let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, &**value)).collect();
            browser.fill_in("employees", &[&fields[..], more].concat()).await
        };
        let refused = send(&person("lou@people.example", "5"), &[]).await.is(422).text();
        is_refused_at(&refused, "rate");
        assert!(refused.contains("below the minimum wage at this location, $"), "{refused}");
        assert!(refused.contains("name=\"may_be_low\""), "{refused}");
        assert_eq!(company.get("/v1/companies/{company}/employees").await.list().len(), 0, "nobody is added");
        send(&person("lou@people.example", "5"), &[("may_be_low", "on")]).await.is(303);
        // Nothing is asked of a rate that reaches it.
        send(&person("lu@people.example", "30"), &[]).await.is(303);
        assert_eq!(company.get("/v1/companies/{company}/employees").await.list().len(), 2);
    });
}
