//! What can be done with garnishments.

pub mod preview;
mod terms;

use rules::Checks;
use rules::payroll::garnishment::Agencies;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::rows;
use super::rows::Garnishment;
use super::shapes;
use super::shapes::{CreateGarnishment, UpdateGarnishment};
use super::{agencies, view};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::field;
use crate::paging::{Listed, Page};
use crate::people::employees;
use crate::platform::audit;
use crate::records::{Changes, room_for, version_text};
use terms::Draft;

/// Table of the record, in versions and audit entries.
pub const TABLE: &str = "garnishments";
/// Garnishments that an employee can have at the most, those that are not active among them.
const MOST: usize = 100;

/// A page of the employee's garnishments, in the order of creation.
///
/// # Errors
/// "Not found"; a store error.
pub fn list(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    page: Page,
) -> Result<Listed<shapes::Garnishment>, Error> {
    let employee = employees::service::find(tx, caller, employee)?.id;
    let found = rows::of_employee(tx, caller.company, employee)?;
    let agencies = agencies::current(tx)?;
    let told = found.iter().map(|record| view::garnishment(record, &agencies)).collect();
    Ok(Listed::slice(page, told))
}

/// The garnishment.
///
/// # Errors
/// "Not found"; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<shapes::Garnishment, Error> {
    let found = rows::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    Ok(view::garnishment(&found, &*agencies::current(tx)?))
}

/// Adds a garnishment.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn create(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &CreateGarnishment,
) -> Result<shapes::Garnishment, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let agencies = agencies::current(tx)?;
    let draft = terms::new(input, &agencies)?;
    let held = rows::of_employee(tx, caller.company, employee)?.len();
    room_for("garnishments of an employee", held, MOST)?;
    let Draft { description, terms, payee } = draft;
    let created_on = caller.today(tx);
    let record = Garnishment { employee, id: tx.new_id(), description, terms, payee, version: 1, created_on };
    rows::insert(tx, caller.company, &record)?;
    audit::record(tx, caller, "created", (TABLE, record.id), &json!({}))?;
    Ok(view::garnishment(&record, &agencies))
}

/// Updates what was sent and leaves the rest.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateGarnishment,
) -> Result<shapes::Garnishment, Error> {
    tx.guard(caller.company, "garnishment", id)?;
    let before = rows::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let agencies = agencies::current(tx)?;
    let mut checks = Checks::new();
    let version = field::version(&input.version, &mut checks);
    let Garnishment { description, terms, payee, .. } = before.clone();
    let draft = terms::changed(Draft { description, terms, payee }, &input.terms(), &agencies, checks)?;
    let Draft { description, terms, payee } = draft;
    let after = Garnishment { description, terms, payee, ..before.clone() };

    let changes = changes(&before, &after, &agencies);
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, id, before.version))?;
    if !changes.is_empty() {
        assert!(rows::update(tx, caller.company, &after)?, "the row was read under its guard");
        audit::record(tx, caller, "updated", (TABLE, id), &changes.to_json())?;
    }
    get(tx, caller, id)
}

/// Forgets the garnishments of an employee who is being deleted.
///
/// # Errors
/// A store error.
pub fn forget(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    rows::delete(tx, caller.company, employee)
}

fn changes(before: &Garnishment, after: &Garnishment, agencies: &Agencies) -> Changes {
    let [old, new] = [before, after].map(|record| view::garnishment(record, agencies));
    let mut changes = Changes::new();
    changes.note("active", &old.active, &new.active);
    changes.note("amount", &old.amount, &new.amount);
    if after.payee.is_none() {
        // That of child support follows from its identifiers.
        changes.note("description", &old.description, &new.description);
    }
    changes.note("court_ordered", &old.court_ordered, &new.court_ordered);
    changes.note("garnishment_type", &old.garnishment_type, &new.garnishment_type);
    changes.note("times", &old.times, &new.times);
    changes.note("recurring", &old.recurring, &new.recurring);
    changes.note("annual_maximum", &old.annual_maximum, &new.annual_maximum);
    changes.note("pay_period_maximum", &old.pay_period_maximum, &new.pay_period_maximum);
    changes.note("deduct_as_percentage", &old.deduct_as_percentage, &new.deduct_as_percentage);
    changes.note("total_amount", &old.total_amount, &new.total_amount);
    changes.note("child_support", &json!(old.child_support), &json!(new.child_support));
    changes.note(
        "income_withholding_order",
        &json!(old.income_withholding_order),
        &json!(new.income_withholding_order),
    );
    changes
}
