//! The liability of each pay date: Schedule B of Form 941, and the months of line 16.
//!
//! Taxes are owed for the day on which wages were paid, whenever they are deposited. The total is line 12 to the cent, and no entry is
//! negative: a credit reduces what is owed for later pay dates and, when there are none, for earlier ones.
//!
//! Source: Instructions for Schedule B (Form 941); Instructions for Form 941, line 16.

use std::collections::BTreeMap;

use jiff::civil::Date;

use crate::{Error, Quarter};

/// Line 12 below which the liability of a quarter is not broken down, in cents (Instructions for Form 941, line 16).
pub const LEAST_CENTS: i64 = 250_000;

/// Liability of a pay date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayLiability {
    /// the pay date
    pub day: Date,
    /// cents, above zero
    pub cents: i64,
}

/// How the liability of a quarter is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breakdown {
    /// not at all, because line 12 of this quarter or the last one is below 2,500 dollars
    None,
    /// by month, on line 16
    Months,
    /// by pay date, on Schedule B
    Days,
}

/// Distributes the taxes of a quarter over its pay dates. `further` is what line 12 has beside the taxes of the paychecks: the cents of
/// rounding, and adjustments; it goes to the last pay dates.
///
/// # Errors
/// The total is negative.
pub fn days(
    quarter: Quarter,
    booked: &BTreeMap<Date, i64>,
    further: i64,
) -> Result<Vec<DayLiability>, Error> {
    let mut days: Vec<DayLiability> =
        booked.iter().map(|(day, cents)| DayLiability { day: *day, cents: *cents }).collect();
    match days.last_mut() {
        Some(last) => last.cents += further,
        None => days.push(DayLiability { day: quarter.last_day(), cents: further }),
    }
    let total: i64 = days.iter().map(|one| one.cents).sum();
    if total < 0 {
        return Err(Error::Negative { what: "total taxes of the quarter (line 12)", cents: total });
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

/// Returns the liability of each month of a quarter.
pub fn months(quarter: Quarter, days: &[DayLiability]) -> [i64; 3] {
    let first = quarter.first_day().month();
    [0, 1, 2].map(|after| {
        let of_month = days.iter().filter(|one| one.day.month() == first + after);
        of_month.map(|one| one.cents).sum()
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn spread(booked: &[(i8, i64)], further: i64) -> Result<Vec<(i8, i64)>, Error> {
        let booked = booked.iter().map(|(day, cents)| (date(2026, 2, *day), *cents)).collect();
        let days = days(Quarter::new(2026, 1).unwrap(), &booked, further)?;
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
