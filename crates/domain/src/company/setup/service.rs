//! The steps of a company's onboarding, finishing it, and the operator's decisions: to approve, suspend and reinstate a
//! company.

use jiff::Timestamp;
use rules::company::Status;
use rules::company::setup::{self, Step};
use rules::{Named as _, Violation};
use serde_json::json;
use store::Tx;

use super::rows;
use super::rows::Onboarding;
use crate::access::tokens::Caller;
use crate::company::companies::rows::Company;
use crate::company::profile;
use crate::company::profile::Profile;
use crate::company::taxes::{rows as taxes, state};
use crate::company::{banks as company_banks, companies, forms as company_forms, locations};
use crate::error::Error;
use crate::events;
use crate::events::EventType;
use crate::platform::audit;

/// Table of the record, in audit entries. A company has one record, which has the company's id.
pub const TABLE: &str = "company_onboarding";

/// The steps of a company's onboarding.
#[derive(Debug, Clone)]
pub struct OnboardingStatus {
    /// whether the company has finished its onboarding
    pub finished: bool,
    /// the steps, in order
    pub steps: Vec<StepStatus>,
}

/// A step of a company's onboarding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepStatus {
    /// the step
    pub step: Step,
    /// whether payroll cannot be run without it
    pub required: bool,
    /// when it was completed
    pub completed_at: Option<Timestamp>,
}

/// When a step was completed, if it is.
fn completed_at(
    tx: &mut Tx<'_>,
    caller: &Caller,
    company: &Company,
    step: Step,
) -> Result<Option<Timestamp>, Error> {
    let id = caller.company;
    Ok(match step {
        // Payroll cannot withhold the taxes of a place of work before it is known.
        Step::AddAddresses if !locations::service::with_open_questions(tx, id)?.is_empty() => None,
        Step::AddAddresses => rows::addressed_since(tx, id)?,
        Step::FederalTaxSetup => {
            let known = company.entity_type.is_some() && company.ein.is_some();
            taxes::find_federal(tx, id)?.filter(|_| known).map(|federal| federal.updated_at)
        }
        Step::SelectIndustry => rows::find_industry(tx, id)?.map(|industry| industry.updated_at),
        Step::AddBankInfo => company_banks::rows::current_account(tx, id)?.map(|account| account.created_at),
        Step::AddEmployees => rows::first_onboarded(tx, id)?,
        Step::StateSetup => state::settled_at(tx, caller)?,
        Step::PayrollSchedule => rows::scheduled_since(tx, id)?,
        Step::SignAllForms => company_forms::service::all_signed_at(tx, caller)?,
        Step::VerifyBankInfo => {
            company_banks::rows::current_account(tx, id)?.and_then(|account| account.verified_at)
        }
        Step::ExternalPayroll => rows::external_payrolls_finished(tx, id)?,
    })
}

fn list_steps(
    tx: &mut Tx<'_>,
    caller: &Caller,
    company: &Company,
    external: bool,
) -> Result<Vec<StepStatus>, Error> {
    let steps = Step::STANDARD.into_iter().chain(external.then_some(Step::ExternalPayroll));
    let status = |step: Step| {
        let required = step.is_required(company.contractor_only);
        Ok(StepStatus { step, required, completed_at: completed_at(tx, caller, company, step)? })
    };
    steps.map(status).collect()
}

/// The steps of the company's onboarding; with `external`, including that of payrolls run elsewhere.
///
/// # Errors
/// "Not found"; a store error.
pub fn onboarding_status(
    tx: &mut Tx<'_>,
    caller: &Caller,
    external: bool,
) -> Result<OnboardingStatus, Error> {
    let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let steps = list_steps(tx, caller, &company, external)?;
    let finished = rows::company_onboarding(tx, caller.company)?.finished_at.is_some();
    Ok(OnboardingStatus { finished, steps })
}

/// Whether the company has finished its onboarding, and the required steps that are not complete.
pub fn open_steps(tx: &mut Tx<'_>, caller: &Caller, company: &Company) -> Result<(bool, Vec<Step>), Error> {
    let steps = list_steps(tx, caller, company, false)?;
    let complete = |step| steps.iter().any(|known| known.step == step && known.completed_at.is_some());
    let finished = rows::company_onboarding(tx, caller.company)?.finished_at.is_some();
    Ok((finished, setup::open_steps(company.contractor_only, complete)))
}

