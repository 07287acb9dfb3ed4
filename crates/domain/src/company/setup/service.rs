//! The steps of a company's onboarding, finishing it, and what the operator decides about the company: to approve it,
//! to suspend it, and to take that back.

use jiff::Timestamp;
use rules::Named;
use rules::Violation;
use rules::company::setup::{Step, open};
use serde_json::json;
use store::Tx;

use super::rows;
use super::rows::Course;
use crate::access::tokens::Caller;
use crate::company::companies::rows::Company as CompanyRow;
use crate::company::companies::shapes::Company;
use crate::company::setup::shapes::{CompanyOnboardingStatus, OnboardingStep};
use crate::company::taxes::{rows as taxes, state};
use crate::company::{banks as company_banks, companies, forms as company_forms};
use crate::error::Error;
use crate::events;
use crate::events::EventType;
use crate::platform::audit;

/// Table of the record, in audit entries. A company has one, so it goes by the company's id.
pub const TABLE: &str = "company_onboarding";

/// Since when the data of a step are held; `None` while they are not.
fn complete_since(
    tx: &mut Tx<'_>,
    caller: &Caller,
    company: &CompanyRow,
    step: Step,
) -> Result<Option<Timestamp>, Error> {
    let id = caller.company;
    Ok(match step {
        Step::AddAddresses => rows::addressed_since(tx, id)?,
        Step::FederalTaxSetup => {
            let known = company.entity_type.is_some() && company.ein.is_some();
            taxes::find_federal(tx, id)?.filter(|_| known).map(|federal| federal.updated_at)
        }
        Step::SelectIndustry => rows::find_industry(tx, id)?.map(|industry| industry.updated_at),
        Step::AddBankInfo => company_banks::rows::current(tx, id)?.map(|account| account.created_at),
        Step::AddEmployees => rows::first_onboarded(tx, id)?,
        Step::StateSetup => state::settled_at(tx, caller)?,
        Step::PayrollSchedule => rows::scheduled_since(tx, id)?,
        Step::SignAllForms => company_forms::service::all_signed_at(tx, caller)?,
        Step::VerifyBankInfo => company_banks::rows::current(tx, id)?.and_then(|account| account.verified_at),
        // Payrolls that were run elsewhere are not kept.
        Step::ExternalPayroll => None,
    })
}

fn steps(
    tx: &mut Tx<'_>,
    caller: &Caller,
    company: &CompanyRow,
    external: bool,
) -> Result<Vec<(Step, Option<Timestamp>)>, Error> {
    let asked = Step::STANDARD.into_iter().chain(external.then_some(Step::ExternalPayroll));
    asked.map(|step| Ok((step, complete_since(tx, caller, company, step)?))).collect()
}

/// How far the company is; `external` asks for the step of payrolls that were run elsewhere, too.
///
/// # Errors
/// "Not found" when the company is gone; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller, external: bool) -> Result<CompanyOnboardingStatus, Error> {
    let company = companies::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    let steps = steps(tx, caller, &company, external)?;
    let course = rows::course(tx, caller.company)?;
    let ids = |steps: &[Step]| steps.iter().map(|step| step.as_str()).collect();
    let told = steps.into_iter().map(|(step, since)| OnboardingStep {
        title: step.title(),
        id: step.as_str(),
        required: step.required(company.contractor_only),
        completed: since.is_some(),
        completed_at: since.map(|moment| moment.to_string()),
        skippable: !step.required(company.contractor_only),
        requirements: ids(step.requirements()),
    });
    Ok(CompanyOnboardingStatus {
        uuid: caller.company,
        onboarding_completed: course.finished_at.is_some(),
        onboarding_steps: told.collect(),
    })
}

/// Whether the company said that its onboarding is done, and the required steps that are not complete.
///
/// # Errors
/// A store error.
pub fn open_steps(
    tx: &mut Tx<'_>,
    caller: &Caller,
    company: &CompanyRow,
) -> Result<(bool, Vec<Step>), Error> {
    let steps = steps(tx, caller, company, false)?;
    let complete = |step| steps.iter().any(|(known, since)| *known == step && since.is_some());
    let finished = rows::course(tx, caller.company)?.finished_at.is_some();
    Ok((finished, open(company.contractor_only, complete)))
}

