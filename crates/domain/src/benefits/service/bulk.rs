//! Many records of one company benefit at once: all of them or none.

use std::collections::{BTreeMap, HashSet};

use rules::{Category, Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::employee::{Change, Draft, current, enrol};
use super::{EMPLOYEE_PHI, permit};
use crate::access::tokens::Caller;
use crate::benefits::rows::company::CompanyBenefit;
use crate::benefits::rows::employee as rows;
use crate::benefits::shapes;
use crate::benefits::shapes::{BulkItem, UpdateManyEmployeeBenefits};
use crate::benefits::view;
use crate::error::Error;
use crate::field::Field;
use crate::people::employees;
use crate::records::parse_id;

/// What an item asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Create,
    Update(Uuid),
    /// an item of before there were windows: enrols who is not enrolled, and else updates the present record
    Either,
}

/// Carries every item out, in their order, or none.
///
/// # Errors
/// "Not found"; 409 for the first stale version; every violation, under the place of its item; a missing scope; a
/// store error.
pub fn update(
    tx: &mut Tx<'_>,
    caller: &Caller,
    benefit: Uuid,
    input: &UpdateManyEmployeeBenefits,
) -> Result<Vec<shapes::EmployeeBenefit>, Error> {
    let benefit = super::find_company_benefit_guarded(tx, caller, benefit)?;
    permit(caller, benefit.kind, EMPLOYEE_PHI)?;
    let items = items(input)?;
    let employees = guarded(tx, caller, items)?;
    one_action_each(items)?;
    let mut told = Vec::with_capacity(items.len());
    let mut violations = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let employee = item.employee_uuid.given().and_then(|id| employees.get(id.as_str())).copied();
        match carry_out(tx, caller, &benefit, employee, item) {
            Ok(record) => told.push(record),
            Err(Error::Violations(found)) => violations.push(at_place(place, found)),
            Err(other) => return Err(other),
        }
    }
    if violations.is_empty() { Ok(told) } else { Err(Error::from(violations)) }
}

fn items(input: &UpdateManyEmployeeBenefits) -> Result<&[BulkItem], Violation> {
    let Some(items) = input.employee_benefits.given() else {
        let message = "employee_benefits must be a list of objects with at most 1,000 items";
        return Err(Violation::new("employee_benefits", Category::InvalidParameter, message));
    };
    Ok(items)
}

/// The employees that the items name and the company has, by the text that names them, each under the guard.
fn guarded<'b>(
    tx: &mut Tx<'_>,
    caller: &Caller,
    items: &'b [BulkItem],
) -> Result<BTreeMap<&'b str, Uuid>, Error> {
    let named = items.iter().filter_map(|item| {
        let text = item.employee_uuid.given()?;
        Some((parse_id(text)?, text.as_str()))
    });
    // Guards are taken in one order everywhere, so that two of these never wait for each other.
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

/// Refuses several actions for one employee.
fn one_action_each(items: &[BulkItem]) -> Result<(), Violation> {
    let mut seen = HashSet::new();
    let named = items.iter().filter_map(|item| parse_id(item.employee_uuid.given()?));
    let twice: Vec<Uuid> = named.filter(|id| !seen.insert(*id)).collect();
    if twice.is_empty() {
        return Ok(());
    }
    let message =
        "employee_benefits may hold one action for each employee; send further ones in requests of their own";
    let violation = Violation::new("employee_benefits", Category::InvalidOperation, message);
    Err(violation.with_metadata(json!({ "employee_uuids": twice })))
}

/// The violations of an item, under its place.
fn at_place(place: usize, violations: Vec<Violation>) -> Violation {
    Violation::nested("employee_benefits", violations).with_metadata(json!({ "index": place }))
}

fn carry_out(
    tx: &mut Tx<'_>,
    caller: &Caller,
    benefit: &CompanyBenefit,
    employee: Option<Uuid>,
    item: &BulkItem,
) -> Result<shapes::EmployeeBenefit, Error> {
    let mut checks = Checks::new();
    let employee = item.employee_uuid.required("employee_uuid", &mut checks, |key, _| {
        let message = format!("{key} must be the uuid of one of the company's employees");
        employee.ok_or_else(|| Violation::invalid(key, message))
    });
    let action = action(item, &mut checks);
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
            let message = "uuid must be that of a record of this employee and benefit";
            Some(found.ok_or_else(|| Violation::invalid("uuid", message))?)
        }
        Action::Either => current(&held.iter().collect::<Vec<_>>(), today),
    };
    let dates = (&item.effective_date, &item.expiration_date);
    let record = if let Some(before) = updated {
        let change = Change { version: &item.version, dates, terms: item.terms() };
        change.apply(tx, caller, before, &held, benefit.kind)?
    } else {
        let mut checks = Checks::new();
        let draft = Draft::new(caller, Some(benefit.kind), item.terms(), dates, &mut checks);
        enrol(tx, caller, (employee, benefit.id), draft, &held, checks)?
    };
    Ok(view::employee_benefit(&record))
}

fn action(item: &BulkItem, checks: &mut Checks) -> Option<Action> {
    let word =
        item.action.optional("action", checks, |key, word| check::one_of(key, word, &["create", "update"]));
    let dated = !matches!((&item.effective_date, &item.expiration_date), (Field::Absent, Field::Absent));
    match word {
        Some("create") => Some(Action::Create),
        Some(_) => {
            let id = item.uuid.required("uuid", checks, |key, text| {
                let message = format!("{key} must be that of a record of this employee and benefit");
                parse_id(text).ok_or_else(|| Violation::invalid(key, message))
            });
            id.map(Action::Update)
        }
        None if dated && matches!(item.action, Field::Absent | Field::Null) => {
            let message = "action must be create or update where effective_date or expiration_date is sent";
            checks.push(Violation::invalid("action", message));
            None
        }
        None => {
            item.uuid.optional("uuid", checks, |_, _| Ok(()));
            matches!(item.action, Field::Absent | Field::Null).then_some(Action::Either)
        }
    }
}
