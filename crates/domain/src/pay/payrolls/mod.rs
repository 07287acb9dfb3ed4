//! Payrolls: what a company pays its employees for a period.
//!
//! A payroll is prepared, calculated, submitted, processed and paid. A calculation first notes the state it starts from, then writes its
//! results in small units of work under an id of its own. A final unit of work checks whether anything has changed in the meantime and
//! points the payroll to that id. Processed payrolls are numbered in order: a paycheck builds on the year-to-date sums of the payroll
//! before it.
//!
//! `tests/areas.rs` says which rooms these modules form, and in which order they import each other.
//!
//! | module | what it holds |
//! |---|---|
//! | `commands`, `service`, `blockers`, `submission_blockers`, `settings` | operations on payrolls, what blocks running and submitting them, and the company's settings |
//! | `rows`, `paid` | the records: payrolls with their inputs, and the results of calculations |
//! | `schedule` | which payrolls exist, for which days, and which employees are in them |
//! | `entry` | what is entered for an employee, and time off that is paid without an entry |
//! | `calculation` | reading the inputs of paychecks, calculating them, and detecting changes during or after a calculation |
//! | `warnings` | warnings about an employee, the entries, and days paid before |
//! | `opening` | opening balances, and pay from another provider earlier in the year that is recalculated into them |
//! | `processing` | what follows a submission: the books, payments, and FUTA credit reductions |
//! | `read` | views of payrolls and paychecks: totals, explanations, pay stubs, receipts, taxes |
//! | `reversals` | pay that was taken back, and paychecks that are void |
//! | `recovery` | recovery of payrolls whose background job failed permanently |

pub mod blockers;
pub mod calculation;
pub mod commands;
pub mod entry;
pub mod opening;
pub mod paid;
pub mod processing;
pub mod read;
pub mod recovery;
pub mod reversals;
pub mod rows;
pub mod schedule;
pub mod service;
pub mod settings;
pub mod submission_blockers;
mod warnings;
pub mod workweek;

pub use calculation::sums::withheld_to_date;
pub use paid::{is_paid_at, is_used};

use jiff::Timestamp;
use jiff::civil::{Date, time};
use jiff::tz::TimeZone;
use rules::payroll::holidays;
use rules::payroll::schedule::BANKING_DAYS;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Table of the record, in versions and audit entries.
pub const TABLE: &str = "payrolls";

/// Returns the time until which a payroll with this pay date can be submitted or cancelled: 4 p.m. Pacific time, as many banking days
/// before the pay date as a payment takes.
pub fn deadline(check_date: Date) -> Timestamp {
    let day = holidays::banking_days_before(check_date, BANKING_DAYS);
    let zone = TimeZone::get("America/Los_Angeles").unwrap_or(TimeZone::UTC);
    day.to_datetime(time(16, 0, 0, 0)).to_zoned(zone).map_or(Timestamp::MAX, |moment| moment.timestamp())
}

/// Returns the earliest pay date whose deadline has not passed.
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

/// Returns all SQL statements of payrolls.
pub fn statements() -> Vec<store::Sql> {
    [
        rows::ALL,
        rows::INPUT_STATEMENTS,
        schedule::members::ALL,
        schedule::missed::ALL,
        schedule::submitted::ALL,
        calculation::circumstances::headcount::ALL,
        warnings::unpaid_days::ALL,
        warnings::late_employment::ALL,
        read::outside::ALL,
        warnings::back_pay::ALL,
        warnings::owed::ALL,
        paid::RESULT_STATEMENTS,
        paid::RUN_STATEMENTS,
        schedule::assignments::STATEMENTS,
        calculation::sums::ALL,
        processing::credit_reductions::ALL,
        opening::ALL,
        calculation::changes::ALL,
        processing::disbursements::ALL,
        schedule::dismissals::ALL,
        opening::elsewhere::ALL,
        recovery::ALL,
        reversals::ALL,
        settings::ALL,
        calculation::same_period::ALL,
        calculation::since_calculated::ALL,
        read::stubs::ALL,
        calculation::workweeks::ALL,
    ]
    .concat()
}

/// Parses stored JSON.
fn from_json<T: DeserializeOwned>(
    table: &'static str,
    field: &'static str,
    stored: &str,
) -> Result<T, store::Error> {
    // The parser's message may repeat a part of the value.
    serde_json::from_str(stored).map_err(|error| {
        let place =
            format!("holds JSON that cannot be read (line {}, column {})", error.line(), error.column());
        let unread = if error.is_data() { store::Unread::unknown(place) } else { store::Unread::new(place) };
        unread.of(table, field)
    })
}

/// Serializes a value to the JSON to store.
fn to_json<T: Serialize>(
    table: &'static str,
    field: &'static str,
    value: &T,
) -> Result<String, store::Error> {
    store::record::json(table, field, value)
}

/// Whether an amount is omitted from stored JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "has the shape that serde asks for")]
fn is_zero(amount: &i64) -> bool {
    *amount == 0
}
