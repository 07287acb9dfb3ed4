//! Finding and deleting contractors.

use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::Contractor;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::platform::{audit, hooks};

/// Table name of the record in versions and audit entries.
pub const TABLE: &str = Contractor::TABLE;

/// Returns the contractor.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_contractor(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Contractor, Error> {
    Contractor::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// Takes the contractor's guard and returns the contractor: for units that change anything belonging to the contractor.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Contractor, Error> {
    tx.take_guard(caller.company, "contractor", id)?;
    find_contractor(tx, caller, id)
}

/// Deletes a contractor to whom nothing was paid.
///
/// # Errors
/// "Not found"; 422 for one with payments; a store error.
pub fn delete_contractor(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let contractor = find_guarded(tx, caller, id)?;
    hooks::contractor_to_go(tx, caller, id)?;
    hooks::contractor_deleted(tx, caller, id)?;
    assert!(contractor.delete(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, id), &json!({}))?;
    events::emit_event(tx, caller.company, events::CONTRACTOR_DELETED, id)
}
