//! What the employees of a regular payroll earned in the one before it, of the same pay schedule: most mistakes in hours show as a
//! change that nobody expects.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Amount;
use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::paging::Page;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::rows::PayrollFilter;
use crate::pay::payrolls::record::{results, rows};

/// Payrolls among which the one before is looked for: several schedules may pay in between.
const LOOKED_AT: i64 = 25;

/// The regular payroll before another one.
#[derive(Debug)]
pub struct LastTime {
    /// its pay date
    pub check_date: Date,
    /// gross pay, by employee
    pub gross: BTreeMap<Uuid, Amount>,
}

/// A change from one payroll to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// whole percent of the earlier amount, rounded towards zero
    pub percent: i64,
    /// whether it is by more than a fifth
    pub is_large: bool,
}

impl Change {
    /// The change between two amounts; `None` if nothing was earned before.
    pub fn from_amounts(before: Amount, now: Amount) -> Option<Self> {
        let (before, now) = (i128::from(before.millionths()), i128::from(now.millionths()));
        if before <= 0 {
            return None;
        }
        let percent = i64::try_from((now - before) * 100 / before).unwrap_or(i64::MAX);
        Some(Self { percent, is_large: (now - before).abs() * 5 > before })
    }
}

/// Returns what these employees earned in the regular payroll before this one; `None` for an off-cycle payroll, and for the first of its
/// schedule within a year.
pub fn previous_earnings(
    tx: &mut Tx<'_>,
    company: Uuid,
    one: &Payroll,
    employees: &[Uuid],
) -> Result<Option<LastTime>, Error> {
    if one.off_cycle || one.pay_schedule.is_none() {
        return Ok(None);
    }
    let filter = PayrollFilter {
        from: one.check_date.saturating_sub(1.year()),
        until: one.check_date.saturating_sub(1.day()),
        by_check_date: true,
        processed: Some(true),
        off_cycle: Some(false),
        descending: true,
    };
    let before = rows::list_payrolls(tx, company, &filter, Page::Part { page: 1, per: LOOKED_AT })?;
    let before = before.into_iter().find(|held| held.pay_schedule == one.pay_schedule && !held.skipped);
    let Some((before, run)) = before.and_then(|held| held.run.map(|run| (held, run))) else {
        return Ok(None);
    };
    let found = results::of_employees(tx, company, run, employees)?;
    let gross = found.into_iter().map(|outcome| (outcome.employee, outcome.gross)).collect();
    Ok(Some(LastTime { check_date: before.check_date, gross }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_large_beyond_a_fifth_of_what_was_earned_before() {
        let change = |before, now| {
            let change = Change::from_amounts(Amount::from_cents(before), Amount::from_cents(now));
            change.map(|change| (change.percent, change.is_large))
        };
        assert_eq!(change(100_000, 120_000), Some((20, false)));
        assert_eq!(change(100_000, 120_001), Some((20, true)));
        assert_eq!(change(100_000, 79_999), Some((-20, true)));
        assert_eq!(change(100_000, 100_000), Some((0, false)));
        assert_eq!(change(100_000, 0), Some((-100, true)));
        assert_eq!(change(0, 100_000), None);
    }
}
