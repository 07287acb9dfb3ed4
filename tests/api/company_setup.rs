//! What a company settles before its first payroll: federal and state taxes, industry, bank account, forms, steps.

use domain::pay::payrolls::closing::processing;
use serde_json::{Value, json};

use crate::support::{Company, Engine, NOBODY, World, id_of, on_both_engines, signatory, text};

const STATUS: &str = "/v1/companies/{company}/onboarding_status";
const FINISH: &str = "/v1/companies/{company}/finish_onboarding";
const FEDERAL: &str = "/v1/companies/{company}/federal_tax_details";
const INDUSTRY: &str = "/v1/companies/{company}/industry_selection";
const ACCOUNTS: &str = "/v1/companies/{company}/bank_accounts";

async fn finish(company: &Company) -> crate::support::Answer {
    company.call("PUT", FINISH).send().await
}

/// The steps that are not complete.
async fn open_steps(company: &Company) -> Vec<String> {
    let told = company.get(STATUS).await.ok();
    let steps = told["onboarding_steps"].as_array().unwrap();
    steps.iter().filter(|step| step["completed"] == false).map(|step| text(step, "id")).collect()
}

/// Somebody who is onboarded.
async fn onboarded_employee(company: &Company, location: &str) {
    let body = json!({ "first_name": "Maria", "last_name": "Alvarez", "email": "maria@people.example",
                       "date_of_birth": "1984-03-12", "ssn": "412551001" });
    let employee = id_of(&company.post("/v1/companies/{company}/employees", body).await.created());
    company.work_address(&employee, location).await;
    company.home_address(&employee).await;
    let job = company.job(&employee, "Cook", "2026-01-05").await;
    company.pay(&job, "18.50", "Hour", "Nonexempt").await;
    let steps = [
        "federal_tax_setup",
        "state_tax_setup",
        "direct_deposit_setup",
        "employee_form_signing",
        "file_new_hire_report",
    ];
    company.mark(&employee, &steps).await.ok();
    company.ask_for(&employee, "onboarding_completed").await.ok();
}

/// Everything but the last step, the verification of the bank account; gives the account.
async fn nearly_set_up(company: &Company) -> String {
    let location = id_of(&company.location("TX").await);
    company.put(INDUSTRY, json!({ "naics_code": "722511" })).await.is(201);
    company.post("/v1/companies/{company}/signatories", signatory()).await.ok();
    let account = id_of(&company.bank_account("90126600418").await);
    onboarded_employee(company, &location).await;
    company.answer_state("TX").await;
    let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                           "anchor_end_of_pay_period": "2026-06-21" });
    company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
    for name in ["US_8655", "company_direct_deposit"] {
        company.sign_company_form(&id_of(&company.company_form(name).await)).await.ok();
    }
    account
}

#[test]
fn a_company_is_led_step_by_step_to_its_first_payroll() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let all = [
            "add_addresses",
            "select_industry",
            "add_bank_info",
            "add_employees",
            "state_setup",
            "payroll_schedule",
            "sign_all_forms",
            "verify_bank_info",
        ];
        assert_eq!(open_steps(&company).await, all);
        let refused = finish(&company).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        assert_eq!(refused.only()["metadata"]["open_steps"], json!(all));

        let account = nearly_set_up(&company).await;
        assert_eq!(open_steps(&company).await, ["verify_bank_info"]);
        finish(&company).await.refused(422);
        let (first, second) = company.test_deposits(&account).await;
        company.verify(&account, (&first, &second)).await.ok();
        assert_eq!(open_steps(&company).await, Vec::<String>::new());
        let known = company.count_events().await;
        let told = finish(&company).await.ok();
        assert_eq!(told["onboarding_completed"], true);
        assert!(
            told["onboarding_steps"].as_array().unwrap().iter().all(|step| step["completed_at"].is_string())
        );
        assert_eq!(company.event_types_since(known).await, ["company.onboarded"]);
    });
}

#[test]
fn of_two_that_finish_at_once_one_is_told_that_it_is_done() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let account = nearly_set_up(&company).await;
        let (first, second) = company.test_deposits(&account).await;
        company.verify(&account, (&second, &first)).await.ok();
        let statuses = company.at_once(8, |company| async move { finish(&company).await }).await;
        assert_eq!(statuses, [200, 422, 422, 422, 422, 422, 422, 422]);
        let events = company.event_types_since(0).await;
        assert_eq!(events.iter().filter(|name| *name == "company.onboarded").count(), 1);
    });
}

