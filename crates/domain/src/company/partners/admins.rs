//! Who administers a company.

use rules::{Checks, Violation, check};
use store::Tx;

use crate::access::tokens::Caller;
use crate::access::users;
use crate::access::users::Role;
use crate::access::users::service::Person;
use crate::company::partners::shapes::{Admin, AdminInput};
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::records::room_for;

/// Administrators of a company at the most.
const MOST: usize = 1_000;

/// A page of the company's administrators, in the order in which they were added.
///
/// # Errors
/// A store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<Admin>, Error> {
    let found = users::admins(tx, caller.company)?;
    let told = found.into_iter().map(|admin| Admin {
        uuid: admin.user,
        email: admin.email,
        first_name: admin.first_name,
        last_name: admin.last_name,
        phone: admin.phone,
    });
    Ok(Listed::slice(page, told.collect()))
}

/// The person of a body, with its faults put into `checks`.
pub fn read(input: &AdminInput, checks: &mut Checks) -> Person {
    let name = |key: &str, value: &String| check::person_name(key, value);
    let first_name = input.first_name.required("first_name", checks, name);
    let last_name = input.last_name.required("last_name", checks, name);
    let email = input.email.required("email", checks, |k, v| check::email(k, v));
    let phone = input.phone.optional("phone", checks, |k, v| check::phone(k, v));
    Person {
        first_name: first_name.unwrap_or_default(),
        last_name: last_name.unwrap_or_default(),
        email: email.unwrap_or_default(),
        phone,
    }
}

/// Makes somebody an administrator with full access. A user with this e-mail address is taken as it is.
///
/// # Errors
/// Every violation of the input; 422 for somebody who administers the company already; a store error.
pub fn create(tx: &mut Tx<'_>, caller: &Caller, input: &AdminInput) -> Result<Admin, Error> {
    let mut checks = Checks::new();
    let person = read(input, &mut checks);
    checks.finish()?;
    let given = users::service::give_role(tx, caller, &person, Role::FullAccess)?;
    room_for("administrators of a company", users::admins(tx, caller.company)?.len() - 1, MOST)?;
    if given.before.is_some() {
        let message = "email is that of somebody who administers the company already";
        let company = "the company has an administrator with this e-mail address already";
        return Err(vec![Violation::invalid("email", message), Violation::invalid("company", company)].into());
    }
    let user = given.user;
    Ok(Admin {
        uuid: user.id,
        email: user.email,
        first_name: user.first_name,
        last_name: user.last_name,
        phone: user.phone,
    })
}
