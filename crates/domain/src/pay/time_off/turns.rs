//! New years of policies: what is not carried over is lost, and the hours of the new year are given. Due work of each
//! enrollment, at midnight of the company's day.

use jiff::civil::Date;
use rules::Amount;
use rules::time_off::{AccrualTerms, Reason};
use store::Tx;
use uuid::Uuid;

use super::ledger::{self, Cause};
use super::rows;
use super::rows::{Enrollment, TimeOffPolicy};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::pay::compensations;
use crate::people::employment;
use crate::platform::hooks::EmployeeAspect;
use crate::platform::jobs;
use crate::platform::jobs::Kind;

/// Somebody's employment as years of a policy count it.
struct Employed {
    /// the first day of the present employment, or of the last one
    hired: Date,
    /// departures and returns
    held: employment::Employment,
}

fn employed(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, today: Date) -> Result<Option<Employed>, Error> {
    let pay = compensations::rows::of_employee(tx, company, employee)?;
    let Some(first) = compensations::rows::start_date(&pay) else { return Ok(None) };
    let held = employment::rows::of_employee(tx, company, employee)?;
    let spans = held.spans(first);
    let hired = spans.iter().rev().find(|span| span.first <= today).map_or(first, |span| span.first);
    Ok(Some(Employed { hired, held }))
}

/// The first day of the present employment of an employee, by which anniversaries and waiting periods count.
///
/// # Errors
/// A store error.
pub fn hired_on(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, today: Date) -> Result<Option<Date>, Error> {
    Ok(employed(tx, company, employee, today)?.map(|employed| employed.hired))
}

/// Schedules the next day on which the balance changes by itself, or takes the work back where there is none.
///
/// # Errors
/// A store error.
pub fn schedule(
    tx: &mut Tx<'_>,
    caller: &Caller,
    policy: &TimeOffPolicy,
    held: &Enrollment,
) -> Result<(), Error> {
    let hired = hired_on(tx, caller.company, held.employee, caller.today(tx))?;
    let terms = policy.terms()?;
    let next = hired.filter(|_| policy.counts()).and_then(|hired| terms.next_turn(hired, held.turned_on));
    let due = next.and_then(|turn| turn.day.to_zoned(caller.zone.clone()).ok());
    match due {
        Some(due) => jobs::schedule(tx, caller.company, Kind::TimeOffYear, held.id, due.timestamp()),
        None => jobs::cancel(tx, caller.company, Kind::TimeOffYear, held.id),
    }
}

/// Schedules it anew for everybody who has a policy whose terms have changed. What was due by the terms before is done first;
/// other days that have passed count for nothing.
///
/// # Errors
/// A store error.
pub fn terms_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &TimeOffPolicy,
    after: &TimeOffPolicy,
) -> Result<(), Error> {
    let today = caller.today(tx);
    for member in rows::enrolled_in(tx, caller.company, after.id)? {
        tx.guard(caller.company, "employee", member.employee)?;
        let Some(mut held) = Enrollment::find(tx, caller.company, member.employee, member.id)? else {
            continue;
        };
        catch_up(tx, caller, before, &mut held)?;
        if held.turned_on < today {
            held.turned_on = today;
            assert!(held.update(tx, caller.company)?, "the row was read under the employee's guard");
        }
        schedule(tx, caller, after, &held)?;
    }
    Ok(())
}

/// Schedules it anew for an employee whose hire, departure or return has changed.
///
/// # Errors
/// A store error.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    if !matches!(aspect, EmployeeAspect::StartDate | EmployeeAspect::Employment) {
        return Ok(());
    }
    for held in rows::enrolled_between(tx, caller.company, (employee, employee))? {
        if let Some(policy) = TimeOffPolicy::find(tx, caller.company, held.policy)? {
            schedule(tx, caller, &policy, &held)?;
        }
    }
    Ok(())
}

/// A day has come on which a new year changes the balance: changes it, and schedules the next.
///
/// # Errors
/// A store error.
pub fn fell_due(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let Some(employee) = rows::who_is_enrolled(tx, company, id)? else { return Ok(()) };
    tx.guard(company, "employee", employee)?;
    let Some(mut held) = Enrollment::find(tx, company, employee, id)? else { return Ok(()) };
    let Some(policy) = TimeOffPolicy::find(tx, company, held.policy)? else { return Ok(()) };
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    catch_up(tx, &caller, &policy, &mut held)?;
    schedule(tx, &caller, &policy, &held)
}

/// Does what is due by today.
fn catch_up(
    tx: &mut Tx<'_>,
    caller: &Caller,
    policy: &TimeOffPolicy,
    held: &mut Enrollment,
) -> Result<(), Error> {
    let (company, today, terms) = (caller.company, caller.today(tx), policy.terms()?);
    let Some(employed) = employed(tx, company, held.employee, today)? else { return Ok(()) };
    while policy.counts()
        && let Some(turn) = terms.next_turn(employed.hired, held.turned_on)
        && turn.day <= today
    {
        // Years that begin while somebody is away give and take nothing.
        if !employed.held.was_away(turn.day) {
            turned(tx, company, &terms, held, turn)?;
        }
        held.turned_on = turn.day;
        assert!(held.update(tx, company)?, "the row was read under the employee's guard");
        held.version += 1;
    }
    Ok(())
}

fn turned(
    tx: &mut Tx<'_>,
    company: Uuid,
    terms: &AccrualTerms,
    held: &mut Enrollment,
    turn: rules::time_off::Turn,
) -> Result<(), Error> {
    let cause = |reason| Cause { reason, day: turn.day, payroll: None };
    if turn.carries_over {
        let lost = terms.lost(held.balance).unwrap_or_default();
        let minus = Amount::from_millionths(-lost.millionths());
        ledger::change(tx, company, held, minus, cause(Reason::CarryOver))?;
    }
    if turn.grants {
        let given = terms.grant(held.balance).unwrap_or_default();
        ledger::change(tx, company, held, given, cause(Reason::Accrual))?;
    }
    Ok(())
}