#[test]
fn a_company_that_pays_contractors_alone_needs_no_employees() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let told = company.put("/v1/companies/{company}", json!({ "contractor_only": true })).await.ok();
        assert_eq!(told["contractor_only"], true);
        let told = company.get(STATUS).await.ok();
        for step in told["onboarding_steps"].as_array().unwrap() {
            let optional = ["add_employees", "state_setup", "payroll_schedule"].contains(&&*text(step, "id"));
            assert_eq!((&step["required"], &step["skippable"]), (&json!(!optional), &json!(optional)));
        }
        assert_eq!(company.event_types_since(0).await, ["company.updated"]);
        company.put("/v1/companies/{company}", json!({ "contractor_only": true })).await.ok();
        assert_eq!(company.count_events().await, 1, "nothing has changed");
        let external = company.get(format!("{STATUS}?additional_steps=external_payroll")).await.ok();
        assert_eq!(external["onboarding_steps"][9]["id"], "external_payroll");
    });
}

#[test]
fn an_approval_stands_in_for_whoever_decides_about_the_company_and_is_there_for_developers_alone() {
    on_both_engines(async |engine: Engine| {
        let approve = "/v1/companies/{company}/approve";
        let company = engine.world().await.company().await;
        company.call("PUT", approve).send().await.refused(422);
        let account = nearly_set_up(&company).await;
        let (first, second) = company.test_deposits(&account).await;
        company.verify(&account, (&first, &second)).await.ok();
        finish(&company).await.ok();
        assert_eq!(company.get(FEDERAL).await.ok()["ein_verification"]["status"], "pending");
        let known = company.count_events().await;
        let told = company.call("PUT", approve).send().await.ok();
        assert_eq!(told["company_status"], "Approved");
        assert_eq!(company.get(FEDERAL).await.ok()["ein_verification"]["status"], "verified");
        company.call("PUT", approve).send().await.ok();
        let suspended = company.call("PUT", "/v1/companies/{company}/suspend").send().await.ok();
        assert_eq!(suspended["company_status"], "Suspended");
        let reinstated = company.call("PUT", "/v1/companies/{company}/reinstate").send().await.ok();
        assert_eq!(reinstated["company_status"], "Approved", "as it was before");
        let told =
            ["company.approved", "company.suspended", "company.suspended_effective", "company.unsuspended"];
        assert_eq!(company.event_types_since(known).await, told);

        let world: World = engine.own_world_with(|setup| setup.settings.test_helpers = false).await;
        let company = world.company().await;
        for decision in [approve, "/v1/companies/{company}/suspend", "/v1/companies/{company}/reinstate"] {
            company.call("PUT", decision).send().await.refused(404);
        }
        let account = id_of(&company.bank_account("90126600418").await);
        company.call("POST", format!("{ACCOUNTS}/{account}/send_test_deposits")).send().await.refused(404);
    });
}

#[test]
fn federal_tax_details_change_what_was_sent_and_the_number_is_never_told_in_an_audit_entry() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let before = company.get(FEDERAL).await.ok();
        assert_eq!((&before["has_ein"], &before["filing_form"]), (&json!(true), &json!("941")));
        let body = json!({ "version": before["version"], "ein": "30-1852096", "tax_payer_type": "LLC" });
        let after = company.put(FEDERAL, body).await.ok();
        assert_eq!(after["tax_payer_type"], "LLC");
        assert_eq!(after["legal_name"], before["legal_name"]);
        let told = company.get("/v1/companies/{company}").await.ok();
        assert_eq!((&told["ein"], &told["entity_type"]), (&json!("301852096"), &json!("LLC")));
        assert_eq!(company.event_types_since(0).await[0], "company.updated");
        let audit = format!("{:?}", company.audit().await);
        assert!(!audit.contains("301852096") && !audit.contains("1852096"), "{audit}");

        let known = company.count_events().await;
        let same = json!({ "version": after["version"], "ein": "301852096", "tax_payer_type": "LLC" });
        assert_eq!(company.put(FEDERAL, same).await.ok(), after);
        assert_eq!(company.count_events().await, known);
        let wrong = json!({ "version": after["version"], "ein": "30-185209", "filing_form": "940",
                            "tax_payer_type": "Inc", "legal_name": " " });
        let refused = company.put(FEDERAL, wrong).await.refused(422);
        assert_eq!(refused.keys(), ["legal_name", "ein", "tax_payer_type", "filing_form"]);
    });
}

