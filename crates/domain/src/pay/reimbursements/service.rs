//! Use cases of recurring reimbursements.

use rules::amount::MAX_AMOUNT;
use rules::{Amount, Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::rows;
use super::rows::RecurringReimbursement;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::patch;
use crate::patch::Patch;
use crate::people::employees;
use crate::platform::audit;
use crate::records::{Changes, room_for, version_text};

/// Table of the record, in versions and audit entries.
pub const TABLE: &str = "recurring_reimbursements";
/// Maximum number of recurring reimbursements of an employee, including ended ones.
const MOST: usize = 100;
/// Maximum characters of a description.
const DESCRIPTION: usize = 255;

/// Creates a recurring reimbursement.
#[derive(Debug, Clone, Default)]
pub struct CreateReimbursement {
    /// what it is for
    pub description: Patch<String>,
    /// dollars per payroll
    pub amount: Patch<Amount>,
}

/// Updates what is given and keeps the rest.
#[derive(Debug, Clone, Default)]
pub struct UpdateReimbursement {
    /// version of the record that the update is based on
    pub version: Patch<String>,
    /// what it is for
    pub description: Patch<String>,
    /// dollars per payroll
    pub amount: Patch<Amount>,
}

/// A page of the employee's active recurring reimbursements.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_reimbursements(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    page: Page,
) -> Result<Listed<RecurringReimbursement>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    let mut held = rows::of_employee(tx, caller.company, employee)?;
    held.retain(|one| one.active);
    Ok(Listed::slice(page, held))
}

/// The recurring reimbursement.
///
/// # Errors
/// "Not found", also for one that has ended; a store error.
pub fn find_reimbursement(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
) -> Result<RecurringReimbursement, Error> {
    rows::find_reimbursement(tx, caller.company, id)?.filter(|one| one.active).ok_or(Error::NotFound)
}

/// Creates a recurring reimbursement.
///
/// # Errors
/// "Not found"; every violation of the input; a store error.
pub fn create_reimbursement(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &CreateReimbursement,
) -> Result<RecurringReimbursement, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let mut checks = Checks::new();
    let description = input.description.required("description", &mut checks, check_description);
    let amount = input.amount.required("amount", &mut checks, check_amount);
    checks.finish()?;
    let (Some(description), Some(amount)) = (description, amount) else {
        unreachable!("a reimbursement with missing fields is refused")
    };
    room_for(
        "recurring reimbursements of an employee",
        rows::of_employee(tx, caller.company, employee)?.len(),
        MOST,
    )?;
    let now = tx.now();
    let new = RecurringReimbursement {
        employee,
        id: tx.new_id(),
        description,
        amount,
        active: true,
        created_at: now,
        updated_at: now,
        version: 1,
    };
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &json!({}))?;
    Ok(new)
}

/// Updates the fields that were sent. Calculated payrolls are unchanged.
///
/// # Errors
/// "Not found"; 409 for a stale version; every violation of the input; a store error.
pub fn update_reimbursement(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateReimbursement,
) -> Result<RecurringReimbursement, Error> {
    let before = find_guarded(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    input.description.update("description", &mut checks, check_description, &mut after.description);
    input.amount.update("amount", &mut checks, check_amount, &mut after.amount);
    checks.finish()?;
    let changes = Changes::from(RecurringReimbursement::changes(&before, &after));
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, id, before.version))?;
    if !changes.is_empty() {
        assert!(after.update(tx, caller.company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "updated", (TABLE, id), &changes.to_json())?;
    }
    find_reimbursement(tx, caller, id)
}

/// Ends a recurring reimbursement: payrolls calculated from now on do not pay it.
///
/// # Errors
/// "Not found"; a store error.
pub fn end_reimbursement(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let before = find_guarded(tx, caller, id)?;
    let after = RecurringReimbursement { active: false, ..before };
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "ended", (TABLE, id), &json!({}))
}

/// The reimbursement, under the guard of its employee.
fn find_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<RecurringReimbursement, Error> {
    let employee = find_reimbursement(tx, caller, id)?.employee;
    employees::service::find_guarded(tx, caller, employee)?;
    // It may have been changed before the guard was taken.
    find_reimbursement(tx, caller, id)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn check_description(key: &str, text: &String) -> Result<String, Violation> {
    check::validate_text(key, text, DESCRIPTION)
}

/// More than nothing.
fn check_amount(key: &str, amount: &Amount) -> Result<Amount, Violation> {
    check::validate_dollars(key, *amount, Amount::from_cents(1)..=MAX_AMOUNT)
}
