//! From when to when somebody was employed, as their jobs say it.

use jiff::civil::Date;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::compensations::rows as pay;
use crate::people::employees;

/// A time of employment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Employment {
    /// the first day
    pub hire_date: Date,
    /// the last day; `None` while it lasts
    pub termination_date: Option<Date>,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: bool,
}

/// The times of employment of an employee, the first one first; none before there is a job.
///
/// # Errors
/// "Not found"; a store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<Employment>, Error> {
    let employee = employees::service::find(tx, caller, employee)?.id;
    let held = pay::of_employee(tx, caller.company, employee)?;
    let Some(primary) = held.primary() else { return Ok(Vec::new()) };
    let first = held.jobs.iter().map(|job| job.hire_date).min().unwrap_or(primary.hire_date);
    Ok(vec![Employment {
        hire_date: first,
        termination_date: None,
        two_percent_shareholder: primary.two_percent_shareholder,
    }])
}
