//! Use cases of garnishments.

mod terms;

use std::collections::HashMap;

use rules::payroll::garnishment::{GarnishmentType, Remittance};
use rules::{Amount, Checks, Named};
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::commands::{GarnishmentFields, UpdateGarnishment};
use super::rows::{Garnishment, TABLE};
use super::withheld::remittance_of;
use super::{agencies, rows};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch;
use crate::people::employees;
use crate::platform::{audit, hooks};
use crate::records::{Changes, IdRange, room_for, version_text};

/// Maximum number of garnishments of an employee, including inactive ones.
const MOST: usize = 100;

/// A garnishment, and who remits it.
#[derive(Debug, Clone)]
pub struct GarnishmentDetails {
    /// the record
    pub garnishment: Garnishment,
    /// who remits it on regular payrolls; `None` unless child support
    pub remittance: Option<Remittance>,
}

/// A page of the employee's garnishments, in the order of creation.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_garnishments(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    page: Page,
) -> Result<Listed<GarnishmentDetails>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    let found = rows::of_employee(tx, caller.company, employee)?;
    let agencies = agencies::as_paid(tx)?;
    Ok(Listed::slice(page, found).map(|garnishment| {
        let remittance = remittance_of(&garnishment, &agencies, false);
        GarnishmentDetails { garnishment, remittance }
    }))
}

/// The scope without which garnishments are not shown, not even in the record of their employee.
const READ: &str = "garnishments:read";

/// Announces the queries of [`of_employees`].
pub fn announce_of_employees(tx: &mut Tx<'_>, caller: &Caller, bounds: IdRange) -> Result<(), Error> {
    if !caller.scopes.contains(READ) {
        return Ok(());
    }
    rows::announce_between(tx, caller.company, bounds)?;
    agencies::announce_as_paid(tx)
}

/// The garnishments of the employees in a range of ids, by employee, in the order of creation; empty for callers that may not read them.
pub fn of_employees(
    tx: &mut Tx<'_>,
    caller: &Caller,
    bounds: IdRange,
) -> Result<HashMap<Uuid, Vec<GarnishmentDetails>>, Error> {
    let mut of_employees: HashMap<Uuid, Vec<_>> = HashMap::new();
    if !caller.scopes.contains(READ) {
        return Ok(of_employees);
    }
    let found = rows::garnishments_of_employees(tx, caller.company, bounds)?;
    if found.is_empty() {
        return Ok(of_employees);
    }
    let agencies = agencies::as_paid(tx)?;
    for garnishment in found {
        let remittance = remittance_of(&garnishment, &agencies, false);
        of_employees
            .entry(garnishment.employee)
            .or_default()
            .push(GarnishmentDetails { garnishment, remittance });
    }
    Ok(of_employees)
}

/// The garnishment.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_garnishment(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<GarnishmentDetails, Error> {
    let garnishment = rows::find_garnishment(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let remittance = remittance_of(&garnishment, &agencies::as_paid(tx)?, false);
    Ok(GarnishmentDetails { garnishment, remittance })
}

/// Creates a garnishment.
///
/// # Errors
/// "Not found"; every violation of the fields; a store error.
pub fn create_garnishment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    fields: &GarnishmentFields,
) -> Result<GarnishmentDetails, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let agencies = agencies::as_paid(tx)?;
    let mut garnishment = Garnishment::new(employee, tx.new_id(), caller.today(tx));
    terms::set_new_terms(&mut garnishment, fields, &agencies)?;
    let held = rows::of_employee(tx, caller.company, employee)?.len();
    room_for("garnishments of an employee", held, MOST)?;
    rows::insert_garnishment(tx, caller.company, &garnishment)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, garnishment.id), &json!({}))?;
    events::emit_of_employee(tx, caller.company, events::GARNISHMENT_CREATED, garnishment.id, employee)?;
    hooks::garnishment_entered(tx, caller, employee, garnishment.id)?;
    let remittance = remittance_of(&garnishment, &agencies, false);
    Ok(GarnishmentDetails { garnishment, remittance })
}

