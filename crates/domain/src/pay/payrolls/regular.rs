//! Regular payrolls: made by the pay schedule of the company's employees.
//!
//! The payroll of a pay period is made when the period begins. When a schedule is created, those of periods that have
//! begun and are not paid yet are made at once, and at least the first. Each that is made schedules the next. When the last
//! open one is submitted, the next is made ahead of its pay period.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rules::payroll::schedule::PayPeriod;
use store::Tx;
use uuid::Uuid;

use super::periods::MONTHS_AHEAD;
use super::rows;
use super::rows::Payroll;
use super::{TABLE, auto, transitions};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::rows::Schedule;
use crate::pay::pay_schedules::service::guard;
use crate::platform::{audit, jobs};

/// Payrolls that one unit of work makes at most; what is left is made by the next.
const AT_ONCE: usize = 60;

/// Makes the first payrolls of a company whose schedule was just created. Does nothing where payrolls follow from
/// another schedule already.
///
/// # Errors
/// A store error.
pub fn begin(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    let Some(schedule) = schedules::of_employees(tx, caller.company)? else { return Ok(()) };
    if rows::last_end_of_schedule(tx, caller.company, schedule.id)?.is_some() {
        return Ok(());
    }
    let number = first_period(&schedule, None, caller.today(tx))?;
    make_from(tx, caller, &schedule, number, true)
}

/// Makes the payrolls of a schedule anew, whose terms were changed: those that nobody submitted are deleted, and those
/// of the periods after the last day that was paid are made.
///
/// # Errors
/// A store error.
pub fn begin_anew(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let Some(schedule) = schedules::of_employees(tx, caller.company)?.filter(|first| first.id == id) else {
        return Ok(());
    };
    delete_open(tx, caller, id)?;
    let Some(paid_until) = rows::last_submitted_end(tx, caller.company)? else { return begin(tx, caller) };
    let periods = schedule.periods()?;
    // A schedule has no period before its first.
    let mut number = periods.number_of(paid_until).max(0);
    while periods.period(number).start <= paid_until {
        number += 1;
    }
    make_from(tx, caller, &schedule, number, true)?;
    transitions::make_missing(tx, caller, paid_until)
}

/// Goes over from a schedule to the one that has been assigned: payrolls of the old one that nobody submitted are deleted, and
/// those of the new one are made from its first period on of which no day was paid yet.
///
/// # Errors
/// A store error.
pub fn change_over(tx: &mut Tx<'_>, caller: &Caller, from: Uuid, to: &Schedule) -> Result<(), Error> {
    delete_open(tx, caller, from)?;
    jobs::cancel(tx, caller.company, jobs::Kind::PayrollBegins, from)?;
    let paid_until = rows::last_submitted_end(tx, caller.company)?;
    let first = first_period(to, paid_until, caller.today(tx))?;
    make_from(tx, caller, to, first, true)?;
    paid_until.map_or(Ok(()), |paid_until| transitions::make_missing(tx, caller, paid_until))
}

/// Deletes what nobody submitted: the regular payrolls of a schedule, and transitions after the last day that was paid.
fn delete_open(tx: &mut Tx<'_>, caller: &Caller, schedule: Uuid) -> Result<(), Error> {
    let mut open = rows::open_of_schedule(tx, caller.company, schedule)?;
    if let Some(end) = rows::last_submitted_end(tx, caller.company)? {
        open.extend(rows::transitions_between(tx, caller.company, end.saturating_add(1.day()), Date::MAX)?);
    }
    for found in open {
        tx.guard(caller.company, TABLE, found.id)?;
        let Some(one) = rows::find(tx, caller.company, found.id)? else { continue };
        if one.submitted_at.is_none() {
            delete(tx, caller, &one)?;
        }
    }
    Ok(())
}

/// The number of the first period of a schedule that begins after a day, where one is given, and is not paid before today.
///
/// # Errors
/// A store error.
pub fn first_period(schedule: &Schedule, paid_until: Option<Date>, today: Date) -> Result<i32, Error> {
    let periods = schedule.periods()?;
    let mut number = match paid_until {
        Some(end) => periods.number_of(end).max(0),
        // No period is paid later after its end than by ten others.
        None => periods.number_of(today).saturating_sub(10).max(0),
    };
    while periods.period(number).check_date < today
        || paid_until.is_some_and(|end| periods.period(number).start <= end)
    {
        number += 1;
    }
    Ok(number)
}

