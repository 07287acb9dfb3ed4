//! What can be done with garnishments.

pub mod preview;
mod terms;

use rules::payroll::garnishment::{self as rule, Agencies, SoFar};
use rules::{Amount, Checks};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::api::{self, CreateGarnishment, UpdateGarnishment};
use super::rows::{self, Garnishment};
use super::{agencies, remittances, view};
use crate::auth::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::records::{Changes, room_for, version_text};
use crate::{audit, employees, field};
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
) -> Result<Listed<api::Garnishment>, Error> {
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
pub fn get(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<api::Garnishment, Error> {
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
) -> Result<api::Garnishment, Error> {
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
) -> Result<api::Garnishment, Error> {
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

/// A garnishment with what was taken for it, as a payroll needs it.
#[derive(Debug, Clone)]
pub struct Held {
    /// the record
    pub record: Garnishment,
    /// what was taken before
    pub so_far: SoFar,
}

impl Held {
    /// As the rules take it.
    pub fn for_rules(&self) -> rule::Garnishment<'_, Uuid> {
        rule::Garnishment {
            id: self.record.id,
            since: self.record.since(),
            terms: &self.record.terms,
            so_far: self.so_far,
        }
    }
}

/// The active garnishments of the employees in a stretch of ids, for a payroll that pays in `year`; those of an
/// employee together.
///
/// # Errors
/// A store error.
pub fn for_payroll(
    tx: &mut Tx<'_>,
    company: Uuid,
    first: Uuid,
    last: Uuid,
    year: i16,
) -> Result<Vec<Held>, Error> {
    let records = rows::active_between(tx, company, first, last)?;
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let taken = rows::so_far_between(tx, company, first, last, year)?;
    Ok(with_so_far(records, &taken))
}

fn with_so_far(records: Vec<Garnishment>, taken: &rows::Taken) -> Vec<Held> {
    let held =
        |record: Garnishment| Held { so_far: taken.get(&record.id).copied().unwrap_or_default(), record };
    records.into_iter().map(held).collect()
}

/// Notes what a payroll withheld for a garnishment, once it is processed: what was taken counts for the maxima, and
/// child support stands in the list of remittances. Nothing is noted where nothing was taken.
///
/// # Errors
/// "Not found" where there is no such garnishment; a store error.
pub fn taken(
    tx: &mut Tx<'_>,
    company: Uuid,
    payday: &remittances::Payday,
    garnishment: Uuid,
    amount: Amount,
) -> Result<(), Error> {
    if amount <= Amount::ZERO {
        return Ok(());
    }
    tx.guard(company, "garnishment", garnishment)?;
    let record = rows::find(tx, company, garnishment)?.ok_or(Error::NotFound)?;
    let year = payday.check_date.year();
    rows::add_taken(tx, company, (record.employee, record.id), year, 1, amount)?;
    remittances::note(tx, company, payday, &record, amount)
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
