//! Regular payrolls: created by the pay schedules that a company's employees follow.
//!
//! The payroll of a pay period is created when the period begins, for each schedule that somebody follows throughout it. When a schedule is
//! created, the payrolls of periods that have begun and are not paid yet are created at once, and at least the first one. Each payroll
//! schedules the next. When the last open one is submitted, the next is created ahead of its pay period.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rules::Violation;
use rules::days::Days;
use rules::payroll::schedule::PayPeriod;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::pay::low_wages;
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::rows::Schedule;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::pay_schedules::service::guard_schedules;
use crate::pay::payrolls::calendar::periods::MONTHS_AHEAD;
use crate::pay::payrolls::calendar::{missed, transitions};
use crate::pay::payrolls::record::deadlines::submission_deadline;
use crate::pay::payrolls::record::payroll::TABLE;
use crate::pay::payrolls::record::payroll::{Payroll, Request};
use crate::pay::payrolls::record::rows;
use crate::platform::{audit, jobs};

/// Hours before its deadline at which a payroll is run automatically.
const AHEAD: i64 = 24;

/// Maximum number of payrolls created in one unit of work; the next one creates the rest.
const AT_ONCE: usize = 60;
/// Maximum number of pay periods without followers of the schedule that one unit of work examines: ten years of weeks.
const MOST_PERIODS: usize = 530;

/// Earlier than the first day of any schedule.
const LONG_AGO: Date = Date::constant(1900, 1, 1);

/// Schedules whose payrolls have different members, and the day from which they do.
pub type Touched = BTreeMap<Uuid, Date>;

/// Creates the first payrolls of a company whose schedule was just created. No-op if its default schedule already has payrolls.
pub fn create_first_payrolls(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    let Some(schedule) = schedules::default_of(tx, caller.company)? else { return Ok(()) };
    if rows::last_end_of_schedule(tx, caller.company, schedule.id)?.is_some() {
        return Ok(());
    }
    let number = first_period(&schedule, None, caller.today(tx))?;
    make_from(tx, caller, &schedule, number, true)
}

/// Recreates the payrolls of a schedule whose terms were changed: unsubmitted ones are deleted, and those of the periods after the last
/// paid day are created.
///
/// # Errors
/// 422 if employees join or leave the schedule after its last submitted payroll; a store error.
pub fn begin_anew(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    if !schedule_spans::company_wide_spans(tx, caller.company)?.is_empty() {
        return begin_anew_among_others(tx, caller, id);
    }
    let Some(schedule) = schedules::default_of(tx, caller.company)?.filter(|first| first.id == id) else {
        return Ok(());
    };
    delete_open(tx, caller, id)?;
    let Some(paid_until) = rows::last_submitted_end(tx, caller.company)? else {
        return create_first_payrolls(tx, caller);
    };
    let periods = schedule.pay_periods()?;
    // A schedule has no period before its first.
    let mut number = periods.number_of(paid_until).max(0);
    while periods.period(number).start <= paid_until {
        number += 1;
    }
    make_from(tx, caller, &schedule, number, true)?;
    transitions::make_missing(tx, caller, paid_until)
}

