//! Payments of payrolls: files for the operator's bank, and the bank's returns.
//!
//! The service holds no money: the operator's bank takes ACH files, as configured by the operator ([`settings`]). Without these settings
//! no files are made, and payrolls count as paid on their check date.
//!
//! | module | contents |
//! |---|---|
//! | `settings`, `funding` | how the bank takes files; what the credits of a company wait for |
//! | `wires` | wires that companies send before their credits go out |
//! | `purpose` | what payments are for: payrolls, tax deposits, contractors |
//! | `rows`, `lines` | batches, entries and files; the parts of entries that go into a file |
//! | `payees` | names and accounts of the employees in a section of a payroll |
//! | `paid_out` | where the net pay of a paycheck went |
//! | `debits` | the debits that fund credits |
//! | `prepare` | the payments of a payroll, once it can no longer be cancelled |
//! | `limits` | which credits are held by a limit of the operator, with their debits |
//! | `compose` | the file that batches go into, and its text |
//! | `folder` | the bank's folder, and what a crash leaves there |
//! | `files` | the steps of a file to the bank, and its voiding |
//! | `pickup` | files that a command of the operator takes from the folder |
//! | `agencies`, `tax_agencies` | the receiving banks of agencies |
//! | `deposits`, `taxes` | tax deposits: which are due when; their payments |
//! | `by_hand` | taxes that no deposit pays |
//! | `back`, `corrections` | returned payments, and corrections of accounts |
//! | `cases`, `recovery` | returned debits of companies: their records, and how they are recovered |
//! | `notices` | notifications: what a company has to act on |
//! | `again` | returned and held amounts that are paid again, and reversals of pay |
//! | `gone` | payments whose account is gone by the time their file is made |
//! | `held_pay` | net pay that is held, as a liability that the employer can pay |
//! | `by_check` | what the employer pays by check instead |
//! | `support` | child support, to its agencies |
//! | `contractors` | pay of contractors |
//! | `net_pay` | when all employees are paid, and net pay in the books |
//! | `list` | lists of payments |
//! | `standing` | what the operator has to act on: held and late payments |
//! | `expected` | when employees are expected to be paid, and what that waits for |

pub mod again;
pub mod agencies;
pub mod back;
pub mod by_check;
pub mod by_hand;
pub mod cases;
pub mod compose;
pub mod contractors;
pub mod corrections;
pub mod debits;
pub mod deposits;
pub mod expected;
pub mod files;
pub mod folder;
pub mod funding;
pub mod gone;
pub mod held_pay;
pub mod limits;
pub mod lines;
pub mod list;
pub mod net_pay;
pub mod notices;
pub mod paid_out;
pub mod payees;
pub mod pickup;
pub mod prepare;
pub mod purpose;
pub mod receiving_banks;
pub mod recovery;
pub mod rows;
pub mod settings;
pub mod standing;
pub mod support;
pub mod tax_agencies;
pub mod taxes;
pub mod voids;
pub mod wires;

use jiff::ToSpan;
use jiff::civil::{Date, Time, time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};
use rules::payroll::holidays;

/// Returns the statements of payments.
pub fn statements() -> Vec<store::Sql> {
    [
        settings::ALL,
        funding::ALL,
        gone::ALL,
        held_pay::ALL,
        back::ALL,
        by_check::ALL,
        cases::ALL,
        contractors::ALL,
        corrections::ALL,
        deposits::ALL,
        lines::ALL,
        list::ALL,
        paid_out::ALL,
        payees::ALL,
        pickup::ALL,
        rows::ALL,
        standing::ALL,
        support::ALL,
        wires::ALL,
    ]
    .concat()
}

/// When the last same-day window closes (Federal Reserve Bank Services, FedACH processing schedule: 4:45 p.m. Eastern), less the time that
/// the bank needs.
const LAST_WINDOW: Time = time(16, 0, 0, 0);
/// Maximum cents of an entry that settles on the same day (Nacha Operating Rules, same-day entry limit since March 18, 2022).
pub const MOST_SAME_DAY: i64 = 100_000_000;

/// Banking days after settlement within which a bank returns an entry for most reasons (Nacha Operating Rules, return time frames: by the
/// opening of business on the second banking day after it).
pub const BANKING_DAYS_OF_RETURNS: i64 = 2;

/// Banking days after the settlement of a payment within which its reversal has to settle (Nacha Operating Rules, Subsection 2.9.1).
const MOST_DAYS_OF_REVERSALS: i64 = 5;

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
    let here = at(now, "America/New_York");
    let today = here.date();
    if same_day && holidays::is_banking_day(today) && here.time() < LAST_WINDOW {
        return today;
    }
    next_banking_day(today)
}

/// Returns when a day begins in California, whose time zone determines the dates of files.
pub fn begins(day: Date) -> Timestamp {
    let zone = TimeZone::get(CALIFORNIA).unwrap_or(TimeZone::UTC);
    day.to_zoned(zone).map_or(Timestamp::MAX, |start| start.timestamp())
}

/// Returns the day in California.
pub fn today(now: Timestamp) -> Date {
    at(now, CALIFORNIA).date()
}

const CALIFORNIA: &str = "America/Los_Angeles";

/// Returns the local time in a zone that is bundled with the program.
fn at(now: Timestamp, zone: &str) -> civil::DateTime {
    now.to_zoned(TimeZone::get(zone).unwrap_or(TimeZone::UTC)).datetime()
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
