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
pub struct NamedEmployee {
    /// identifier
    pub uuid: Patch<String>,
}

/// Returns the ids in a list, sorted and without duplicates; empty if the list is omitted. Ids of non-employees are violations.
pub fn read_employee_ids(
    tx: &mut Tx<'_>,
    caller: &Caller,
    list: &Patch<Vec<NamedEmployee>>,
    checks: &mut Checks,
) -> Result<BTreeSet<Uuid>, Error> {
    let company = caller.company;
    read_people_ids(list, ("employees", "an employee"), checks, |id| {
        Ok(Employee::find(tx, company, id)?.is_some())
    })
}

/// Returns the ids in a list with this name, as [`read_employee_ids`], of people of any kind: `exists` knows who is one.
///
/// # Errors
/// Those of `exists`.
pub fn read_people_ids(
    list: &Patch<Vec<NamedEmployee>>,
    (key, kind): (&str, &str),
    checks: &mut Checks,
    mut exists: impl FnMut(Uuid) -> Result<bool, Error>,
) -> Result<BTreeSet<Uuid>, Error> {
    let mut found = BTreeSet::new();
    for person in patch::check_items(key, list, AT_ONCE, checks) {
        let Some(id) = person.uuid.required("uuid", checks, |_, id| Ok(id_of(id))) else { continue };
        let known = exists(id)?;
        checks.require(known, || {
            Violation::invalid("uuid", format!("uuid must be the uuid of {kind} of the company"))
        });
        found.insert(id);
    }
    Ok(found)
}
