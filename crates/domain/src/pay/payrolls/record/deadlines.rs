//! Until when a payroll can be submitted.

use jiff::Timestamp;
use jiff::civil::{Date, time};
use jiff::tz::TimeZone;
use rules::payroll::holidays;
use rules::payroll::schedule::BANKING_DAYS;

/// Returns the time until which a payroll with this pay date can be submitted or cancelled: 4 p.m. Pacific time, as many banking days
/// before the pay date as a payment takes.
pub fn submission_deadline(check_date: Date) -> Timestamp {
    let day = holidays::banking_days_before(check_date, BANKING_DAYS);
    let zone = TimeZone::get("America/Los_Angeles").unwrap_or(TimeZone::UTC);
    day.to_datetime(time(16, 0, 0, 0)).to_zoned(zone).map_or(Timestamp::MAX, |moment| moment.timestamp())
}

/// Returns the earliest pay date whose deadline has not passed.
pub fn earliest_check_date(now: Timestamp, today: Date) -> Date {
    let mut day = today;
    while !holidays::is_banking_day(day) || submission_deadline(day) < now {
        day = day.tomorrow().unwrap_or(Date::MAX);
        if day == Date::MAX {
            break;
        }
    }
    day
}
