//! Use cases of jobs and compensations.
//!
//! Both belong to an employee. Every change first takes the employee's guard, because the effective dates of compensations, and whether an
//! employee may have several jobs, are checked against all jobs and compensations of the employee.

pub mod adjustment;
pub mod compensations;
pub mod jobs;

use jiff::civil::Date;
use rules::{Named, compensation};
use store::Tx;
use uuid::Uuid;

pub use jobs::{class_code, is_two_percent_shareholder, set_shareholder};

use super::rows;
use super::rows::{Compensation, Job, Pay};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::people::employees;

/// Table of jobs, in versions and audit entries.
pub const JOBS: &str = "employee_jobs";
/// Table of compensations, in versions and audit entries.
pub const COMPENSATIONS: &str = "compensations";

/// Maximum characters of a title.
const TITLE: usize = 255;

/// Returns a job with all jobs and pay of its employee, or "not found".
fn find_job(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(Job, Pay), Error> {
    let employee = rows::employee_of_job(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    job_of(tx, caller, employee, id)
}

/// Like [`find_job`], under the employee's guard. The employee of a job never changes, so it can be read before the guard is taken.
fn find_job_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(Job, Pay), Error> {
    let employee = rows::employee_of_job(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    employees::service::find_guarded(tx, caller, employee)?;
    job_of(tx, caller, employee, id)
}

fn job_of(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, id: Uuid) -> Result<(Job, Pay), Error> {
    let pay = rows::of_employee(tx, caller.company, employee)?;
    let job = pay.find_job(id).cloned().ok_or(Error::NotFound)?;
    Ok((job, pay))
}

/// Returns the compensation that bars an employee with this pay from having several jobs, today or on a later day; `None` if there is no
/// such compensation.
fn bars_several_jobs(pay: &Pay, today: Date) -> Option<&Compensation> {
    let matters = |c: &Compensation| {
        c.effective_date > today || pay.compensation_on(c.job, today).is_some_and(|now| now.id == c.id)
    };
    pay.compensations.iter().find(|c| !compensation::may_have_several_jobs(c.flsa_status) && matters(c))
}

/// Describes a compensation in words: its effective date and status.
fn in_words(one: &Compensation) -> String {
    format!("the compensation from {} on has {}", one.effective_date, one.flsa_status.as_str())
}

#[cfg(test)]
mod tests;
