//! Tax certificates of employees with bodies and answers as they are sent.

mod certificates;
mod form_w4;

use domain::Error;
use domain::access::tokens::Caller;
use domain::company::{companies, locations};
use domain::patch::Patch;
use domain::people::{addresses, employees, onboarding, profiles};
use domain::withholding::taxes::service::{federal, state};
use rules::Named;
use rules::onboarding::Status;
use serde_json::{Value, json};
use store::{Tx, params};
use uuid::Uuid;

use super::wire::{FederalTaxes, StateTaxes, UpdateFederalTaxes, UpdateStateTaxes};

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
    let keys = store::MasterKeys::parse(&store::MasterKeys::generate_key()).unwrap();
    let options = store::Options::new(store::Clock::standing_at(noon), keys, domain::SCHEMA);
    let store = store::Store::open("sqlite::memory:", options).unwrap();
    let caller = Caller::for_service(Uuid::from_u128(7), jiff::tz::TimeZone::UTC);
    let done = store.write(move |tx| {
        let company = company(tx, caller.company);
        companies::rows::insert_company(tx, &company)?;
        let new = profiles::commands::CreateEmployee {
            first_name: text("Ana"),
            last_name: text("Lee"),
            email: text("ana@people.example"),
            ssn: text("412551001"),
            date_of_birth: text("1990-01-01").date(),
            self_onboarding: Patch::Value(true),
            ..Default::default()
        };
        let employee = profiles::service::create_employee(tx, &caller, &new)?.employee.id;
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
    let location = locations::service::create_location(tx, caller, &place)?.id;
    let work = addresses::commands::CreateWorkAddress {
        location_uuid: text(&location.to_string()),
        effective_date: text("2026-01-01").date(),
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
    let stored = federal::get_federal_taxes(tx, caller, employee)?;
    Ok(serde_json::to_value(FederalTaxes::new(employee, stored.as_ref())).unwrap())
}

fn put_federal(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, body: Value) -> Result<Value, Error> {
    let mut body = body;
    if body.get("version").is_none() {
        body["version"] = federal_taxes(tx, caller, employee)?["version"].clone();
    }
    let stored =
        federal::update_federal_taxes(tx, caller, employee, &body_of::<UpdateFederalTaxes>(&body).into())?;
    Ok(serde_json::to_value(FederalTaxes::new(employee, stored.as_ref())).unwrap())
}

fn state_taxes(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Value, Error> {
    Ok(states_on_the_wire(employee, state::get_state_taxes(tx, caller, employee)?))
}

fn put_states(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, states: Value) -> Result<Value, Error> {
    let body = json!({ "states": states });
    let command = body_of::<UpdateStateTaxes>(&body).into();
    Ok(states_on_the_wire(employee, state::update_state_taxes(tx, caller, employee, &command)?))
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

/// The steps that are complete.
fn complete_steps(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<&'static str>, Error> {
    let status = onboarding::service::onboarding_status(tx, caller, employee)?;
    Ok(status.steps.iter().filter(|state| state.completed).map(|state| state.step.as_str()).collect())
}

fn has_step(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, step: &str) -> Result<bool, Error> {
    Ok(complete_steps(tx, caller, employee)?.contains(&step))
}

fn updates(tx: &mut Tx<'_>, caller: &Caller) -> Result<usize, Error> {
    let events = tx.query_rows(EVENTS, params![caller.company], |row| row.get::<String>(0))?;
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

/// Answers Form W-4 and the questions of California.
fn answer_all(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let w4 = json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Single" });
    put_federal(tx, caller, employee, w4)?;
    put_states(tx, caller, employee, json!([california()])).map(drop)
}

const DONE: &str = "federal_tax_setup";

#[tokio::test]
async fn the_last_answer_of_the_employee_moves_the_onboarding_on() {
    with_employee(|tx, caller, employee| {
        works_in(tx, caller, employee, "CA")?;
        lives_in(tx, caller, employee, "CA")?;
        answer_all(tx, caller, employee)?;
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
            id: text("employee_form_signing").named(),
            completed: Patch::Value(true),
        };
        let signed = onboarding::commands::UpdateOnboardingStatus {
            onboarding_steps: Patch::Value(vec![mark]),
            ..Default::default()
        };
        let status = onboarding::service::update_onboarding_status(tx, caller, employee, &signed)?;
        assert_eq!(status.status, Status::SelfOnboardingCompletedByEmployee);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_deleted_employee_leaves_no_tax_data() {
    with_employee(|tx, caller, employee| {
        works_in(tx, caller, employee, "CA")?;
        answer_all(tx, caller, employee)?;
        let rows =
            |tx: &mut Tx<'_>| tx.query_rows(ROWS, params![caller.company], |_| ()).map(|rows| rows.len());
        assert_eq!(rows(tx)?, 2);
        employees::service::delete_employee(tx, caller, employee)?;
        assert_eq!(rows(tx)?, 0);
        Ok(())
    })
    .await;
}
