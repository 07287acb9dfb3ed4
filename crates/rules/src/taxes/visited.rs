//! A year's work at locations other than the employee's work addresses, counted against the thresholds for nonresidents and for
//! Ohio's cities.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::to_date::quarter_of_day;
use crate::amount::Amount;

/// Work in a state or city that is only visited, in the calendar year of the pay date.
///
/// A day with hours in two payrolls counts twice: a threshold may be passed too early, but never too late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Visited {
    /// Days on which hours were worked there.
    pub days: u32,
    /// Whether hours were entered without their days, so that the number of days is not known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undated: bool,
    /// Wages for work there.
    pub of_year: Amount,
    /// Quarter of the latest wages, from 1.
    pub quarter: i8,
    /// Wages of that quarter.
    pub of_quarter: Amount,
}

impl Visited {
    /// Adds days of a pay period.
    pub fn add_days(&mut self, days: u32, undated: bool) {
        self.days = self.days.saturating_add(days);
        self.undated |= undated;
    }

    /// Adds wages paid on a date. `None` on overflow.
    #[must_use]
    pub fn with_wages(self, day: Date, wages: Amount) -> Option<Self> {
        let now = quarter_of_day(day);
        let before = if self.quarter == now { self.of_quarter } else { Amount::ZERO };
        Some(Self {
            of_year: self.of_year.checked_add(wages)?,
            quarter: now,
            of_quarter: before.checked_add(wages)?,
            ..self
        })
    }

    /// Returns the number of days, if it is known.
    pub fn known_days(&self) -> Option<u32> {
        (!self.undated).then_some(self.days)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_new_quarter_counts_its_wages_anew_and_the_year_goes_on() {
        let hundred = Amount::from_cents(10_000);
        let march = Visited::default().with_wages(date(2026, 3, 27), hundred).unwrap();
        let april = march.with_wages(date(2026, 4, 10), hundred).unwrap();
        assert_eq!((march.of_year, march.of_quarter), (hundred, hundred));
        assert_eq!((april.of_year, april.of_quarter), (Amount::from_cents(20_000), hundred));
    }

    #[test]
    fn days_that_were_not_told_once_are_not_known_for_the_year() {
        let mut visited = Visited::default();
        visited.add_days(3, false);
        assert_eq!(visited.known_days(), Some(3));
        visited.add_days(0, true);
        visited.add_days(1, false);
        assert_eq!(visited.known_days(), None);
    }
}
