//! Tipped occupations of jobs: box 14b of Form W-2 names those in which tips were earned.

use std::collections::BTreeSet;

use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::compensations;
use crate::pay::compensations::rows::Job;

/// The occupation of a job, as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobOccupation {
    /// the job
    pub job: Uuid,
    /// code of box 14b; `None` removes it
    pub code: Option<String>,
}

/// Returns the codes of an employee's jobs.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<BTreeSet<String>, Error> {
    Ok(employee_jobs(tx, company, employee)?.into_iter().filter_map(|job| job.tipped_occupation).collect())
}

/// Returns the jobs of an employee, with their occupations.
pub fn employee_jobs(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<Job>, Error> {
    Ok(compensations::rows::of_employee(tx, company, employee)?.jobs)
}

/// Sets the occupations of jobs. All of them or none.
///
/// # Errors
/// "Not found" for an unknown job; 422 for a code that is not in the table; a store error.
pub fn set_occupations(tx: &mut Tx<'_>, caller: &Caller, told: &[JobOccupation]) -> Result<(), Error> {
    for one in told {
        compensations::service::jobs::set_tipped_occupation(tx, caller, one.job, one.code.as_deref())?;
    }
    Ok(())
}
