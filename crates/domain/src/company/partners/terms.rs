//! The terms of service: whether they are accepted as they are now, and accepting them.
//!
//! Before version 2026-02-01 anybody with a role in the company may accept them; from then on a payroll administrator
//! has to, which is an administrator with full access.

use std::net::IpAddr;

use rules::{Checks, Violation, check};
use serde_json::json;
use store::Tx;

use super::rows;
use crate::access::tokens::Caller;
use crate::access::users;
use crate::access::users::Admin;
use crate::company::partners::shapes::{AcceptTerms, RetrieveTerms, Terms};
use crate::error::Error;
use crate::platform::audit;
use crate::version::{ApiVersion, Change};

/// The edition of the terms that counts now. A new edition has to be accepted anew.
pub const EDITION: &str = "2026-01-01";
/// Table of the record, in audit entries.
pub const TABLE: &str = "terms_acceptances";
/// Characters of an identifier of the partner's own at the most.
const EXTERNAL_ID: usize = 255;

/// Whether an administrator's acceptance counts for a caller of this version.
fn may_accept(version: ApiVersion, admin: &Admin) -> bool {
    !version.has(Change::TermsByPayrollAdministrator) || admin.role.may_authorize()
}

/// Whether anybody who may has accepted the terms as they are now.
///
/// # Errors
/// A store error.
pub fn accepted(tx: &mut Tx<'_>, caller: &Caller) -> Result<bool, Error> {
    let by = rows::accepted_by(tx, caller.company, EDITION)?;
    let admins = users::admins(tx, caller.company)?;
    Ok(admins.iter().any(|admin| may_accept(caller.version, admin) && by.contains(&admin.user)))
}

/// As [`accepted`], as an answer.
///
/// # Errors
/// A store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller) -> Result<Terms, Error> {
    Ok(Terms { latest_terms_accepted: accepted(tx, caller)? })
}

/// Whether the user of an e-mail address has accepted the terms as they are now.
///
/// # Errors
/// 422 for an address that is none, or nobody's in the company; a store error.
pub fn of_user(tx: &mut Tx<'_>, caller: &Caller, input: &RetrieveTerms) -> Result<Terms, Error> {
    let mut checks = Checks::new();
    let email = input.email.required("email", &mut checks, |k, v| check::email(k, v));
    checks.finish()?;
    let admin = find(tx, caller, &email.unwrap_or_default())?;
    let by = rows::accepted_by(tx, caller.company, EDITION)?;
    Ok(Terms { latest_terms_accepted: by.contains(&admin.user) })
}

/// Accepts the terms as they are now. Accepting them twice is accepting them once.
///
/// # Errors
/// Every violation of the input, 422 for somebody who may not; a store error.
pub fn accept(tx: &mut Tx<'_>, caller: &Caller, input: &AcceptTerms) -> Result<Terms, Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    let mut checks = Checks::new();
    let email = input.email.required("email", &mut checks, |k, v| check::email(k, v));
    let ip = input.ip_address.required("ip_address", &mut checks, |k, v| ip_address(k, v));
    let external = input.external_user_id.required("external_user_id", &mut checks, |k, v| external_id(k, v));
    checks.finish()?;
    let admin = find(tx, caller, &email.unwrap_or_default())?;
    if !may_accept(caller.version, &admin) {
        let message = "email must be that of a payroll administrator: one with full access to the company";
        return Err(Violation::invalid("email", message).into());
    }
    if !rows::accepted_by(tx, caller.company, EDITION)?.contains(&admin.user) {
        let (ip, external) = (ip.unwrap_or_default(), external.unwrap_or_default());
        rows::insert(tx, (caller.company, admin.user), EDITION, &ip, &external)?;
    }
    // That somebody agreed once more is worth an entry, too.
    audit::record(tx, caller, "accepted", (TABLE, admin.user), &json!({ "edition": [null, EDITION] }))?;
    Ok(Terms { latest_terms_accepted: true })
}

fn find(tx: &mut Tx<'_>, caller: &Caller, email: &str) -> Result<Admin, Error> {
    let wanted = email.to_lowercase();
    let found = users::admins(tx, caller.company)?.into_iter().find(|a| a.email.to_lowercase() == wanted);
    let nobody = || {
        Error::from(Violation::invalid("email", "email must be that of somebody with a role in the company"))
    };
    found.ok_or_else(nobody)
}

/// A network address, in its usual form.
///
/// # Errors
/// Anything else.
pub fn ip_address(key: &str, value: &str) -> Result<String, Violation> {
    let address: Result<IpAddr, _> = value.trim().parse();
    let wrong = |_| Violation::invalid(key, format!("{key} must be an IP address, such as 203.0.113.7"));
    address.map(|address| address.to_string()).map_err(wrong)
}

/// What the partner calls the user.
///
/// # Errors
/// Blank, too long, or with control characters.
pub fn external_id(key: &str, value: &str) -> Result<String, Violation> {
    check::text(key, value, EXTERNAL_ID)
}