/// Does the same as [`begin_anew`] in a company with several schedules, for the employees who follow this one.
fn begin_anew_among_others(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let company = caller.company;
    let (settled, _) = rows::last_submitted_days(tx, company, LONG_AGO)?;
    let own = settled.into_iter().find(|(schedule, _)| *schedule == id).map(|(_, end)| end);
    if let Some(day) = schedule_spans::last_move(tx, company, id, own.unwrap_or(LONG_AGO))? {
        let message = format!(
            "Employees join or leave the pay schedule on {day}: its terms can be changed after a payroll of it that ends on \
             that day or later is submitted."
        );
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let Some(schedule) = Schedule::find(tx, company, id)? else { return Ok(()) };
    // Nobody has joined the schedule since it was last paid, so either it is everybody else's or it has been paid.
    let followed = schedule_spans::first_day(tx, company, id)?.unwrap_or(LONG_AGO);
    let others = rows::last_end_of_others(tx, company, id)?;
    let paid_until = own.or(others.filter(|end| end.saturating_add(1.day()) >= followed));
    let mut open = rows::open_of_schedule(tx, company, id)?;
    let since = paid_until.map_or(LONG_AGO, |end| end.saturating_add(1.day()));
    let transitions = rows::open_off_cycle(tx, company, id, since)?;
    open.extend(transitions.into_iter().filter(|one| one.is_transition() && !one.is_of_leavers()));
    delete_all(tx, caller, open)?;
    let periods = schedule.pay_periods()?;
    let mut number = match paid_until {
        Some(end) => periods.number_of(end).max(0),
        None => first_period(&schedule, None, caller.today(tx))?,
    };
    while paid_until.is_some_and(|end| periods.period(number).start <= end) {
        number += 1;
    }
    make_from(tx, caller, &schedule, number, true)?;
    paid_until.map_or(Ok(()), |paid_until| transitions::make_missing(tx, caller, paid_until))
}

/// Applies the moves of employees from one schedule to another. The members of payrolls of both schedules change, so calculations are
/// discarded, payrolls without members are deleted, and missing ones are created. Runs under the guard of the company's schedules.
///
/// # Errors
/// 422 naming an open transition payroll that has inputs and would be deleted; a store error.
pub fn follow_moves(tx: &mut Tx<'_>, caller: &Caller, touched: &Touched) -> Result<(), Error> {
    for (id, since) in touched {
        let Some(schedule) = Schedule::find(tx, caller.company, *id)? else { continue };
        let mut open = rows::open_of_schedule(tx, caller.company, *id)?;
        open.retain(|one| one.end >= *since);
        open.extend(rows::open_off_cycle(tx, caller.company, *id, *since)?);
        for found in open {
            tx.take_guard(caller.company, TABLE, found.id)?;
            let Some(one) = rows::find_payroll(tx, caller.company, found.id)? else { continue };
            if one.submitted_at.is_some() {
                continue;
            }
            let days = Days { first: one.start, last: one.end };
            if !one.off_cycle && !schedule_spans::is_followed_in(tx, caller.company, *id, days)? {
                delete_payroll(tx, caller, &one)?;
            } else {
                forget_calculation(tx, caller, one)?;
            }
        }
        go_on(tx, caller, &schedule, *since)?;
    }
    transitions::update_transition_payrolls(tx, caller, touched)
}

/// Discards the calculation of a payroll whose members have changed. A calculation in progress detects the change by itself.
pub(in crate::pay::payrolls) fn forget_calculation(
    tx: &mut Tx<'_>,
    caller: &Caller,
    mut one: Payroll,
) -> Result<(), Error> {
    if one.request != Some(Request::CalculateSuccess) {
        return Ok(());
    }
    one.forget_calculation();
    assert!(rows::update_payroll(tx, caller.company, &one)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "members_changed", (TABLE, one.id), &json!({}))?;
    events::emit_event(tx, caller.company, events::PAYROLL_UPDATED, one.id)
}

/// Returns the error for a change that an open payroll prevents.
pub(super) fn in_the_way(one: &Payroll, why: &str) -> Error {
    let message =
        format!("The payroll of {} to {} is open, and {why}; submit or skip it first.", one.start, one.end);
    let entity = json!({ "entity_type": "Payroll", "entity_uuid": one.id });
    Error::from(Violation::invalid_operation(message).with_metadata(entity))
}

/// Creates the payrolls that a schedule with followers must have from a day on, and schedules the next; cancels the job if nobody follows
/// the schedule. Runs under the guard of the company's schedules.
pub fn go_on(tx: &mut Tx<'_>, caller: &Caller, schedule: &Schedule, since: Date) -> Result<(), Error> {
    let (company, today) = (caller.company, caller.today(tx));
    if !schedule_spans::is_followed_from(tx, company, schedule.id, today)? {
        return jobs::cancel_job(tx, company, jobs::JobKind::PayrollBegins, schedule.id);
    }
    let periods = schedule.pay_periods()?;
    let followed = schedule_spans::first_day(tx, company, schedule.id)?.unwrap_or(today);
    let begins = periods.number_of(followed).max(0);
    let unpaid = first_period(schedule, None, today)?.max(begins);
    let last_made = rows::last_end_of_schedule(tx, company, schedule.id)?;
    let number = match last_made {
        Some(end) => periods.number_of(end.saturating_add(1.day())).max(begins),
        None => unpaid,
    };
    // Somebody may join the schedule earlier than the employees for whom its payrolls were created.
    let from = unpaid.max(periods.number_of(since.max(followed)));
    let made = rows::regular_between(tx, company, periods.period(from).start, Date::MAX)?;
    for period in (from..number).map(|number| periods.period(number)) {
        let (id, days) = (schedule.id, Days { first: period.start, last: period.end });
        let is_made = made.iter().any(|one| one.pay_schedule == Some(id) && one.start == period.start);
        if !is_made && schedule_spans::is_followed_in(tx, company, id, days)? {
            create_regular_payroll(tx, caller, schedule, &period)?;
        }
    }
    let near = periods.period(number).end <= today.saturating_add(MONTHS_AHEAD.months());
    let none_is_open = rows::open_of_schedule(tx, company, schedule.id)?.is_empty();
    make_from(tx, caller, schedule, number, none_is_open && (near || last_made.is_none()))
}

/// Changes from a schedule to a newly assigned one: deletes unsubmitted payrolls of the old one, and creates those of the new one from its
/// first period without paid days on.
pub fn change_over(tx: &mut Tx<'_>, caller: &Caller, from: Uuid, to: &Schedule) -> Result<(), Error> {
    delete_open(tx, caller, from)?;
    jobs::cancel_job(tx, caller.company, jobs::JobKind::PayrollBegins, from)?;
    let paid_until = rows::last_submitted_end(tx, caller.company)?;
    let first = first_period(to, paid_until, caller.today(tx))?;
    make_from(tx, caller, to, first, true)?;
    paid_until.map_or(Ok(()), |paid_until| transitions::make_missing(tx, caller, paid_until))
}

/// Deletes unsubmitted regular payrolls of a schedule, and unsubmitted transitions after the last paid day.
fn delete_open(tx: &mut Tx<'_>, caller: &Caller, schedule: Uuid) -> Result<(), Error> {
    let mut open = rows::open_of_schedule(tx, caller.company, schedule)?;
    if let Some(end) = rows::last_submitted_end(tx, caller.company)? {
        open.extend(rows::transitions_between(tx, caller.company, end.saturating_add(1.day()), Date::MAX)?);
    }
    delete_all(tx, caller, open)
}

/// Deletes payrolls that nobody has submitted in the meantime.
fn delete_all(tx: &mut Tx<'_>, caller: &Caller, open: Vec<Payroll>) -> Result<(), Error> {
    for found in open {
        tx.take_guard(caller.company, TABLE, found.id)?;
        let Some(one) = rows::find_payroll(tx, caller.company, found.id)? else { continue };
        if one.submitted_at.is_none() {
            delete_payroll(tx, caller, &one)?;
        }
    }
    Ok(())
}

/// Returns the number of the first period of a schedule that begins after `paid_until`, if given, and is not paid before today.
pub fn first_period(schedule: &Schedule, paid_until: Option<Date>, today: Date) -> Result<i32, Error> {
    let periods = schedule.pay_periods()?;
    let mut number = match paid_until {
        Some(end) => periods.number_of(end).max(0),
        // No period's pay date lies more than ten periods after its end.
        None => periods.number_of(today).saturating_sub(10).max(0),
    };
    while periods.period(number).check_date < today
        || paid_until.is_some_and(|end| periods.period(number).start <= end)
    {
        number += 1;
    }
    Ok(number)
}

/// Creates the payroll of the period that has just begun, when it is due.
pub fn fell_due(tx: &mut Tx<'_>, company: Uuid, schedule: Uuid) -> Result<(), Error> {
    guard_schedules(tx, company)?;
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let Some(schedule) = Schedule::find(tx, company, schedule)? else { return Ok(()) };
    if !is_in_use(tx, &caller, &schedule)? {
        return Ok(());
    }
    let number = next_number(tx, company, &schedule)?;
    low_wages::period_begins(tx, company)?;
    make_from(tx, &caller, &schedule, number, false)
}

/// Creates the next payroll of a schedule whose last open one was submitted, so that there is one to run, unless its pay period ends
/// more than three months ahead. Runs under the guard of the company's schedules.
pub fn create_next_payroll(tx: &mut Tx<'_>, caller: &Caller, submitted: &Payroll) -> Result<(), Error> {
    let Some(id) = submitted.pay_schedule.filter(|_| !submitted.off_cycle) else { return Ok(()) };
    let Some(schedule) = Schedule::find(tx, caller.company, id)? else { return Ok(()) };
    if !is_in_use(tx, caller, &schedule)? {
        return Ok(());
    }
    if !rows::open_of_schedule(tx, caller.company, schedule.id)?.is_empty() {
        return Ok(());
    }
    let number = next_number(tx, caller.company, &schedule)?;
    let farthest = caller.today(tx).saturating_add(MONTHS_AHEAD.months());
    if schedule.pay_periods()?.period(number).end > farthest {
        return Ok(());
    }
    make_from(tx, caller, &schedule, number, true)
}

/// Whether anybody follows a schedule now or later.
pub fn is_in_use(tx: &mut Tx<'_>, caller: &Caller, schedule: &Schedule) -> Result<bool, Error> {
    if schedule_spans::company_wide_spans(tx, caller.company)?.is_empty() {
        return Ok(schedules::default_of(tx, caller.company)?.is_some_and(|one| one.id == schedule.id));
    }
    // Payrolls of employees who have left it may still have to be created, if the service was down.
    let since = rows::last_end_of_schedule(tx, caller.company, schedule.id)?;
    let today = caller.today(tx);
    let day = since.map_or(today, |end| end.saturating_add(1.day()).min(today));
    schedule_spans::is_followed_from(tx, caller.company, schedule.id, day)
}

/// Returns the number of the period after the last one with a payroll of the schedule.
fn next_number(tx: &mut Tx<'_>, company: Uuid, schedule: &Schedule) -> Result<i32, Error> {
    Ok(match rows::last_end_of_schedule(tx, company, schedule.id)? {
        Some(end) => schedule.pay_periods()?.number_of(end.saturating_add(1.day())),
        None => 0,
    })
}

/// Creates the payrolls of begun periods, starting with `first`, and schedules the next. If none has begun, `at_least_one` creates one.
fn make_from(
    tx: &mut Tx<'_>,
    caller: &Caller,
    schedule: &Schedule,
    first: i32,
    at_least_one: bool,
) -> Result<(), Error> {
    let (periods, today) = (schedule.pay_periods()?, caller.today(tx));
    let (company, id) = (caller.company, schedule.id);
    let among_others = !schedule_spans::company_wide_spans(tx, company)?.is_empty();
    let (mut number, mut made) = (first, 0);
    for _ in 0..MOST_PERIODS {
        let period = periods.period(number);
        let ahead = period.start > today;
        if made == AT_ONCE || (ahead && !(at_least_one && made == 0)) {
            break;
        }
        if !among_others
            || schedule_spans::is_followed_in(
                tx,
                company,
                id,
                Days { first: period.start, last: period.end },
            )?
        {
            create_regular_payroll(tx, caller, schedule, &period)?;
            made += 1;
        } else if ahead && !schedule_spans::is_followed_from(tx, company, id, period.start)? {
            break;
        }
        number += 1;
    }
    let next = periods.period(number).start;
    if among_others && !schedule_spans::is_followed_from(tx, company, id, next)? {
        return jobs::cancel_job(tx, company, jobs::JobKind::PayrollBegins, id);
    }
    jobs::schedule_job(tx, company, jobs::JobKind::PayrollBegins, id, start_of_day(next, &caller.zone))
}

fn create_regular_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    schedule: &Schedule,
    period: &PayPeriod,
) -> Result<(), Error> {
    let days = Days { first: period.start, last: period.end };
    let new = Payroll {
        pay_schedule: Some(schedule.id),
        ..Payroll::new((tx.new_id(), tx.now()), days, period.check_date, schedule.frequency)
    };
    insert_payroll(tx, caller, &new)?;
    missed::schedule_missed_notice(tx, caller.company, &new)?;
    if schedule.auto_payroll { schedule_automatic_run(tx, caller.company, &new) } else { Ok(()) }
}

