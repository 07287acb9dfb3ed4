//! Giving and removing roles.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rules::{Named, Violation};
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::browsers;
use super::rows;
use super::rows::{Membership, User};
use super::{Role, password};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::platform::{audit, hooks};

/// Table of roles, for audit entries and as the guard that keeps a company to one primary administrator.
pub const TABLE: &str = "company_admins";

/// A person to be given a role. The caller checks the fields.
#[derive(Debug, Clone)]
pub struct RoleHolder {
    /// first name
    pub first_name: String,
    /// last name
    pub last_name: String,
    /// e-mail address. A known user keeps the account's name and phone; the company has its own
    pub email: String,
    /// ten digits
    pub phone: Option<String>,
}

/// The result of giving a role.
#[derive(Debug, Clone)]
pub struct GivenRole {
    /// the user, found by the e-mail address or created
    pub user: User,
    /// the previous role of the user in the company; nothing is changed if it is the same
    pub before: Option<Role>,
}

/// The user with an e-mail address; created, without a password, if there is none.
pub fn find_or_create_user(tx: &mut Tx<'_>, person: &RoleHolder) -> Result<User, Error> {
    if let Some(user) = rows::find_by_email(tx, &person.email)? {
        return Ok(user);
    }
    let user = User {
        id: tx.new_id(),
        first_name: person.first_name.clone(),
        last_name: person.last_name.clone(),
        email: person.email.clone(),
        phone: person.phone.clone(),
        password_hash: None,
        disabled_at: None,
    };
    rows::insert_user(tx, &user)?;
    Ok(user)
}

/// Whether no user has this e-mail address yet.
pub fn is_unknown(tx: &mut Tx<'_>, email: &str) -> Result<bool, Error> {
    Ok(rows::find_by_email(tx, email)?.is_none())
}

/// Gives a person a role in the caller's company, with an audit entry. [`Role::Primary`] is taken from its previous holder. An operation
/// that must not change a role checks [`role_of`] first.
///
/// # Errors
/// A violation for the primary administrator, who needs a successor first, and for making a disabled user primary; a store error.
pub fn give_role(
    tx: &mut Tx<'_>,
    caller: &Caller,
    person: &RoleHolder,
    role: Role,
) -> Result<GivenRole, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let user = find_or_create_user(tx, person)?;
    let before = rows::find_membership(tx, caller.company, user.id)?;
    let new = Membership {
        user: user.id,
        role,
        first_name: Some(person.first_name.clone()),
        last_name: Some(person.last_name.clone()),
        phone: person.phone.clone(),
    };
    set_membership(tx, caller, before.as_ref(), new)?;
    Ok(GivenRole { user, before: before.map(|before| before.role) })
}

/// The role in the caller's company of the user with this e-mail address, if any, under the guard of roles.
pub fn role_of(tx: &mut Tx<'_>, caller: &Caller, email: &str) -> Result<Option<Role>, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    match rows::find_by_email(tx, email)? {
        Some(user) => rows::role_in(tx, caller.company, user.id),
        None => Ok(None),
    }
}

/// Makes a user the company's primary administrator; the previous one keeps full access.
pub fn make_primary(tx: &mut Tx<'_>, caller: &Caller, user: Uuid) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let before = rows::find_membership(tx, caller.company, user)?;
    let new = Membership { user, role: Role::Primary, first_name: None, last_name: None, phone: None };
    set_membership(tx, caller, before.as_ref(), new)
}

/// Sets the role of a membership, which is new if there is none `before`. Call under the guard.
fn set_membership(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: Option<&Membership>,
    admin: Membership,
) -> Result<(), Error> {
    let Membership { user, role, .. } = admin;
    let former = before.map(|before| before.role);
    if former == Some(role) {
        return Ok(());
    }
    if former == Some(Role::Primary) {
        return Err(somebody_else_first());
    }
    if role == Role::Primary {
        if rows::find_user(tx, user)?.is_some_and(|user| user.disabled_at.is_some()) {
            let why = "The user is disabled and cannot be a primary administrator.";
            return Err(Violation::invalid_operation(why).into());
        }
        rows::demote_primary(tx, caller.company)?;
    }
    match before {
        None => rows::insert_admin(tx, caller.company, &admin)?,
        Some(_) => rows::set_role(tx, caller.company, user, role)?,
    }
    let mut changes = json!({ "role": [former.map(Role::as_str), role.as_str()] });
    if former.is_some_and(Role::may_authorize) && !role.may_authorize() {
        changes["ended"] = end_user_consents(tx, caller, user)?;
    }
    audit::record_audit_entry(tx, caller, "updated", (TABLE, user), &changes)
}

/// Ends what the user consented to; returns the counts by kind, for the audit log.
fn end_user_consents(tx: &mut Tx<'_>, caller: &Caller, user: Uuid) -> Result<Value, Error> {
    let hooks::Consents { codes, tokens } = hooks::consents_end(tx, caller, user)?;
    Ok(json!({ "codes": codes, "tokens": tokens }))
}

/// Refuses to leave a company without its primary administrator.
fn somebody_else_first() -> Error {
    let why = "The user is the primary administrator of a company: give that role to someone else first.";
    Violation::invalid_operation(why).into()
}

/// Removes a user's role in the caller's company, and revokes the tokens to which the user consented.
///
/// # Errors
/// A violation for the primary administrator, who needs a successor first; a store error.
pub fn take_role(tx: &mut Tx<'_>, caller: &Caller, user: Uuid) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let Some(before) = rows::find_membership(tx, caller.company, user)? else { return Ok(()) };
    if before.role == Role::Primary {
        return Err(somebody_else_first());
    }
    rows::remove_admin(tx, caller.company, &before)?;
    let changes =
        json!({ "role": [before.role.as_str(), null], "ended": end_user_consents(tx, caller, user)? });
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, user), &changes)
}

/// Takes the guard under which passwords are replaced and users disabled: a sign-in checks under it whether the password that matched is
/// still valid.
pub fn lock_user_credentials(tx: &mut Tx<'_>, user: Uuid) -> Result<(), Error> {
    Ok(tx.take_guard(Uuid::nil(), TABLE, user)?)
}

/// Gives a user a new password and returns it; its text is not stored.
pub fn new_password(tx: &mut Tx<'_>, user: Uuid) -> Result<String, Error> {
    lock_user_credentials(tx, user)?;
    let password = URL_SAFE_NO_PAD.encode(tx.random::<15>());
    let hashed = password::hash(&password, &tx.random())?;
    rows::set_password(tx, user, &hashed)?;
    browsers::forget_browsers(tx, user)?;
    Ok(password)
}
