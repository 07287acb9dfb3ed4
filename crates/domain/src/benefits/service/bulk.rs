//! Updates of many records of one company benefit at once: all or none.

use std::collections::{BTreeMap, HashSet};

use rules::{Category, Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::employee::{Change, Draft, current_window, enroll_employee};
use super::{EMPLOYEE_PHI, check_benefit_access};
use crate::access::tokens::Caller;
use crate::benefits::commands::{BulkItem, UpdateManyEmployeeBenefits};
use crate::benefits::rows::company::CompanyBenefit;
use crate::benefits::rows::employee as rows;
use crate::benefits::rows::employee::EmployeeBenefit;
use crate::error::Error;
use crate::patch::Patch;
use crate::people::employees;
use crate::records::parse_id;

/// The names of the actions of an item.
pub const ACTIONS: [&str; 2] = ["create", "update"];

/// The action of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Create,
    Update(Uuid),
    /// neither action, record nor date given: updates the current record, or creates one if there is none
    Either,
}

/// Executes all items in order, or none.
///
/// # Errors
/// "Not found"; 409 for the first stale version; every violation, with the index of its item; a missing scope; a store
/// error.
pub fn update_employee_benefits(
    tx: &mut Tx<'_>,
    caller: &Caller,
    benefit: Uuid,
    input: &UpdateManyEmployeeBenefits,
) -> Result<Vec<EmployeeBenefit>, Error> {
    let benefit = super::find_company_benefit_guarded(tx, caller, benefit)?.benefit;
    check_benefit_access(caller, benefit.kind, EMPLOYEE_PHI)?;
    let items = check_bulk_items(input)?;
    let employees = lock_item_employees(tx, caller, items)?;
    one_action_each(items)?;
    let mut records = Vec::with_capacity(items.len());
    let mut violations = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let employee = item.employee_uuid.value().and_then(|id| employees.get(id.as_str())).copied();
        match execute_item(tx, caller, &benefit, employee, item) {
            Ok(record) => records.push(record),
            Err(Error::Violations(found)) => violations.push(at_index(place, found)),
            Err(other) => return Err(other),
        }
    }
    if violations.is_empty() { Ok(records) } else { Err(Error::from(violations)) }
}

fn check_bulk_items(input: &UpdateManyEmployeeBenefits) -> Result<&[BulkItem], Violation> {
    let Some(items) = input.employee_benefits.value() else {
        let message = "employee_benefits must be a list of objects with at most 1,000 items";
        return Err(Violation::new("employee_benefits", Category::InvalidParameter, message));
    };
    Ok(items)
}

/// The employees of the items, under their guards, by the text of their ids. Unknown ones are omitted.
fn lock_item_employees<'b>(
    tx: &mut Tx<'_>,
    caller: &Caller,
    items: &'b [BulkItem],
) -> Result<BTreeMap<&'b str, Uuid>, Error> {
    let named = items.iter().filter_map(|item| {
        let text = item.employee_uuid.value()?;
        Some((parse_id(text)?, text.as_str()))
    });
    // Guards are always taken in ascending order, so that two units never deadlock.
    let ordered: BTreeMap<Uuid, &str> = named.collect();
    let mut found = BTreeMap::new();
    for (id, text) in ordered {
        match employees::service::find_guarded(tx, caller, id) {
            Ok(employee) => drop(found.insert(text, employee.id)),
            Err(Error::NotFound) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(found)
}

/// Fails if there are several items for one employee.
fn one_action_each(items: &[BulkItem]) -> Result<(), Violation> {
    let mut seen = HashSet::new();
    let named = items.iter().filter_map(|item| parse_id(item.employee_uuid.value()?));
    let twice: Vec<Uuid> = named.filter(|id| !seen.insert(*id)).collect();
    if twice.is_empty() {
        return Ok(());
    }
    let message =
        "employee_benefits may contain one action per employee; send further ones in separate requests";
    let violation = Violation::new("employee_benefits", Category::InvalidOperation, message);
    Err(violation.with_metadata(json!({ "employee_uuids": twice })))
}

/// The violations of an item, with its index.
fn at_index(place: usize, violations: Vec<Violation>) -> Violation {
    Violation::nested("employee_benefits", violations).with_metadata(json!({ "index": place }))
}

fn execute_item(
    tx: &mut Tx<'_>,
    caller: &Caller,
    benefit: &CompanyBenefit,
    employee: Option<Uuid>,
    item: &BulkItem,
) -> Result<EmployeeBenefit, Error> {
    let mut checks = Checks::new();
    let employee = item.employee_uuid.required("employee_uuid", &mut checks, |key, _| {
        let message = format!("{key} must be the uuid of one of the company's employees");
        employee.ok_or_else(|| Violation::invalid(key, message))
    });
    let action = read_action(item, &mut checks);
    checks.finish()?;
    let (Some(employee), Some(action)) = (employee, action) else {
        unreachable!("an item without an employee or an action was refused")
    };
    let held = rows::of_benefit(tx, caller.company, employee, benefit.id)?;
    let today = caller.today(tx);
    let updated = match action {
        Action::Create => None,
        Action::Update(id) => {
            let found = held.iter().find(|record| record.id == id);
            let message = "uuid must be the uuid of a record of this employee and benefit";
            Some(found.ok_or_else(|| Violation::invalid("uuid", message))?)
        }
        Action::Either => current_window(&held.iter().collect::<Vec<_>>(), today),
    };
    let dates = (&item.effective_date, &item.expiration_date);
    if let Some(before) = updated {
        let change = Change { version: &item.version, dates, terms: &item.terms };
        change.apply(tx, caller, before, &held, benefit)
    } else {
        let mut checks = Checks::new();
        let draft = Draft::new(caller, Some(benefit.kind), &item.terms, dates, &mut checks);
        enroll_employee(tx, caller, (employee, benefit), draft, &held, checks)
    }
}

fn read_action(item: &BulkItem, checks: &mut Checks) -> Option<Action> {
    let word = item.action.optional("action", checks, |key, word| check::one_of(key, word, &ACTIONS));
    let record = |key: &str, text: &String| {
        let message = format!("{key} must be the uuid of a record of this employee and benefit");
        parse_id(text).ok_or_else(|| Violation::invalid(key, message))
    };
    let dated = !matches!((&item.effective_date, &item.expiration_date), (Patch::Absent, Patch::Absent));
    match word {
        Some("create") => Some(Action::Create),
        Some(_) => item.uuid.required("uuid", checks, record).map(Action::Update),
        None if !matches!(item.action, Patch::Absent | Patch::Null) => None,
        None => {
            let absent = |field: &Patch<String>| matches!(field, Patch::Absent | Patch::Null);
            match (absent(&item.uuid), absent(&item.version)) {
                (true, _) if !dated => Some(Action::Either),
                (true, true) => Some(Action::Create),
                // A version is that of a record, so here its uuid is missing.
                (true, false) | (false, _) => item.uuid.required("uuid", checks, record).map(Action::Update),
            }
        }
    }
}
