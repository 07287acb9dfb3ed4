//! Use cases of contractors' addresses.

use rules::Checks;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::ContractorAddress;
use super::rows::{CreateContractorAddress, UpdateContractorAddress};
use crate::access::tokens::Caller;
use crate::contractors::records;
use crate::error::Error;
use crate::events;
use crate::patch;
use crate::patch::Patch;
use crate::platform::hooks::ContractorAspect;
use crate::platform::{audit, hooks};
use crate::records::{Changes, version_text};

/// Table name of the record in versions and audit entries. A contractor has one, identified by the contractor's id.
pub const TABLE: &str = ContractorAddress::TABLE;

/// An address as of a day.
#[derive(Debug, Clone)]
pub struct Shown {
    /// the contractor
    pub contractor: Uuid,
    /// `None` until it is entered
    pub address: Option<ContractorAddress>,
    /// whether the contractor works today
    pub active: bool,
}

impl Shown {
    /// Its version.
    pub fn version(&self) -> String {
        version_text(TABLE, self.contractor, self.address.as_ref().map_or(0, |one| one.version))
    }
}

/// Returns the address of a contractor.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_contractor_address(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<Shown, Error> {
    let contractor = records::service::find_contractor(tx, caller, contractor)?;
    let address = ContractorAddress::find(tx, caller.company, contractor.id)?;
    Ok(Shown { contractor: contractor.id, address, active: contractor.is_active(caller.today(tx)) })
}

/// Enters or changes the address of a contractor.
///
/// # Errors
/// "Not found"; 409 for a stale version; every violation of the input; a store error.
pub fn update_contractor_address(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    input: &UpdateContractorAddress,
) -> Result<Shown, Error> {
    let contractor = records::service::find_guarded(tx, caller, contractor)?.id;
    let held = ContractorAddress::find(tx, caller.company, contractor)?;
    let before = held.clone().unwrap_or_else(|| ContractorAddress {
        contractor,
        country: "USA".to_owned(),
        ..ContractorAddress::default()
    });
    let mut after = before.clone();
    let mut checks = Checks::new();
    let current = version_text(TABLE, contractor, before.version);
    // The first address replaces nothing.
    let version = match (&held, &input.version) {
        (None, Patch::Absent) => Some(current.clone()),
        (_, sent) => patch::check_version(sent, &mut checks),
    };
    match held {
        Some(_) => after.apply(input, &mut checks),
        None => after.fill(&CreateContractorAddress::from(input), &mut checks),
    }
    checks.finish()?;
    let changes = Changes::from(ContractorAddress::changes(&before, &after));
    changes.expect_version(&version.unwrap_or_default(), current)?;
    if !changes.is_empty() {
        if held.is_some() {
            assert!(after.update(tx, caller.company)?, "the row was read under its guard");
            audit::record_audit_entry(tx, caller, "updated", (TABLE, contractor), &changes.to_json())?;
        } else {
            ContractorAddress { version: 1, ..after }.insert(tx, caller.company)?;
            audit::record_audit_entry(tx, caller, "created", (TABLE, contractor), &json!({}))?;
        }
        events::emit_event(tx, caller.company, events::CONTRACTOR_UPDATED, contractor)?;
        hooks::contractor_changed(tx, caller, contractor, ContractorAspect::Address)?;
    }
    get_contractor_address(tx, caller, contractor)
}

/// Deletes the address of a contractor who is being deleted.
pub fn delete_contractor_address(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    if let Some(held) = ContractorAddress::find(tx, caller.company, contractor)? {
        assert!(held.delete(tx, caller.company)?, "the row was read under its guard");
    }
    Ok(())
}
