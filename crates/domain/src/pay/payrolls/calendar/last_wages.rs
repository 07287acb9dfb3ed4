//! Final wages that are paid later than the law of the work state requires.
//!
//! Wages earned by the last day of work are due by a day that depends on the state and on how the employment ended ([`rules::final_pay`]):
//! the wages of the last pay period, and those of an earlier one whose pay date is still to come. The regular pay date is often later, and
//! so is the earliest day on which a payment can arrive. No pay date is moved; a warning names the day, with the termination and with the
//! paycheck.

use std::collections::{BTreeSet, HashMap};

use jiff::ToSpan;
use jiff::civil::Date;
use rules::days::Days;
use rules::final_pay::Separation;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::compensations;
use crate::pay::compensations::rows::Pay;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::payrolls::calendar::dismissals;
use crate::pay::payrolls::record::deadlines::earliest_check_date;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::rows;
use crate::pay::payrolls::record::texts::{
    EMPLOYEE_DIED, LAST_WAGES_LATE, LAST_WAGES_LATE_UNCONFIRMED, LAST_WAGES_LATE_WITHOUT_REASON,
};
use crate::pay::payrolls::record::warning::Warning;
use crate::people::employment;
use crate::people::employment::service::{FinalWages, Standing};
use crate::people::employment::{Employment, Termination};

/// Maximum days before the last day of work that a pay period can end and still have its pay date after that day.
const LONGEST_ARREARS: i64 = 62;

/// Returns a termination with the due date of its final wages, with a warning for each day on which they are paid too late, and one about
/// the consequences of a death.
pub fn add_due_date(
    tx: &mut Tx<'_>,
    caller: &Caller,
    mut standing: Standing,
) -> Result<(Standing, Vec<Warning>), Error> {
    let mut warnings = Vec::new();
    standing.final_wages = final_wages_due(tx, caller.company, &standing.termination)?;
    if let Some(due) = &standing.final_wages {
        let leaves = &standing.termination;
        for paid in pay_dates(tx, caller, leaves)?.into_iter().filter(|paid| *paid > due.due_on) {
            warnings.push(late_wages_warning(leaves, due, paid));
        }
    }
    if standing.termination.separation == Some(Separation::Death) {
        let died = standing.termination.effective_date;
        warnings.push(EMPLOYEE_DIED.to_warning(&[("died", &died), ("year", &died.year())]));
    }
    Ok((standing, warnings))
}

/// Returns the due date of final wages. The regular pay date on which it may depend is that of the payroll of the last day of work, once
/// there is one, because the terms of the schedule may have changed since.
pub(in crate::pay::payrolls) fn final_wages_due(
    tx: &mut Tx<'_>,
    company: Uuid,
    leaves: &Termination,
) -> Result<Option<FinalWages>, Error> {
    let day = leaves.effective_date;
    let made = regular_payrolls_of(tx, company, leaves.employee, Days { first: day, last: day })?;
    // For a late payroll, the pay date originally planned.
    let payday = made.first().map(|one| one.initial_check_date);
    employment::service::final_wages(tx, company, leaves, payday)
}

/// Returns the payrolls of regular wages with days in a range, for the schedule that an employee follows on the last day of the range.
fn regular_payrolls_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    Days { first: from, last: until }: Days,
) -> Result<Vec<Payroll>, Error> {
    let Some(follows) = schedule_spans::of_employee(tx, company, employee, until)? else {
        return Ok(Vec::new());
    };
    let mut made = rows::regular_between(tx, company, from, until)?;
    made.extend(rows::transitions_between(tx, company, from, until)?);
    made.retain(|one| one.pay_schedule.is_none_or(|schedule| schedule == follows.schedule.id));
    Ok(made)
}

/// Returns warnings for a payroll's paychecks, by employee, for members with these jobs.
pub(in crate::pay::payrolls) fn of_members(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    (jobs, employments): (&HashMap<Uuid, Pay>, &HashMap<Uuid, Employment>),
) -> Result<HashMap<Uuid, Vec<Warning>>, Error> {
    let mut found: HashMap<Uuid, Vec<Warning>> = HashMap::new();
    for (employee, held) in employments {
        let Some(pay) = jobs.get(employee) else { continue };
        for leaves in held.terminations.iter().filter(|leaves| pays_before_the_end(payroll, leaves)) {
            if first_day(held, pay, leaves).is_none_or(|first| first > payroll.end) {
                continue;
            }
            let late = final_wages_due(tx, company, leaves)?.filter(|due| payroll.check_date > due.due_on);
            let told = late.map(|due| late_wages_warning(leaves, &due, payroll.check_date));
            found.entry(*employee).or_default().extend(told);
        }
    }
    Ok(found)
}

