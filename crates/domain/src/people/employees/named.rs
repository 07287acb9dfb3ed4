//! Employees in a request.

use std::collections::BTreeSet;

use rules::{Checks, Violation};
use store::Tx;
use uuid::Uuid;

use super::Employee;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{self, Patch};
use crate::records::id_of;

/// Maximum number of employees in a request.
const AT_ONCE: usize = 1_000;

/// An employee in a request.
#[derive(Debug, Clone, Default)]
pub struct Person {
    /// identifier
    pub uuid: Patch<String>,
}

/// Returns the ids in a list, sorted and without duplicates; empty if the list is omitted. Ids of non-employees are violations.
///
/// # Errors
/// A store error.
pub fn employees(
    tx: &mut Tx<'_>,
    caller: &Caller,
    list: &Patch<Vec<Person>>,
    checks: &mut Checks,
) -> Result<BTreeSet<Uuid>, Error> {
    let mut found = BTreeSet::new();
    for person in patch::items("employees", list, AT_ONCE, checks) {
        let Some(id) = person.uuid.required("uuid", checks, |_, id| Ok(id_of(id))) else { continue };
        let known = Employee::find(tx, caller.company, id)?.is_some();
        checks.require(known, || {
            Violation::invalid("uuid", "uuid must be the uuid of an employee of the company")
        });
        found.insert(id);
    }
    Ok(found)
}
