use domain::Error;
use domain::access::tokens::{Actor, Caller};
use domain::company::{companies, locations};
use domain::patch::Patch;
use domain::pay::compensations::service::{compensations, jobs};
use domain::people::{addresses, employees, onboarding, profiles};
use domain::withholding::taxes::service::{Preview, federal, federal_preview, state};
use rules::onboarding::Status;
use rules::withholding::federal::{FilingStatus, PayFrequency, W4};
use rules::{Amount, Named};
use serde_json::{Value, json};
use store::{Tx, params};
use uuid::Uuid;

use super::wire::{FederalTaxes, StateTaxes, UpdateFederalTaxes, UpdateStateTaxes};
use domain::pay::compensations::commands::{CreateJob, UpdateCompensation};
use domain::records::version_text;

store::statements! {
    EVENTS = "SELECT event_type FROM events WHERE company_id = $1 ORDER BY id";
    ROWS = "SELECT employee_id FROM employee_state_taxes WHERE company_id = $1 UNION ALL \
            SELECT employee_id FROM employee_federal_taxes WHERE company_id = $1";
}

fn body_of<T: serde::de::DeserializeOwned>(body: &Value) -> T {
    crate::field::read_body(body.to_string().as_bytes()).unwrap()
}

/// Runs `story` with an employee who onboards alone, in a company whose day is 15 June 2026.
async fn with_employee(story: fn(&mut Tx<'_>, &Caller, Uuid) -> Result<(), Error>) {
    let noon = "2026-06-15T12:00:00Z".parse().unwrap();
    let keys = store::MasterKeys::parse(&store::MasterKeys::generate()).unwrap();
    let options = store::Options::new(store::Clock::standing(noon), keys, domain::SCHEMA);
    let store = store::Store::open("sqlite::memory:", options).unwrap();
    let caller = Caller::service(Uuid::from_u128(7), jiff::tz::TimeZone::UTC);
    let done = store.write(move |tx| {
        let company = company(tx, caller.company);
        companies::rows::insert(tx, &company)?;
        let new = profiles::commands::CreateEmployee {
            first_name: text("Ana"),
            last_name: text("Lee"),
            email: text("ana@people.example"),
            ssn: text("412551001"),
            date_of_birth: text("1990-01-01"),
            self_onboarding: Patch::Value(true),
            ..Default::default()
        };
        let employee = profiles::service::create(tx, &caller, &new)?.employee.id;
        story(tx, &caller, employee)
    });
    done.await.unwrap();
}

fn company(tx: &Tx<'_>, id: Uuid) -> companies::rows::Company {
    companies::rows::Company {
        company_status: rules::company::Status::Approved,
        is_partner_managed: true,
        ..companies::rows::Company::new(id, "Diner".to_owned(), tx.now())
    }
}

fn text(text: &str) -> Patch<String> {
    Patch::Value(text.to_owned())
}

fn works_in(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, state: &str) -> Result<(), Error> {
    let place = locations::commands::CreateLocation {
        street_1: text("1 Main St"),
        city: text("Springfield"),
        state: text(state),
        zip: text("10001"),
        phone_number: text("2105550142"),
        ..Default::default()
    };
    let location = locations::service::create(tx, caller, &place)?.id;
    let work = addresses::commands::CreateWorkAddress {
        location_uuid: text(&location.to_string()),
        effective_date: text("2026-01-01"),
        ..addresses::commands::CreateWorkAddress::default()
    };
    addresses::service::create_work(tx, caller, employee, &work).map(drop)
}

fn lives_in(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, state: &str) -> Result<(), Error> {
    let home = addresses::commands::CreateHomeAddress {
        street_1: text("2 Elm St"),
        city: text("Springfield"),
        state: text(state),
        zip: text("10001"),
        ..Default::default()
    };
    addresses::service::create_home(tx, caller, employee, &home).map(drop)
}

fn federal_taxes(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Value, Error> {
    let stored = federal::get(tx, caller, employee)?;
    Ok(serde_json::to_value(FederalTaxes::new(employee, stored.as_ref())).unwrap())
}

fn put_federal(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, body: Value) -> Result<Value, Error> {
    let mut body = body;
    if body.get("version").is_none() {
        body["version"] = federal_taxes(tx, caller, employee)?["version"].clone();
    }
    let stored = federal::update(tx, caller, employee, &body_of::<UpdateFederalTaxes>(&body).into())?;
    Ok(serde_json::to_value(FederalTaxes::new(employee, stored.as_ref())).unwrap())
}

fn state_taxes(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Value, Error> {
    Ok(states_on_the_wire(employee, state::get(tx, caller, employee)?))
}

fn put_states(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, states: Value) -> Result<Value, Error> {
    let body = json!({ "states": states });
    let command = body_of::<UpdateStateTaxes>(&body).into();
    Ok(states_on_the_wire(employee, state::update(tx, caller, employee, &command)?))
}

fn states_on_the_wire(employee: Uuid, states: Vec<state::StateDetails>) -> Value {
    states.iter().map(|state| serde_json::to_value(StateTaxes::new(employee, state)).unwrap()).collect()
}

/// A state with answers, as clients send them.
fn answers(state: &str, answers: &[(&str, Value)]) -> Value {
    let questions = answers.iter().map(|(key, value)| {
        let answer = json!({ "value": value, "valid_from": "2010-01-01", "valid_up_to": null });
        json!({ "key": key, "answers": [answer] })
    });
    json!({ "state": state, "questions": questions.collect::<Vec<_>>() })
}

fn california() -> Value {
    answers(
        "CA",
        &[
            ("filing_status", json!("S")),
            ("withholding_allowance", json!(1)),
            ("estimated_deduction_allowances", json!(0)),
            ("additional_withholding", json!("0.0")),
        ],
    )
}

/// The steps that are complete.
fn complete_steps(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<&'static str>, Error> {
    let status = onboarding::service::status(tx, caller, employee)?;
    Ok(status.steps.iter().filter(|state| state.completed).map(|state| state.step.as_str()).collect())
}

fn has_step(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, step: &str) -> Result<bool, Error> {
    Ok(complete_steps(tx, caller, employee)?.contains(&step))
}

fn updates(tx: &mut Tx<'_>, caller: &Caller) -> Result<usize, Error> {
    let events = tx.query(EVENTS, params![caller.company], |row| row.get::<String>(0))?;
    Ok(events.iter().filter(|event| *event == "employee.updated").count())
}

/// What a refusal says, as `path: message`; the path leads through what is nested.
fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<String> {
    fn lines(prefix: &str, violation: &rules::Violation) -> Vec<String> {
        let state = violation.metadata.as_ref().and_then(|metadata| metadata["state"].as_str());
        let nested = !violation.errors.is_empty();
        let name = if nested { state.unwrap_or("?") } else { violation.key.as_str() };
        let path = format!("{prefix}{name}");
        if nested {
            return violation.errors.iter().flat_map(|inner| lines(&format!("{path}."), inner)).collect();
        }
        vec![format!("{path}: {}", violation.message)]
    }
    match result {
        Err(Error::Violations(violations)) => violations.iter().flat_map(|one| lines("", one)).collect(),
        Err(Error::NotFound) => vec!["not found".to_owned()],
        Err(Error::Stale(stale)) => vec![format!("stale: {}", stale.differing.join(", "))],
        other => panic!("{other:?} is no refusal"),
    }
}

const DONE: &str = "federal_tax_setup";

#[tokio::test]
async fn before_it_is_answered_form_w4_is_told_with_every_key_and_a_version() {
    with_employee(|tx, caller, employee| {
        let mut answer = federal_taxes(tx, caller, employee)?;
        assert_eq!(answer["version"].as_str().unwrap().len(), 32);
        answer["version"] = Value::Null;
        let expected = json!({
            "version": null, "employee_uuid": employee, "w4_data_type": "rev_2020_w4", "filing_status": null,
            "two_jobs": null, "dependents_amount": "0.00", "other_income": "0.00", "deductions": "0.00",
            "extra_withholding": "0.00", "nonresident_alien": false, "fica_exemption": null,
        });
        assert_eq!(answer, expected);
        assert!(!has_step(tx, caller, employee, DONE)?);
        assert_eq!(refusal(federal::get(tx, caller, Uuid::from_u128(1))), ["not found"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn form_w4_is_answered_with_numbers_or_text_and_told_in_text() {
    with_employee(|tx, caller, employee| {
        let body = json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Head of Household", "two_jobs": true,
                           "dependents_amount": 2000, "other_income": "0.0", "deductions": 1250.5 });
        let first = put_federal(tx, caller, employee, body.clone())?;
        assert_eq!(first["filing_status"], "Head of Household");
        assert_eq!(first["two_jobs"], true);
        for (key, text) in [("dependents_amount", "2000.00"), ("other_income", "0.00"), ("deductions", "1250.50"),
                            ("extra_withholding", "0.00")] {
            assert_eq!(first[key], text, "{key}");
        }
        assert!(first.get("additional_withholding").is_none());
        assert!(has_step(tx, caller, employee, DONE)?);
        assert_eq!(updates(tx, caller)?, 1);

        // The same once more changes nothing, in whatever way the numbers are written.
        let same = json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Head of Household", "deductions": "1250.50",
                           "two_jobs": null });
        assert_eq!(put_federal(tx, caller, employee, same)?["version"], first["version"]);
        assert_eq!(updates(tx, caller)?, 1);

        let next = json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Single", "extra_withholding": "10" });
        let second = put_federal(tx, caller, employee, next)?;
        assert_ne!(second["version"], first["version"]);
        assert_eq!((&second["two_jobs"], &second["dependents_amount"]), (&json!(true), &json!("2000.00")));
        let mut late = body;
        late["version"] = first["version"].clone();
        let answer = refusal(put_federal(tx, caller, employee, late));
        assert_eq!(answer, ["stale: filing_status"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_fault_of_form_w4_is_told_at_once() {
    with_employee(|tx, caller, employee| {
        let nothing = federal::update(tx, caller, employee, &UpdateFederalTaxes::default().into());
        let keys: Vec<_> = refusal(nothing).iter().map(|line| line.split(':').next().unwrap().to_owned()).collect();
        assert_eq!(keys, ["version", "w4_data_type", "filing_status"]);

        let wrong = json!({ "version": "x", "w4_data_type": "pre_2020_w4", "filing_status": "Married, but withhold as Single",
                            "two_jobs": "yes", "dependents_amount": -1, "other_income": "0.001", "deductions": "much",
                            "extra_withholding": null });
        let answer = refusal(put_federal(tx, caller, employee, wrong));
        assert_eq!(answer, [
            "w4_data_type: w4_data_type must be rev_2020_w4: the form from before 2020 cannot be filled in any more",
            "filing_status: filing_status must be one of Single, Married, Head of Household, Exempt from withholding",
            "two_jobs: two_jobs must be true or false",
            "deductions: deductions must be a decimal number such as 19.75, as a number or as text, with at most 6 places",
            "dependents_amount: dependents_amount must be an amount from 0.00 to 999999999.99 with at most 2 decimal places",
            "other_income: other_income must be an amount from 0.00 to 999999999.99 with at most 2 decimal places",
        ]);
        assert!(!has_step(tx, caller, employee, DONE)?);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_employer_sets_an_exemption_and_a_nonresident_alien_beside_the_form_and_takes_them_back() {
    with_employee(|tx, caller, employee| {
        let form = |more: Value| {
            let mut form = json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Single" });
            form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            form
        };
        let answer = put_federal(tx, caller, employee, form(json!({})))?;
        assert_eq!((&answer["nonresident_alien"], &answer["fica_exemption"]), (&json!(false), &Value::Null));
        let set =
            json!({ "nonresident_alien": true, "fica_exemption": "nonresident_student_or_exchange_visitor" });
        let answer = put_federal(tx, caller, employee, form(set))?;
        assert_eq!(answer["nonresident_alien"], true);
        assert_eq!(answer["fica_exemption"], "nonresident_student_or_exchange_visitor");
        let kept = put_federal(tx, caller, employee, form(json!({})))?;
        assert_eq!(
            kept["fica_exemption"], "nonresident_student_or_exchange_visitor",
            "what is left out stays"
        );
        let wrong = put_federal(tx, caller, employee, form(json!({ "fica_exemption": "pupil" })));
        let refused = refusal(wrong);
        assert!(format!("{refused:?}").contains("fica_exemption must be null or one of"), "{refused:?}");
        let cleared = put_federal(tx, caller, employee, form(json!({ "fica_exemption": null })))?;
        assert_eq!((&cleared["nonresident_alien"], &cleared["fica_exemption"]), (&json!(true), &Value::Null));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_form_from_before_2020_is_told_as_it_is_until_a_newer_one_replaces_it() {
    with_employee(|tx, caller, employee| {
        let old = (FilingStatus::MarriedWithholdAsSingle, 2, Amount::from_cents(1_250));
        federal::store_pre2020(tx, caller, employee, old)?;
        let mut answer = federal_taxes(tx, caller, employee)?;
        let version = answer["version"].take();
        let expected = json!({
            "version": null, "employee_uuid": employee, "w4_data_type": "pre_2020_w4",
            "filing_status": "Married, but withhold as Single", "federal_withholding_allowance": 2,
            "additional_withholding": "12.50", "nonresident_alien": false, "fica_exemption": null,
        });
        assert_eq!(answer, expected);
        assert!(has_step(tx, caller, employee, DONE)?);
        let wrong = (FilingStatus::Single, 100, Amount::from_cents(-1));
        assert_eq!(refusal(federal::store_pre2020(tx, caller, employee, wrong)).len(), 2);

        let new = json!({ "version": version, "w4_data_type": "rev_2020_w4", "filing_status": "Married" });
        let new = put_federal(tx, caller, employee, new)?;
        assert_eq!((&new["two_jobs"], &new["extra_withholding"]), (&json!(false), &json!("0.00")));
        assert!(
            new.get("additional_withholding").is_none() && new.get("federal_withholding_allowance").is_none()
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn each_state_of_work_and_home_has_a_row_the_state_of_work_first() {
    with_employee(|tx, caller, employee| {
        assert_eq!(state_taxes(tx, caller, employee)?, json!([]));
        lives_in(tx, caller, employee, "CA")?;
        works_in(tx, caller, employee, "NY")?;
        let answer = state_taxes(tx, caller, employee)?;
        let rows: Vec<_> =
            answer.as_array().unwrap().iter().map(|row| (&row["state"], &row["is_work_state"])).collect();
        assert_eq!(rows, [(&json!("NY"), &json!(true)), (&json!("CA"), &json!(false))]);
        for row in answer.as_array().unwrap() {
            assert_eq!(row["employee_uuid"], json!(employee));
            assert_eq!(row["file_new_hire_report"], Value::Null);
            for question in row["questions"].as_array().unwrap() {
                let keys: Vec<_> = question.as_object().unwrap().keys().map(String::as_str).collect();
                let expected = [
                    "label",
                    "description",
                    "key",
                    "is_question_for_admin_only",
                    "input_question_format",
                    "answers",
                ];
                assert_eq!(keys, expected);
                let format = &question["input_question_format"];
                let select = format["type"] == "Select";
                assert_eq!(format.get("options").is_some(), select, "{question}");
                let admin = question["key"] == "file_new_hire_report";
                assert_eq!(question["is_question_for_admin_only"], admin);
                // A status is chosen by somebody; numbers, amounts and exemptions begin with what is right for most.
                let begins = !select || question["key"] == "exempt";
                assert_eq!(question["answers"].as_array().unwrap().len(), usize::from(begins), "{question}");
            }
        }
        let [status, allowances, .., extra, exempt, report] =
            answer[0]["questions"].as_array().unwrap().as_slice()
        else {
            panic!("{answer}")
        };
        assert_eq!(status["input_question_format"]["options"][0]["value"], "single");
        assert_eq!(exempt["input_question_format"]["options"][0]["value"], true);
        assert_eq!(exempt["answers"][0]["value"], false);
        assert_eq!(report["key"], "file_new_hire_report");
        assert_eq!(
            allowances["answers"],
            json!([{ "value": 0, "valid_from": "2010-01-01", "valid_up_to": null }])
        );
        assert_eq!(extra["answers"][0]["value"], "0.0");
        assert!(
            answer[1]["questions"].as_array().unwrap().iter().all(|q| q["key"] != "file_new_hire_report")
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_state_that_does_not_tax_wages_asks_only_the_employer() {
    with_employee(|tx, caller, employee| {
        const STEP: &str = "state_tax_setup";
        works_in(tx, caller, employee, "TX")?;
        assert!(!has_step(tx, caller, employee, STEP)?, "nobody knows yet where the employee lives");
        lives_in(tx, caller, employee, "TX")?;
        assert!(has_step(tx, caller, employee, STEP)?);
        let answer = state_taxes(tx, caller, employee)?;
        assert_eq!(answer[0]["questions"].as_array().unwrap().len(), 1);

        assert!(!has_step(tx, caller, employee, "file_new_hire_report")?);
        let answer = put_states(
            tx,
            caller,
            employee,
            json!([answers("TX", &[("file_new_hire_report", json!(false))])]),
        )?;
        assert_eq!(answer[0]["file_new_hire_report"], false);
        assert_eq!(answer[0]["questions"][0]["answers"][0]["value"], false);
        assert!(has_step(tx, caller, employee, "file_new_hire_report")?);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_state_step_is_complete_once_the_employee_has_saved_every_question() {
    with_employee(|tx, caller, employee| {
        const STEP: &str = "state_tax_setup";
        works_in(tx, caller, employee, "CA")?;
        lives_in(tx, caller, employee, "CA")?;
        let part = answers("CA", &[("filing_status", json!("MD")), ("withholding_allowance", json!("2"))]);
        let answer = put_states(tx, caller, employee, json!([part]))?;
        assert_eq!(answer[0]["questions"][0]["answers"][0]["value"], "MD");
        assert_eq!(answer[0]["questions"][1]["answers"][0]["value"], 2);
        assert!(!has_step(tx, caller, employee, STEP)?, "a default that is answer is no answer");

        let answer = put_states(tx, caller, employee, json!([california()]))?;
        assert_eq!(answer[0]["questions"][1]["answers"][0]["value"], 1);
        assert!(has_step(tx, caller, employee, STEP)?);
        assert_eq!(updates(tx, caller)?, 2);
        // The whole answer, sent back as it came, changes nothing.
        assert_eq!(put_states(tx, caller, employee, answer.clone())?, answer);
        assert_eq!(put_states(tx, caller, employee, json!([]))?, answer);
        assert_eq!(updates(tx, caller)?, 2);

        // Another state asks anew.
        lives_in(tx, caller, employee, "CO")?;
        assert!(!has_step(tx, caller, employee, STEP)?);
        assert_eq!(state_taxes(tx, caller, employee)?.as_array().unwrap().len(), 2);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_fault_of_state_answers_is_told_at_its_place() {
    with_employee(|tx, caller, employee| {
        let none = put_states(tx, caller, employee, json!([{ "state": "CA" }]));
        assert_eq!(refusal(none), ["?.state: state must be that of work or home, and neither has an address yet"]);
        works_in(tx, caller, employee, "CA")?;
        lives_in(tx, caller, employee, "TX")?;
        let day = |value: Value, from: &str, to: Value| json!([{ "value": value, "valid_from": from, "valid_up_to": to }]);
        let faulty = json!([
            { "state": "NY", "questions": [] },
            { "questions": [] },
            { "state": "CA", "questions": [
                { "key": "filing_status", "answers": day(json!("widowed"), "2026-01-01", json!("2026-12-31")) },
                { "key": "withholding_allowance", "answers": [{ "value": -1 }, { "value": 2 }] },
                { "key": "withholding_allowance", "answers": [{ "value": 2.5 }] },
                { "key": "favourite_color", "answers": [{ "value": "green" }] },
                { "key": "additional_withholding", "answers": [{ "value": [7] }] },
                { "key": "estimated_deduction_allowances", "answers": [{ "value": null }] },
            ] },
            { "state": "CA", "questions": [] },
            { "state": "TX", "questions": [{ "key": "exempt", "answers": [{ "value": true }] }] },
        ]);
        assert_eq!(refusal(put_states(tx, caller, employee, faulty)), [
            "?.state: state must be one of those of work and home: CA, TX",
            "?.state: state can't be blank",
            "CA.filing_status: filing_status must be one of: S, M, MD, H, E",
            "CA.filing_status: filing_status must have valid_from 2010-01-01: answers are not dated",
            "CA.filing_status: filing_status must have valid_up_to null: answers are not dated",
            "CA.withholding_allowance: withholding_allowance takes one answer: answers must have one item",
            "CA.withholding_allowance: withholding_allowance can be answered only once",
            "CA.withholding_allowance: withholding_allowance must be a whole number from 0 to 99",
            "CA.key: key of question 4 must be one of those that CA asks: filing_status, withholding_allowance, \
             estimated_deduction_allowances, additional_withholding, file_new_hire_report",
            "CA.additional_withholding: additional_withholding must be text, a number, or true or false",
            "CA.estimated_deduction_allowances: estimated_deduction_allowances can't be blank",
            "CA.state: a state can be named only once",
            "TX.key: TX asks no questions, so that question 1 cannot be answered",
        ]);
        let nothing = state::update(tx, caller, employee, &UpdateStateTaxes::default().into());
        assert_eq!(refusal(nothing), ["states: states can't be blank"]);
        assert_eq!(updates(tx, caller)?, 0);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_employee_does_not_answer_for_the_employer() {
    with_employee(|tx, caller, employee| {
        works_in(tx, caller, employee, "TX")?;
        let alone = Caller { actor: Actor::Employee(employee), ..caller.clone() };
        let report = || json!([answers("TX", &[("file_new_hire_report", json!(true))])]);
        assert_eq!(
            refusal(put_states(tx, &alone, employee, report())),
            ["TX.key: TX asks no questions, so that question 1 cannot be answered"]
        );
        assert_eq!(put_states(tx, caller, employee, report())?[0]["file_new_hire_report"], true);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_last_answer_of_the_employee_moves_the_onboarding_on() {
    with_employee(|tx, caller, employee| {
        works_in(tx, caller, employee, "CA")?;
        lives_in(tx, caller, employee, "CA")?;
        put_federal(
            tx,
            caller,
            employee,
            json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Single" }),
        )?;
        put_states(tx, caller, employee, json!([california()]))?;
        let complete = [
            "personal_details",
            "add_work_address",
            "add_home_address",
            "federal_tax_setup",
            "state_tax_setup",
        ];
        assert_eq!(complete_steps(tx, caller, employee)?, complete);
        // What is left is the signature, which is marked; from then on new answers move nothing.
        let mark = onboarding::commands::StepMark {
            id: text("employee_form_signing"),
            completed: Patch::Value(true),
        };
        let signed = onboarding::commands::UpdateOnboardingStatus {
            onboarding_steps: Patch::Value(vec![mark]),
            ..Default::default()
        };
        let status = onboarding::service::update(tx, caller, employee, &signed)?;
        assert_eq!(status.status, Status::SelfOnboardingCompletedByEmployee);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_deleted_employee_leaves_no_tax_data() {
    with_employee(|tx, caller, employee| {
        works_in(tx, caller, employee, "CA")?;
        put_federal(
            tx,
            caller,
            employee,
            json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Single" }),
        )?;
        put_states(tx, caller, employee, json!([california()]))?;
        let rows = |tx: &mut Tx<'_>| tx.query(ROWS, params![caller.company], |_| ()).map(|rows| rows.len());
        assert_eq!(rows(tx)?, 2);
        employees::service::delete(tx, caller, employee)?;
        assert_eq!(rows(tx)?, 0);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_draft_of_form_w4_says_what_it_would_take_from_a_paycheck() {
    with_employee(|tx, caller, employee| {
        let w4 = W4::Rev2020 {
            filing_status: FilingStatus::Single,
            two_jobs: false,
            dependents_amount: Amount::ZERO,
            other_income: Amount::ZERO,
            deductions: Amount::ZERO,
            extra_withholding: Amount::ZERO,
        };
        assert_eq!(federal_preview(tx, caller, employee, &w4)?, None);
        let text = |text: &str| Patch::Value(text.to_owned());
        let job = CreateJob { title: text("Cook"), hire_date: text("2026-06-01"), ..Default::default() };
        let job = jobs::create(tx, caller, employee, &job)?;
        assert_eq!(federal_preview(tx, caller, employee, &w4)?, None, "the pay of a new job is empty");
        let empty = &job.pay.compensations[0];
        let pay = UpdateCompensation {
            version: Patch::Value(version_text("compensations", empty.id, empty.version)),
            rate: Patch::Value(Amount::from_cents(5_200_000)),
            payment_unit: text("Year"),
            flsa_status: text("Exempt"),
            ..Default::default()
        };
        compensations::update(tx, caller, empty.id, &pay)?;
        let preview = federal_preview(tx, caller, employee, &w4)?.unwrap();
        // 52,000 - 8,600 = 43,400 a year: 1,240 and 12 % of what is over 19,900, by 26.
        let expected = Preview {
            gross: Amount::from_cents(200_000),
            frequency: PayFrequency::EveryOtherWeek,
            frequency_is_assumed: true,
            withheld: Amount::from_cents(15_615),
            tables_of: 2026,
        };
        assert_eq!(preview, expected);
        Ok(())
    })
    .await;
}
