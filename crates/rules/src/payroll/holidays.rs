//! Banking days: all days except weekends and Federal Reserve holidays.
//!
//! A holiday on a Sunday is observed on Monday; one on a Saturday is not moved. Source: Federal Reserve Bank
//! Services, holiday schedules; 5 USC 6103(a).

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date};

/// Returns the holidays of a year, as observed, in order.
pub fn of_year(year: i16) -> [Date; 11] {
    let nth = |month, nth, weekday| {
        let first = date(year, month, 1);
        // Every month has a first to fourth and a last of each weekday.
        first.nth_weekday_of_month(nth, weekday).unwrap_or(first)
    };
    [
        observed_day(date(year, 1, 1)),
        nth(1, 3, Weekday::Monday),
        nth(2, 3, Weekday::Monday),
        nth(5, -1, Weekday::Monday),
        observed_day(date(year, 6, 19)),
        observed_day(date(year, 7, 4)),
        nth(9, 1, Weekday::Monday),
        nth(10, 2, Weekday::Monday),
        observed_day(date(year, 11, 11)),
        nth(11, 4, Weekday::Thursday),
        observed_day(date(year, 12, 25)),
    ]
}

/// Returns the weekday holidays in a range of dates, inclusive.
pub fn weekday_holidays(from: Date, until: Date) -> Vec<Date> {
    let days = (from.year()..=until.year()).flat_map(of_year);
    days.filter(|day| (from..=until).contains(day) && !is_weekend(*day)).collect()
}

/// Whether banks settle payments on the day.
pub fn is_banking_day(day: Date) -> bool {
    !is_weekend(day) && !of_year(day.year()).contains(&day)
}

/// Returns the day if it is a banking day, otherwise the last banking day before it.
pub fn banking_day_until(day: Date) -> Date {
    let mut day = day;
    while !is_banking_day(day) && day > Date::MIN {
        day = day.saturating_sub(1.day());
    }
    day
}

/// Returns the day that is `banking_days` banking days before another.
pub fn banking_days_before(day: Date, banking_days: u8) -> Date {
    (0..banking_days).fold(banking_day_until(day), |day, _| banking_day_until(day.saturating_sub(1.day())))
}

fn observed_day(day: Date) -> Date {
    if day.weekday() == Weekday::Sunday { day.saturating_add(1.day()) } else { day }
}

/// Whether the day is a Saturday or a Sunday.
pub fn is_weekend(day: Date) -> bool {
    matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holidays_of_2026_are_those_that_the_banks_publish() {
        let published = [
            (1, 1),
            (1, 19),
            (2, 16),
            (5, 25),
            (6, 19),
            (7, 4),
            (9, 7),
            (10, 12),
            (11, 11),
            (11, 26),
            (12, 25),
        ];
        assert_eq!(of_year(2026), published.map(|(month, day)| date(2026, month, day)));
    }

    #[test]
    fn a_holiday_on_a_sunday_is_kept_on_monday_and_one_on_a_saturday_not_at_all() {
        // 4 July 2026 is a Saturday, 19 June 2022 a Sunday.
        assert!(is_banking_day(date(2026, 7, 3)));
        assert!(!weekday_holidays(date(2026, 7, 1), date(2026, 7, 31)).contains(&date(2026, 7, 4)));
        assert!(!is_banking_day(date(2022, 6, 20)));
        assert_eq!(weekday_holidays(date(2022, 6, 1), date(2022, 6, 30)), [date(2022, 6, 20)]);
    }

    #[test]
    fn a_payment_is_moved_before_a_long_weekend() {
        // Christmas 2026 is a Friday.
        assert_eq!(banking_day_until(date(2026, 12, 27)), date(2026, 12, 24));
        assert_eq!(banking_day_until(date(2026, 12, 28)), date(2026, 12, 28));
        assert_eq!(banking_days_before(date(2026, 12, 28), 2), date(2026, 12, 23));
        assert_eq!(banking_days_before(date(2026, 12, 28), 0), date(2026, 12, 28));
    }
}