#[test]
fn an_industry_is_kept_as_it_was_said() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        assert_eq!(company.get(INDUSTRY).await.ok()["naics_code"], Value::Null);
        let said = json!({ "naics_code": "722511", "sic_codes": ["5812"], "title": "Restaurants" });
        let told = company.put(INDUSTRY, said.clone()).await.created();
        for field in ["naics_code", "sic_codes", "title"] {
            assert_eq!(told[field], said[field], "{field}");
        }
        assert_eq!(company.get(INDUSTRY).await.ok(), told);
        for (wrong, key) in [
            (json!({ "naics_code": "000000" }), "naics_code"),
            (json!({ "naics_code": "722511", "sic_codes": ["581"] }), "sic_codes"),
            (json!({ "naics_code": "722511", "sic_codes": "5812" }), "sic_codes"),
        ] {
            assert_eq!(company.put(INDUSTRY, wrong).await.refused(422).keys(), [key]);
        }
    });
}

#[test]
fn a_bank_account_proves_itself_by_its_test_deposits_in_either_order() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let made = company.bank_account("90126600418").await;
        assert_eq!(made["verification_status"], "awaiting_deposits");
        assert_eq!(made["hidden_account_number"], "XXXX0418");
        let account = id_of(&made);
        let refused = company.verify(&account, ("0.01", "0.02")).await.refused(422);
        assert!(refused.message().contains("not been made"), "{}", refused.message());
        let (first, second) = company.test_deposits(&account).await;
        assert_eq!(company.test_deposits(&account).await, (first.clone(), second.clone()));
        let wrong = company.verify(&account, (&first, &first)).await.refused(422);
        assert_eq!(wrong.fault(), ("base", "invalid_operation"));
        let verified = company.verify(&account, (&second, &first)).await.ok();
        assert_eq!(verified["verification_status"], "verified");
        company.verify(&account, (&second, &first)).await.refused(422);
        let events = company.event_types_since(0).await;
        assert!(events.ends_with(&[
            "company.bank_account.updated".into(),
            "company.bank_account.verified".into(),
            "notification.bank_account.resolved".into()
        ]));
        assert!(!format!("{:?}", company.audit().await).contains("90126600418"));
    });
}

#[test]
fn after_five_wrong_answers_an_account_has_to_be_added_anew() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let account = id_of(&company.bank_account("90126600418").await);
        let (first, second) = company.test_deposits(&account).await;
        for left in (0..5).rev() {
            let refused = company.verify(&account, (&first, &first)).await.refused(422);
            assert!(refused.message().contains(&format!("{left} of 5")), "{}", refused.message());
        }
        let refused = company.verify(&account, (&first, &second)).await.refused(422);
        assert!(refused.message().contains("add the bank account again"), "{}", refused.message());
        assert_eq!(company.get(ACCOUNTS).await.list()[0]["verification_status"], "ready_for_verification");
    });
}

#[test]
fn answers_that_come_at_once_are_counted_one_by_one() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let account = id_of(&company.bank_account("90126600418").await);
        let (first, _) = company.test_deposits(&account).await;
        let calls: Vec<_> = (0..12)
            .map(|n| {
                let (company, account, first) = (company.clone(), account.clone(), first.clone());
                tokio::spawn(async move {
                    let path = format!("{ACCOUNTS}/{account}/verify");
                    let call = company.call("PUT", path).header("idempotency-key", format!("try-{n}"));
                    let call = call.json(&json!({ "deposit_1": first, "deposit_2": first }));
                    let refused = call.send().await.refused(422);
                    refused.message().contains("attempts are left")
                })
            })
            .collect();
        let mut counted = 0;
        for call in calls {
            counted += u32::from(call.await.unwrap());
        }
        assert_eq!(counted, 5, "every wrong answer costs a try, and after five there is none");
    });
}

