//! The liability of each pay date: Schedule B of Form 941, and the months of line 16.
//!
//! Taxes are owed for the day on which wages were paid, whenever they are deposited. The total is line 12 to the cent, and no entry is
//! negative: a credit reduces what is owed for later pay dates and, when there are none, for earlier ones.
//!
//! Source: Instructions for Schedule B (Form 941); Instructions for Form 941, line 16.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::deposits::{NEXT_DAY_THRESHOLD_CENTS, Schedule};

use crate::Error;

/// Total taxes below which the liability is not broken down, in cents: line 12 of a quarter (Instructions for Form 941, line 16), line 9
/// of a year (Form 944, line 13).
pub const LEAST_CENTS: i64 = 250_000;

/// Liability of a pay date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayLiability {
    /// the pay date
    pub day: Date,
    /// cents, above zero
    pub cents: i64,
}

/// How the liability of a period is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breakdown {
    /// not at all, because the total of this period, or of the quarter before, is below 2,500 dollars
    None,
    /// by month, on line 16 of Form 941, or line 13 of Form 944
    Months,
    /// by pay date, on Schedule B of Form 941, or Form 945-A with Form 944
    Days,
}

impl Breakdown {
    /// How the liability of a period is reported (Instructions for Form 941, line 16; Form 944, line 13). A day with 100,000 dollars makes
    /// the employer a semiweekly depositor, however small the rest.
    pub(crate) fn of_period(days: &[DayLiability], is_small: bool, schedule: Schedule) -> Self {
        let is_next_day = days.iter().any(|one| one.cents >= NEXT_DAY_THRESHOLD_CENTS);
        match (is_next_day, is_small, schedule) {
            (true, ..) | (false, false, Schedule::Semiweekly) => Self::Days,
            (false, true, _) => Self::None,
            (false, false, Schedule::Monthly | Schedule::Quarterly) => Self::Months,
        }
    }
}

/// Distributes the taxes of a period over its pay dates. `further` is what the total of the return has beside the taxes of the paychecks:
/// the cents of rounding, and adjustments; it goes to the last pay dates.
///
/// # Errors
/// The total is negative.
pub fn liability_by_day(
    last_day: Date,
    booked: &BTreeMap<Date, i64>,
    further: i64,
) -> Result<Vec<DayLiability>, Error> {
    let mut days: Vec<DayLiability> =
        booked.iter().map(|(day, cents)| DayLiability { day: *day, cents: *cents }).collect();
    match days.last_mut() {
        Some(last) => last.cents += further,
        None => days.push(DayLiability { day: last_day, cents: further }),
    }
    let total: i64 = days.iter().map(|one| one.cents).sum();
    if total < 0 {
        return Err(Error::Negative { what: "total taxes of the period", cents: total });
    }
    let mut credit = 0;
    for one in &mut days {
        let owed = one.cents + credit;
        (one.cents, credit) = (owed.max(0), owed.min(0));
    }
    for one in days.iter_mut().rev() {
        let taken = one.cents.min(-credit);
        one.cents -= taken;
        credit += taken;
    }
    days.retain(|one| one.cents != 0);
    Ok(days)
}

/// Returns the liability of so many months from the `first` on, counted from 1.
pub fn liability_by_month<const N: usize>(first: i8, days: &[DayLiability]) -> [i64; N] {
    let mut months = [0; N];
    for one in days {
        if let Some(month) = usize::try_from(one.day.month() - first).ok().and_then(|at| months.get_mut(at)) {
            *month += one.cents;
        }
    }
    months
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn spread(booked: &[(i8, i64)], further: i64) -> Result<Vec<(i8, i64)>, Error> {
        let booked = booked.iter().map(|(day, cents)| (date(2026, 2, *day), *cents)).collect();
        let days = liability_by_day(date(2026, 3, 31), &booked, further)?;
        Ok(days.iter().map(|one| (one.day.day(), one.cents)).collect())
    }

    #[test]
    fn the_cents_of_rounding_go_to_the_last_pay_date() {
        assert_eq!(spread(&[(6, 100), (20, 50)], -2), Ok(vec![(6, 100), (20, 48)]));
        assert_eq!(spread(&[(6, 100), (20, 1)], -2), Ok(vec![(6, 99)]), "never below zero");
    }

    #[test]
    fn a_reversal_reduces_later_pay_dates_first_and_then_earlier_ones() {
        assert_eq!(spread(&[(6, 100), (13, -30), (20, 50)], 0), Ok(vec![(6, 100), (20, 20)]));
        assert_eq!(spread(&[(6, 100), (13, -80), (20, 50)], 0), Ok(vec![(6, 70)]));
    }

    #[test]
    fn a_quarter_that_owes_less_than_nothing_is_refused() {
        let refused = spread(&[(6, 100), (13, -130)], 0).unwrap_err();
        assert!(refused.to_string().contains("-0.30"), "{refused}");
    }
}