/// Updates what was sent and keeps the rest.
///
/// # Errors
/// "Not found"; 409 for a stale version; every violation of the command; a store error.
pub fn update_garnishment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    command: &UpdateGarnishment,
) -> Result<GarnishmentDetails, Error> {
    tx.take_guard(caller.company, "garnishment", id)?;
    let before = rows::find_garnishment(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let agencies = agencies::as_paid(tx)?;
    let mut checks = Checks::new();
    let version = patch::check_version(&command.version, &mut checks);
    let mut after = before.clone();
    terms::update_terms(&mut after, &command.fields, &agencies, checks)?;

    let changes = garnishment_changes(&before, &after);
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, id, before.version))?;
    if !changes.is_empty() {
        // When the employee is deleted, it is deleted under the guard of the employee.
        if !rows::update_garnishment(tx, caller.company, &after)? {
            return Err(Error::NotFound);
        }
        audit::record_audit_entry(tx, caller, "updated", (TABLE, id), &changes.to_json())?;
        events::emit_of_employee(tx, caller.company, events::GARNISHMENT_UPDATED, id, after.employee)?;
        if before.payee != after.payee {
            hooks::payee_changed(tx, caller, after.employee, id)?;
        }
    }
    get_garnishment(tx, caller, id)
}

/// Deletes the garnishments of an employee who is being deleted.
pub fn delete_garnishments(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    rows::delete_garnishments(tx, caller.company, employee)
}

/// What an update changes, in the form of the API.
fn garnishment_changes(before: &Garnishment, after: &Garnishment) -> Changes {
    let (old, new) = (&before.terms, &after.terms);
    let mut changes = Changes::new();
    changes.record_difference("active", &old.active, &new.active);
    changes.record_difference("amount", &old.amount.to_text(2), &new.amount.to_text(2));
    if after.payee.is_none() {
        // That of child support follows from its identifiers.
        changes.record_difference("description", &before.description, &after.description);
    }
    changes.record_difference("court_ordered", &old.court_ordered, &new.court_ordered);
    let kind = |kind: Option<GarnishmentType>| kind.map(GarnishmentType::as_str);
    changes.record_difference("garnishment_type", &kind(old.garnishment_type), &kind(new.garnishment_type));
    changes.record_difference("times", &old.times, &new.times);
    changes.record_difference("recurring", &old.recurring, &new.recurring);
    changes.record_difference(
        "annual_maximum",
        &amount_text(old.annual_maximum),
        &amount_text(new.annual_maximum),
    );
    changes.record_difference(
        "pay_period_maximum",
        &amount_text(old.pay_period_maximum),
        &amount_text(new.pay_period_maximum),
    );
    changes.record_difference("deduct_as_percentage", &old.deduct_as_percentage, &new.deduct_as_percentage);
    changes.record_difference("total_amount", &amount_text(old.total_amount), &amount_text(new.total_amount));
    changes.record_difference("child_support", &child_support(before), &child_support(after));
    changes.record_difference("income_withholding_order", &order_json(before), &order_json(after));
    changes.record_difference("served_on", &old.served_on, &new.served_on);
    changes.record_difference("ends_on", &old.ends_on, &new.ends_on);
    changes.record_difference("tax_levy", &tax_levy(before), &tax_levy(after));
    changes.record_difference("bankruptcy_chapter", &old.bankruptcy_chapter, &new.bankruptcy_chapter);
    changes.record_difference("employer_fee", &old.employer_fee, &new.employer_fee);
    changes.record_difference(
        "overpayment_agreed_on",
        &before.overpayment_agreed_on,
        &after.overpayment_agreed_on,
    );
    changes
}

fn amount_text(amount: Option<Amount>) -> Option<String> {
    amount.map(|amount| amount.to_text(2))
}

fn child_support(record: &Garnishment) -> Option<Value> {
    let (payee, support) = record.payee.as_ref().zip(record.terms.child_support.as_ref())?;
    Some(json!({
        "state": payee.state,
        "payment_period": support.payment_period.as_str(),
        "fips_code": payee.fips_code,
        "case_number": payee.case_number,
        "order_number": payee.order_number,
        "remittance_number": payee.remittance_number,
    }))
}

fn order_json(record: &Garnishment) -> Option<Value> {
    let order = record.order_details()?;
    Some(json!({
        "current_support": amount_text(order.current_support),
        "arrears": amount_text(order.arrears),
        "medical_support": amount_text(order.medical_support),
        "health_insurance_premium": amount_text(order.health_insurance_premium),
        "arrears_over_12_weeks": order.arrears_over_12_weeks,
        "supports_other_family": order.supports_other_family,
        "received_on": order.received_on,
    }))
}

fn tax_levy(record: &Garnishment) -> Option<Value> {
    let levy = record.terms.tax_levy.as_ref()?;
    Some(json!({
        "filing_status": levy.filing_status.as_str(),
        "dependents": levy.dependents,
        "additional_standard_deductions": levy.additional,
        "year": levy.year,
        "state": levy.state,
    }))
}
