//! Disabling, signing out and deleting administrators.

use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::applications::operator_in;
use crate::access::tokens::Caller;
use crate::access::users::rows::{Administered, User};
use crate::access::users::{browsers, rows, service};
use crate::company::partners::ending;
use crate::error::Error;
use crate::platform::audit;
use crate::platform::hooks::Consents;
use rules::Violation;

/// Table of the records, in audit entries.
const TABLE: &str = "users";
/// Users that are listed in one unit.
const AT_ONCE: i64 = 100;

/// A user with the companies that the user administers.
pub struct Listed {
    /// the record
    pub user: User,
    /// by name, at most a thousand
    pub companies: Vec<Administered>,
}

store::hidden!(Listed);

/// One page of the users, after a cursor; a short page is the last.
pub fn list_users(tx: &mut Tx<'_>, after: Uuid) -> Result<Vec<Listed>, Error> {
    let found = rows::users_after(tx, after, AT_ONCE)?;
    let listed = found.into_iter().map(|user| {
        let companies = rows::companies_of(tx, user.id)?;
        Ok(Listed { user, companies })
    });
    listed.collect()
}

fn find_known_user(tx: &mut Tx<'_>, email: &str) -> Result<User, Error> {
    rows::find_by_email(tx, email)?.ok_or(Error::NotFound)
}

/// What a user lost, by kind.
#[derive(Debug, Default, Clone, Copy)]
pub struct Ended {
    /// sessions in a browser
    pub sessions: u64,
    /// company tokens to which the user had consented
    pub tokens: u64,
}

/// Disables a user: no sign-in and no session, and codes and tokens to which the user consented become invalid.
///
/// # Errors
/// "Not found"; a store error.
pub fn disable_user(tx: &mut Tx<'_>, caller: &Caller, email: &str) -> Result<Ended, Error> {
    let user = find_known_user(tx, email)?;
    service::lock_user_credentials(tx, user.id)?;
    let changed = rows::set_disabled(tx, user.id, true)?;
    let ended =
        Ended { sessions: rows::end_sessions(tx, user.id)?, tokens: revoke_user_tokens(tx, user.id)? };
    if changed {
        audit::record_audit_entry(
            tx,
            caller,
            "disabled",
            (TABLE, user.id),
            &json!({ "disabled": [false, true] }),
        )?;
    }
    Ok(ended)
}

/// Undoes [`disable_user`]; what ended with it stays ended.
///
/// # Errors
/// "Not found"; a store error.
pub fn enable_user(tx: &mut Tx<'_>, caller: &Caller, email: &str) -> Result<(), Error> {
    let user = find_known_user(tx, email)?;
    service::lock_user_credentials(tx, user.id)?;
    if rows::set_disabled(tx, user.id, false)? {
        audit::record_audit_entry(
            tx,
            caller,
            "enabled",
            (TABLE, user.id),
            &json!({ "disabled": [true, false] }),
        )?;
    }
    Ok(())
}

/// Ends every session of a user.
///
/// # Errors
/// "Not found"; a store error.
pub fn sign_out(tx: &mut Tx<'_>, caller: &Caller, email: &str) -> Result<u64, Error> {
    let user = find_known_user(tx, email)?;
    let sessions = rows::end_sessions(tx, user.id)?;
    audit::record_audit_entry(
        tx,
        caller,
        "signed_out",
        (TABLE, user.id),
        &json!({ "ended": { "sessions": sessions } }),
    )?;
    Ok(sessions)
}

/// Revokes a user's consents in every company: unused codes, and tokens, whose number it returns.
///
/// # Errors
/// "Not found"; a store error.
pub fn revoke_consent(tx: &mut Tx<'_>, email: &str) -> Result<u64, Error> {
    let user = find_known_user(tx, email)?;
    revoke_user_tokens(tx, user.id)
}

fn revoke_user_tokens(tx: &mut Tx<'_>, user: Uuid) -> Result<u64, Error> {
    let mut revoked = 0;
    for one in rows::companies_of(tx, user)? {
        let inside = operator_in(tx, one.company)?;
        let Consents { codes, tokens } = ending::end_consents(tx, &inside, user)?;
        if codes + tokens > 0 {
            let ended = json!({ "ended": { "codes": codes, "tokens": tokens } });
            audit::record_audit_entry(tx, &inside, "revoked", (TABLE, user), &ended)?;
        }
        revoked += tokens;
    }
    Ok(revoked)
}

/// Gives a user a new password, which ends every session; it is returned and not stored.
///
/// # Errors
/// "Not found"; a store error.
pub fn rotate_secret(tx: &mut Tx<'_>, caller: &Caller, email: &str) -> Result<String, Error> {
    let user = find_known_user(tx, email)?;
    service::lock_user_credentials(tx, user.id)?;
    let password = service::new_password(tx, user.id)?;
    audit::record_audit_entry(tx, caller, "rotated", (TABLE, user.id), &json!({ "password": "replaced" }))?;
    Ok(password)
}

/// Deletes a disabled user, with every role. The audit log keeps what the user did, under the user's id.
///
/// # Errors
/// "Not found"; a violation for a user who is not disabled, or is the primary administrator of a company; a store error.
pub fn delete_user(tx: &mut Tx<'_>, caller: &Caller, email: &str) -> Result<(), Error> {
    let user = find_known_user(tx, email)?;
    if user.disabled_at.is_none() {
        let why = "Disable the user first: that can be undone, and deletion cannot.";
        return Err(Violation::invalid_operation(why).into());
    }
    for one in rows::companies_of(tx, user.id)? {
        let inside = operator_in(tx, one.company)?;
        service::take_role(tx, &inside, user.id)?;
    }
    service::lock_user_credentials(tx, user.id)?;
    browsers::forget_browsers(tx, user.id)?;
    assert!(rows::delete_user(tx, &user)?, "it was read in this unit");
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, user.id), &json!({}))
}
