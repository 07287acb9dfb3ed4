//! The use cases with bodies and answers as they are sent.

mod accounts;
mod splits;

use domain::access::tokens::Caller;
use domain::paging::{Listed, Page};
use domain::people::employees::service as employees;
use domain::people::onboarding;
use domain::people::payment_methods::rows;
use domain::people::payment_methods::service::{self, delete_account};
use domain::people::profiles::service as profiles;
use domain::version::ApiVersion;
use domain::{Error, SCHEMA};
use serde_json::{Value, json};
use store::{Tx, params};
use uuid::Uuid;

use super::wire::{
    BankAccountInput, EmployeeBankAccount, EmployeePaymentMethod, UpdateEmployeePaymentMethod,
};
use crate::people::employees::wire::CreateEmployee;
use crate::people::onboarding::wire::OnboardingStatus;

mod written {
    store::statements! {
        pub EVENTS = "SELECT event_type, entity_type, entity_id, payload FROM events WHERE company_id = $1 AND entity_type <> 'Form' ORDER BY id";
        pub AUDIT = "SELECT action, entity_type, changes FROM audit WHERE company_id = $1 ORDER BY id";
        pub LEFT = "SELECT count(*) FROM employee_payment_methods WHERE company_id = $1";
    }
}

const ROUTING: &str = "266905059";
const NUMBER: &str = "5809431001";
const OTHER_ROUTING: &str = "021000021";
const OTHER_NUMBER: &str = "77001234567";

fn input<T: serde::de::DeserializeOwned>(body: Value) -> T {
    serde_json::from_value(body).unwrap()
}

fn shown(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

fn list_accounts(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    page: Page,
) -> Result<Listed<EmployeeBankAccount>, Error> {
    Ok(service::list_accounts(tx, caller, employee, page)?.map(EmployeeBankAccount::from))
}

fn create_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &BankAccountInput,
) -> Result<EmployeeBankAccount, Error> {
    service::create_account(tx, caller, employee, &input.clone().into()).map(EmployeeBankAccount::from)
}

fn update_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    id: Uuid,
    input: &BankAccountInput,
) -> Result<EmployeeBankAccount, Error> {
    service::update_account(tx, caller, employee, id, &input.clone().into()).map(EmployeeBankAccount::from)
}

fn get_method(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<EmployeePaymentMethod, Error> {
    service::get_method(tx, caller, employee).map(EmployeePaymentMethod::from)
}

fn update_method(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &UpdateEmployeePaymentMethod,
) -> Result<EmployeePaymentMethod, Error> {
    service::update_method(tx, caller, employee, &input.clone().into()).map(EmployeePaymentMethod::from)
}

/// The keys of a refusal, or a word for another error.
fn keys<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<String> {
    match result {
        Err(Error::Violations(violations)) => violations.into_iter().map(|violation| violation.key).collect(),
        Err(Error::NotFound) => vec!["not found".to_owned()],
        Err(Error::Stale(stale)) => {
            stale.differing.into_iter().map(|field| format!("stale {field}")).collect()
        }
        other => panic!("{other:?} is no refusal"),
    }
}

fn caller(version: ApiVersion) -> Caller {
    Caller { version, ..Caller::for_service(Uuid::from_u128(7), jiff::tz::TimeZone::UTC) }
}

fn open(url: &str) -> store::Store {
    let noon = "2026-06-15T12:00:00Z".parse().unwrap();
    let keys = store::MasterKeys::parse(&store::MasterKeys::generate_key()).unwrap();
    store::Store::open(url, store::Options::new(store::Clock::standing_at(noon), keys, SCHEMA)).unwrap()
}

/// Runs `story` with an employee who marked nothing and is paid by check.
async fn with_employee(story: fn(&mut Tx<'_>, &Caller, Uuid) -> Result<(), Error>) {
    let caller = caller(ApiVersion::V2025_06_15);
    let store = open("sqlite::memory:");
    let written = store.write(move |tx| {
        let employee = employee(tx, &caller)?;
        story(tx, &caller, employee)
    });
    written.await.unwrap();
}

fn hire(tx: &mut Tx<'_>, caller: &Caller, body: Value) -> Result<Uuid, Error> {
    Ok(profiles::create_employee(tx, caller, &input::<CreateEmployee>(body).into())?.employee.id)
}

fn employee(tx: &mut Tx<'_>, caller: &Caller) -> Result<Uuid, Error> {
    hire(tx, caller, json!({ "first_name": "Ana", "last_name": "Lee", "email": "ana@people.example" }))
}

fn account(name: &str) -> Value {
    json!({ "name": name, "routing_number": ROUTING, "account_number": NUMBER, "account_type": "Checking" })
}

fn add(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, name: &str) -> Result<Uuid, Error> {
    Ok(create_account(tx, caller, employee, &input(account(name)))?.uuid)
}

/// Sends a payment method with the present version.
fn put(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    mut body: Value,
) -> Result<EmployeePaymentMethod, Error> {
    body["version"] = get_method(tx, caller, employee)?.version.into();
    update_method(tx, caller, employee, &input(body))
}

/// Account, priority and share of each split.
fn splits(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Vec<(String, i64, Option<i64>)> {
    let method = get_method(tx, caller, employee).unwrap();
    let splits = method.splits.unwrap_or_default().into_iter();
    splits.map(|split| (split.name, split.priority, split.split_amount)).collect()
}

fn share(name: &str, priority: i64, amount: impl Into<Option<i64>>) -> (String, i64, Option<i64>) {
    (name.to_owned(), priority, amount.into())
}

fn event_types(tx: &mut Tx<'_>, caller: &Caller) -> Vec<String> {
    tx.query_rows(written::EVENTS, params![caller.company], |row| row.get::<String>(0)).unwrap()
}

/// Whether direct deposit counts as set up.
fn completed(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> bool {
    let status = onboarding::service::onboarding_status(tx, caller, employee).unwrap();
    let status = shown(&OnboardingStatus::from(status));
    let steps = status["onboarding_steps"].as_array().unwrap().clone();
    steps.iter().find(|step| step["id"] == "direct_deposit_setup").unwrap()["completed"] == true
}

#[tokio::test]
async fn the_step_is_complete_while_pay_goes_to_an_account() {
    with_employee(|tx, caller, employee| {
        assert!(!completed(tx, caller, employee));
        let id = add(tx, caller, employee, "A")?;
        assert!(completed(tx, caller, employee));
        put(tx, caller, employee, json!({ "type": "Check" }))?;
        assert!(!completed(tx, caller, employee));
        put(tx, caller, employee, json!({ "type": "Direct Deposit" }))?;
        assert!(completed(tx, caller, employee));
        delete_account(tx, caller, employee, id)?;
        assert!(!completed(tx, caller, employee));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_employee_who_is_deleted_leaves_nothing_behind() {
    with_employee(|tx, caller, employee| {
        add(tx, caller, employee, "A")?;
        employees::delete_employee(tx, caller, employee)?;
        assert!(rows::employee_accounts(tx, caller.company, employee)?.is_empty());
        assert_eq!(tx.find_row(written::LEFT, params![caller.company], |row| row.get::<i64>(0))?, Some(0));
        Ok(())
    })
    .await;
}

#[test]
fn every_statement_can_be_prepared() {
    let folder = tempfile::TempDir::new().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    drop(open(&url));
    let refused = store::check_statements(&url, rows::ALL).unwrap();
    assert!(refused.is_empty(), "{refused:?}");
}
