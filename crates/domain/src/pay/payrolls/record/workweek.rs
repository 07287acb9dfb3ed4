//! The company's workweeks: seven days that begin on the same day of the week (29 CFR 778.105).

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use rules::days::Days;
use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::pay::pay_schedules::rows::Schedule;
use crate::pay::payrolls::record::hours::start_of;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::{rows, settings};

/// Returns a day on which the workweeks of a payroll begin: by its pay schedule, else by the company's settings, else the first day of
/// pay periods of whole weeks, else a Sunday.
pub(in crate::pay::payrolls) fn first_day(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
) -> Result<Date, Error> {
    let of_schedule = match payroll.pay_schedule {
        Some(schedule) => Schedule::find(tx, company, schedule)?.and_then(|held| held.workweek_start_day),
        None => None,
    };
    let chosen = match of_schedule {
        None => settings::of_company(tx, company)?.workweek_first_day,
        some => some,
    };
    let weekday = match chosen {
        Some(day) => day.weekday(),
        None if payroll.frequency.is_of_workweeks() && !payroll.off_cycle => return Ok(payroll.start),
        // An off-cycle payroll uses the workweeks of the regular ones.
        None if payroll.frequency.is_of_workweeks() => match rows::last_weekly_end(tx, company)? {
            Some(last) => return Ok(last.saturating_add(1.day())),
            None => Weekday::Sunday,
        },
        None => Weekday::Sunday,
    };
    let sunday = Date::constant(2026, 1, 4);
    Ok(sunday.saturating_add(i64::from(weekday.to_sunday_zero_offset()).days()))
}

/// Returns the workweeks that have days in the pay period, whole; none for pay periods that are not of one or two weeks.
pub(in crate::pay::payrolls) fn of_payroll(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
) -> Result<Vec<Days>, Error> {
    if !payroll.frequency.is_of_workweeks() {
        return Ok(Vec::new());
    }
    let first_day = first_day(tx, company, payroll)?;
    let starts = start_of(first_day, payroll.start).series(7.days());
    let weeks = starts.take_while(|start| *start <= payroll.end).take(MOST);
    Ok(weeks.map(|first| Days { first, last: first.saturating_add(6.days()) }).collect())
}

/// Maximum workweeks of a payroll in answers: those of the longest off-cycle payroll of a year.
const MOST: usize = 54;
