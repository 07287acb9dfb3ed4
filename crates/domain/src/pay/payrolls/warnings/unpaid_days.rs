//! Days of work that no payroll pays, because the employee was onboarded after the regular payroll for these days was submitted. Later
//! payrolls cover other days, so their paychecks warn until an off-cycle payroll has paid the missed days.

use std::collections::HashMap;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::compensations::rows::Pay;
use crate::pay::payrolls::paid::Warning;
use crate::pay::payrolls::rows::Payroll;
use crate::pay::payrolls::warnings::texts::DAYS_NOT_PAID;
use crate::people::employment::Employment;

/// Number of days before the pay period: payrolls that ended earlier are ignored.
const DAYS: i64 = 92;

store::statements! {
    BEFORE = "SELECT id, start_date, end_date, submitted_at, processed_at, skipped, calculated_at FROM payrolls WHERE company_id = $1 \
              AND pay_schedule_id = $2 AND off_cycle = false AND submitted_at IS NOT NULL AND end_date >= $3 AND end_date < $4 \
              ORDER BY start_date, id LIMIT 100";
    ONBOARDED_SINCE = "SELECT id, onboarded_at FROM employees WHERE company_id = $1 AND id BETWEEN $2 AND $3 AND onboarded_at > $4 ORDER BY id";
    PAID = "SELECT r.employee_id, p.start_date, p.end_date FROM payrolls p \
            JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id \
            WHERE p.company_id = $1 AND r.employee_id BETWEEN $2 AND $3 AND p.submitted_at IS NOT NULL \
            AND p.end_date >= $4 AND p.start_date <= $5";
}

/// An earlier regular payroll that was submitted.
#[derive(Debug, Clone, Copy)]
pub(in crate::pay::payrolls) struct Submitted {
    pub(in crate::pay::payrolls) id: Uuid,
    pub(in crate::pay::payrolls) days: (Date, Date),
    at: Timestamp,
    pub(in crate::pay::payrolls) processed: bool,
    /// whether it was skipped, so that it paid nobody
    pub(in crate::pay::payrolls) skipped: bool,
    calculated: Option<Timestamp>,
}

impl Submitted {
    /// Returns when it was submitted.
    pub(in crate::pay::payrolls) fn at(&self) -> Timestamp {
        self.at
    }

    /// Returns when it was calculated, or submitted if that is unknown.
    pub(in crate::pay::payrolls) fn calculated(&self) -> Timestamp {
        self.calculated.unwrap_or(self.at)
    }
}

/// Returns the submitted regular payrolls of the same schedule before this one, in order; empty for an off-cycle payroll.
///
/// # Errors
/// A store error.
pub(in crate::pay::payrolls) fn before(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
) -> Result<Vec<Submitted>, Error> {
    let Some(schedule) = payroll.pay_schedule.filter(|_| !payroll.off_cycle) else { return Ok(Vec::new()) };
    let parameters = params![company, schedule, payroll.start.saturating_sub(DAYS.days()), payroll.start];
    let read = |row: &Row<'_>| Submitted {
        id: row.get(0),
        days: (row.get(1), row.get(2)),
        at: row.get(3),
        processed: row.get::<Option<Timestamp>>(4).is_some(),
        skipped: row.get(5),
        calculated: row.get(6),
    };
    Ok(tx.query(BEFORE, parameters, read)?)
}

/// Returns the pay periods of those payrolls for which employees between two (both included) were onboarded too late, and in which no
/// payroll has paid them.
///
/// # Errors
/// A store error.
pub(in crate::pay::payrolls) fn between(
    tx: &mut Tx<'_>,
    company: Uuid,
    before: &[Submitted],
    bounds: (Uuid, Uuid),
) -> Result<HashMap<Uuid, Vec<(Date, Date)>>, Error> {
    let mut found: HashMap<Uuid, Vec<(Date, Date)>> = HashMap::new();
    let paying = || before.iter().filter(|one| !one.skipped);
    let (Some(first), Some(from), Some(until)) = (
        paying().map(|one| one.at).min(),
        paying().map(|one| one.days.0).min(),
        paying().map(|one| one.days.1).max(),
    ) else {
        return Ok(found);
    };
    let read = |row: &Row<'_>| (row.get::<Uuid>(0), row.get::<Timestamp>(1));
    let late = tx.query(ONBOARDED_SINCE, params![company, bounds.0, bounds.1, first], read)?;
    if late.is_empty() {
        return Ok(found);
    }
    let mut paid: HashMap<Uuid, Vec<(Date, Date)>> = HashMap::new();
    let read = |row: &Row<'_>| (row.get::<Uuid>(0), (row.get::<Date>(1), row.get::<Date>(2)));
    for (employee, days) in tx.query(PAID, params![company, bounds.0, bounds.1, from, until], read)? {
        paid.entry(employee).or_default().push(days);
    }
    for (employee, onboarded) in late {
        let paid = paid.get(&employee).map_or(&[] as &[_], Vec::as_slice);
        for Submitted { days: (start, end), .. } in paying().filter(|one| one.at < onboarded) {
            if !paid.iter().any(|(from, until)| until >= start && from <= end) {
                found.entry(employee).or_default().push((*start, *end));
            }
        }
    }
    Ok(found)
}

/// Returns warnings for such pay periods in which the employee worked.
pub(in crate::pay::payrolls) fn warnings(
    missed: &[(Date, Date)],
    pay: &Pay,
    employment: Option<&Employment>,
) -> impl Iterator<Item = Warning> {
    let works = move |day: &Date| {
        let hired = pay.primary().is_some_and(|job| job.hire_date <= *day);
        hired && !employment.is_some_and(|held| held.was_away(*day))
    };
    missed.iter().filter_map(move |(start, end)| {
        let first = start.series(1.day()).take_while(|day| day <= end).find(works)?;
        Some(DAYS_NOT_PAID.warning(&[("start", start), ("end", end), ("first", &first)]))
    })
}
