//! The receipt of a processed payroll: what the company pays for it, and each employee's share.

use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::locations;
use crate::company::locations::rows::Location;
use crate::company::profile;
use crate::error::Error;
use crate::paging::{Page, Paging};
use crate::pay::payrolls::closing::processing::disbursements::ByCheck;
use crate::pay::payrolls::service::details;
use crate::pay::payrolls::service::details::PayrollDetails;

/// The receipt of a payroll.
#[derive(Debug)]
pub struct Receipt {
    /// the legal name of the company
    pub company: String,
    /// the location from which it files, if it has one
    pub address: Option<Location>,
    /// the payroll with a page of its employees
    pub details: PayrollDetails,
    /// the page of the employees
    pub paging: Paging,
}

/// Returns the receipt of a payroll, with a page of its employees.
///
/// # Errors
/// "Not found", also before the payroll is processed; a store error.
pub fn of_payroll(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, page: Page) -> Result<Receipt, Error> {
    let (mut details, paging) = details::payroll_with_members(tx, caller, id, &[], page)?;
    if !details.payroll.is_processed() {
        return Err(Error::NotFound);
    }
    let by_check = ByCheck::of_payroll(tx, caller.company, &details.payroll)?;
    for one in &mut details.employees {
        if let Some((outcome, paid)) = &mut one.outcome {
            by_check.take_out(outcome, paid);
        }
    }
    let profile = profile::service::get_company_profile(tx, caller)?;
    let places = locations::rows::of_company(tx, caller.company)?;
    Ok(Receipt {
        company: profile.company.name,
        address: places.into_iter().find(|place| place.filing_address),
        details,
        paging,
    })
}
