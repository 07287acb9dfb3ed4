//! Business days for deposits: all days except weekends and legal holidays in the District of Columbia.
//!
//! The holidays are those of banks, Emancipation Day on April 16, and those observed on a Friday because they fall on a Saturday.
//! Inauguration Day is omitted: a deposit may then be due a day early, never late. A business day is always a banking day.
//! Source: Publication 15, section 11, "Deposits Due on Business Days Only"; D.C. Code 28-2701.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date};

use crate::payroll::holidays::{is_banking_day, of_year};

/// Whether a deposit can be due on the day.
pub fn is_business_day(day: Date) -> bool {
    is_banking_day(day) && !is_kept_early(day) && !is_emancipation_day(day)
}

/// Whether the day is the Friday before a holiday on a Saturday.
fn is_kept_early(day: Date) -> bool {
    let next = day.saturating_add(1.day());
    next.weekday() == Weekday::Saturday && of_year(next.year()).contains(&next)
}

fn is_emancipation_day(day: Date) -> bool {
    let holiday = date(day.year(), 4, 16);
    day == match holiday.weekday() {
        Weekday::Saturday => holiday.saturating_sub(1.day()),
        Weekday::Sunday => holiday.saturating_add(1.day()),
        _ => holiday,
    }
}

/// Returns the day if it is a business day, otherwise the next one.
pub fn from(day: Date) -> Date {
    let mut day = day;
    while !is_business_day(day) && day < Date::MAX {
        day = day.saturating_add(1.day());
    }
    day
}

/// Returns the day that is `days` business days after `day`.
pub fn business_day_after(day: Date, days: u8) -> Date {
    (0..days).fold(day, |day, _| from(day.saturating_add(1.day())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payroll::holidays::is_weekend;

    /// Returns the legal holidays on weekdays, as the IRS lists them for the year.
    fn listed(year: i16) -> Vec<(i8, i8)> {
        let first = date(year, 1, 1);
        let days = first.series(1.day()).take_while(|day| day.year() == year);
        days.filter(|day| !is_weekend(*day) && !is_business_day(*day))
            .map(|day| (day.month(), day.day()))
            .collect()
    }

    #[test]
    fn the_holidays_of_deposits_are_those_that_the_irs_lists() {
        // Publication 80 for 2012: New Year's Day and Veterans Day fell on Sundays. Juneteenth has been a holiday since 2021, but the
        // table of banks has it for every year.
        let of_2012 = [
            (1, 2),
            (1, 16),
            (2, 20),
            (4, 16),
            (5, 28),
            (7, 4),
            (9, 3),
            (10, 8),
            (11, 12),
            (11, 22),
            (12, 25),
        ];
        let found: Vec<_> = listed(2012).into_iter().filter(|day| *day != (6, 19)).collect();
        assert_eq!(found, of_2012);
        // In 2026 Independence Day falls on a Saturday: banks are open on Friday, but nothing is due.
        assert!(is_banking_day(date(2026, 7, 3)) && !is_business_day(date(2026, 7, 3)));
        assert_eq!(from(date(2026, 7, 3)), date(2026, 7, 6));
        // Emancipation Day was a Saturday in 2022 and a Sunday in 2023: returns were due on April 18 in both years.
        assert_eq!(
            (from(date(2022, 4, 15)), from(date(2023, 4, 15))),
            (date(2022, 4, 18), date(2023, 4, 18))
        );
    }

    #[test]
    fn a_business_day_is_a_day_on_which_banks_settle() {
        let days = date(2024, 1, 1).series(1.day()).take(4_000);
        assert!(days.filter(|day| is_business_day(*day)).all(is_banking_day));
    }
}
