//! The regular rate of a workweek and the premium for its overtime (29 CFR 778.107 to 778.122).
//!
//! The regular rate is all remuneration of the week, but for what 29 USC 207(e) excludes, divided by all hours worked;
//! of several rates it is their weighted average (29 CFR 778.115). Straight time is paid for every hour; the premium for
//! overtime is half the regular rate, that for double time all of it. The regular rate is rounded half up to the cent, as
//! the regulation's examples are, and half of it to a hundredth of a cent at most.
//!
//! Where employer and employee agreed before the work on overtime at the rate in effect (29 USC 207(g)(2), 29 CFR 778.419),
//! the premium of an hour is half of its own rate, with the remuneration beside the rates spread over all hours.

use super::hours::{Sorted, Worked};
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};

/// Remuneration of a week beside its hourly rates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remuneration {
    /// Name, for the explanation.
    pub name: String,
    /// Dollars.
    pub amount: Amount,
    /// Whether 29 USC 207(e) excludes it: discretionary bonuses (29 CFR 778.211), gifts (778.212), expenses (778.217), pay for
    /// hours not worked (778.218).
    pub excluded: bool,
}

/// A salary for a week of a nonexempt employee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Salary {
    /// For so many hours; the hours above them get the rate that follows from it (29 CFR 778.113).
    ForHours {
        /// Dollars of the week.
        amount: Amount,
        /// Hours that it is for.
        hours: Amount,
    },
    /// For whatever hours are worked: the rate falls with the hours (29 CFR 778.114).
    ForAllHours {
        /// Dollars of the week.
        amount: Amount,
    },
}

/// What a week pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeekPay {
    /// Straight time of all hours, or the salary with the hours above it.
    pub straight_time: Amount,
    /// Dollars per hour, in whole cents.
    pub regular_rate: Amount,
    /// Premium for overtime and double time.
    pub premium: Amount,
}

const HOURS: i64 = 1_000_000;

/// Returns what the hours of a week pay, beside remuneration that is paid by lines of its own. The explanation has the root
/// figure `overtime_premium`.
///
/// `agreed` says by line whether overtime at the rate in effect was agreed. `None` on overflow.
pub fn week_pay<T: Trace>(
    trace: &mut T,
    lines: &[(Worked, Sorted)],
    agreed: &[bool],
    salary: Option<Salary>,
    others: &[Remuneration],
) -> Option<WeekPay> {
    let hours = sum(lines.iter().map(|(line, _)| line.hours))?;
    let straight_time = match salary {
        None => sum_of(lines.iter().map(|(line, _)| times(line.rate, line.hours)))?,
        Some(Salary::ForAllHours { amount }) => amount,
        Some(Salary::ForHours { amount, hours: included }) => {
            let rate = divided(amount, included)?;
            let above = hours.checked_sub(included)?.max(Amount::ZERO);
            amount.checked_add(times(rate, above)?)?
        }
    };
    let included = sum(others.iter().filter(|one| !one.excluded).map(|one| one.amount))?;
    let all = straight_time.checked_add(included)?;
    let regular_rate = match salary {
        // The rate is that of the hours for which the salary is meant.
        Some(Salary::ForHours { amount, hours: of_salary }) => {
            divided(amount, of_salary)?.checked_add(divided(included, hours)?)?
        }
        _ => divided(all, hours)?,
    };
    let of_others = divided(included, hours)?;
    trace.open();
    trace.leaf(|| rate(others, (straight_time, hours, regular_rate)));
    let mut premium = Amount::ZERO;
    for (place, (line, sorted)) in lines.iter().enumerate() {
        let own = agreed.get(place).copied().unwrap_or(false) && salary.is_none();
        let base = if own { line.rate.checked_add(of_others)? } else { regular_rate };
        // Half for overtime, all for double time.
        let halves = sorted.overtime.checked_add(sorted.double)?.checked_add(sorted.double)?;
        premium = premium.checked_add(base.mul_ratio(halves.millionths(), 2 * HOURS, Rounding::HalfUp)?)?;
    }
    let premium = premium.round_to_cents(Rounding::HalfUp);
    trace.close(|| premium_step(lines, agreed, regular_rate, premium));
    Some(WeekPay { straight_time, regular_rate, premium })
}

