//! Reading a company, and saying whom it pays.

use rules::Checks;
use serde_json::json;
use store::Tx;

use super::api::{Company, PrimaryAdmin, PrimarySignatory, UpdateCompany};
use super::rows;
use super::traits::{self, Trait};
use crate::auth::Caller;
use crate::error::Error;
use crate::field::as_is;
use crate::signatories::api::SignatoryAddress;
use crate::{audit, events, signatories, users};

/// Table of the record, in audit entries.
pub const TABLE: &str = "companies";

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
    let locations = crate::locations::rows::of_company(tx, caller.company)?;
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
        locations: locations.iter().map(Into::into).collect(),
        primary_signatory: signatory.map(|s| PrimarySignatory {
            uuid: s.id,
            first_name: s.first_name,
            middle_initial: s.middle_initial,
            last_name: s.last_name,
            phone: s.phone,
            email: s.email,
            home_address: s.home.map(|home| SignatoryAddress {
                street_1: home.street_1,
                street_2: home.street_2,
                city: home.city,
                state: home.state,
                zip: home.zip,
                country: home.country,
            }),
        }),
        primary_payroll_admin: primary.map(|a| PrimaryAdmin {
            first_name: a.first_name,
            last_name: a.last_name,
            phone: a.phone,
            email: a.email,
        }),
    })
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
