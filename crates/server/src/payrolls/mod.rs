//! Payrolls: what a company pays its people for a stretch of days.
//!
//! `regular` makes the payrolls that follow from the pay schedule; `service` holds what can be done with payrolls.

pub mod api;
pub mod periods;
pub mod regular;
pub mod rows;

use jiff::Timestamp;
use jiff::civil::{Date, time};
use jiff::tz::TimeZone;
use rules::payroll::holidays;
use rules::payroll::schedule::BANKING_DAYS;

/// Table of the record, in versions and audit entries.
pub const TABLE: &str = "payrolls";

/// Until when a payroll with this pay date can be submitted or cancelled: four in the afternoon in California, as
/// many banking days before as a payment takes.
pub fn deadline(check_date: Date) -> Timestamp {
    let day = holidays::banking_days_before(check_date, BANKING_DAYS);
    let zone = TimeZone::get("America/Los_Angeles").unwrap_or(TimeZone::UTC);
    day.to_datetime(time(16, 0, 0, 0)).to_zoned(zone).map_or(Timestamp::MAX, |moment| moment.timestamp())
}

/// The earliest pay date whose deadline has not passed.
pub fn earliest_check_date(now: Timestamp, today: Date) -> Date {
    let mut day = today;
    while !holidays::is_banking_day(day) || deadline(day) < now {
        day = day.tomorrow().unwrap_or(Date::MAX);
        if day == Date::MAX {
            break;
        }
    }
    day
}
