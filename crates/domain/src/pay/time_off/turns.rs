//! New policy years: hours that are not carried over are forfeited, and the hours of the new year are granted. Each enrollment has a
//! scheduled job, due at midnight in the company's time zone.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::time_off::{AccrualTerms, Reason};
use rules::{Amount, Named as _};
use store::Tx;
use uuid::Uuid;

use super::ledger::{self, Cause};
use super::rows::{Enrollment, TimeOffPolicy};
use super::{carry_over, rows};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::pay::compensations;
use crate::people::employment;
use crate::platform::hooks::EmployeeAspect;
use crate::platform::jobs;
use crate::platform::jobs::JobKind;
use crate::records::IdRange;

/// An employment, as policy years count it.
struct Employed {
    /// first day of the current employment, or else of the last one
    hired: Date,
    /// departures and returns
    held: employment::Employment,
}

fn find_employed(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    today: Date,
) -> Result<Option<Employed>, Error> {
    let pay = compensations::rows::of_employee(tx, company, employee)?;
    let Some(first) = compensations::rows::start_date(&pay) else { return Ok(None) };
    let held = employment::rows::of_employee(tx, company, employee)?;
    let spans = held.employment_spans(first);
    let hired = spans.iter().rev().find(|span| span.first <= today).map_or(first, |span| span.first);
    Ok(Some(Employed { hired, held }))
}

/// Returns the first day of an employee's current employment, from which anniversaries and waiting periods count.
pub fn hired_on(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, today: Date) -> Result<Option<Date>, Error> {
    Ok(find_employed(tx, company, employee, today)?.map(|employed| employed.hired))
}

/// Schedules a job for the next day on which the balance changes automatically, or cancels the job if there is no such day.
pub fn schedule_balance_change(
    tx: &mut Tx<'_>,
    caller: &Caller,
    policy: &TimeOffPolicy,
    held: &Enrollment,
) -> Result<(), Error> {
    let hired = hired_on(tx, caller.company, held.employee, caller.today(tx))?;
    let terms = policy.accrual_terms()?;
    let next = hired.filter(|_| policy.is_in_use()).and_then(|hired| terms.next_turn(hired, held.turned_on));
    let due = next.and_then(|turn| turn.day.to_zoned(caller.zone.clone()).ok());
    match due {
        Some(due) => jobs::schedule_job(tx, caller.company, JobKind::TimeOffYear, held.id, due.timestamp()),
        None => jobs::cancel_job(tx, caller.company, JobKind::TimeOffYear, held.id),
    }
}

/// Reschedules the job of every member of a policy whose terms have changed. Changes due under the old terms are made first; past days on
/// which only the new terms would change a balance have no effect.
pub fn terms_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &TimeOffPolicy,
    after: &TimeOffPolicy,
) -> Result<(), Error> {
    let today = caller.today(tx);
    for member in rows::enrolled_in(tx, caller.company, after.id)? {
        tx.take_guard(caller.company, "employee", member.employee)?;
        let Some(mut held) = Enrollment::find(tx, caller.company, member.employee, member.id)? else {
            continue;
        };
        catch_up(tx, caller, before, &mut held)?;
        if held.turned_on < today {
            held.turned_on = today;
            assert!(held.update(tx, caller.company)?, "the row was read under the employee's guard");
        }
        schedule_balance_change(tx, caller, after, &held)?;
    }
    Ok(())
}

/// Reschedules the jobs of an employee whose hire, termination or rehire has changed.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    if !matches!(aspect, EmployeeAspect::StartDate | EmployeeAspect::Employment) {
        return Ok(());
    }
    for mut held in rows::enrolled_between(tx, caller.company, IdRange::only(employee))? {
        if let Some(policy) = TimeOffPolicy::find(tx, caller.company, held.policy)? {
            revise_policy_year(tx, caller.company, &policy, &mut held)?;
            schedule_balance_change(tx, caller, &policy, &held)?;
        }
    }
    Ok(())
}

