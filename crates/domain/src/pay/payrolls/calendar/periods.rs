//! The pay periods of a company: those that have a payroll, and future ones of its schedules.
//!
//! Days between two regular payrolls that neither of them pays are pay periods, too (`transitions`).

use jiff::ToSpan;
use jiff::civil::Date;
use rules::days::Days;
use rules::{Category, Checks, Violation};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::AskedDays;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::payrolls::calendar::transitions;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::rows;

/// How many months before today the list of periods starts if no first day is given.
const MONTHS_BACK: i64 = 6;
/// How many months after today periods can be listed, and how far ahead of their pay periods payrolls are created.
pub(super) const MONTHS_AHEAD: i64 = 3;
/// Extra days after those months: clients count from their own date, which may be the company's tomorrow, and published clients count
/// from 30 November to 2 March.
const DAYS_BEYOND: i64 = 3;

/// Kinds of pay periods to list.
#[derive(Debug, Clone, Copy)]
pub struct Kinds {
    /// those of the schedule
    pub regular: bool,
    /// those between two schedules
    pub transition: bool,
}

/// A pay period of the company's schedule.
#[derive(Debug, Clone, Copy)]
pub struct PayPeriod {
    /// first day
    pub start: Date,
    /// last day
    pub end: Date,
    /// when employees are paid
    pub check_date: Date,
    /// its schedule
    pub pay_schedule: Option<Uuid>,
    /// its payroll; `None` if there is none, as for a period that has not begun
    pub payroll: Option<Uuid>,
    /// whether the payroll was processed
    pub processed: bool,
    /// whether it lies between two schedules
    pub transition: bool,
    /// the days of the whole pay period, if this is the rest of one for employees who leave the schedule
    pub whole_days: Option<i64>,
}

/// Returns the last day for which pay periods and payrolls can be requested.
pub(in crate::pay::payrolls) fn last_requestable_day(today: Date) -> Date {
    today.saturating_add(MONTHS_AHEAD.months()).saturating_add(DAYS_BEYOND.days())
}

/// Returns the requested date range. It ends today by default, and starts six months before its end, or before today if that is earlier.
///
/// # Errors
/// 422 for an end more than three months ahead, or before the start.
pub fn requested_range(today: Date, start: Option<Date>, end: Option<Date>, checks: &mut Checks) -> Days {
    let farthest = last_requestable_day(today);
    let until = end.unwrap_or(today);
    let from = start.unwrap_or_else(|| until.min(today).saturating_sub(MONTHS_BACK.months()));
    let wrong = |key: &str, message: String| Violation::new(key, Category::InvalidParameter, message);
    checks.require(until <= farthest, || {
        wrong(
            "end_date",
            format!("end_date must not be more than {MONTHS_AHEAD} months ahead, not after {farthest}"),
        )
    });
    checks.require(from <= until, || {
        wrong("start_date", format!("start_date must not be after end_date, {until}"))
    });
    Days { first: from, last: until }
}

/// Returns the pay periods with days in a range, in order.
///
/// # Errors
/// 422 for an invalid range; a store error.
pub fn list_pay_periods(
    tx: &mut Tx<'_>,
    caller: &Caller,
    AskedDays { from: start, until: end }: AskedDays,
    kinds: Kinds,
) -> Result<Vec<PayPeriod>, Error> {
    let mut checks = Checks::new();
    let Days { first: from, last: until } = requested_range(caller.today(tx), start, end, &mut checks);
    checks.finish()?;
    let mut found = if kinds.regular { regular_pay_periods(tx, caller, from, until)? } else { Vec::new() };
    if kinds.transition {
        found.extend(transitions::transition_periods(tx, caller, from, until)?);
        found.sort_by_key(|period| period.start);
    }
    Ok(found)
}

/// Returns the regular pay periods with days in a range: those that have a payroll, and future ones of the schedules.
pub(in crate::pay::payrolls) fn regular_pay_periods(
    tx: &mut Tx<'_>,
    caller: &Caller,
    from: Date,
    until: Date,
) -> Result<Vec<PayPeriod>, Error> {
    let made = rows::regular_between(tx, caller.company, from, until)?;
    let mut found: Vec<_> = made.iter().map(of_payroll).collect();
    let among_others = !schedule_spans::company_wide_spans(tx, caller.company)?.is_empty();
    let today = caller.today(tx);
    for schedule in schedule_spans::in_use(tx, caller.company, today)? {
        let periods = schedule.pay_periods()?;
        let first = periods.period(0).start;
        let last_made = match among_others {
            true => rows::last_end_of_schedule(tx, caller.company, schedule.id)?,
            false => rows::last_regular_end(tx, caller.company)?,
        };
        let free = |day: Date| day >= first && last_made.is_none_or(|last| day > last);
        for period in periods.periods(from.max(first), until).filter(|period| free(period.start)) {
            let days = Days { first: period.start, last: period.end };
            if among_others && !schedule_spans::is_followed_in(tx, caller.company, schedule.id, days)? {
                continue;
            }
            found.push(PayPeriod {
                start: period.start,
                end: period.end,
                check_date: period.check_date,
                pay_schedule: Some(schedule.id),
                payroll: None,
                processed: false,
                transition: false,
                whole_days: None,
            });
        }
    }
    if among_others {
        found.sort_by_key(|period| (period.start, period.end, period.pay_schedule));
    }
    Ok(found)
}

/// Returns the pay period of a payroll.
pub(super) fn of_payroll(payroll: &Payroll) -> PayPeriod {
    PayPeriod {
        start: payroll.start,
        end: payroll.end,
        check_date: payroll.check_date,
        pay_schedule: payroll.pay_schedule,
        payroll: Some(payroll.id),
        processed: payroll.is_processed(),
        transition: false,
        whole_days: payroll.whole_days,
    }
}
