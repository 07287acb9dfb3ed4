//! The terms of service: whether the current edition is accepted, and accepting it.
//!
//! Before version 2026-02-01 anyone with a role in the company may accept them; since then only a payroll
//! administrator, which is an administrator with full access.

use std::net::IpAddr;

use rules::{Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands::{AcceptTerms, RetrieveTerms};
use super::rows;
use super::rows::Acceptance;
use crate::access::tokens::Caller;
use crate::access::users;
use crate::access::users::Admin;
use crate::error::Error;
use crate::platform::audit;
use crate::version::{ApiVersion, Change};

/// The current edition of the terms. A new edition has to be accepted again.
pub const EDITION: &str = "2026-01-01";
/// Table of the record, in audit entries.
pub const TABLE: &str = Acceptance::TABLE;
/// Longest partner id of a user, in characters.
const EXTERNAL_ID: usize = 255;

/// Whether an administrator's acceptance counts for a caller of this version.
fn may_accept(version: ApiVersion, admin: &Admin) -> bool {
    !version.includes_change(Change::TermsByPayrollAdministrator) || admin.role.may_authorize()
}

/// Whether the current terms are accepted by someone who may accept them.
pub fn are_terms_accepted(tx: &mut Tx<'_>, caller: &Caller) -> Result<bool, Error> {
    let acceptances = rows::of_edition(tx, caller.company, EDITION)?;
    let admins = users::list_admins(tx, caller.company)?;
    Ok(admins.iter().any(|admin| may_accept(caller.version, admin) && is_by(&acceptances, admin.user)))
}

fn is_by(acceptances: &[Acceptance], user: Uuid) -> bool {
    acceptances.iter().any(|acceptance| acceptance.user == user)
}

/// Whether the user with an e-mail address has accepted the current terms.
///
/// # Errors
/// 422 for an invalid address, or one without a role in the company; a store error.
pub fn accepted_by_user(tx: &mut Tx<'_>, caller: &Caller, input: &RetrieveTerms) -> Result<bool, Error> {
    let mut checks = Checks::new();
    let email = input.email.required("email", &mut checks, |k, v| check::validate_email(k, v));
    checks.finish()?;
    let admin = find_admin_by_email(tx, caller, &email.unwrap_or_default())?;
    Ok(is_by(&rows::of_edition(tx, caller.company, EDITION)?, admin.user))
}

/// Accepts the current terms. Accepting them again stores nothing new.
///
/// # Errors
/// Every violation of the input, 422 for a user who may not accept them; a store error.
pub fn accept_terms(tx: &mut Tx<'_>, caller: &Caller, input: &AcceptTerms) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let mut checks = Checks::new();
    let email = input.email.required("email", &mut checks, |k, v| check::validate_email(k, v));
    let ip = input.ip_address.required("ip_address", &mut checks, |k, v| ip_address(k, v));
    let external = input.external_user_id.required("external_user_id", &mut checks, |k, v| external_id(k, v));
    checks.finish()?;
    let admin = find_admin_by_email(tx, caller, &email.unwrap_or_default())?;
    if !may_accept(caller.version, &admin) {
        let message = "email must belong to a payroll administrator: one with full access to the company";
        return Err(Violation::invalid("email", message).into());
    }
    if !is_by(&rows::of_edition(tx, caller.company, EDITION)?, admin.user) {
        let acceptance = Acceptance {
            user: admin.user,
            edition: EDITION.to_owned(),
            ip_address: ip.unwrap_or_default(),
            external_user_id: external.unwrap_or_default(),
            accepted_at: tx.now(),
        };
        acceptance.insert(tx, caller.company)?;
    }
    // Accepting the terms again is audited, too.
    audit::record_audit_entry(
        tx,
        caller,
        "accepted",
        (TABLE, admin.user),
        &json!({ "edition": [null, EDITION] }),
    )
}

fn find_admin_by_email(tx: &mut Tx<'_>, caller: &Caller, email: &str) -> Result<Admin, Error> {
    let wanted = email.to_lowercase();
    let found =
        users::list_admins(tx, caller.company)?.into_iter().find(|a| a.email.to_lowercase() == wanted);
    let nobody = || {
        Error::from(Violation::invalid("email", "email must belong to someone with a role in the company"))
    };
    found.ok_or_else(nobody)
}

/// Validates an IP address. Returns its canonical form.
///
/// # Errors
/// The violation of anything else.
pub fn ip_address(key: &str, value: &str) -> Result<String, Violation> {
    let address: Result<IpAddr, _> = value.trim().parse();
    let wrong = |_| Violation::invalid(key, format!("{key} must be an IP address, such as 203.0.113.7"));
    address.map(|address| address.to_string()).map_err(wrong)
}

/// Validates the partner's id of a user.
///
/// # Errors
/// The violation of text that is blank, too long, or has control characters.
pub fn external_id(key: &str, value: &str) -> Result<String, Violation> {
    check::validate_text(key, value, EXTERNAL_ID)
}
