//! Administrators of a company.

use rules::{Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use super::commands::{AddAdmin, CreateAdmin};
use crate::access::tokens::Caller;
use crate::access::users;
use crate::access::users::service::RoleHolder;
use crate::access::users::{Admin, Role};
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch::{as_is, refuse_null};
use crate::records::room_for;

/// Maximum number of administrators of a company.
const MOST: usize = 1_000;

/// A page of the company's administrators, in the order in which they were added.
pub fn list_admins(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<Admin>, Error> {
    Ok(Listed::slice(page, users::list_admins(tx, caller.company)?))
}

/// The person of a command. Violations are added to `checks`.
pub fn read_person(input: &CreateAdmin, checks: &mut Checks) -> RoleHolder {
    let name = |key: &str, value: &String| check::person_name(key, value);
    let first_name = input.first_name.required_or_missing("first_name", checks, name);
    let last_name = input.last_name.required_or_missing("last_name", checks, name);
    let email = input.email.required_or_missing("email", checks, |k, v| check::validate_email(k, v));
    let phone = input.phone.optional("phone", checks, |k, v| check::parse_phone(k, v));
    RoleHolder {
        first_name: first_name.unwrap_or_default(),
        last_name: last_name.unwrap_or_default(),
        email: email.unwrap_or_default(),
        phone,
    }
}

/// Gives a user full access to the company, or makes the user its primary administrator; the previous one keeps full access. An existing
/// user with this e-mail address gets the role, and the name that this company entered, whatever others entered.
///
/// # Errors
/// Every violation of the input; 422 for an existing administrator of the company who is not to become the primary one, and for a disabled
/// user who is; a store error.
pub fn add_admin(tx: &mut Tx<'_>, caller: &Caller, input: &AddAdmin) -> Result<Admin, Error> {
    let AddAdmin { first_name, last_name, email, phone, primary } = input.clone();
    let mut checks = Checks::new();
    let person = read_person(&CreateAdmin { first_name, last_name, email, phone }, &mut checks);
    refuse_null("primary", &primary, &mut checks);
    let primary = primary.optional("primary", &mut checks, as_is).unwrap_or(false);
    checks.finish()?;
    if users::service::role_of(tx, caller, &person.email)?.is_some() && !primary {
        let message = "email belongs to an existing administrator of the company";
        let company = "the company already has an administrator with this e-mail address";
        return Err(vec![Violation::invalid("email", message), Violation::invalid("company", company)].into());
    }
    let role = if primary { Role::Primary } else { Role::FullAccess };
    let given = users::service::give_role(tx, caller, &person, role)?;
    let admins = users::list_admins(tx, caller.company)?;
    if given.before.is_none() {
        room_for("administrators of a company", admins.len() - 1, MOST)?;
    }
    let event = match given.before {
        None => events::COMPANY_ADMIN_CREATED,
        Some(_) => events::COMPANY_ADMIN_UPDATED,
    };
    events::emit_of_company(tx, caller.company, event, given.user.id)?;
    admins.into_iter().find(|admin| admin.user == given.user.id).ok_or(Error::NotFound)
}

/// Removes an administrator, and revokes what the person consented to for the company.
///
/// # Errors
/// "Not found"; 422 for the primary administrator, who needs a successor first; a store error.
pub fn remove_admin(tx: &mut Tx<'_>, caller: &Caller, user: Uuid) -> Result<(), Error> {
    if !users::list_admins(tx, caller.company)?.iter().any(|admin| admin.user == user) {
        return Err(Error::NotFound);
    }
    users::service::take_role(tx, caller, user)?;
    events::emit_of_company(tx, caller.company, events::COMPANY_ADMIN_DELETED, user)
}