fn rate(others: &[Remuneration], (straight_time, hours, regular_rate): (Amount, Amount, Amount)) -> Step {
    let step = Step::new("regular_rate", Operation::Given, regular_rate)
        .input("straight_time", straight_time)
        .input("hours", hours);
    let step = others.iter().fold(step, |step, one| {
        let name = if one.excluded { format!("{} (excluded)", one.name) } else { one.name.clone() };
        step.input(name, one.amount)
    });
    step.rounded("0.01", Rounding::HalfUp).source("29 CFR 778.109; 29 USC 207(e)")
}

fn premium_step(lines: &[(Worked, Sorted)], agreed: &[bool], regular_rate: Amount, premium: Amount) -> Step {
    let total =
        |of: fn(&Sorted) -> Amount| sum(lines.iter().map(|(_, sorted)| of(sorted))).unwrap_or(Amount::ZERO);
    let step = Step::new("overtime_premium", Operation::Given, premium)
        .input("regular_rate", regular_rate)
        .input("overtime_hours", total(|sorted| sorted.overtime))
        .input("double_time_hours", total(|sorted| sorted.double))
        .rounded("0.01", Rounding::HalfUp);
    if agreed.contains(&true) {
        step.source("29 USC 207(g)(2); 29 CFR 778.419").note("Half of the rate in effect, as was agreed.")
    } else {
        step.source("29 CFR 778.107 to 778.115").note("Half of the regular rate; all of it for double time.")
    }
}

/// Returns the premium that a bonus or commission brings to the weeks that it was earned in when it is paid later
/// (29 CFR 778.209): its part of each week divided by the hours of the week, half of it for each hour of overtime and all of it for
/// each of double time. `weeks` are hours, overtime hours and double-time hours of each week; the bonus is spread over the
/// weeks evenly, as where it cannot be told how much of it belongs to which (29 CFR 778.209(b)).
///
/// `None` on overflow, and without a week.
pub fn premium_when_paid_later<T: Trace>(
    trace: &mut T,
    bonus: Amount,
    weeks: &[(Amount, Sorted)],
) -> Option<Amount> {
    let count = i64::try_from(weeks.len()).ok().filter(|count| *count > 0)?;
    let of_week = bonus.mul_ratio(1, count, Rounding::HalfUp)?;
    let mut premium = Amount::ZERO;
    for (hours, sorted) in weeks {
        let halves = sorted.overtime.checked_add(sorted.double)?.checked_add(sorted.double)?;
        if halves > Amount::ZERO && *hours > Amount::ZERO {
            let part = of_week.mul_ratio(halves.millionths(), 2 * hours.millionths(), Rounding::HalfUp)?;
            premium = premium.checked_add(part)?;
        }
    }
    let premium = premium.round_to_cents(Rounding::HalfUp);
    trace.leaf(|| {
        Step::new("recalculated_overtime_premium", Operation::Given, premium)
            .input("bonus", bonus)
            .ratio("weeks", count, 1)
            .rounded("0.01", Rounding::HalfUp)
            .source("29 CFR 778.209")
            .note("The bonus raises the regular rate of the weeks in which it was earned.")
    });
    Some(premium)
}

/// Dollars divided by hours, half up to the cent; zero without hours.
fn divided(amount: Amount, hours: Amount) -> Option<Amount> {
    if hours <= Amount::ZERO {
        return Some(Amount::ZERO);
    }
    Some(amount.mul_ratio(HOURS, hours.millionths(), Rounding::HalfUp)?.round_to_cents(Rounding::HalfUp))
}

/// A rate for hours, half up to the cent.
fn times(rate: Amount, hours: Amount) -> Option<Amount> {
    Some(rate.mul_ratio(hours.millionths(), HOURS, Rounding::HalfUp)?.round_to_cents(Rounding::HalfUp))
}

fn sum(amounts: impl Iterator<Item = Amount>) -> Option<Amount> {
    let mut amounts = amounts;
    amounts.try_fold(Amount::ZERO, Amount::checked_add)
}

fn sum_of(amounts: impl Iterator<Item = Option<Amount>>) -> Option<Amount> {
    let mut amounts = amounts;
    amounts.try_fold(Amount::ZERO, |sum, amount| sum.checked_add(amount?))
}
