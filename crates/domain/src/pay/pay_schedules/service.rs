//! What can be done with pay schedules.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Named;
use rules::payroll::schedule::{
    self as rules_of_schedules, BANKING_DAYS, FREQUENCIES, PaySchedule, PayScheduleTerms,
};
use rules::withholding::federal::PayFrequency;
use rules::{Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use super::rows;
use super::rows::Schedule;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::field::as_is;
use crate::paging::{Listed, Page};
use crate::pay::pay_schedules::shapes;
use crate::pay::pay_schedules::shapes::{CreatePaySchedule, PreviewAsked, UpdatePaySchedule};
use crate::pay::payrolls;
use crate::platform::audit;
use crate::records::{Changes, room_for, version_text};

/// Table of the record, in versions and audit entries.
pub const TABLE: &str = "pay_schedules";
/// Schedules of a company at the most.
const MOST: usize = 100;
/// Characters of a name at the most.
const NAME: usize = 100;
/// How far a preview looks ahead without an end, and at the most.
const PREVIEW_MONTHS: i64 = 18;
const FARTHEST_YEARS: i64 = 10;

/// A page of the company's schedules.
///
/// # Errors
/// A store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<shapes::PaySchedule>, Error> {
    let found = rows::of_company(tx, caller.company)?;
    Ok(Listed::slice(page, found.iter().map(|one| shapes::PaySchedule::new(caller, one)).collect()))
}

/// The schedule.
///
/// # Errors
/// "Not found"; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<shapes::PaySchedule, Error> {
    Ok(shapes::PaySchedule::new(caller, &find(tx, caller, id)?))
}

fn find(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Schedule, Error> {
    rows::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// The guard of the company's schedules and of the payrolls that follow from them.
///
/// # Errors
/// A store error.
pub fn guard(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    Ok(tx.guard(company, TABLE, company)?)
}

/// Creates a schedule. The first one of a company is that of its employees, and its first payrolls are made at once.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreatePaySchedule,
) -> Result<shapes::PaySchedule, Error> {
    guard(tx, caller.company)?;
    let mut checks = Checks::new();
    let frequency = input.frequency.required("frequency", &mut checks, frequency);
    let pay_date = input.anchor_pay_date.required("anchor_pay_date", &mut checks, date);
    let end = input.anchor_end_of_pay_period.required("anchor_end_of_pay_period", &mut checks, date);
    let day_1 = input.day_1.optional("day_1", &mut checks, day_of_month);
    let day_2 = input.day_2.optional("day_2", &mut checks, day_of_month);
    let custom_name = input.custom_name.optional("custom_name", &mut checks, name);
    let terms = match (frequency, pay_date, end) {
        (Some(frequency), Some(anchor_pay_date), Some(anchor_end_of_pay_period)) if checks.is_empty() => {
            Some(PayScheduleTerms { frequency, anchor_pay_date, anchor_end_of_pay_period, day_1, day_2 })
        }
        _ => None,
    };
    if let Some(Err(violations)) = terms.as_ref().map(PaySchedule::new) {
        checks.extend(violations);
    }
    checks.finish()?;
    room_for("pay schedules of a company", rows::of_company(tx, caller.company)?.len(), MOST)?;
    let new = Schedule {
        id: tx.new_id(),
        terms: terms.unwrap_or_else(|| unreachable!("a schedule without terms was refused")),
        custom_name: custom_name.flatten(),
        auto_payroll: false,
        active: true,
        version: 1,
    };
    rows::insert(tx, caller.company, &new)?;
    audit::record(tx, caller, "created", (TABLE, new.id), &serde_json::json!({}))?;
    events::emit(tx, caller.company, events::PAY_SCHEDULE_CREATED, new.id)?;
    payrolls::regular::begin(tx, caller)?;
    Ok(shapes::PaySchedule::new(caller, &new))
}

/// Updates what was sent and leaves the rest. When other days follow from it, the payrolls of the schedule that nobody
/// has run are made anew.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdatePaySchedule,
) -> Result<shapes::PaySchedule, Error> {
    guard(tx, caller.company)?;
    let before = find(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = crate::field::version(&input.version, &mut checks);
    let terms = &mut after.terms;
    input.frequency.update("frequency", &mut checks, frequency, &mut terms.frequency);
    input.anchor_pay_date.update("anchor_pay_date", &mut checks, date, &mut terms.anchor_pay_date);
    let end = &mut terms.anchor_end_of_pay_period;
    input.anchor_end_of_pay_period.update("anchor_end_of_pay_period", &mut checks, date, end);
    let some_day = |key: &str, day: &i64| day_of_month(key, day).map(Some);
    input.day_1.update_or_clear("day_1", &mut checks, some_day, &mut terms.day_1);
    input.day_2.update_or_clear("day_2", &mut checks, some_day, &mut terms.day_2);
    input.custom_name.update_or_clear("custom_name", &mut checks, name, &mut after.custom_name);
    input.auto_pilot.update("auto_pilot", &mut checks, as_is, &mut after.auto_payroll);
    input.auto_payroll.update("auto_payroll", &mut checks, as_is, &mut after.auto_payroll);
    if checks.is_empty()
        && after.terms != before.terms
        && let Err(violations) = PaySchedule::new(&after.terms)
    {
        checks.extend(violations);
    }
    checks.finish()?;

    let changes = changes(&before, &after);
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, id, before.version))?;
    if changes.is_empty() {
        return Ok(shapes::PaySchedule::new(caller, &before));
    }
    assert!(rows::update(tx, caller.company, &after)?, "the row was read under its guard");
    audit::record(tx, caller, "updated", (TABLE, id), &changes.to_json())?;
    events::emit(tx, caller.company, events::PAY_SCHEDULE_UPDATED, id)?;
    if after.terms != before.terms {
        payrolls::regular::begin_anew(tx, caller, id)?;
    } else if after.auto_payroll && !before.auto_payroll {
        payrolls::auto::schedule_open(tx, caller.company, id)?;
    }
    get(tx, caller, id)
}

