//! The use cases with bodies and answers as they are sent.

use domain::access::tokens::Caller;
use domain::paging::{Listed, Page};
use domain::people::employees::service as employees;
use domain::people::onboarding;
use domain::people::payment_methods::rows;
use domain::people::payment_methods::rows::CHECK;
use domain::people::payment_methods::service::{self, ACCOUNT, MOST, delete_account};
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
    Caller { version, ..Caller::service(Uuid::from_u128(7), jiff::tz::TimeZone::UTC) }
}

fn open(url: &str) -> store::Store {
    let noon = "2026-06-15T12:00:00Z".parse().unwrap();
    let keys = store::MasterKeys::parse(&store::MasterKeys::generate()).unwrap();
    store::Store::open(url, store::Options::new(store::Clock::standing(noon), keys, SCHEMA)).unwrap()
}

/// Runs `story` with an employee who marked nothing and is paid by check.
async fn with_employee(story: fn(&mut Tx<'_>, &Caller, Uuid) -> Result<(), Error>) {
    let caller = caller(ApiVersion::DEFAULT);
    let store = open("sqlite::memory:");
    let written = store.write(move |tx| {
        let employee = employee(tx, &caller)?;
        story(tx, &caller, employee)
    });
    written.await.unwrap();
}

fn hire(tx: &mut Tx<'_>, caller: &Caller, body: Value) -> Result<Uuid, Error> {
    Ok(profiles::create(tx, caller, &input::<CreateEmployee>(body).into())?.employee.id)
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
    tx.query(written::EVENTS, params![caller.company], |row| row.get::<String>(0)).unwrap()
}

#[tokio::test]
async fn who_enters_a_bank_account_is_paid_to_it() {
    with_employee(|tx, caller, employee| {
        let new = shown(&get_method(tx, caller, employee)?);
        assert_eq!((&new["type"], &new["split_by"], &new["splits"]), (&json!("Check"), &Value::Null, &Value::Null));

        let made = shown(&create_account(tx, caller, employee, &input(account("Household")))?);
        assert_eq!(made["routing_number"], ROUTING);
        assert_eq!(made["account_type"], "Checking");
        assert!(made.get("account_number").is_none());
        assert!(made["hidden_account_number"].as_str().unwrap().ends_with("1001"));

        let method = shown(&get_method(tx, caller, employee)?);
        assert_ne!(method["version"], new["version"]);
        let expected = json!([{ "uuid": made["uuid"], "name": "Household", "hidden_account_number": made["hidden_account_number"],
                                "priority": 1, "split_amount": 100 }]);
        assert_eq!((&method["type"], &method["split_by"], &method["splits"]), (&json!("Direct Deposit"), &json!("Percentage"), &expected));
        let record = profiles::get(tx, caller, employee, Default::default())?;
        assert_eq!(record.employee.payment_method, "Direct Deposit");

        add(tx, caller, employee, "Savings")?;
        assert_eq!(splits(tx, caller, employee), [share("Household", 1, 100), share("Savings", 2, 0)]);
        assert_eq!(
            event_types(tx, caller)[1..],
            ["employee.bank_account.created", "employee.payment_method_type_updated", "employee.bank_account.created"]
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_version_of_the_employee_does_not_move_with_bank_accounts() {
    with_employee(|tx, caller, employee| {
        let before = profiles::get(tx, caller, employee, Default::default())?.employee.version;
        add(tx, caller, employee, "Household")?;
        assert_eq!(profiles::get(tx, caller, employee, Default::default())?.employee.version, before);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_fault_of_a_bank_account_is_reported_and_no_number_repeated() {
    with_employee(|tx, caller, employee| {
        let wrong = json!({ "name": " ", "routing_number": "266905058", "account_number": "58-0943", "account_type": "Brokerage" });
        let refused = create_account(tx, caller, employee, &input(wrong)).unwrap_err();
        let Error::Violations(violations) = refused else { panic!("{refused:?}") };
        let named: Vec<_> = violations.iter().map(|violation| violation.key.as_str()).collect();
        assert_eq!(named, ["name", "routing_number", "account_number", "account_type"]);
        assert!(violations.iter().all(|v| !v.message.contains("26690") && !v.message.contains("0943")));
        assert!(violations[3].message.contains("Checking, Savings"));
        assert_eq!(keys(create_account(tx, caller, employee, &input(json!({})))).len(), 4);
        assert_eq!(keys(create_account(tx, caller, Uuid::nil(), &input(account("Household")))), ["not found"]);

        for number in 0..MOST {
            add(tx, caller, employee, &format!("Account {number}"))?;
        }
        assert_eq!(keys(add(tx, caller, employee, "One more")), ["base"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_bank_account_that_is_sent_again_unchanged_stays_as_it_is() {
    with_employee(|tx, caller, employee| {
        let id = add(tx, caller, employee, "Household")?;
        let version = get_method(tx, caller, employee)?.version;
        let known = event_types(tx, caller).len();
        update_account(tx, caller, employee, id, &input(account("Household")))?;
        assert_eq!(event_types(tx, caller).len(), known);

        let mut moved = account("Joint");
        moved["routing_number"] = OTHER_ROUTING.into();
        moved["account_number"] = OTHER_NUMBER.into();
        moved["account_type"] = "Savings".into();
        let after = shown(&update_account(tx, caller, employee, id, &input(moved.clone()))?);
        assert_eq!((&after["name"], &after["routing_number"], &after["account_type"]), (&json!("Joint"), &json!(OTHER_ROUTING), &json!("Savings")));
        assert!(after["hidden_account_number"].as_str().unwrap().ends_with("4567"));
        assert_eq!(event_types(tx, caller)[known..], ["employee.bank_account.updated"]);
        let entries = tx.query(written::AUDIT, params![caller.company], |row| {
            (row.get::<String>(0), row.get::<String>(1), row.json(2).unwrap().to_owned())
        })?;
        let expected = r#"{"name":["Household","Joint"],"account_type":["Checking","Savings"],"routing_number":["***","***"],"account_number":["***","***"]}"#;
        assert_eq!(entries.last().unwrap(), &("updated".to_owned(), ACCOUNT.to_owned(), expected.to_owned()));
        // What is paid to the account has not changed.
        assert_eq!(get_method(tx, caller, employee)?.version, version);
        assert_eq!(splits(tx, caller, employee), [share("Joint", 1, 100)]);

        // A second change finds the counter where the first one left it.
        update_account(tx, caller, employee, id, &input(account("Joint")))?;
        assert_eq!(keys(update_account(tx, caller, employee, Uuid::nil(), &input(moved))), ["not found"]);
        assert_eq!(keys(update_account(tx, caller, employee, id, &input(json!({ "name": "Joint" })))).len(), 3);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_account_is_found_only_with_its_own_employee() {
    with_employee(|tx, caller, ana| {
        let body = json!({ "first_name": "Ben", "last_name": "Ito" });
        let ben = hire(tx, caller, body)?;
        let id = add(tx, caller, ana, "Household")?;
        assert_eq!(keys(update_account(tx, caller, ben, id, &input(account("Mine")))), ["not found"]);
        assert_eq!(keys(delete_account(tx, caller, ben, id)), ["not found"]);
        add(tx, caller, ben, "Own")?;
        let foreign = json!({ "type": "Direct Deposit", "split_by": "Percentage", "splits": [{ "uuid": id, "split_amount": 100 }] });
        assert_eq!(keys(put(tx, caller, ben, foreign)), ["splits"]);
        assert_eq!(list_accounts(tx, caller, ana, Page::Whole)?.items.len(), 1);
        let stranger = Caller { company: Uuid::from_u128(8), ..caller.clone() };
        assert_eq!(keys(delete_account(tx, &stranger, ana, id)), ["not found"]);
        assert_eq!(keys(list_accounts(tx, &stranger, ana, Page::Whole)), ["not found"]);
        assert_eq!(keys(get_method(tx, &stranger, ana)), ["not found"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn bank_accounts_are_listed_in_pages() {
    with_employee(|tx, caller, employee| {
        for name in ["a", "b", "c"] {
            add(tx, caller, employee, name)?;
        }
        let page = list_accounts(tx, caller, employee, Page::Part { page: 2, per: 2 })?;
        assert_eq!(page.items.iter().map(|account| account.name.as_str()).collect::<Vec<_>>(), ["c"]);
        assert_eq!(page.paging, Some((2, 2, 3)));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn pay_is_divided_as_it_is_asked_for_and_the_same_again_is_no_change() {
    with_employee(|tx, caller, employee| {
        let (a, b) = (add(tx, caller, employee, "A")?, add(tx, caller, employee, "B")?);
        let known = event_types(tx, caller).len();
        let halves = json!({ "type": "Direct Deposit", "split_by": "Percentage", "splits": [
            { "uuid": b, "name": "not read", "priority": 2, "split_amount": 40.0 }, { "uuid": a, "priority": 1, "split_amount": 60 }] });
        let after = put(tx, caller, employee, halves.clone())?;
        assert_eq!(splits(tx, caller, employee), [share("A", 1, 60), share("B", 2, 40)]);
        assert_eq!(put(tx, caller, employee, halves)?.version, after.version);

        let rest = json!({ "type": "Direct Deposit", "split_by": "Amount", "splits": [
            { "uuid": b, "split_amount": 25000 }, { "uuid": a, "split_amount": null }] });
        put(tx, caller, employee, rest)?;
        assert_eq!(splits(tx, caller, employee), [share("B", 1, 25_000), share("A", 2, None)]);
        // What is left out stays.
        let version = get_method(tx, caller, employee)?.version;
        assert_eq!(put(tx, caller, employee, json!({ "type": "Direct Deposit" }))?.version, version);
        assert_eq!(put(tx, caller, employee, json!({ "type": "Direct Deposit", "split_by": "Amount", "splits": null }))?.version, version);
        let other = json!({ "type": "Direct Deposit", "split_by": "Percentage" });
        assert_eq!(keys(put(tx, caller, employee, other)), ["splits"]);
        // The type did not change, so nobody needs to hear of it.
        assert_eq!(event_types(tx, caller).len(), known);

        add(tx, caller, employee, "C")?;
        assert_eq!(splits(tx, caller, employee), [share("B", 1, 25_000), share("C", 2, 0), share("A", 3, None)]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_breaks_the_rules_of_splits_is_refused() {
    with_employee(|tx, caller, employee| {
        let a = add(tx, caller, employee, "A")?;
        let b = add(tx, caller, employee, "B")?;
        let before = shown(&get_method(tx, caller, employee)?);
        let by = |by: &str, splits: Value| json!({ "type": "Direct Deposit", "split_by": by, "splits": splits });
        let wrong = [
            by("Percentage", json!([{ "uuid": a, "split_amount": 60 }, { "uuid": b, "split_amount": 30 }])),
            by("Percentage", json!([{ "uuid": a, "split_amount": 99.5 }, { "uuid": b, "split_amount": 0.5 }])),
            by("Percentage", json!([{ "uuid": a, "priority": 1, "split_amount": 50 }, { "uuid": b, "priority": 1, "split_amount": 50 }])),
            by("Percentage", json!([{ "uuid": a, "split_amount": 50 }, { "uuid": a, "split_amount": 50 }])),
            by("Percentage", json!([])),
            by("Amount", json!([{ "uuid": a, "split_amount": 100 }, { "uuid": b, "split_amount": 200 }])),
            by("Amount", json!([{ "uuid": a, "split_amount": null }, { "uuid": b, "split_amount": 200 }])),
            by("Percentage", json!([{ "uuid": Uuid::nil(), "split_amount": 100 }])),
            by("Percentage", json!([{ "uuid": "none", "split_amount": 100 }])),
            by("Percentage", json!([{ "uuid": a, "split_amount": "all" }])),
            by("Percentage", json!([{ "split_amount": 100 }])),
        ];
        for body in wrong {
            let named = keys(put(tx, caller, employee, body.clone()));
            assert!(named.iter().all(|key| ["splits", "uuid", "priority", "split_amount"].contains(&&**key)), "{body}: {named:?}");
        }
        assert_eq!(keys(put(tx, caller, employee, by("Share", json!([{ "uuid": a, "split_amount": 100 }])))), ["split_by"]);
        assert_eq!(keys(put(tx, caller, employee, json!({ "type": "Cash" }))), ["type"]);
        let nothing = update_method(tx, caller, employee, &input(json!({})));
        assert_eq!(keys(nothing), ["version", "type"]);
        assert_eq!(shown(&get_method(tx, caller, employee)?), before);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_payment_method_that_was_changed_meanwhile_is_stale() {
    with_employee(|tx, caller, employee| {
        let old = get_method(tx, caller, employee)?.version;
        let a = add(tx, caller, employee, "A")?;
        let check = json!({ "version": old, "type": "Check" });
        assert_eq!(
            keys(update_method(tx, caller, employee, &input(check))),
            ["stale type", "stale split_by", "stale splits"]
        );

        let versions = [old, get_method(tx, caller, employee)?.version];
        delete_account(tx, caller, employee, a)?;
        assert!(!versions.contains(&get_method(tx, caller, employee)?.version));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn who_is_paid_by_check_keeps_the_accounts_for_another_time() {
    with_employee(|tx, caller, employee| {
        let a = add(tx, caller, employee, "A")?;
        let b = add(tx, caller, employee, "B")?;
        let with_splits = json!({ "type": "Check", "split_by": "Percentage", "splits": [{ "uuid": a, "split_amount": 100 }] });
        let check = shown(&put(tx, caller, employee, with_splits)?);
        assert_eq!((&check["type"], &check["split_by"], &check["splits"]), (&json!("Check"), &Value::Null, &Value::Null));
        assert_eq!(list_accounts(tx, caller, employee, Page::Whole)?.items.len(), 2);
        assert_eq!(event_types(tx, caller).last().unwrap(), "employee.payment_method_type_updated");

        put(tx, caller, employee, json!({ "type": "Direct Deposit" }))?;
        assert_eq!(splits(tx, caller, employee), [share("B", 1, 100), share("A", 2, 0)]);
        put(tx, caller, employee, json!({ "type": "Check" }))?;
        add(tx, caller, employee, "C")?;
        assert_eq!(splits(tx, caller, employee), [share("C", 1, 100), share("A", 2, 0), share("B", 3, 0)]);

        put(tx, caller, employee, json!({ "type": "Check" }))?;
        delete_account(tx, caller, employee, b)?;
        assert_eq!(get_method(tx, caller, employee)?.kind, CHECK);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_share_of_a_deleted_account_stays_with_the_employee() {
    with_employee(|tx, caller, employee| {
        let a = add(tx, caller, employee, "A")?;
        let b = add(tx, caller, employee, "B")?;
        let c = add(tx, caller, employee, "C")?;
        let shares = json!({ "type": "Direct Deposit", "split_by": "Percentage", "splits": [
            { "uuid": a, "split_amount": 50 }, { "uuid": b, "split_amount": 50 }] });
        put(tx, caller, employee, shares)?;
        delete_account(tx, caller, employee, a)?;
        assert_eq!(splits(tx, caller, employee), [share("B", 1, 100)]);
        // C had no part in it; now there is no other.
        delete_account(tx, caller, employee, b)?;
        assert_eq!(splits(tx, caller, employee), [share("C", 1, 100)]);
        delete_account(tx, caller, employee, c)?;
        let method = get_method(tx, caller, employee)?;
        assert_eq!((method.kind, method.split_by, method.splits.is_none()), ("Check", None, true));
        assert_eq!(keys(delete_account(tx, caller, employee, c)), ["not found"]);
        assert_eq!(
            event_types(tx, caller).split_off(5),
            [
                "employee.bank_account.deleted",
                "employee.bank_account.deleted",
                "employee.bank_account.deleted",
                "employee.payment_method_type_updated"
            ]
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn direct_deposit_without_an_account_depends_on_the_version() {
    with_employee(|tx, _, employee| {
        let direct = json!({ "type": "Direct Deposit" });
        let newer = [ApiVersion::V2025_11_15, ApiVersion::V2026_02_01, ApiVersion::V2026_06_15];
        for version in newer {
            assert_eq!(keys(put(tx, &caller(version), employee, direct.clone())), ["base"]);
        }
        let caller = caller(ApiVersion::V2025_06_15);
        let named = json!({ "type": "Direct Deposit", "split_by": "Percentage", "splits": [{ "uuid": Uuid::nil(), "split_amount": 100 }] });
        assert_eq!(keys(put(tx, &caller, employee, named)), ["splits"]);
        let method = put(tx, &caller, employee, direct)?;
        assert_eq!((method.kind, method.split_by, method.splits.is_none()), ("Direct Deposit", None, true));
        assert!(!completed(tx, &caller, employee));
        add(tx, &caller, employee, "A")?;
        assert_eq!(splits(tx, &caller, employee), [share("A", 1, 100)]);
        assert!(completed(tx, &caller, employee));
        Ok(())
    })
    .await;
}

/// Whether direct deposit counts as set up.
fn completed(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> bool {
    let status = onboarding::service::status(tx, caller, employee).unwrap();
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
        employees::delete(tx, caller, employee)?;
        assert!(rows::accounts(tx, caller.company, employee)?.is_empty());
        assert_eq!(tx.find(written::LEFT, params![caller.company], |row| row.get::<i64>(0))?, Some(0));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_account_number_is_whole_in_no_answer_event_audit_entry_or_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("world.db");
    let store = open(&format!("sqlite:{}", file.display()));
    let seen: Result<String, Error> = store
        .write(|tx| {
            let caller = caller(ApiVersion::DEFAULT);
            let employee = employee(tx, &caller)?;
            let mut seen = shown(&create_account(tx, &caller, employee, &input(account("A")))?).to_string();
            let id = list_accounts(tx, &caller, employee, Page::Whole)?.items[0].uuid;
            let mut moved = account("A");
            moved["account_number"] = OTHER_NUMBER.into();
            seen += &shown(&update_account(tx, &caller, employee, id, &input(moved))?).to_string();
            seen += &shown(&list_accounts(tx, &caller, employee, Page::Whole)?.items).to_string();
            seen += &shown(&put(tx, &caller, employee, json!({ "type": "Direct Deposit" }))?).to_string();
            add(tx, &caller, employee, "B")?;
            delete_account(tx, &caller, employee, id)?;
            let payloads = tx.query(written::EVENTS, params![caller.company], |row| {
                (row.get::<String>(1), row.get::<Uuid>(2), row.json(3).unwrap().to_owned())
            })?;
            for (entity, entity_id, payload) in &payloads {
                let event: Value = serde_json::from_str(payload).unwrap();
                let references = json!({ "company_uuid": caller.company, "employee_uuid": employee });
                let expected = if entity == "BankAccount" { Some(&references) } else { None };
                assert_eq!(event.get("references"), expected, "{payload}");
                assert_eq!(event["entity_uuid"], json!(entity_id));
                seen += payload;
            }
            let entries =
                tx.query(written::AUDIT, params![caller.company], |row| row.json(2).unwrap().to_owned())?;
            Ok(seen + &entries.concat())
        })
        .await;
    drop(store);
    let seen = seen.unwrap();
    assert!(seen.contains("1001") && seen.contains("4567"));
    let mut places = vec![seen.into_bytes()];
    places.extend(
        std::fs::read_dir(folder.path()).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap()),
    );
    assert!(places.len() > 1);
    for place in places {
        for number in [NUMBER, OTHER_NUMBER] {
            assert!(!place.windows(number.len()).any(|bytes| bytes == number.as_bytes()));
        }
    }
}

#[test]
fn every_statement_can_be_prepared() {
    let folder = tempfile::TempDir::new().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    drop(open(&url));
    let refused = store::check_statements(&url, rows::ALL).unwrap();
    assert!(refused.is_empty(), "{refused:?}");
}
