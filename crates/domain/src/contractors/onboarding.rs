//! Onboarding of a contractor: the status, the open steps, and the moves between statuses.
//!
//! `rules::contractor` decides which steps are complete and which moves are allowed; this module reads the facts and stores the moves,
//! each with its event. [`contractor_changed`] runs after every change of a contractor's data, in the same unit of work.

use rules::contractor::{self, ContractorType, Facts, Status, StepState, WageType};
use rules::{Checks, Named};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::contractors::addresses::ContractorAddress;
use crate::contractors::documents;
use crate::contractors::records::Contractor;
use crate::contractors::records::rows;
use crate::contractors::records::service::{TABLE, find_contractor, find_guarded};
use crate::error::Error;
use crate::events;
use crate::events::EventType;
use crate::patch::{Patch, as_is};
use crate::platform::hooks::ContractorAspect;
use crate::platform::{audit, hooks};

/// Moves a contractor to another status.
#[derive(Debug, Clone, Default)]
pub struct UpdateContractorOnboardingStatus {
    /// the status that is wanted
    pub onboarding_status: Patch<Status>,
}

/// The onboarding of a contractor.
#[derive(Debug, Clone)]
pub struct OnboardingDetails {
    /// the contractor
    pub contractor: Uuid,
    /// the status
    pub status: Status,
    /// the steps that apply to this contractor
    pub steps: Vec<StepState>,
    /// whether another contractor of the company has the same taxpayer identification number; told until onboarding is finished
    pub duplicate_tin: Option<ContractorType>,
}

/// Returns the facts that onboarding depends on.
pub fn onboarding_facts(tx: &mut Tx<'_>, caller: &Caller, one: &Contractor) -> Result<Facts, Error> {
    // The record has a name of its kind, and a rate for hours.
    Ok(Facts {
        individual: one.kind == ContractorType::Individual,
        basic_details: one.has_tin(),
        address: ContractorAddress::find(tx, caller.company, one.id)?.is_some(),
        compensation: one.wage_type == WageType::Fixed || one.hourly_rate.is_some(),
        payment_method: one.payment_method.is_some(),
        signed: documents::service::is_signed(tx, caller.company, one.id)?,
        to_report: one.file_new_hire_report,
        reportable: one.work_state.is_some(),
    })
}

/// Returns the status and the steps of onboarding.
///
/// # Errors
/// "Not found"; a store error.
pub fn onboarding_status(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
) -> Result<OnboardingDetails, Error> {
    let one = find_contractor(tx, caller, contractor)?;
    let facts = onboarding_facts(tx, caller, &one)?;
    let is_open = one.status != Status::OnboardingCompleted;
    let duplicate = is_open && rows::tin_is_shared(tx, caller.company, &one)?;
    Ok(OnboardingDetails {
        contractor: one.id,
        status: one.status,
        steps: contractor::contractor_steps(one.status, &facts),
        duplicate_tin: duplicate.then_some(one.kind),
    })
}

/// Moves a contractor as requested.
///
/// # Errors
/// "Not found"; 422 for a move that is not allowed or comes too early; a store error.
pub fn update_onboarding_status(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    input: &UpdateContractorOnboardingStatus,
) -> Result<OnboardingDetails, Error> {
    let one = find_guarded(tx, caller, contractor)?;
    let mut checks = Checks::new();
    let wanted = input.onboarding_status.required("onboarding_status", &mut checks, as_is);
    checks.finish()?;
    let Some(wanted) = wanted else { unreachable!("a request without a status is refused") };
    move_to_status(tx, caller, one, wanted)?;
    onboarding_status(tx, caller, contractor)
}

/// Moves a contractor to a status, under the contractor's guard; no-op if it is the current one.
///
/// # Errors
/// 422 for a move that is not allowed or comes too early; a store error.
pub fn move_to_status(
    tx: &mut Tx<'_>,
    caller: &Caller,
    one: Contractor,
    wanted: Status,
) -> Result<(), Error> {
    let facts = onboarding_facts(tx, caller, &one)?;
    let to = contractor::requested_status(one.status, wanted, &facts)?;
    move_to(tx, caller, one, to)
}

/// Follows a change of a contractor's data: an administrator's review begins or ends. The caller holds the contractor's guard.
pub fn contractor_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    aspect: ContractorAspect,
) -> Result<(), Error> {
    let one = find_contractor(tx, caller, contractor)?;
    if matches!(aspect, ContractorAspect::Employment | ContractorAspect::Onboarded) {
        return Ok(());
    }
    // Nobody but the contractor signs.
    let begun = match aspect {
        ContractorAspect::Signature => contractor::status_once_begun(one.status),
        _ => None,
    };
    let facts = onboarding_facts(tx, caller, &one)?;
    match begun.or_else(|| contractor::after_change(one.status, &facts)) {
        Some(to) => move_to(tx, caller, one, to),
        None => Ok(()),
    }
}

/// Records that the contractor opened the link.
///
/// # Errors
/// "Not found"; a store error.
pub fn record_link_opened(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    let one = find_guarded(tx, caller, contractor)?;
    match contractor::status_once_begun(one.status) {
        Some(to) => move_to(tx, caller, one, to),
        None => Ok(()),
    }
}

/// Records that the contractor has finished on hosted pages: the employer's review begins once the contractor's own steps are complete.
///
/// # Errors
/// "Not found"; a store error.
pub fn record_self_onboarding_done(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    let one = find_guarded(tx, caller, contractor)?;
    let facts = onboarding_facts(tx, caller, &one)?;
    if one.status == Status::SelfOnboardingStarted && facts.contractor_is_done() {
        return move_to(tx, caller, one, Status::SelfOnboardingReview);
    }
    Ok(())
}

/// Stores a move and emits its event.
fn move_to(tx: &mut Tx<'_>, caller: &Caller, mut one: Contractor, to: Status) -> Result<(), Error> {
    let from = one.status;
    if from == to {
        return Ok(());
    }
    one.status = to;
    if to == Status::OnboardingCompleted {
        one.onboarded_at = Some(tx.now());
    }
    assert!(rows::move_to(tx, caller.company, &one, from)?, "the row was read under its guard");
    let change = json!({ "onboarding_status": [from.as_str(), to.as_str()] });
    audit::record_audit_entry(tx, caller, "onboarding", (TABLE, one.id), &change)?;
    events::emit_event(tx, caller.company, event_of(from, to), one.id)?;
    if to == Status::OnboardingCompleted {
        hooks::contractor_changed(tx, caller, one.id, ContractorAspect::Onboarded)?;
    }
    Ok(())
}

fn event_of(from: Status, to: Status) -> EventType {
    match to {
        Status::OnboardingCompleted => events::CONTRACTOR_ONBOARDED,
        Status::SelfOnboardingReview => events::CONTRACTOR_SELF_ONBOARDING_COMPLETED,
        Status::SelfOnboardingNotInvited | Status::SelfOnboardingInvited
            if from == Status::AdminOnboardingIncomplete =>
        {
            events::CONTRACTOR_MARKED_FOR_SELF_ONBOARDING
        }
        _ => events::CONTRACTOR_UPDATED,
    }
}
