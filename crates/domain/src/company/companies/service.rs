//! Creating and reading a company, and saying whom it pays.

use jiff::tz::TimeZone;
use rules::{Checks, check};
use serde_json::json;
use store::Tx;

use super::rows;
use super::traits;
use super::traits::Trait;
use crate::access::tokens::Caller;
use crate::access::users;
use crate::company::companies::shapes::{
    Company, CompanyCompensations, HourlyKind, LineKind, NewTrait, PrimaryAdmin, PrimarySignatory,
    UpdateCompany,
};
use crate::company::{banks as company_banks, locations, signatories};
use crate::error::Error;
use crate::events;
use crate::field::as_is;
use crate::pay::pay_schedules;
use crate::pay::payrolls::entered;
use crate::pay::payrolls::entered::{FIXED, HOURLY, REIMBURSEMENT, TIME_OFF};
use crate::platform::audit;
use crate::version::{ApiVersion, Change};

/// Table of the record, in audit entries.
pub const TABLE: &str = "companies";
/// Characters of a company's name at the most.
pub const NAME: usize = 200;

/// A company that is created: nobody has looked at it yet.
#[derive(Debug, Clone)]
pub struct NewCompany {
    /// legal name
    pub name: String,
    /// name under which it trades
    pub trade_name: Option<String>,
    /// nine digits
    pub ein: Option<String>,
    /// whether it pays contractors only
    pub contractor_only: bool,
    /// whether a partner runs its payroll
    pub is_partner_managed: bool,
}

/// Creates a company, and tells the caller as whom to go on inside it.
///
/// # Errors
/// A store error.
pub fn create(tx: &mut Tx<'_>, caller: &Caller, new: NewCompany) -> Result<Caller, Error> {
    let NewCompany { name, trade_name, ein, contractor_only, is_partner_managed } = new;
    let (id, now) = (tx.new_id(), tx.now());
    let named = rows::Company::new(id, name, now);
    let row = rows::Company { trade_name, ein, contractor_only, is_partner_managed, ..named };
    rows::insert(tx, &row)?;
    let inside = Caller { company: id, zone: TimeZone::UTC, ..caller.clone() };
    audit::record(tx, &inside, "created", (TABLE, id), &json!({}))?;
    Ok(inside)
}

/// Says whether the company pays contractors alone.
///
/// # Errors
/// "Not found" when it is gone, every violation of the input; a store error.
pub fn update(tx: &mut Tx<'_>, caller: &Caller, input: &UpdateCompany) -> Result<Company, Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    let before = rows::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    let mut checks = Checks::new();
    let asked = input.contractor_only.required("contractor_only", &mut checks, as_is).unwrap_or_default();
    checks.finish()?;
    if asked != before.contractor_only {
        rows::set_contractor_only(tx, caller.company, asked)?;
        let changes = json!({ "contractor_only": [before.contractor_only, asked] });
        audit::record(tx, caller, "updated", (TABLE, caller.company), &changes)?;
        events::emit(tx, caller.company, events::COMPANY_UPDATED, caller.company)?;
    }
    get(tx, caller)
}

/// Characters of a fact's name at the most.
const TRAIT_NAME: usize = 100;

/// Notes a fact about the company.
///
/// # Errors
/// "Not found" when it is gone, every violation of the input; a store error.
pub fn note_trait(tx: &mut Tx<'_>, caller: &Caller, input: &NewTrait) -> Result<Company, Error> {
    let mut checks = Checks::new();
    let kinds = Trait::ALL.map(Trait::as_str);
    let kind = input.r#trait.required("trait", &mut checks, |key, text| check::one_of(key, text, &kinds));
    let name = input.name.required("name", &mut checks, |key, text| check::text(key, text, TRAIT_NAME));
    checks.finish()?;
    let (Some(kind), Some(name)) = (kind.and_then(Trait::parse), name) else { return Err(Error::Internal) };
    traits::note(tx, caller, kind, &name)?;
    get(tx, caller)
}

/// The caller's company.
///
/// # Errors
/// "Not found" when it is gone; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller) -> Result<Company, Error> {
    let company = rows::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    let signatory = signatories::of_company(tx, caller.company)?;
    let traits = traits::of_company(tx, caller.company)?;
    let admins = users::admins(tx, caller.company)?;
    let primary = admins.into_iter().find(|admin| admin.role == users::Role::Primary);
    let locations = locations::rows::of_company(tx, caller.company)?;
    let schedules = pay_schedules::rows::of_company(tx, caller.company)?;
    let account = company_banks::rows::current(tx, caller.company)?;
    Ok(Company {
        uuid: company.id,
        slug: slug(&company.name),
        name: company.name,
        trade_name: company.trade_name,
        ein: company.ein,
        entity_type: company.entity_type,
        contractor_only: company.contractor_only,
        is_suspended: company.company_status == "Suspended",
        company_status: company.company_status,
        is_partner_managed: company.is_partner_managed,
        join_date: company.join_date.map(|date| date.to_string()),
        tier: traits.tier().filter(|_| !company.is_partner_managed),
        is_high_risk_business: traits.has(Trait::HighRiskBusiness),
        is_marijuana_business: traits.has(Trait::MarijuanaBusiness),
        pay_schedule_type: schedules.iter().any(|schedule| schedule.active).then_some("single"),
        funding_type: account.map(|_| "ach"),
        compensations: compensations(caller.version),
        locations: locations.iter().map(Into::into).collect(),
        primary_signatory: signatory.map(|s| PrimarySignatory {
            uuid: s.id,
            first_name: s.first_name,
            middle_initial: s.middle_initial,
            last_name: s.last_name,
            phone: s.phone,
            email: s.email,
            home_address: s.home.map(Into::into),
        }),
        primary_payroll_admin: primary.map(|a| PrimaryAdmin {
            first_name: a.first_name,
            last_name: a.last_name,
            phone: a.phone,
            email: a.email,
        }),
    })
}

/// The kinds of lines of a payroll in a version of the interface.
fn compensations(version: ApiVersion) -> CompanyCompensations {
    let line = |name| LineKind { uuid: None, name };
    let hourly =
        HOURLY.map(|(name, tenths)| HourlyKind { uuid: None, name, multiple: entered::multiple(tenths) });
    let older = (!version.has(Change::ReimbursementsApart)).then_some(REIMBURSEMENT);
    CompanyCompensations {
        hourly: hourly.into(),
        fixed: FIXED.into_iter().chain(older).map(line).collect(),
        paid_time_off: TIME_OFF.map(line).into(),
    }
}

/// The name as it could stand in an address.
fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_slug_holds_letters_digits_and_single_dashes() {
        assert_eq!(super::slug("Joe's Diner & Co., LLC"), "joe-s-diner-co-llc");
    }
}
