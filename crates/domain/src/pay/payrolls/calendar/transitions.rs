//! Days between two regular payrolls that neither of them pays, because another schedule was assigned or the terms of the schedule changed.
//!
//! In a company with several schedules, these are days of the employees who leave one: the part of its pay period until they change to
//! another, while those who stay are paid for all of it.
//!
//! They form a transition pay period. Its payroll, with the reason `Transition from old pay schedule`, is created with the change that
//! causes such days. If it was deleted, or lies too far ahead, it can be created on request.

use std::collections::BTreeSet;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Violation;
use rules::days::Days;
use rules::withholding::federal::PayFrequency;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events::{self, EventType};
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::pay_schedules::service::guard_schedules;
use crate::pay::payrolls::calendar::periods::{MONTHS_AHEAD, PayPeriod, of_payroll};
use crate::pay::payrolls::calendar::regular::Touched;
use crate::pay::payrolls::calendar::{periods, regular};
use crate::pay::payrolls::record::deadlines::earliest_check_date;
use crate::pay::payrolls::record::payroll::TABLE;
use crate::pay::payrolls::record::payroll::{Payroll, TRANSITION};
use crate::pay::payrolls::record::rows;

/// No regular pay period is longer: the payrolls before and after a transition are found within this many months.
const LONGEST: i64 = 12;

/// Returns the transition pay periods with days in a range, in order: those that were paid, and days that no payroll pays yet, except
/// perhaps an open one.
pub fn transition_periods(
    tx: &mut Tx<'_>,
    caller: &Caller,
    from: Date,
    until: Date,
) -> Result<Vec<PayPeriod>, Error> {
    let company = caller.company;
    let span = LONGEST.months();
    let (first, last) = (from.saturating_sub(span), until.saturating_add(span));
    let made = rows::transitions_between(tx, company, first, last)?;
    let (leavers, made): (Vec<_>, Vec<_>) = made.into_iter().partition(Payroll::is_of_leavers);
    let (paid, open): (Vec<_>, Vec<_>) = made.into_iter().partition(|one| one.submitted_at.is_some());
    let mut settled = rows::regular_between(tx, company, first, last)?;
    settled.extend(paid);
    settled.sort_by_key(|one| (one.start, one.end));
    let base = schedule_spans::company_wide_spans(tx, company)?;
    let Some(since) = base.first() else {
        let mut found = in_a_row(&settled, &open);
        found.retain(|period| period.end >= from && period.start <= until);
        return Ok(found);
    };
    // Payrolls from before the company had several schedules form one sequence with those of the schedule everybody followed then.
    let row_of = |one: &Payroll| match one.pay_schedule {
        Some(id) if one.end >= since.first_day => id,
        _ => since.schedule,
    };
    let rows: BTreeSet<Uuid> = settled.iter().map(row_of).collect();
    let mut found = Vec::new();
    for row in rows {
        let own: Vec<Payroll> = settled.iter().filter(|one| row_of(one) == row).cloned().collect();
        for period in in_a_row(&own, &open) {
            let open = period.payroll.is_some() || period.end < since.first_day;
            if open
                || schedule_spans::is_followed_in(
                    tx,
                    company,
                    row,
                    Days { first: period.start, last: period.end },
                )?
            {
                found.push(period);
            }
        }
    }
    found.extend(of_leavers(tx, caller, Days { first: from, last: until }, &leavers)?);
    found.retain(|period| period.end >= from && period.start <= until);
    found.sort_by_key(|period| (period.start, period.end, period.pay_schedule));
    Ok(found)
}

/// Returns the transition pay periods between consecutive payrolls.
fn in_a_row(settled: &[Payroll], open: &[Payroll]) -> Vec<PayPeriod> {
    let mut found: Vec<PayPeriod> = Vec::new();
    let mut before: Option<(Date, Option<Uuid>)> = None;
    for one in settled {
        if let Some((end, schedule)) = before {
            found.extend(days_between(end, schedule, one, open));
        }
        let schedule = one.pay_schedule.or_else(|| before.and_then(|(_, schedule)| schedule));
        if one.off_cycle {
            found.push(PayPeriod { pay_schedule: schedule, transition: true, ..of_payroll(one) });
        }
        let end = before.map_or(one.end, |(end, _)| end.max(one.end));
        before = Some((end, schedule));
    }
    found
}