/// Says that the company's onboarding is done; from then on it waits to be approved.
///
/// # Errors
/// 422 that names the steps that are open, or when it was finished before; "not found"; a store error.
pub fn finish(tx: &mut Tx<'_>, caller: &Caller) -> Result<CompanyOnboardingStatus, Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    let company = companies::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    let course = rows::course(tx, caller.company)?;
    if course.finished_at.is_some() {
        return Err(Violation::operation("The company's onboarding is finished already.").into());
    }
    let open: Vec<_> = open_steps(tx, caller, &company)?.1.into_iter().map(Step::as_str).collect();
    if !open.is_empty() {
        let message = format!("These steps are not complete yet: {}.", open.join(", "));
        return Err(Violation::operation(message).with_metadata(json!({ "open_steps": open })).into());
    }
    let now = tx.now();
    rows::save_course(tx, caller.company, Course { finished_at: Some(now), ..course })?;
    audit::record(tx, caller, "onboarding_finished", (TABLE, caller.company), &json!({}))?;
    events::emit(tx, caller.company, events::COMPANY_ONBOARDED, caller.company)?;
    if company.company_status == "Not Approved" {
        events::emit(tx, caller.company, events::COMPANY_NEEDS_APPROVAL, caller.company)?;
    }
    get(tx, caller, false)
}

/// Approves the company, whose identification number was looked at. A second approval changes nothing.
///
/// # Errors
/// 422 for a company that has not finished its onboarding, or is suspended; "not found"; a store error.
pub fn approve(tx: &mut Tx<'_>, caller: &Caller) -> Result<Company, Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    let company = companies::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    let course = rows::course(tx, caller.company)?;
    if course.finished_at.is_none() {
        return Err(Violation::operation("The company has not finished its onboarding yet.").into());
    }
    if company.company_status == "Suspended" {
        return Err(Violation::operation("The company is suspended.").into());
    }
    if course.approved_at.is_none() {
        let now = tx.now();
        rows::save_course(tx, caller.company, Course { approved_at: Some(now), ..course })?;
        taxes::set_verified(tx, caller.company)?;
        companies::rows::set_status(tx, caller.company, "Approved")?;
        let changes = json!({ "company_status": [company.company_status, "Approved"] });
        audit::record(tx, caller, "approved", (companies::service::TABLE, caller.company), &changes)?;
        events::emit(tx, caller.company, events::COMPANY_APPROVED, caller.company)?;
    }
    companies::service::get(tx, caller)
}

/// Suspends the company: it can neither run payroll nor move. A second time changes nothing.
///
/// # Errors
/// "Not found"; a store error.
pub fn suspend(tx: &mut Tx<'_>, caller: &Caller) -> Result<Company, Error> {
    set_standing(tx, caller, "Suspended", ("suspended", events::COMPANY_SUSPENDED))
}

/// Ends a suspension: the company is what it was before, approved or not. Changes nothing for one that is not
/// suspended.
///
/// # Errors
/// "Not found"; a store error.
pub fn reinstate(tx: &mut Tx<'_>, caller: &Caller) -> Result<Company, Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    let company = companies::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    if company.company_status != "Suspended" {
        return companies::service::get(tx, caller);
    }
    let approved = rows::course(tx, caller.company)?.approved_at.is_some();
    let before = if approved { "Approved" } else { "Not Approved" };
    set_standing(tx, caller, before, ("reinstated", events::COMPANY_UNSUSPENDED))
}

fn set_standing(
    tx: &mut Tx<'_>,
    caller: &Caller,
    status: &'static str,
    (action, event): (&'static str, EventType),
) -> Result<Company, Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    let company = companies::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    if company.company_status != status {
        companies::rows::set_status(tx, caller.company, status)?;
        let changes = json!({ "company_status": [company.company_status, status] });
        audit::record(tx, caller, action, (companies::service::TABLE, caller.company), &changes)?;
        events::emit(tx, caller.company, event, caller.company)?;
    }
    companies::service::get(tx, caller)
}
