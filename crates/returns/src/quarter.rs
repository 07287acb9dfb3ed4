//! Quarters.

use std::fmt;

use jiff::civil::{Date, date};

use crate::payment::Payment;
use crate::{Error, line::Period as _};

/// A calendar quarter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quarter {
    year: i16,
    number: i8,
}

impl Quarter {
    /// Returns a quarter; `None` unless the number is from 1 to 4.
    pub fn new(year: i16, number: i8) -> Option<Self> {
        ((1..=4).contains(&number) && (1..=9_998).contains(&year)).then_some(Self { year, number })
    }

    /// Returns the quarter of a day.
    pub fn containing_day(day: Date) -> Self {
        Self { year: day.year(), number: (day.month() - 1) / 3 + 1 }
    }

    /// Returns the four quarters of a year.
    pub fn of_year(year: i16) -> [Self; 4] {
        [1, 2, 3, 4].map(|number| Self { year, number })
    }

    /// Its year.
    pub fn year(self) -> i16 {
        self.year
    }

    /// Its number, from 1 to 4.
    pub fn number(self) -> i8 {
        self.number
    }

    /// Its first day.
    pub fn first_day(self) -> Date {
        date(self.year, self.number * 3 - 2, 1)
    }

    /// Its last day.
    pub fn last_day(self) -> Date {
        date(self.year, self.number * 3, 1).last_of_month()
    }

    /// The day on which employees are counted for line 1 of Form 941: the 12th of the last month.
    pub fn day_of_count(self) -> Date {
        date(self.year, self.number * 3, 12)
    }

    /// Checks that a payment belongs to the quarter.
    ///
    /// # Errors
    /// Its pay date lies outside.
    pub fn check_payment(self, payment: &Payment) -> Result<(), Error> {
        match Self::containing_day(payment.pay_date) == self {
            true => Ok(()),
            false => Err(self.refuse_payment(payment)),
        }
    }
}

impl fmt::Display for Quarter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the quarter {}-Q{}", self.year, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_knows_its_days() {
        let second = Quarter::containing_day(date(2026, 5, 31));
        assert_eq!(Some(second), Quarter::new(2026, 2));
        assert_eq!((second.first_day(), second.last_day()), (date(2026, 4, 1), date(2026, 6, 30)));
        assert_eq!(second.day_of_count(), date(2026, 6, 12));
        assert_eq!([Quarter::new(2026, 0), Quarter::new(2026, 5)], [None, None]);
        assert_eq!(Quarter::of_year(2026)[3].last_day(), date(2026, 12, 31));
    }
}