/// Returns the transition pay periods of employees who leave a schedule: those with a payroll, and those whose payroll was deleted.
fn of_leavers(
    tx: &mut Tx<'_>,
    caller: &Caller,
    Days { first: from, last: until }: Days,
    made: &[Payroll],
) -> Result<Vec<PayPeriod>, Error> {
    let mut found: Vec<PayPeriod> =
        made.iter().map(|one| PayPeriod { transition: true, ..of_payroll(one) }).collect();
    let known = schedules::of_company(tx, caller.company)?;
    // Gaps are found by the day of the move, which follows them, and are shorter than a year.
    for gap in schedule_spans::gaps_between_schedules(
        tx,
        caller.company,
        from,
        until.saturating_add(LONGEST.months()),
    )? {
        let is_it = |one: &PayPeriod| {
            (one.start, one.end, one.pay_schedule) == (gap.start, gap.end, Some(gap.schedule))
        };
        let next = known.iter().find(|one| one.id == gap.next);
        let old = known.iter().find(|one| one.id == gap.schedule);
        let (Some(next), Some(old)) = (next, old) else { continue };
        // Nobody waits longer for having left: the days are paid when the old schedule would pay them, or the new one, if that is earlier.
        let of_next = next.pay_periods()?.period_of(gap.end.saturating_add(1.day())).check_date;
        let check_date = old.pay_periods()?.period_of(gap.end).check_date.min(of_next);
        match found.iter_mut().find(|one| is_it(one)) {
            Some(one) if one.payroll.is_some() => {}
            // Employees who change to different schedules are paid together, on the earliest pay date.
            Some(one) => one.check_date = one.check_date.min(check_date),
            None => found.push(PayPeriod {
                start: gap.start,
                end: gap.end,
                check_date,
                pay_schedule: Some(gap.schedule),
                payroll: None,
                processed: false,
                transition: true,
                whole_days: Some(i64::from(old.pay_periods()?.period_of(gap.end).days())),
            }),
        }
    }
    Ok(found)
}

/// Updates the payrolls of employees who leave a schedule: those for days that are no longer between two schedules are deleted, others get
/// different members, and missing ones are created. Runs under the guard of the company's schedules.
///
/// # Errors
/// 422 naming a payroll that has inputs and would be deleted; a store error.
pub(super) fn update_transition_payrolls(
    tx: &mut Tx<'_>,
    caller: &Caller,
    touched: &Touched,
) -> Result<(), Error> {
    let Some(first) = touched.values().min().copied() else { return Ok(()) };
    let concerned = |schedule: Option<Uuid>, end: Date| {
        schedule.and_then(|id| touched.get(&id)).is_some_and(|since| end >= *since)
    };
    let gaps = schedule_spans::gaps_between_schedules(tx, caller.company, first, Date::MAX)?;
    let open = rows::open_transitions(tx, caller.company)?;
    for found in open.iter().filter(|one| one.is_of_leavers() && concerned(one.pay_schedule, one.end)) {
        tx.take_guard(caller.company, TABLE, found.id)?;
        let Some(one) = rows::find_payroll(tx, caller.company, found.id)? else { continue };
        if one.submitted_at.is_some() {
            continue;
        }
        let is_left = gaps
            .iter()
            .any(|gap| (Some(gap.schedule), gap.start, gap.end) == (one.pay_schedule, one.start, one.end));
        if is_left {
            regular::forget_calculation(tx, caller, one)?;
        } else if one.inputs > 0 {
            let why = "data was entered in it for days that would no longer be between two schedules";
            return Err(regular::in_the_way(&one, why));
        } else {
            regular::delete_payroll(tx, caller, &one)?;
        }
    }
    let last = gaps.last().map_or(first, |gap| gap.end);
    for period in transition_periods(tx, caller, first, last.max(first))? {
        let missing = period.whole_days.is_some() && period.payroll.is_none();
        if missing && concerned(period.pay_schedule, period.end) {
            create_transition_payroll(tx, caller, &period)?;
        }
    }
    Ok(())
}

/// Returns the days between the end of a payroll and the next one, if any. They are paid with the later of the two.
fn days_between(end: Date, schedule: Option<Uuid>, next: &Payroll, open: &[Payroll]) -> Option<PayPeriod> {
    let (start, end) = (end.saturating_add(1.day()), next.start.saturating_sub(1.day()));
    let payroll = open.iter().rev().find(|one| one.start <= end && one.end >= start);
    (start <= end).then_some(PayPeriod {
        start,
        end,
        check_date: payroll.map_or(next.check_date, |payroll| payroll.check_date),
        pay_schedule: schedule,
        payroll: payroll.map(|payroll| payroll.id),
        processed: false,
        transition: true,
        whole_days: None,
    })
}

/// Sends the event that a transition payroll is waiting to be run, or no longer is. No-op for other payrolls.
pub(in crate::pay::payrolls) fn notify_transition(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    event: EventType,
) -> Result<(), Error> {
    if !payroll.is_transition() {
        return Ok(());
    }
    events::emit_of_company(tx, company, event, payroll.id)
}

/// Creates the missing payrolls of transition pay periods after a day, as far ahead as pay periods are listed.
pub(super) fn make_missing(tx: &mut Tx<'_>, caller: &Caller, paid_until: Date) -> Result<(), Error> {
    let farthest = caller.today(tx).saturating_add(MONTHS_AHEAD.months());
    let mut periods = transition_periods(tx, caller, paid_until.saturating_add(1.day()), farthest)?;
    periods.retain(|period| period.whole_days.is_none());
    for period in periods.iter().filter(|period| period.payroll.is_none() && period.end <= farthest) {
        create_transition_payroll(tx, caller, period)?;
    }
    Ok(())
}

