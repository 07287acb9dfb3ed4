//! Creating a company.

use jiff::tz::TimeZone;
use serde_json::json;
use store::Tx;

use super::rows;
use super::rows::Company;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::platform::audit;

/// Table of the record, in audit entries.
pub const TABLE: &str = "companies";
/// Longest name of a company, in characters.
pub const NAME: usize = 200;

/// A company to create. Its fields have been checked.
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

/// Creates a company. Returns the caller inside the new company.
pub fn create_company(tx: &mut Tx<'_>, caller: &Caller, new: NewCompany) -> Result<Caller, Error> {
    let NewCompany { name, trade_name, ein, contractor_only, is_partner_managed } = new;
    let (id, now) = (tx.new_id(), tx.now());
    let company = Company::new(id, name, now);
    let row = Company { trade_name, ein, contractor_only, is_partner_managed, ..company };
    rows::insert_company(tx, &row)?;
    let inside = Caller { company: id, zone: TimeZone::UTC, ..caller.clone() };
    audit::record_audit_entry(tx, &inside, "created", (TABLE, id), &json!({}))?;
    Ok(inside)
}
