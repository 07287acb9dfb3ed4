//! The standard hours of a salary, returned if no hours were entered: its share of 2,080 hours a year, in proportion to the days for
//! which it is paid. They are the hours of full-time work that accrue time off; they do not affect pay.

use crate::pay::payrolls::calendar::employed_days;
use rules::Amount;
use rules::employment::Held;
use rules::payroll::{Job, Share, employment_shares};
use rules::time_off::hours_of_salary;
use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::pay::compensations::rows::{self as pay, Pay};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results::Outcome;
use crate::people::employment;

/// Returns the standard hours of an employee's salaries in a payroll, to three decimal places, by job: for the days in the calculation, or
/// else those of the current employment. Empty for a payroll that pays no salaries, and for an owner's draw.
pub fn standard_hours_by_job(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    (employee, held): (Uuid, &Pay),
    outcome: Option<&Outcome>,
) -> Result<Vec<(Uuid, Amount)>, Error> {
    let is_salary = |job: Uuid| {
        held.compensation_on(job, payroll.end).is_some_and(|current| current.pay_terms().stands_for_hours())
    };
    let pays_salaries = payroll.pays_wages_of_its_days();
    let begun = held.jobs.iter().filter(|job| job.hire_date <= payroll.end).enumerate();
    let salaried: Vec<_> = begun.filter(|(_, job)| pays_salaries && is_salary(job.id)).collect();
    if salaried.is_empty() {
        return Ok(Vec::new());
    }
    let calculated = outcome.and_then(|outcome| outcome.readable_inputs(payroll.id));
    let employment = match calculated {
        Some(_) => None,
        None => Some(employment::rows::of_employee(tx, company, employee)?),
    };
    let days = |index: usize, dates| match calculated.as_ref().and_then(|inputs| inputs.jobs.get(index)) {
        Some(job) => Job::days_held(job),
        None => employed_days::days_held(payroll, dates, employment.as_ref()),
    };
    let of_job = |(index, job): (usize, &pay::Job)| {
        Some((job.id, of_days(payroll, &days(index, job.employment_dates()))?))
    };
    let found: Option<Vec<_>> = salaried.into_iter().map(of_job).collect();
    found.ok_or_else(|| Error::internal("the hours of a salary exceed the largest amount"))
}

/// Returns the hours of a salary for the days of a payroll on which a job is held, to three decimal places. `None` on overflow.
pub(in crate::pay::payrolls) fn of_days(payroll: &Payroll, held: &Held) -> Option<Amount> {
    let held = employment_shares(payroll.days(), (payroll.frequency, payroll.salary_proration()), held);
    let periods = payroll.frequency.periods_per_year();
    let hours = hours_of_salary(periods, held.iter().map(Share::day_fraction), Amount::ZERO)?;
    // Hours have three decimal places, so that clients can send them back.
    Some(Amount::from_millionths((hours.millionths() + 500) / 1_000 * 1_000))
}
