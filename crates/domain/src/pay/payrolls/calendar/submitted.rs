//! Earlier regular payrolls of a schedule that were submitted.

use jiff::{Timestamp, ToSpan};
use rules::days::Days;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::record::payroll::Payroll;

/// Number of days before the pay period: payrolls that ended earlier are ignored.
const DAYS: i64 = 92;

store::statements! {
    BEFORE = "SELECT id, start_date, end_date, submitted_at, processed_at, skipped, calculated_at FROM payrolls WHERE company_id = $1 \
              AND pay_schedule_id = $2 AND off_cycle = false AND submitted_at IS NOT NULL AND end_date >= $3 AND end_date < $4 \
              ORDER BY start_date, id LIMIT 100";
}

/// An earlier regular payroll that was submitted.
#[derive(Debug, Clone, Copy)]
pub(in crate::pay::payrolls) struct Submitted {
    pub(in crate::pay::payrolls) id: Uuid,
    pub(in crate::pay::payrolls) days: Days,
    pub(in crate::pay::payrolls) at: Timestamp,
    pub(in crate::pay::payrolls) processed: bool,
    /// whether it was skipped, so that it paid nobody
    pub(in crate::pay::payrolls) skipped: bool,
    calculated: Option<Timestamp>,
}

impl Submitted {
    /// Returns when it was submitted.
    pub(in crate::pay::payrolls) fn submitted_at(&self) -> Timestamp {
        self.at
    }

    /// Returns when it was calculated, or submitted if that is unknown.
    pub(in crate::pay::payrolls) fn calculated_at(&self) -> Timestamp {
        self.calculated.unwrap_or(self.at)
    }
}

/// Returns the submitted regular payrolls of the same schedule before this one, in order; empty for an off-cycle payroll.
pub(in crate::pay::payrolls) fn submitted_before(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
) -> Result<Vec<Submitted>, Error> {
    let Some(schedule) = payroll.pay_schedule.filter(|_| !payroll.off_cycle) else { return Ok(Vec::new()) };
    let parameters = params![company, schedule, payroll.start.saturating_sub(DAYS.days()), payroll.start];
    let read = |row: &Row<'_>| Submitted {
        id: row.get(0),
        days: Days { first: row.get(1), last: row.get(2) },
        at: row.get(3),
        processed: row.get::<Option<Timestamp>>(4).is_some(),
        skipped: row.get(5),
        calculated: row.get(6),
    };
    Ok(tx.query_rows(BEFORE, parameters, read)?)
}