#[test]
fn a_new_bank_account_replaces_the_one_before_and_the_same_one_stays() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let first = company.bank_account("90126600418").await;
        let body = json!({ "routing_number": "021001208", "account_number": "90126600418", "account_type": "Checking" });
        assert_eq!(company.post(ACCOUNTS, body).await.ok(), first);
        let second = company.bank_account("7700190021").await;
        assert_eq!(company.get(ACCOUNTS).await.list(), std::slice::from_ref(&second));
        let path = format!("{ACCOUNTS}/{}/send_test_deposits", id_of(&first));
        company.call("POST", path).send().await.refused(404);
        let events = company.event_types_since(0).await;
        let accounts: Vec<_> =
            events.iter().filter(|name| name.starts_with("company.bank_account")).collect();
        assert_eq!(
            accounts,
            ["company.bank_account.created", "company.bank_account.deleted", "company.bank_account.created"]
        );
    });
}

#[test]
fn a_form_asks_for_a_new_signature_when_what_it_shows_has_changed() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        company.bank_account("90126600418").await;
        let form = id_of(&company.company_form("company_direct_deposit").await);
        let refused = company.sign_company_form(&form).await.refused(422);
        assert!(refused.message().contains("signatory"), "{}", refused.message());
        company.post("/v1/companies/{company}/signatories", signatory()).await.ok();
        let signed = company.sign_company_form(&form).await.ok();
        assert_eq!(signed["requires_signing"], false);
        company.sign_company_form(&form).await.refused(422);
        company.bank_account("7700190021").await;
        let told = company.get(format!("/v1/forms/{form}")).await.ok();
        assert_eq!(told["requires_signing"], true);
        company.sign_company_form(&form).await.ok();
        let events = company.event_types_since(0).await;
        assert_eq!(events.iter().filter(|name| *name == "company.form.signed").count(), 2);
        let wrong = json!({ "signature_text": " ", "agree": false, "signed_by_ip_address": "here" });
        let other = id_of(&company.company_form("US_8655").await);
        let refused = company.put(format!("/v1/forms/{other}/sign"), wrong).await.refused(422);
        assert_eq!(refused.keys(), ["signature_text", "agree", "signed_by_ip_address"]);
    });
}

#[test]
fn forms_come_in_the_order_that_is_asked_for() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        company.set_up().await;
        let names = async |query: &str| -> Vec<String> {
            let forms = company.get(format!("/v1/companies/{{company}}/forms{query}")).await.list();
            forms.iter().map(|form| text(form, "name")).collect()
        };
        assert_eq!(names("").await, ["US_8655", "company_direct_deposit"]);
        assert_eq!(names("?sort_by=name:desc").await, ["company_direct_deposit", "US_8655"]);
        assert_eq!(names("?sort_by=created_at:desc").await, ["company_direct_deposit", "US_8655"]);
        assert_eq!(names("?sort_by=year,name:desc").await, ["company_direct_deposit", "US_8655"]);
        company.get("/v1/companies/{company}/forms?sort_by=name:up").await.refused(422);
    });
}

#[test]
fn the_pdf_of_a_company_s_form_shows_the_company_and_its_signatory() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let form = company.set_up().await.form;
        let told = company.get(format!("/v1/forms/{form}/pdf")).await.ok();
        let address = text(&told, "document_url");
        let path = address.strip_prefix("https://pages.example").unwrap();
        let document = company.world.call("GET", path).send().await.is(200);
        assert_eq!(document.header("content-type"), "application/pdf");
        let text = document.text();
        for shown in ["Signature of the signatory", "74-1852096", "Blue Heron Diners", "Susan Whitfield"] {
            assert!(text.contains(shown), "{shown}");
        }
    });
}