/// Creates the payroll of a transition pay period, paid with the payroll after it, or as soon as possible.
pub(in crate::pay::payrolls) fn create_transition_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    period: &PayPeriod,
) -> Result<Payroll, Error> {
    // With several schedules, the employees follow the one that the days belong to; with one, all change over together.
    let several = !schedule_spans::company_wide_spans(tx, caller.company)?.is_empty();
    let schedule = match period.pay_schedule.filter(|_| several) {
        Some(left) => schedules::Schedule::find(tx, caller.company, left)?,
        None => schedules::default_of(tx, caller.company)?,
    };
    let frequency = schedule.map(|schedule| schedule.frequency);
    let earliest = earliest_check_date(tx.now(), caller.today(tx));
    let new = Payroll {
        pay_schedule: period.pay_schedule,
        off_cycle: true,
        off_cycle_reason: Some(TRANSITION.to_owned()),
        whole_days: period.whole_days,
        ..Payroll::new(
            (tx.new_id(), tx.now()),
            Days { first: period.start, last: period.end },
            period.check_date.max(earliest),
            frequency.unwrap_or(PayFrequency::EveryOtherWeek),
        )
    };
    regular::insert_payroll(tx, caller, &new)?;
    Ok(new)
}

/// Returns the transition pay period for which a separate payroll is requested in a company with several schedules; `None` in a company
/// with one, where such a payroll may have any days that no regular payroll pays. Deletes the automatic payroll for it. Takes the guard of
/// the company's schedules.
///
/// # Errors
/// 422 for days that are not those of a transition, or that regular payrolls pay; the errors of [`make_way`]; a store error.
pub(in crate::pay::payrolls) fn requested_transition(
    tx: &mut Tx<'_>,
    caller: &Caller,
    days: Days,
    schedule: Option<Uuid>,
) -> Result<Option<PayPeriod>, Error> {
    guard_schedules(tx, caller.company)?;
    if schedule_spans::company_wide_spans(tx, caller.company)?.is_empty() {
        refuse_regular_days(tx, caller, days)?;
        make_way(tx, caller, days)?;
        return Ok(None);
    }
    let mut fitting = transition_periods(tx, caller, days.first, days.last)?;
    fitting.retain(|period| (period.start, period.end) == (days.first, days.last));
    fitting.retain(|period| schedule.is_none_or(|id| period.pay_schedule == Some(id)));
    let [period] = fitting.as_slice() else {
        let (key, why) = match fitting.is_empty() {
            true => (
                "start_date",
                "start_date, with end_date, must name a transition pay period, as GET /v1/companies/{company_id}/pay_periods \
                 lists them with payroll_types=transition",
            ),
            false => (
                "pay_schedule_uuid",
                "pay_schedule_uuid must name the schedule being left: several have transitions with these days",
            ),
        };
        return Err(Violation::invalid(key, why).into());
    };
    if let Some(made) = period.payroll {
        give_way(tx, caller, made)?;
    }
    Ok(Some(*period))
}

/// Refuses days that regular payrolls pay or will pay, because each day of work is paid once.
fn refuse_regular_days(
    tx: &mut Tx<'_>,
    caller: &Caller,
    Days { first: start, last: end }: Days,
) -> Result<(), Error> {
    let paid = periods::regular_pay_periods(tx, caller, start, end)?;
    let (Some(first), Some(last)) = (paid.first(), paid.last()) else { return Ok(()) };
    let days = (first.start, paid.iter().map(|period| period.end).max().unwrap_or(last.end));
    let message = format!(
        "start_date and end_date must not be days that regular payrolls pay, here {} to {}; GET \
         /v1/companies/{{company_id}}/pay_periods lists those of transitions with payroll_types=transition",
        days.0, days.1
    );
    let entities = paid.iter().filter_map(|period| period.payroll);
    let entities: Vec<_> =
        entities.map(|id| json!({ "entity_type": "Payroll", "entity_uuid": id })).collect();
    Err(Violation::invalid("start_date", message).with_metadata(json!({ "entities": entities })).into())
}

/// Deletes the automatic payroll for days for which a payroll is requested, because they are paid once. Takes the guard of the company's
/// schedules.
///
/// # Errors
/// 422 naming a payroll that has inputs or was submitted; a store error.
fn make_way(tx: &mut Tx<'_>, caller: &Caller, Days { first: start, last: end }: Days) -> Result<(), Error> {
    for found in rows::transitions_between(tx, caller.company, start, end)? {
        give_way(tx, caller, found.id)?;
    }
    Ok(())
}

/// Deletes a transition payroll without inputs.
fn give_way(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, id)?;
    let Some(one) = rows::find_payroll(tx, caller.company, id)? else { return Ok(()) };
    if one.submitted_at.is_some() || one.inputs > 0 {
        let message = "start_date and end_date must not be days of another transition; continue with its payroll, or delete it first";
        let entity = json!({ "entity_type": "Payroll", "entity_uuid": one.id });
        return Err(Error::from(Violation::invalid("start_date", message).with_metadata(entity)));
    }
    regular::delete_payroll(tx, caller, &one)
}