/// Finishes the company's onboarding. Afterwards it waits for approval.
///
/// # Errors
/// 422 that names the incomplete steps, or when it is finished already; "not found"; a store error.
pub fn finish_onboarding(tx: &mut Tx<'_>, caller: &Caller) -> Result<OnboardingStatus, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let onboarding = rows::company_onboarding(tx, caller.company)?;
    if onboarding.finished_at.is_some() {
        return Err(
            Violation::invalid_operation("The company's onboarding has already been finished.").into()
        );
    }
    let open: Vec<_> = open_steps(tx, caller, &company)?.1.into_iter().map(Step::as_str).collect();
    if !open.is_empty() {
        let message = format!("These steps are not complete yet: {}.", open.join(", "));
        return Err(Violation::invalid_operation(message)
            .with_metadata(json!({ "open_steps": open }))
            .into());
    }
    let now = tx.now();
    rows::save_onboarding(tx, caller.company, Onboarding { finished_at: Some(now), ..onboarding })?;
    audit::record_audit_entry(tx, caller, "onboarding_finished", (TABLE, caller.company), &json!({}))?;
    events::emit_event(tx, caller.company, events::COMPANY_ONBOARDED, caller.company)?;
    if company.company_status == Status::NotApproved {
        events::emit_event(tx, caller.company, events::COMPANY_NEEDS_APPROVAL, caller.company)?;
    }
    onboarding_status(tx, caller, false)
}

/// Approves the company and marks its EIN as verified. A second approval changes nothing.
///
/// # Errors
/// 422 for a company that has not finished its onboarding, or is suspended; "not found"; a store error.
pub fn approve_company(tx: &mut Tx<'_>, caller: &Caller) -> Result<Profile, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let onboarding = rows::company_onboarding(tx, caller.company)?;
    if onboarding.finished_at.is_none() {
        return Err(Violation::invalid_operation("The company has not finished its onboarding yet.").into());
    }
    if company.company_status == Status::Suspended {
        return Err(Violation::invalid_operation("The company is suspended.").into());
    }
    if onboarding.approved_at.is_none() {
        let now = tx.now();
        rows::save_onboarding(tx, caller.company, Onboarding { approved_at: Some(now), ..onboarding })?;
        taxes::set_verified(tx, caller.company)?;
        companies::rows::set_status(tx, caller.company, Status::Approved)?;
        let changes =
            json!({ "company_status": [company.company_status.as_str(), Status::Approved.as_str()] });
        audit::record_audit_entry(
            tx,
            caller,
            "approved",
            (companies::service::TABLE, caller.company),
            &changes,
        )?;
        events::emit_event(tx, caller.company, events::COMPANY_APPROVED, caller.company)?;
    }
    profile::service::get_company_profile(tx, caller)
}

/// Suspends the company: it can neither run payroll nor be migrated. A second suspension changes nothing.
///
/// # Errors
/// "Not found"; a store error.
pub fn suspend_company(tx: &mut Tx<'_>, caller: &Caller) -> Result<Profile, Error> {
    set_status(
        tx,
        caller,
        Status::Suspended,
        ("suspended", &[events::COMPANY_SUSPENDED, events::COMPANY_SUSPENDED_EFFECTIVE]),
    )
}

/// Ends a suspension: the company is approved again if it was before. Changes nothing for a company that is not
/// suspended.
///
/// # Errors
/// "Not found"; a store error.
pub fn reinstate_company(tx: &mut Tx<'_>, caller: &Caller) -> Result<Profile, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    if company.company_status != Status::Suspended {
        return profile::service::get_company_profile(tx, caller);
    }
    let approved = rows::company_onboarding(tx, caller.company)?.approved_at.is_some();
    let before = if approved { Status::Approved } else { Status::NotApproved };
    set_status(tx, caller, before, ("reinstated", &[events::COMPANY_UNSUSPENDED]))
}

fn set_status(
    tx: &mut Tx<'_>,
    caller: &Caller,
    status: Status,
    (action, told): (&'static str, &[EventType]),
) -> Result<Profile, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    if company.company_status != status {
        companies::rows::set_status(tx, caller.company, status)?;
        let changes = json!({ "company_status": [company.company_status.as_str(), status.as_str()] });
        audit::record_audit_entry(tx, caller, action, (companies::service::TABLE, caller.company), &changes)?;
        for event in told {
            events::emit_event(tx, caller.company, *event, caller.company)?;
        }
    }
    profile::service::get_company_profile(tx, caller)
}
