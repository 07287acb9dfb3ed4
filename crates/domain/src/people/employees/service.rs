//! Finding and deleting employees.

use rules::Violation;
use store::Tx;
use uuid::Uuid;

use super::{Employee, rows};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::platform::audit;
use crate::platform::hooks;

/// Table name of the record in versions and audit entries.
pub const TABLE: &str = Employee::TABLE;

/// Returns the employee.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_employee(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Employee, Error> {
    Employee::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// Takes the employee's guard and returns the employee: for units that change anything belonging to the employee.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Employee, Error> {
    tx.take_guard(caller.company, "employee", id)?;
    find_employee(tx, caller, id)
}

/// Deletes an employee whose onboarding is not finished, or who left before the company used the service and has no pay on record.
///
/// # Errors
/// "Not found"; 422 for all others; a store error.
pub fn delete_employee(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let employee = find_guarded(tx, caller, id)?;
    if employee.onboarded_at.is_some() && !employee.historical {
        return Err(Error::from(Violation::invalid_operation(
            "An employee whose onboarding is finished cannot be deleted; end the employment instead.",
        )));
    }
    if employee.historical {
        hooks::historical_to_go(tx, caller, id)?;
    }
    if !rows::delete_employee(tx, caller.company, &employee)? {
        return Err(Error::NotFound);
    }
    hooks::employee_deleted(tx, caller, id)?;
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::EMPLOYEE_DELETED, id)
}
