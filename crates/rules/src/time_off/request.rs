//! Time off requests: statuses, days, and the remaining balance.

use std::collections::BTreeMap;

use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::amount::Amount;
use crate::check;
use crate::days::Days;
use crate::named::serde_by_name;
use crate::violation::{Checks, Violation};

/// Maximum hours in a day.
const DAY: Amount = Amount::from_millionths(24_000_000);
/// Maximum number of days of a request, including the first and the last.
const LONGEST: i32 = 366;

/// The status of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum RequestStatus {
    /// Requested, not yet decided.
    #[strum(serialize = "pending")]
    Pending,
    /// Approved; paid by the payrolls that cover its days.
    #[strum(serialize = "approved")]
    Approved,
    /// Declined.
    #[strum(serialize = "declined")]
    Declined,
    /// The payrolls that cover its days were all processed.
    #[strum(serialize = "consumed")]
    Consumed,
}

serde_by_name!(RequestStatus);

/// Checks the first and the last day of a request; `None`, with a violation, if they are not a valid range.
pub fn check_range(start: Option<Date>, end: Option<Date>, checks: &mut Checks) -> Option<Days> {
    let (start, end) = (start?, end?);
    let days = start.until((jiff::Unit::Day, end)).map_or(i32::MAX, |span| span.get_days());
    if (0..LONGEST).contains(&days) {
        return Some(Days { first: start, last: end });
    }
    let message =
        format!("end_date must not be before start_date, nor more than {} days after it", LONGEST - 1);
    checks.push(Violation::invalid("end_date", message));
    None
}

/// Parses the hours of a request by day. Days without hours are omitted. `range` is the first and last day, if known.
///
/// # Errors
/// A violation of `key` for an invalid date or a day outside the range, for hours below 0, above 24 or with more than three decimal
/// places, and for no hours at all.
pub fn parse_days(
    key: &str,
    given: &BTreeMap<String, Amount>,
    range: Option<Days>,
) -> Result<BTreeMap<Date, Amount>, Violation> {
    let refused = |why: &str| Violation::invalid(key, format!("{key} {why}"));
    let mut found = BTreeMap::new();
    for (day, hours) in given {
        let day = check::parse_date(key, day)
            .map_err(|_| refused("must be hours by day, each day as YYYY-MM-DD, such as 2026-07-06"))?;
        if range.is_some_and(|Days { first: start, last: end }| day < start || day > end) {
            return Err(refused("must lie between start_date and end_date"));
        }
        if *hours < Amount::ZERO || *hours > DAY || hours.millionths() % 1_000 != 0 {
            return Err(refused(
                "must have between 0.000 and 24.000 hours each, with at most 3 decimal places",
            ));
        }
        if *hours > Amount::ZERO {
            found.insert(day, *hours);
        }
    }
    if found.is_empty() { Err(refused("must have hours on at least one day")) } else { Ok(found) }
}

/// A request and the balance it draws on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reserve {
    /// The balance; `None` if time off is unlimited.
    pub balance: Option<Amount>,
    /// Hours of the request.
    pub this: Amount,
    /// Hours of other requests that are pending or approved, and not yet paid.
    pub others: Amount,
}

impl Reserve {
    /// Returns the balance after all requests, negative if they exceed it; `None` if time off is unlimited,
    /// and on overflow.
    pub fn remaining_balance(&self) -> Option<Amount> {
        self.balance?.checked_sub(self.others)?.checked_sub(self.this)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn hours(lines: &[(&str, i64)]) -> BTreeMap<String, Amount> {
        lines
            .iter()
            .map(|(day, hours)| ((*day).to_owned(), Amount::from_millionths(hours * 1_000_000)))
            .collect()
    }

    const WEEK: Option<Days> = Some(Days { first: date(2026, 7, 6), last: date(2026, 7, 10) });

    #[test]
    fn days_lie_in_the_range_and_those_without_hours_count_for_nothing() {
        let read =
            parse_days("days", &hours(&[("2026-07-06", 8), ("2026-07-07", 0), ("2026-07-10", 4)]), WEEK)
                .unwrap();
        assert_eq!(read.keys().copied().collect::<Vec<_>>(), [date(2026, 7, 6), date(2026, 7, 10)]);
        for wrong in [
            hours(&[("2026-07-11", 8)]),
            hours(&[("2026-07-06", 25)]),
            hours(&[("2026-07-06", -1)]),
            hours(&[("6 July", 8)]),
            hours(&[("2026-07-06", 0)]),
            hours(&[]),
        ] {
            assert_eq!(parse_days("days", &wrong, WEEK).unwrap_err().key, "days", "{wrong:?}");
        }
    }

    #[test]
    fn a_range_ends_no_earlier_than_it_begins_and_within_a_year() {
        let mut checks = Checks::new();
        let start = Some(date(2026, 7, 6));
        assert!(check_range(start, start, &mut checks).is_some());
        assert!(check_range(start, Some(date(2027, 7, 6)), &mut checks).is_some());
        assert!(checks.is_empty());
        assert!(check_range(start, Some(date(2026, 7, 5)), &mut checks).is_none());
        assert!(check_range(start, Some(date(2027, 7, 7)), &mut checks).is_none());
        assert!(!checks.is_empty());
    }

    #[test]
    fn what_others_ask_for_is_no_longer_left() {
        let of = |balance: Option<i64>| Reserve {
            balance: balance.map(Amount::from_cents),
            this: Amount::from_cents(800),
            others: Amount::from_cents(1_600),
        };
        assert_eq!(of(Some(4_000)).remaining_balance(), Some(Amount::from_cents(1_600)));
        assert_eq!(of(Some(2_000)).remaining_balance(), Some(Amount::from_cents(-400)));
        assert_eq!(of(None).remaining_balance(), None);
    }
}