fn changes(before: &Schedule, after: &Schedule) -> Changes {
    let mut changes = Changes::new();
    let (old, new) = (&before.terms, &after.terms);
    changes.note("frequency", &old.frequency.as_str(), &new.frequency.as_str());
    changes.note("anchor_pay_date", &old.anchor_pay_date, &new.anchor_pay_date);
    changes.note("anchor_end_of_pay_period", &old.anchor_end_of_pay_period, &new.anchor_end_of_pay_period);
    changes.note("day_1", &old.day_1, &new.day_1);
    changes.note("day_2", &old.day_2, &new.day_2);
    changes.note("custom_name", &before.custom_name, &after.custom_name);
    changes.note("auto_payroll", &before.auto_payroll, &after.auto_payroll);
    changes
}

/// The pay periods that a schedule would bring.
///
/// # Errors
/// Every violation of the terms.
pub fn preview(tx: &mut Tx<'_>, caller: &Caller, asked: &PreviewAsked) -> Result<shapes::Preview, Error> {
    let mut checks = Checks::new();
    let required = |key: &str, value: &Option<String>, checks: &mut Checks| {
        if value.is_none() {
            checks.push(Violation::invalid(key, format!("{key} can't be blank")));
        }
        value.clone()
    };
    let frequency_text = required("frequency", &asked.frequency, &mut checks);
    let frequency = frequency_text.and_then(|text| checks.take(frequency("frequency", &text)));
    let pay_date = required("anchor_pay_date", &asked.anchor_pay_date, &mut checks);
    let pay_date = pay_date.and_then(|text| checks.take(date("anchor_pay_date", &text)));
    let end = required("anchor_end_of_pay_period", &asked.anchor_end_of_pay_period, &mut checks);
    let end = end.and_then(|text| checks.take(date("anchor_end_of_pay_period", &text)));
    let whole = |key: &str, value: &Option<String>, checks: &mut Checks| {
        let text = value.as_ref()?;
        let read =
            text.parse::<i64>().map_err(|_| Violation::invalid(key, format!("{key} must be a whole number")));
        checks.take(read.and_then(|day| day_of_month(key, &day)))
    };
    let day_1 = whole("day_1", &asked.day_1, &mut checks);
    let day_2 = whole("day_2", &asked.day_2, &mut checks);
    let today = caller.today(tx);
    let last = asked.end_date.as_ref().and_then(|text| checks.take(date("end_date", text)));
    let farthest = today.saturating_add(FARTHEST_YEARS.years());
    checks.require(last.is_none_or(|last| last <= farthest), || {
        Violation::invalid("end_date", format!("end_date must not be after {farthest}"))
    });
    let terms = match (frequency, pay_date, end) {
        (Some(frequency), Some(anchor_pay_date), Some(anchor_end_of_pay_period)) if checks.is_empty() => {
            Some(PayScheduleTerms { frequency, anchor_pay_date, anchor_end_of_pay_period, day_1, day_2 })
        }
        _ => None,
    };
    let schedule = terms.as_ref().map(PaySchedule::new).transpose();
    let schedule = schedule.unwrap_or_else(|violations| {
        checks.extend(violations);
        None
    });
    checks.finish()?;
    let schedule = schedule.unwrap_or_else(|| unreachable!("a preview without terms was refused"));
    let first = schedule.period(0);
    let last = last.unwrap_or_else(|| first.check_date.saturating_add(PREVIEW_MONTHS.months()));
    Ok(shapes::Preview::new(&schedule.preview(first.end, last)))
}

/// The day by which a payroll has to be submitted.
pub fn run_payroll_by(period: &rules_of_schedules::PayPeriod) -> Date {
    period.run_payroll_by(BANKING_DAYS)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn frequency(key: &str, value: &String) -> Result<PayFrequency, Violation> {
    let known = |text: &str| PayFrequency::parse(text).filter(|frequency| FREQUENCIES.contains(frequency));
    check::named(key, value, &FREQUENCIES.map(PayFrequency::as_str), known)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn date(key: &str, value: &String) -> Result<Date, Violation> {
    check::date(key, value)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn name(key: &str, value: &String) -> Result<Option<String>, Violation> {
    check::optional_text(key, Some(value), NAME)
}

/// Whether it is a day of a month the schedule's own rules say, together with the frequency.
fn day_of_month(key: &str, value: &i64) -> Result<i8, Violation> {
    i8::try_from(*value).map_err(|_| {
        Violation::invalid(
            key,
            format!("{key} must be a day of the month from 1 to 31, where 31 is the last"),
        )
    })
}