/// Whether a payroll pays for days up to a last day of work after that day. Cheap, because most employees left long ago or have not left.
fn pays_before_the_end(payroll: &Payroll, leaves: &Termination) -> bool {
    let last_day = leaves.effective_date;
    if payroll.start > last_day || payroll.check_date <= last_day {
        return false;
    }
    let within = last_day <= payroll.end;
    match (payroll.pays_regular_wages(), payroll.is_dismissal()) {
        (true, _) => !(within && leaves.run_termination_payroll),
        (_, true) => payroll.last_day.map_or(within, |day| day == last_day),
        _ => true,
    }
}

/// Returns the days on which the final wages of a termination are paid, as far as they are known.
fn pay_dates(tx: &mut Tx<'_>, caller: &Caller, leaves: &Termination) -> Result<BTreeSet<Date>, Error> {
    let (company, last_day) = (caller.company, leaves.effective_date);
    let (today, mut found) = (caller.today(tx), BTreeSet::new());
    let earliest = earliest_check_date(tx.now(), today);
    let apart = leaves.run_termination_payroll
        && !dismissals::is_paid_regularly(tx, company, leaves.employee, last_day)?;
    if apart {
        found.extend(paid_apart(tx, caller, leaves, (today, earliest))?);
    }
    let pay = compensations::rows::of_employee(tx, company, leaves.employee)?;
    let held = employment::rows::of_employee(tx, company, leaves.employee)?;
    let follows = schedule_spans::of_employee(tx, company, leaves.employee, last_day)?;
    let (Some(first), Some(follows)) = (first_day(&held, &pay, leaves), follows) else { return Ok(found) };
    let from = first.max(last_day.saturating_sub(LONGEST_ARREARS.days()));
    let made = regular_payrolls_of(tx, company, leaves.employee, Days { first: from, last: last_day })?;
    let pays_last_day = |one: &Payroll| (one.start..=one.end).contains(&last_day);
    if !apart && !made.iter().any(pays_last_day) {
        // The payroll of a coming pay date is not created yet; a payroll of a past one was not run by this service.
        found.extend(Some(follows.period_of(last_day)?.check_date).filter(|day| *day >= today));
    }
    let pays = |one: &&Payroll| !(one.skipped || (apart && pays_last_day(one)));
    found.extend(made.iter().filter(pays).map(|one| pay_date(one, (today, earliest))));
    Ok(found)
}

/// Returns the pay date of the separate payroll for final wages: that of the existing payroll, or else the proposed one. `None` if they are
/// not to be paid here.
fn paid_apart(
    tx: &mut Tx<'_>,
    caller: &Caller,
    leaves: &Termination,
    (today, earliest): (Date, Date),
) -> Result<Option<Date>, Error> {
    let Some(made) =
        dismissals::final_payroll_of(tx, caller.company, leaves.employee, leaves.effective_date)?
    else {
        return Ok(dismissals::proposed_check_date(tx, caller, leaves)?.map(|day| day.max(earliest)));
    };
    let payroll = rows::find_payroll(tx, caller.company, made.id)?;
    Ok(payroll.filter(|one| !one.skipped).map(|one| pay_date(&one, (today, earliest))))
}

/// Returns when a payroll pays. One that was not submitted in time pays later than planned; one that pays only by check, from today on.
fn pay_date(payroll: &Payroll, (today, earliest): (Date, Date)) -> Date {
    match payroll.submitted_at {
        Some(_) => payroll.check_date,
        None if payroll.check_only => payroll.check_date.max(today),
        None => payroll.check_date.max(earliest),
    }
}

/// Returns the first day of the employment that a termination ends.
fn first_day(held: &Employment, pay: &Pay, leaves: &Termination) -> Option<Date> {
    let spans = held.employment_spans(compensations::rows::start_date(pay)?);
    let ended = |day: Date| day == leaves.effective_date;
    spans.iter().find(|span| span.end.is_some_and(|end| ended(end.last_day))).map(|span| span.first)
}

fn late_wages_warning(leaves: &Termination, due: &FinalWages, paid: Date) -> Warning {
    let text = match leaves.separation {
        None => LAST_WAGES_LATE_WITHOUT_REASON,
        Some(_) if due.rule.confidence.is_enough() => LAST_WAGES_LATE,
        Some(_) => LAST_WAGES_LATE_UNCONFIRMED,
    };
    text.to_warning(&[
        ("last_day", &leaves.effective_date),
        ("due", &due.due_on),
        ("state", &due.rule.state),
        ("source", &due.rule.source),
        ("paid", &paid),
    ])
}
