//! Reading a company.

use store::Tx;

use super::api::{Company, PrimaryAdmin, PrimarySignatory};
use super::rows;
use crate::auth::Caller;
use crate::error::Error;
use crate::users;

/// The caller's company.
///
/// # Errors
/// "Not found" when it is gone; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller) -> Result<Company, Error> {
    let company = rows::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    let signatory = rows::signatories(tx, caller.company)?.into_iter().next();
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
        tier: None,
        locations: locations.iter().map(Into::into).collect(),
        primary_signatory: signatory.map(|s| PrimarySignatory {
            uuid: s.id,
            first_name: s.first_name,
            middle_initial: None,
            last_name: s.last_name,
            phone: s.phone,
            email: s.email,
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
