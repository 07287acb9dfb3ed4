//! The records that lines of an update can refer to, and which amounts and hours are accepted.

use jiff::civil::Date;
use rules::days::Days;
use rules::{Amount, Checks, Violation, check};
use uuid::Uuid;

use crate::patch::{Patch, as_is};
use crate::pay::compensations::rows::{Job, Pay};
use crate::pay::earning_types::rows::EarningType;
use crate::pay::payrolls::calendar::employed_days::days_held;
use crate::pay::payrolls::entry::returned_values::ReturnedValues;
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::people::employment::Employment;
use crate::records::id_of;

/// Maximum hours in one line.
const MAX_HOURS: Amount = Amount::from_millionths(9_999_999_000);
/// Maximum number of lines of one kind in one update.
pub(in crate::pay::payrolls) const MOST_LINES: usize = 200;

/// The records that the lines of an update can refer to.
pub struct Known<'k> {
    /// first and last day of the payroll
    pub period: Days,
    /// the employee's jobs
    pub pay: &'k Pay,
    /// the employee's terminations and rehires
    pub employment: &'k Employment,
    /// the company's own earning types
    pub types: &'k [EarningType],
    /// the company's locations; read only if a line of hours refers to one
    pub locations: &'k [Uuid],
    /// a day on which the company's workweeks begin; read only if a line is divided by workweek
    pub workweek: Option<Date>,
    /// the line for each of the employee's time off policies
    pub policies: &'k [(Uuid, TimeOffKind)],
    /// the values that responses return besides the inputs
    pub told: ReturnedValues<'k>,
}

impl Known<'_> {
    /// Returns the days of employment in a job for which the payroll pays, as ranges.
    pub(in crate::pay::payrolls::entry) fn days_held(&self, job: &Job) -> Vec<Days> {
        days_held(self.told.payroll, job.employment_dates(), Some(self.employment)).days(self.period)
    }

    /// Returns the job that a line of pay names, or the primary one.
    pub(super) fn job_paid(
        &self,
        job: &Patch<String>,
        amount: Option<Amount>,
        checks: &mut Checks,
    ) -> Option<Uuid> {
        let job = job_of(self.pay, job, checks)?;
        if amount.is_some_and(|amount| amount > Amount::ZERO) {
            self.check_begun(job, checks);
        }
        Some(job)
    }

    /// Refuses pay for a job that begins after the pay period or has ended before it, because it would not be paid.
    pub(in crate::pay::payrolls::entry) fn check_begun(&self, job: Uuid, checks: &mut Checks) {
        let Days { first, last } = self.period;
        let begins = self.pay.find_job(job).map(|job| job.hire_date);
        if let Some(begins) = begins.filter(|day| *day > last) {
            let message = format!(
                "job_uuid must name a job that has begun by the end of the payroll, {last}: this one begins on {begins}"
            );
            checks.push(Violation::invalid("job_uuid", message));
        }
        let ended = self.pay.find_job(job).and_then(|job| job.end_date).filter(|day| *day < first);
        if let Some(ended) = ended {
            let message = format!(
                "job_uuid must name a job that has not ended before the payroll begins, on {first}: this one ended on {ended}"
            );
            checks.push(Violation::invalid("job_uuid", message));
        }
    }
}

/// Returns the job that a line names, or the primary one.
pub(in crate::pay::payrolls) fn job_of(pay: &Pay, job: &Patch<String>, checks: &mut Checks) -> Option<Uuid> {
    match job {
        Patch::Absent | Patch::Null => pay.primary_job().map(|job| job.id),
        job => job.optional("job_uuid", checks, |key, id| {
            let known = pay.find_job(id_of(id)).map(|job| job.id);
            known.ok_or_else(|| Violation::invalid(key, format!("{key} must be one of the employee's jobs")))
        }),
    }
}

/// Checks that an amount in dollars and cents can be paid.
pub(in crate::pay::payrolls::entry) fn check_payable_amount(
    key: &str,
    amount: &Amount,
) -> Result<Amount, Violation> {
    check::validate_dollars(key, *amount, check::UP_TO_MAX)
}

/// Checks that hours can be paid.
pub(in crate::pay::payrolls) fn check_payable_hours(key: &str, hours: &Amount) -> Result<Amount, Violation> {
    if *hours < Amount::ZERO || *hours > MAX_HOURS {
        return Err(Violation::invalid(key, format!("{key} must lie between 0.000 and 9999.999")));
    }
    if hours.millionths() % 1_000 != 0 {
        return Err(Violation::invalid(key, format!("{key} must not have more than 3 decimal places")));
    }
    as_is(key, hours)
}
