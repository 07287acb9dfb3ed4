//! Use cases of federal tax details.

use rules::Named;
use rules::company::{LegalForm, filing_form, parse_ein, tax_payer_type};
use rules::deposits::Schedule;
use rules::{Checks, check};
use store::Tx;
use uuid::Uuid;

use super::commands::UpdateFederalTaxDetails;
use super::deposit_schedules;
use super::rows;
use super::rows::Federal;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::company::companies::rows::Company;
use crate::company::companies::service::NAME;
use crate::error::Error;
use crate::events;
use crate::patch::{self, as_is};
use crate::platform::audit;
use crate::platform::hooks;
use crate::records::{Changes, version_text};

/// Table of the record, in versions and audit entries. Its id is that of the company.
pub const TABLE: &str = "company_federal_taxes";

/// Federal tax details with the company, which has the name and legal form.
#[derive(Debug, Clone)]
pub struct FederalTaxDetails {
    /// the company
    pub company: Company,
    /// its federal tax details
    pub federal: Federal,
    /// how often its withheld taxes are deposited, if recorded
    pub deposit_schedule: Option<Schedule>,
}

/// The company's federal tax details.
///
/// # Errors
/// "Not found" if the company does not exist; a store error.
pub fn get_federal_details(tx: &mut Tx<'_>, caller: &Caller) -> Result<FederalTaxDetails, Error> {
    let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let federal = rows::find_federal(tx, caller.company)?.ok_or(Error::NotFound)?;
    let deposit_schedule = deposit_schedules::schedule_on(tx, caller.company, caller.today(tx))?;
    Ok(FederalTaxDetails { company, federal, deposit_schedule })
}

/// The company's legal form.
pub fn legal_form(tx: &mut Tx<'_>, company: Uuid) -> Result<LegalForm, Error> {
    let tax_payer_type = companies::rows::entity_type(tx, company)?;
    let federal = rows::find_federal(tx, company)?;
    Ok(LegalForm {
        tax_payer_type,
        taxable_as_scorp: federal.is_some_and(|federal| federal.taxable_as_scorp),
    })
}

/// Updates federal tax details. A new EIN has to be verified.
///
/// # Errors
/// "Not found", a stale version, every violation of the input; a store error.
pub fn update_federal_details(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &UpdateFederalTaxDetails,
) -> Result<FederalTaxDetails, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let FederalTaxDetails { company, federal: before, .. } = get_federal_details(tx, caller)?;
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    let mut name = company.name.clone();
    input.legal_name.update("legal_name", &mut checks, |k, v| check::validate_text(k, v, NAME), &mut name);
    let new_ein = input.ein.optional("ein", &mut checks, |k, v| parse_ein(k, v));
    let kind = input.tax_payer_type.optional("tax_payer_type", &mut checks, |k, v| tax_payer_type(k, v));
    let kind = kind.map(str::to_owned).or(company.entity_type.clone());
    let mut after = before.clone();
    input.filing_form.update("filing_form", &mut checks, |k, v| filing_form(k, v), &mut after.filing_form);
    input.taxable_as_scorp.update("taxable_as_scorp", &mut checks, as_is, &mut after.taxable_as_scorp);
    checks.finish()?;

    let mut changes = Changes::new();
    changes.record_difference("legal_name", &company.name, &name);
    changes.record_difference("tax_payer_type", &company.entity_type, &kind);
    changes.record_difference("filing_form", &before.filing_form.as_str(), &after.filing_form.as_str());
    changes.record_difference("taxable_as_scorp", &before.taxable_as_scorp, &after.taxable_as_scorp);
    if let Some(ein) = &new_ein {
        changes.note_secret("ein", before.ein(tx, caller.company)?.as_ref() != Some(ein));
    }
    let current = version_text(TABLE, caller.company, before.version);
    changes.expect_version(&version.unwrap_or_default(), current)?;
    if changes.is_empty() {
        return get_federal_details(tx, caller);
    }
    if let Some(ein) = new_ein.filter(|_| changes.has_change("ein")) {
        after.set_ein(tx, caller.company, &ein)?;
    }
    after.effective_date = caller.today(tx);
    assert!(rows::update_federal(tx, caller.company, &after)?, "the row was read under its guard");
    companies::rows::set_identity(tx, caller.company, &name, kind.as_deref())?;
    audit::record_audit_entry(tx, caller, "updated", (TABLE, caller.company), &changes.to_json())?;
    events::emit_event(tx, caller.company, events::COMPANY_UPDATED, caller.company)?;
    hooks::company_changed(tx, caller)?;
    get_federal_details(tx, caller)
}
