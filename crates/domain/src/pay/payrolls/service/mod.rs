//! What can be done with payrolls: reading them here, and the rest in a module for each stretch of their way.
//!
//! Every change of a payroll takes its guard first. What also bears on the year's sums of other payrolls (submitting
//! and cancelling) takes the guard of all payrolls of the company before that.

mod course;
mod create;
mod enter;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Named;
use rules::withholding::federal::PayFrequency;
use rules::{Category, Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

pub use course::{calculate, cancel, delete, submit};
pub use create::{REASONS, create};
pub use enter::{prepare, update};

use super::members;
use super::members::{Member, Order};
use super::rows;
use super::rows::{Filter, Payroll};
use super::shapes;
use super::view;
use super::view::{Include, Told};
use super::{TABLE, entered, paid, sources};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::field::{Field, Words, as_is};
use crate::paging::{Listed, Page, Paging};
use crate::pay::compensations::rows as pay;
use crate::platform::audit;
use crate::version::Change;

/// Employees of one request at the most.
const AT_ONCE: usize = 100;
/// Months before today from which payrolls are listed without a first day.
const MONTHS_BACK: i64 = 6;
/// Months after today until which they can be asked for.
const MONTHS_AHEAD: i64 = 3;

/// As how often wages can be said to be paid.
const PERIODS: [PayFrequency; 7] = [
    PayFrequency::EveryWeek,
    PayFrequency::EveryOtherWeek,
    PayFrequency::TwicePerMonth,
    PayFrequency::Monthly,
    PayFrequency::Quarterly,
    PayFrequency::Semiannually,
    PayFrequency::Annually,
];

/// What a list asks for.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// words of processing_statuses
    pub statuses: Vec<&'static str>,
    /// words of payroll_types
    pub types: Vec<&'static str>,
    /// first day
    pub start: Option<Date>,
    /// last day
    pub end: Option<Date>,
    /// whether the days are of the pay date
    pub by_check_date: bool,
    /// the newest first
    pub descending: bool,
}

/// A page of payrolls.
///
/// # Errors
/// 422 for days that cannot be; a store error.
pub fn list(
    tx: &mut Tx<'_>,
    caller: &Caller,
    asked: &Asked,
    include: Include,
    page: Page,
) -> Result<Listed<shapes::Payroll>, Error> {
    let today = caller.today(tx);
    let until = asked.end.unwrap_or(today);
    let from = asked.start.unwrap_or_else(|| until.min(today).saturating_sub(MONTHS_BACK.months()));
    let mut checks = Checks::new();
    let farthest = today.saturating_add(MONTHS_AHEAD.months());
    let wrong = |message: String| Violation::new("end_date", Category::InvalidParameter, message);
    checks.require(until <= farthest, || wrong(format!("end_date must not be after {farthest}")));
    checks.require(from <= until, || wrong(format!("end_date must not be before start_date, {from}")));
    checks.require(until <= from.saturating_add(1.years()), || {
        wrong("end_date must not be more than one year after start_date".to_owned())
    });
    checks.finish()?;
    let either = |words: &[&str], yes: &str, no: &str| match (words.contains(&yes), words.contains(&no)) {
        (true, true) => None,
        (one, _) => Some(one),
    };
    let statuses: &[&str] = if asked.statuses.is_empty() { &["processed"] } else { &asked.statuses };
    let types: &[&str] = if asked.types.is_empty() { &["regular"] } else { &asked.types };
    if types == ["external"] {
        return Ok(Listed::slice(page, Vec::new()));
    }
    let filter = Filter {
        from,
        until,
        by_check_date: asked.by_check_date,
        processed: either(statuses, "processed", "unprocessed"),
        off_cycle: either(types, "off_cycle", "regular"),
        descending: asked.descending,
    };
    let found = rows::list(tx, caller.company, &filter, page)?;
    let now = tx.now();
    let told = found.iter().map(|one| view::payroll(caller, now, one, include)).collect();
    Listed::new(page, told, || rows::count(tx, caller.company, &filter))
}

/// The payroll with a page of its employees; the paging is that of the employees.
///
/// # Errors
/// "Not found"; a store error.
pub fn get(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    include: Include,
    order: Order,
    page: Page,
) -> Result<(shapes::Payroll, Paging), Error> {
    let one = find(tx, caller, id)?;
    let now = tx.now();
    let mut told = view::payroll(caller, now, &one, include);
    let members = members::page(tx, caller.company, &one, order, page)?;
    told.employee_compensations = Some(employees(tx, caller, &one, &members, include)?);
    let listed = Listed::new(page, Vec::<()>::new(), || members::count(tx, caller.company, &one))?;
    Ok((told, listed.paging))
}