/// Reverses the changes at the start of the last policy year if the employee was away on that day after all, and makes them again if the
/// employee was not.
fn revise_policy_year(
    tx: &mut Tx<'_>,
    company: Uuid,
    policy: &TimeOffPolicy,
    held: &mut Enrollment,
) -> Result<(), Error> {
    let day = held.turned_on;
    let mut done: BTreeMap<&'static str, (Reason, Amount)> = BTreeMap::new();
    for change in rows::balance_changes(tx, company, held.employee, held.policy_type)? {
        let of_turn =
            matches!(change.reason, Reason::CarryOver | Reason::Accrual) && change.payroll.is_none();
        if of_turn && change.policy == held.policy && change.day == day {
            let sum = done.entry(change.reason.as_str()).or_insert((change.reason, Amount::ZERO));
            sum.1 = sum.1.checked_add(change.hours).ok_or_else(ledger::too_large)?;
        }
    }
    let Some(employed) = find_employed(tx, company, held.employee, day)? else { return Ok(()) };
    let (away, stands) = (employed.held.was_away(day), done.values().any(|(_, sum)| *sum != Amount::ZERO));
    if away {
        for (reason, sum) in done.into_values() {
            let back = Amount::from_millionths(-sum.millionths());
            ledger::change_balance(tx, company, held, back, Cause { reason, day, payroll: None })?;
        }
    } else if !done.is_empty() && !stands && policy.is_in_use() {
        let terms = policy.accrual_terms()?;
        let carries_over = terms.carryover_limit.is_some() && terms.year_of(employed.hired, day) == day;
        let grants = done.contains_key(Reason::Accrual.as_str());
        begin_policy_year(tx, company, &terms, held, rules::time_off::Turn { day, carries_over, grants })?;
    }
    Ok(())
}

/// Makes the changes due on the scheduled day of an enrollment, and schedules the next one.
pub fn fell_due(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let Some(employee) = rows::who_is_enrolled(tx, company, id)? else { return Ok(()) };
    tx.take_guard(company, "employee", employee)?;
    let Some(mut held) = Enrollment::find(tx, company, employee, id)? else { return Ok(()) };
    let Some(policy) = TimeOffPolicy::find(tx, company, held.policy)? else { return Ok(()) };
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    catch_up(tx, &caller, &policy, &mut held)?;
    schedule_balance_change(tx, &caller, &policy, &held)
}

/// Corrects the hours that an employee forfeited at the start of the last policy year, if it began after `since`, because hours were
/// recorded, approved or reversed for days before it.
pub fn settle_policy_year(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, since: Date) -> Result<(), Error> {
    tx.take_guard(company, "employee", employee)?;
    for mut held in rows::enrolled_between(tx, company, IdRange::only(employee))? {
        let day = held.turned_on;
        if day <= since {
            continue;
        }
        let Some(policy) = TimeOffPolicy::find(tx, company, held.policy)? else { continue };
        let Some(employed) = find_employed(tx, company, employee, day)? else { continue };
        let terms = policy.accrual_terms()?;
        let limits = policy.is_in_use() && terms.carryover_limit.is_some();
        // The day may also be the day of joining or of a change of terms.
        if limits && terms.year_of(employed.hired, day) == day && !employed.held.was_away(day) {
            carry_over::settle_forfeited_hours(tx, company, &terms, &mut held, day)?;
        }
    }
    Ok(())
}

/// Makes all changes due by today.
fn catch_up(
    tx: &mut Tx<'_>,
    caller: &Caller,
    policy: &TimeOffPolicy,
    held: &mut Enrollment,
) -> Result<(), Error> {
    let (company, today, terms) = (caller.company, caller.today(tx), policy.accrual_terms()?);
    let Some(employed) = find_employed(tx, company, held.employee, today)? else { return Ok(()) };
    while policy.is_in_use()
        && let Some(turn) = terms.next_turn(employed.hired, held.turned_on)
        && turn.day <= today
    {
        // Policy years that begin while the employee is away change nothing.
        if !employed.held.was_away(turn.day) {
            begin_policy_year(tx, company, &terms, held, turn)?;
        }
        held.turned_on = turn.day;
        assert!(held.update(tx, company)?, "the row was read under the employee's guard");
        held.version += 1;
    }
    Ok(())
}

fn begin_policy_year(
    tx: &mut Tx<'_>,
    company: Uuid,
    terms: &AccrualTerms,
    held: &mut Enrollment,
    turn: rules::time_off::Turn,
) -> Result<(), Error> {
    if turn.carries_over {
        carry_over::settle_forfeited_hours(tx, company, terms, held, turn.day)?;
    }
    if turn.grants {
        // Hours taken in the old year make room under the limit, although they are paid later.
        let taken = carry_over::approved_before(tx, company, held, turn.day)?;
        let left = held.balance.checked_sub(taken).ok_or_else(ledger::too_large)?;
        let given = terms.granted_hours(left).unwrap_or_default();
        let cause = Cause { reason: Reason::Accrual, day: turn.day, payroll: None };
        ledger::change_balance(tx, company, held, given, cause)?;
    }
    Ok(())
}
