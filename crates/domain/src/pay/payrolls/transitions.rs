//! Days between two regular payrolls that neither pays: another schedule was assigned, or the terms of the schedule changed.
//!
//! They are a transition pay period. Its payroll, with the reason `Transition from old pay schedule`, is made with the change that
//! leaves such days. One that was deleted, or that lies too far ahead, can be made by whoever wants it.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Violation;
use rules::withholding::federal::PayFrequency;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::periods::{MONTHS_AHEAD, PayPeriod, of_payroll};
use super::rows::{Payroll, TRANSITION};
use super::{TABLE, earliest_check_date, regular, rows};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events::{self, EventType};
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::service::guard;

/// No regular pay period is longer: within so many months the payrolls before and after a transition are found.
const LONGEST: i64 = 12;

/// The transition pay periods of which a day lies in a stretch, in order: those that were paid, and days that no payroll pays
/// yet but perhaps one that is open.
///
/// # Errors
/// A store error.
pub fn between(tx: &mut Tx<'_>, caller: &Caller, from: Date, until: Date) -> Result<Vec<PayPeriod>, Error> {
    let span = LONGEST.months();
    let (first, last) = (from.saturating_sub(span), until.saturating_add(span));
    let made = rows::transitions_between(tx, caller.company, first, last)?;
    let (paid, open): (Vec<_>, Vec<_>) = made.into_iter().partition(|one| one.submitted_at.is_some());
    let mut settled = rows::regular_between(tx, caller.company, first, last)?;
    settled.extend(paid);
    settled.sort_by_key(|one| (one.start, one.end));
    let mut found: Vec<PayPeriod> = Vec::new();
    let mut before: Option<(Date, Option<Uuid>)> = None;
    for one in &settled {
        if let Some((end, schedule)) = before {
            found.extend(days_between(end, schedule, one, &open));
        }
        let schedule = one.pay_schedule.or_else(|| before.and_then(|(_, schedule)| schedule));
        if one.off_cycle {
            found.push(PayPeriod { pay_schedule: schedule, transition: true, ..of_payroll(one) });
        }
        let end = before.map_or(one.end, |(end, _)| end.max(one.end));
        before = Some((end, schedule));
    }
    found.retain(|period| period.end >= from && period.start <= until);
    Ok(found)
}

/// The days between the end of a payroll and the next one, if there are any. They are paid with the later of the two.
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
    })
}

/// Tells that a payroll of a transition waits for somebody, or does not any more; nothing of another payroll.
///
/// # Errors
/// A store error.
pub(super) fn notify(
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

/// Makes the payrolls of transition pay periods after a day that have none, as far ahead as pay periods are listed.
///
/// # Errors
/// A store error.
pub(super) fn make_missing(tx: &mut Tx<'_>, caller: &Caller, paid_until: Date) -> Result<(), Error> {
    let farthest = caller.today(tx).saturating_add(MONTHS_AHEAD.months());
    let periods = between(tx, caller, paid_until.saturating_add(1.day()), farthest)?;
    for period in periods.iter().filter(|period| period.payroll.is_none() && period.end <= farthest) {
        make(tx, caller, period)?;
    }
    Ok(())
}

/// Makes the payroll of a transition pay period, paid with the payroll after it, or as soon as can be.
///
/// # Errors
/// A store error.
pub(super) fn make(tx: &mut Tx<'_>, caller: &Caller, period: &PayPeriod) -> Result<Payroll, Error> {
    let frequency = schedules::of_employees(tx, caller.company)?.map(|schedule| schedule.frequency);
    let earliest = earliest_check_date(tx.now(), caller.today(tx));
    let new = Payroll {
        pay_schedule: period.pay_schedule,
        off_cycle: true,
        off_cycle_reason: Some(TRANSITION.to_owned()),
        ..Payroll::new(
            (tx.new_id(), tx.now()),
            (period.start, period.end),
            period.check_date.max(earliest),
            frequency.unwrap_or(PayFrequency::EveryOtherWeek),
        )
    };
    regular::insert(tx, caller, &new)?;
    Ok(new)
}

/// Deletes the payroll that was made for days of which one of somebody's own is to be made: they are paid once. Takes the guard of
/// the company's schedules.
///
/// # Errors
/// 422 that names a payroll in which something was entered, or which was submitted; a store error.
pub(super) fn make_way(tx: &mut Tx<'_>, caller: &Caller, (start, end): (Date, Date)) -> Result<(), Error> {
    guard(tx, caller.company)?;
    for found in rows::transitions_between(tx, caller.company, start, end)? {
        tx.guard(caller.company, TABLE, found.id)?;
        let Some(one) = rows::find(tx, caller.company, found.id)? else { continue };
        if one.submitted_at.is_some() || one.inputs > 0 {
            let message = "start_date and end_date must not be days of another transition; go on with its payroll, or delete it first";
            let entity = json!({ "entity_type": "Payroll", "entity_uuid": one.id });
            return Err(Error::from(Violation::invalid("start_date", message).with_metadata(entity)));
        }
        regular::delete(tx, caller, &one)?;
    }
    Ok(())
}