/// The payroll, or "not found".
///
/// # Errors
/// "Not found"; a store error.
pub fn find(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Payroll, Error> {
    rows::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

fn find_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Payroll, Error> {
    tx.guard(caller.company, TABLE, id)?;
    find(tx, caller, id)
}

/// What the payroll has for some members, in their order.
fn employees(
    tx: &mut Tx<'_>,
    caller: &Caller,
    one: &Payroll,
    members: &[Member],
    include: Include,
) -> Result<Vec<shapes::EmployeeCompensation>, Error> {
    let jobs = pay::of_employees(tx, caller.company, members.iter().map(|member| member.id))?;
    let nothing = pay::Pay::default();
    let mut told = Vec::with_capacity(members.len());
    for member in members {
        let input = rows::find_input(tx, caller.company, one.id, member.id)?;
        let outcome = match one.run {
            Some(run) => paid::find(tx, caller.company, run, member.id)?,
            None => None,
        };
        let bounds = (member.id, member.id);
        let garnishments = match &outcome {
            Some(_) => Vec::new(),
            None => sources::garnishments(tx, caller.company, bounds)?.remove(&member.id).unwrap_or_default(),
        };
        let one = Told {
            payroll: one,
            member,
            input: input.as_ref(),
            pay: jobs.get(&member.id).unwrap_or(&nothing),
            outcome: outcome.as_ref(),
            garnishments: &garnishments,
        };
        told.push(one.tell(caller, include));
    }
    Ok(told)
}

/// A list of at most [`AT_ONCE`] employees, each once.
fn few(key: &str, ids: &Words) -> Result<Vec<String>, Violation> {
    let mut once = ids.0.clone();
    once.sort_unstable();
    once.dedup();
    if once.len() > AT_ONCE {
        return Err(Violation::invalid(key, format!("{key} must name at most {AT_ONCE} employees")));
    }
    Ok(once)
}

fn refuse_unknown(unknown: &[String], checks: &mut Checks) {
    if unknown.is_empty() {
        return;
    }
    let entities: Vec<_> =
        unknown.iter().map(|id| json!({ "entity_type": "Employee", "entity_uuid": id })).collect();
    let message =
        "employee_uuids must name employees who have been onboarded and work by the end of the pay period";
    let violation = Violation::invalid("employee_uuids", message);
    checks.push(violation.with_metadata(json!({ "entities": entities })));
}

fn flag(field: &Field<bool>, key: &str, checks: &mut Checks) -> bool {
    field.optional(key, checks, as_is).unwrap_or(false)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn frequency(key: &str, value: &String) -> Result<PayFrequency, Violation> {
    let known = |text: &str| PayFrequency::parse(text).filter(|frequency| PERIODS.contains(frequency));
    check::named(key, value, &PERIODS.map(PayFrequency::as_str), known)
}

/// Employees of a payroll always come in pages.
pub fn forced(page: Page) -> Page {
    if page == Page::Whole { Page::Part { page: 1, per: 25 } } else { page }
}

/// The names that lines of pay can have.
fn fixed_compensation_types(caller: &Caller) -> Vec<shapes::FixedCompensationType> {
    let older = !caller.version.has(Change::ReimbursementsApart);
    let names = entered::FIXED.into_iter().chain(older.then_some(entered::REIMBURSEMENT));
    names.map(|name| shapes::FixedCompensationType { name }).collect()
}

/// Refuses a change of a payroll that was submitted.
fn refuse_submitted(one: &Payroll) -> Result<(), Error> {
    let message = match one {
        one if one.is_processed() => {
            "The payroll was processed and cannot be changed any more; cancel it first."
        }
        one if one.submitted_at.is_some() => "The payroll was submitted and is being processed.",
        _ => return Ok(()),
    };
    Err(Error::from(Violation::operation(message)))
}

/// Stores a payroll that was read under its guard, with an audit entry.
fn store(tx: &mut Tx<'_>, caller: &Caller, one: &mut Payroll, action: &'static str) -> Result<(), Error> {
    assert!(rows::update(tx, caller.company, one)?, "the row was read under its guard");
    one.version += 1;
    audit::record(tx, caller, action, (TABLE, one.id), &json!({}))
}