/// Makes the payroll of the period that has just begun, when its day has come.
///
/// # Errors
/// A store error.
pub fn fell_due(tx: &mut Tx<'_>, company: Uuid, schedule: Uuid) -> Result<(), Error> {
    guard(tx, company)?;
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    let first = schedules::of_employees(tx, company)?;
    let Some(schedule) = first.filter(|first| first.id == schedule) else { return Ok(()) };
    let number = next_number(tx, company, &schedule)?;
    make_from(tx, &caller, &schedule, number, false)
}

/// Makes the next payroll of a schedule whose last open one was submitted, so that there is one to run; none of a pay period that
/// ends more than three months ahead. Holds under the guard of the company's schedules.
///
/// # Errors
/// A store error.
pub fn follow(tx: &mut Tx<'_>, caller: &Caller, submitted: &Payroll) -> Result<(), Error> {
    let schedule = schedules::of_employees(tx, caller.company)?;
    let own = |one: &Schedule| !submitted.off_cycle && submitted.pay_schedule == Some(one.id);
    let Some(schedule) = schedule.filter(own) else { return Ok(()) };
    if !rows::open_of_schedule(tx, caller.company, schedule.id)?.is_empty() {
        return Ok(());
    }
    let number = next_number(tx, caller.company, &schedule)?;
    let farthest = caller.today(tx).saturating_add(MONTHS_AHEAD.months());
    if schedule.periods()?.period(number).end > farthest {
        return Ok(());
    }
    make_from(tx, caller, &schedule, number, true)
}

/// The number of the period after the last one for which a schedule has a payroll.
fn next_number(tx: &mut Tx<'_>, company: Uuid, schedule: &Schedule) -> Result<i32, Error> {
    Ok(match rows::last_end_of_schedule(tx, company, schedule.id)? {
        Some(end) => schedule.periods()?.number_of(end.saturating_add(1.day())),
        None => 0,
    })
}

/// Makes the payrolls from a period on that have begun, with `at_least_one` also one that has not, and schedules the
/// next.
fn make_from(
    tx: &mut Tx<'_>,
    caller: &Caller,
    schedule: &Schedule,
    first: i32,
    at_least_one: bool,
) -> Result<(), Error> {
    let (periods, today) = (schedule.periods()?, caller.today(tx));
    let mut number = first;
    for made in 0..AT_ONCE {
        let period = periods.period(number);
        if period.start > today && !(at_least_one && made == 0) {
            break;
        }
        make(tx, caller, schedule, &period)?;
        number += 1;
    }
    let next = begins(periods.period(number).start, &caller.zone);
    jobs::schedule(tx, caller.company, jobs::Kind::PayrollBegins, schedule.id, next)
}

fn make(tx: &mut Tx<'_>, caller: &Caller, schedule: &Schedule, period: &PayPeriod) -> Result<(), Error> {
    let days = (period.start, period.end);
    let new = Payroll {
        pay_schedule: Some(schedule.id),
        ..Payroll::new((tx.new_id(), tx.now()), days, period.check_date, schedule.frequency)
    };
    insert(tx, caller, &new)?;
    if schedule.auto_payroll { auto::schedule(tx, caller.company, &new) } else { Ok(()) }
}

/// Stores a new payroll in which nothing was entered yet.
///
/// # Errors
/// A store error.
pub(super) fn insert(tx: &mut Tx<'_>, caller: &Caller, new: &Payroll) -> Result<(), Error> {
    rows::insert(tx, caller.company, new)?;
    audit::record(tx, caller, "created", (TABLE, new.id), &serde_json::json!({}))?;
    events::emit(tx, caller.company, events::PAYROLL_CREATED, new.id)?;
    transitions::notify(tx, caller.company, new, events::NOTIFICATION_TRANSITION_CREATED)
}

/// Deletes a payroll that was not submitted.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, caller: &Caller, old: &Payroll) -> Result<(), Error> {
    jobs::cancel(tx, caller.company, jobs::Kind::PayrollCalculate, old.id)?;
    assert!(rows::delete(tx, caller.company, old)?, "the row was read under its guard");
    audit::record(tx, caller, "deleted", (TABLE, old.id), &serde_json::json!({}))?;
    events::emit(tx, caller.company, events::PAYROLL_DELETED, old.id)?;
    transitions::notify(tx, caller.company, old, events::NOTIFICATION_TRANSITION_RESOLVED)
}

/// The first moment of a day.
pub fn begins(day: Date, zone: &TimeZone) -> Timestamp {
    day.to_zoned(zone.clone()).map_or(Timestamp::MAX, |start| start.timestamp())
}
