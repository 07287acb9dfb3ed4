//! Banking days, and the days of files: when payments settle, and until when they come back.

use jiff::civil::{self, Date, Time, time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rules::payroll::holidays;

/// When the last same-day window closes (Federal Reserve Bank Services, FedACH processing schedule: 4:45 p.m. Eastern), less the time that
/// the bank needs.
const LAST_WINDOW: Time = time(16, 0, 0, 0);
/// Maximum cents of an entry that settles on the same day (Nacha Operating Rules, same-day entry limit since March 18, 2022).
pub const MOST_SAME_DAY: i64 = 100_000_000;

/// Banking days after settlement within which a bank returns an entry for most reasons (Nacha Operating Rules, return time frames: by the
/// opening of business on the second banking day after it).
pub const BANKING_DAYS_OF_RETURNS: i64 = 2;

/// Banking days after the settlement of a payment within which its reversal has to settle (Nacha Operating Rules, Subsection 2.9.1).
pub(in crate::money) const MOST_DAYS_OF_REVERSALS: i64 = 5;

/// Returns the banking day after a day.
pub fn next_banking_day(day: Date) -> Date {
    let mut next = day;
    loop {
        next = next.saturating_add(1.day());
        if holidays::is_banking_day(next) || next == Date::MAX {
            return next;
        }
    }
}

/// Returns the day this many banking days after another.
pub fn banking_days_after(day: Date, days: i64) -> Date {
    (0..days).fold(day, |day, _| next_banking_day(day))
}

/// Returns the earliest settlement date of a payment that is filed now.
pub fn earliest_settlement(now: Timestamp, same_day: bool) -> Date {
    let here = local_time_in(now, "America/New_York");
    let today = here.date();
    if same_day && holidays::is_banking_day(today) && here.time() < LAST_WINDOW {
        return today;
    }
    next_banking_day(today)
}

/// Returns when a day begins in California, whose time zone determines the dates of files.
pub fn day_start_in_california(day: Date) -> Timestamp {
    let zone = TimeZone::get(CALIFORNIA).unwrap_or(TimeZone::UTC);
    day.to_zoned(zone).map_or(Timestamp::MAX, |start| start.timestamp())
}

/// Returns the day in California.
pub fn today_in_california(now: Timestamp) -> Date {
    local_time_in(now, CALIFORNIA).date()
}

const CALIFORNIA: &str = "America/Los_Angeles";

/// Returns the local time in a zone that is bundled with the program.
fn local_time_in(now: Timestamp, zone: &str) -> civil::DateTime {
    now.to_zoned(TimeZone::get(zone).unwrap_or(TimeZone::UTC)).datetime()
}

/// Returns the first day on which a payment that settled on a day can no longer be returned.
pub(in crate::money) fn settled_on(effective: Date) -> Date {
    banking_days_after(effective, BANKING_DAYS_OF_RETURNS).saturating_add(1.day())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_settle_on_the_next_banking_day_or_if_configured_on_the_same_day() {
        let on = |moment: &str, same_day| earliest_settlement(moment.parse().unwrap(), same_day).to_string();
        // Friday 26 June 2026, noon and six in the evening in New York; 3 July is a Friday before a Saturday's holiday.
        assert_eq!(on("2026-06-26T16:00:00Z", false), "2026-06-29");
        assert_eq!(on("2026-06-26T16:00:00Z", true), "2026-06-26");
        assert_eq!(on("2026-06-26T22:00:00Z", true), "2026-06-29");
        // Juneteenth.
        assert_eq!(on("2026-06-18T22:00:00Z", false), "2026-06-22");
    }

    #[test]
    fn banking_days_are_counted_over_weekends_and_holidays() {
        let after = |day: &str, days| banking_days_after(day.parse().unwrap(), days).to_string();
        assert_eq!(after("2026-06-18", 1), "2026-06-22");
        assert_eq!(after("2026-06-18", 3), "2026-06-24");
        assert_eq!(after("2026-06-18", 0), "2026-06-18");
    }
}