#[test]
fn a_state_asks_what_it_needs_and_answers_are_kept() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let path = "/v1/companies/{company}/tax_requirements";
        assert_eq!(company.get(path).await.list(), Vec::<Value>::new());
        for state in ["TX", "CA"] {
            company.location(state).await;
        }
        let told = company.get(path).await.list();
        let states: Vec<_> =
            told.iter().map(|state| (text(state, "state"), text(state, "setup_status"))).collect();
        assert_eq!(
            states,
            [("CA", "not_started"), ("TX", "not_started")].map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
        let keys = async |state: &str| -> Vec<String> {
            let asked = company.get(format!("{path}/{state}")).await.ok();
            asked["requirement_sets"].as_array().unwrap().iter().map(|set| text(set, "key")).collect()
        };
        assert_eq!(keys("TX").await, ["registrations", "taxrates"]);
        assert_eq!(keys("CA").await, ["registrations", "taxrates", "depositschedules", "CA_SDI"]);
        company.get(format!("{path}/NY")).await.refused(404);
        company.answer_state("CA").await;
        let told = company.get(path).await.list();
        assert_eq!((&told[0]["setup_complete"], &told[1]["setup_complete"]), (&json!(true), &json!(false)));
        let set = |value: Value| {
            json!({ "requirement_sets": [{ "state": "CA", "key": "registrations",
            "requirements": [{ "key": "withholding_account_number", "value": value }] }] })
        };
        company.put(format!("{path}/CA"), set(Value::Null)).await.is(200);
        assert_eq!(company.get(path).await.list()[0]["setup_status"], "in_progress");
    });
}

#[test]
fn rates_can_be_answered_ahead_and_count_from_their_day_on() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        company.location("TX").await;
        let path = "/v1/companies/{company}/tax_requirements/TX";
        let rate = |from: Value, value: Value| {
            json!({ "requirement_sets": [{ "state": "TX", "key": "taxrates",
            "effective_from": from, "requirements": [{ "key": "unemployment_rate", "value": value }] }] })
        };
        let asked = company.get(format!("{path}?scheduling=true")).await.ok();
        let days = |told: &Value| -> Vec<(String, Value)> {
            let sets =
                told["requirement_sets"].as_array().unwrap().iter().filter(|set| set["key"] == "taxrates");
            sets.map(|set| (text(set, "effective_from"), set["requirements"][0]["value"].clone())).collect()
        };
        assert_eq!(
            days(&asked),
            [("2026-01-01".to_owned(), Value::Null), ("2027-01-01".to_owned(), Value::Null)]
        );
        company.put(path, rate(Value::Null, json!(0.027))).await.is(200);
        company.put(path, rate(json!("2026-10-01"), json!("0.0315"))).await.is(200);
        let now = company.get(path).await.ok();
        assert_eq!(
            days(&now),
            [("2026-01-01".to_owned(), json!("0.027")), ("2026-10-01".to_owned(), json!("0.0315"))]
        );
        world.wait_until("2026-10-02T12:00:00Z".parse().unwrap()).await;
        assert_eq!(days(&company.get(path).await.ok()), [("2026-10-01".to_owned(), json!("0.0315"))]);
        for wrong in [rate(json!("2026-10-02"), json!("0.01")), rate(Value::Null, json!("2.7"))] {
            let refused = company.put(path, wrong).await.refused(422);
            assert_eq!(refused.fault(), ("requirement_sets[0]", "nested_errors"));
        }
    });
}

#[test]
fn a_bank_account_is_deleted_once_nothing_is_to_be_paid_from_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let account = id_of(&company.bank_account("90126600418").await);
        let path = format!("{ACCOUNTS}/{account}");
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        company.world.company().await.delete(&path).await.refused(404);
        company.delete(format!("{ACCOUNTS}/{NOBODY}")).await.refused(404);

        let (ines, _) = company.onboarded("Ines", &location, ("20.00", "Hour", "Nonexempt")).await;
        let payroll = company.off_cycle(&[&ines]).await;
        company.calculate(&payroll).await;
        let submit = format!("/v1/companies/{{company}}/payrolls/{payroll}/submit");
        company.put(submit, json!({})).await.is(202);
        assert_eq!(company.delete(&path).await.refused(422).fault(), ("base", "invalid_operation"));
        assert_eq!(company.get(ACCOUNTS).await.list().len(), 1);

        let done =
            processing::process_payroll(&company.world.app.store, company.id, payroll.parse().unwrap()).await;
        done.unwrap_or_else(|error| panic!("{error:?}"));
        company.delete(&path).await.deleted();
        assert!(company.get(ACCOUNTS).await.list().is_empty());
        company.delete(&path).await.refused(404);
        let told = company.get("/v1/events?event_type=company.bank_account.deleted").await.list();
        assert!(told.iter().any(|event| event["entity_uuid"] == account), "{told:?}");
    });
}