/// Stores a new payroll without inputs.
pub(in crate::pay::payrolls) fn insert_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    new: &Payroll,
) -> Result<(), Error> {
    rows::insert_payroll(tx, caller.company, new)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::PAYROLL_CREATED, new.id)?;
    transitions::notify_transition(tx, caller.company, new, events::NOTIFICATION_TRANSITION_CREATED)
}

/// Deletes an unsubmitted payroll.
pub fn delete_payroll(tx: &mut Tx<'_>, caller: &Caller, old: &Payroll) -> Result<(), Error> {
    jobs::cancel_job(tx, caller.company, jobs::JobKind::PayrollCalculate, old.id)?;
    missed::resolve_missed_payday(tx, caller.company, old)?;
    assert!(rows::delete_payroll(tx, caller.company, old)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, old.id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::PAYROLL_DELETED, old.id)?;
    transitions::notify_transition(tx, caller.company, old, events::NOTIFICATION_TRANSITION_RESOLVED)
}

/// Returns the first moment of a day.
pub fn start_of_day(day: Date, zone: &TimeZone) -> Timestamp {
    day.to_zoned(zone.clone()).map_or(Timestamp::MAX, |start| start.timestamp())
}

/// Schedules the automatic run of a payroll. No-op if that time has passed, because people run such a payroll.
pub fn schedule_automatic_run(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<(), Error> {
    let due = submission_deadline(payroll.check_date) - AHEAD.hours();
    if due <= tx.now() {
        return Ok(());
    }
    jobs::schedule_job(tx, company, jobs::JobKind::PayrollAuto, payroll.id, due)
}
