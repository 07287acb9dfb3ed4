//! Payrolls: what a company pays its people for a stretch of days.
//!
//! A payroll is prepared, calculated, submitted, processed and paid. A calculation reads what it needs at one
//! moment, writes its results in small units under an id of its own, and then one small unit looks whether anything
//! changed meanwhile and lets the payroll name that id. Each processed payroll has its place in a row: the sums of the
//! year that a paycheck rests on are those that the payroll before left.
//!
//! | module | what it holds |
//! |---|---|
//! | `commands`, `service`, `blockers`, `settings` | what can be done with payrolls, what blocks running them, and what the company decided |
//! | `assignments`, `transitions` | which schedule is that of the employees, the change from one to another, and the days between |
//! | `regular`, `periods`, `auto` | payrolls that follow from the pay schedule, pay periods, and payrolls that run by themselves |
//! | `disbursements` | payments that the partner makes itself |
//! | `dismissals` | the last pay periods of those who leave, and the payrolls that pay them |
//! | `employments` | payrolls that were calculated by an employment that has changed since |
//! | `entered`, `hours`, `earned`, `members` | what was entered for an employee, and who is in a payroll |
//! | `entry_version` | whether what comes back is what was told |
//! | `context`, `inputs`, `snapshot`, `sources`, `sums`, `opening` | what a paycheck is calculated from, and how it is read |
//! | `elsewhere` | pay of another provider earlier in the year, worked out again into opening balances |
//! | `same_period` | what earlier payrolls of the same pay period came to |
//! | `salaried` | the hours that a salary stands for |
//! | `exclusions` | pay that retirement plans leave out of percentages |
//! | `workweeks` | the hours of workweeks, with those that other payrolls have paid, and the law on overtime |
//! | `form_w4` | Form W-4 as it counts on a pay date |
//! | `incomplete` | entries from which something is missing, or that pay nothing |
//! | `long_days` | days that have more than 24 hours in several payrolls together |
//! | `paid_hours` | hours that are paid without being entered, which divide the pay between places |
//! | `zips`, `residency` | addresses whose ZIP code is none of their state's, and answers about the home that its address contradicts |
//! | `left_unpaid` | hours off and expenses that earlier payrolls did not pay |
//! | `moved` | addresses that were told only after days for which they count were paid |
//! | `missed` | days of whoever was onboarded too late for their payroll |
//! | `circumstances` | where employees live and work, as the taxes of states and places see it |
//! | `tables` | the tables of law that a payroll is worked out with |
//! | `run`, `changes`, `paid`, `totals` | the calculation, what was changed meanwhile, and what it came to |
//! | `since_calculated` | what was changed after the calculation and leaves it as it is |
//! | `posting` | what a processed payroll comes to in the books |
//! | `processing` | what follows the submission and the cancellation |
//! | `recovery` | what becomes of payrolls whose work in the background was given up |
//! | `explain`, `concealed`, `stub` | how a figure came about, what callers who may not see benefits are told of it, and the pay stub |
//! | `preview`, `gross_up` | what a gross pay would come to, without a payroll, and from which pay a net pay remains |
//! | `receipt` | what the company pays for a processed payroll, and to whom |

mod answers;
pub mod assignments;
pub mod auto;
mod back_pay;
pub mod blockers;
mod changes;
mod circumstances;
pub mod commands;
pub mod concealed;
mod context;
pub mod credit_reductions;
pub mod disbursements;
pub mod dismissals;
pub mod earned;
pub mod elsewhere;
pub mod employments;
pub mod entered;
mod entry_version;
mod exclusions;
pub mod explain;
mod floors;
mod form_w4;
pub mod granted;
pub mod gross_up;
mod headcount;
mod held;
pub mod hours;
mod incomplete;
pub mod inputs;
pub mod job_changes;
pub mod leave;
mod left_unpaid;
mod long_days;
mod lump_sums;
pub mod members;
mod missed;
mod moved;
pub mod opening;
pub mod paid;
mod paid_hours;
pub mod periods;
pub mod posting;
pub mod preview;
pub mod processing;
pub mod receipt;
pub mod recovery;
pub mod regular;
mod residency;
pub mod rows;
pub mod run;
pub mod salaried;
mod same_period;
pub mod service;
pub mod settings;
pub mod since_calculated;
mod snapshot;
mod sources;
pub mod stub;
pub mod stubs;
mod sums;
pub mod tables;
pub mod taxes;
pub mod totals;
pub mod transitions;
mod workplaces;
mod workweeks;
mod zips;

pub use paid::{is_paid_at, is_used};
pub use sums::withheld_to_date;

use jiff::Timestamp;
use jiff::civil::{Date, time};
use jiff::tz::TimeZone;
use rules::payroll::holidays;
use rules::payroll::schedule::BANKING_DAYS;
use serde::Serialize;
use serde::de::DeserializeOwned;

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

/// Every statement of payrolls.
pub fn statements() -> Vec<store::Sql> {
    [
        rows::ALL,
        rows::INPUT_STATEMENTS,
        members::ALL,
        headcount::ALL,
        missed::ALL,
        back_pay::ALL,
        paid::RESULT_STATEMENTS,
        paid::RUN_STATEMENTS,
        assignments::STATEMENTS,
        posting::ALL,
        sums::ALL,
        credit_reductions::ALL,
        opening::ALL,
        changes::ALL,
        disbursements::ALL,
        dismissals::ALL,
        elsewhere::ALL,
        recovery::ALL,
        settings::ALL,
        same_period::ALL,
        since_calculated::ALL,
        stubs::ALL,
        workweeks::ALL,
    ]
    .concat()
}

/// Stored JSON as a value.
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

/// A value as JSON to be stored.
fn to_json<T: Serialize>(
    table: &'static str,
    field: &'static str,
    value: &T,
) -> Result<String, store::Error> {
    store::record::json(table, field, value)
}

/// Whether an amount is left out of stored JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "has the shape that serde asks for")]
fn is_zero(amount: &i64) -> bool {
    *amount == 0
}
