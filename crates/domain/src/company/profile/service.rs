//! Reading and updating a company.

use rules::payroll::assignment::AssignmentType;
use rules::{Checks, check};
use serde_json::json;
use store::Tx;

use super::commands::{NewTrait, UpdateCompany};
use crate::access::tokens::Caller;
use crate::access::users;
use crate::access::users::{Admin, Role};
use crate::company::companies::rows;
use crate::company::companies::rows::Company;
use crate::company::companies::service::TABLE;
use crate::company::companies::traits;
use crate::company::companies::traits::Traits;
use crate::company::locations::rows::Location;
use crate::company::signatories::Signatory;
use crate::company::{banks as company_banks, locations, signatories};
use crate::error::Error;
use crate::events;
use crate::patch::as_is;
use crate::pay::earning_types::rows::EarningType;
use crate::pay::{earning_types, pay_schedules};
use crate::platform::audit;

/// A company with the other records that its response contains.
#[derive(Debug, Clone)]
pub struct Profile {
    /// the company
    pub company: Company,
    /// facts that affect its migration
    pub traits: Traits,
    /// its signatory
    pub signatory: Option<Signatory>,
    /// its payroll administrators
    pub primary_admin: Option<Admin>,
    /// its locations
    pub locations: Vec<Location>,
    /// what determines an employee's pay schedule; `None` without a pay schedule
    pub pay_schedule_type: Option<AssignmentType>,
    /// whether it has a bank account
    pub has_bank_account: bool,
    /// its own earning types
    pub earning_types: Vec<EarningType>,
}

/// Updates whether the company pays contractors only.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn update_company_profile(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &UpdateCompany,
) -> Result<Profile, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let before = rows::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let mut checks = Checks::new();
    let after = input.contractor_only.required("contractor_only", &mut checks, as_is).unwrap_or_default();
    checks.finish()?;
    if after != before.contractor_only {
        rows::set_contractor_only(tx, caller.company, after)?;
        let changes = json!({ "contractor_only": [before.contractor_only, after] });
        audit::record_audit_entry(tx, caller, "updated", (TABLE, caller.company), &changes)?;
        events::emit_event(tx, caller.company, events::COMPANY_UPDATED, caller.company)?;
    }
    get_company_profile(tx, caller)
}

/// Longest name of a fact, in characters.
const TRAIT_NAME: usize = 100;

/// Records a fact about the company.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn note_trait(tx: &mut Tx<'_>, caller: &Caller, input: &NewTrait) -> Result<Profile, Error> {
    let mut checks = Checks::new();
    let kind = input.r#trait.required("trait", &mut checks, as_is);
    let name =
        input.name.required("name", &mut checks, |key, text| check::validate_text(key, text, TRAIT_NAME));
    checks.finish()?;
    let (Some(kind), Some(name)) = (kind, name) else {
        return Err(Error::internal("a field is missing that was checked"));
    };
    traits::record_fact(tx, caller, kind, &name)?;
    get_company_profile(tx, caller)
}

/// The caller's company.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_company_profile(tx: &mut Tx<'_>, caller: &Caller) -> Result<Profile, Error> {
    let company = rows::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let signatory = signatories::of_company(tx, caller.company)?;
    let traits = traits::of_company(tx, caller.company)?;
    let admins = users::list_admins(tx, caller.company)?;
    let locations = locations::rows::of_company(tx, caller.company)?;
    let schedules = pay_schedules::rows::of_company(tx, caller.company)?;
    let pay_schedule_type = match schedules.iter().any(|schedule| schedule.active) {
        true => Some(pay_schedules::schedule_spans::assignment_settings(tx, caller.company)?.kind),
        false => None,
    };
    let account = company_banks::rows::current_account(tx, caller.company)?;
    let mut earning_types = earning_types::rows::of_company(tx, caller.company)?;
    earning_types.retain(|one| one.active);
    Ok(Profile {
        company,
        traits,
        signatory,
        primary_admin: admins.into_iter().find(|admin| admin.role == Role::Primary),
        locations,
        pay_schedule_type,
        has_bank_account: account.is_some(),
        earning_types,
    })
}
