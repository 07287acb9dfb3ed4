//! Employees who have done every step of their own and wait for the administrator: what the company is notified of.

use rules::onboarding::Status;
use rules::{Named, Violation};
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::people::employees::Employee;
use crate::people::employees::service;

store::statements! {
    WAITING = store::text!(Employee::SELECT, " AND onboarding_status = $2 ORDER BY id LIMIT $3 OFFSET $4");
    NUMBER = "SELECT count(*) FROM employees WHERE company_id = $1 AND onboarding_status = $2";
}

/// The employees who wait for a review, in the order in which they were entered.
///
/// # Errors
/// 422 for a list that is too long to be read whole; a store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<Employee>, Error> {
    let (limit, offset) = page.bounds();
    let status = Status::SelfOnboardingAwaitingAdminReview.as_str();
    let waiting = tx.try_query(WAITING, params![caller.company, status, limit, offset], Employee::read)?;
    Listed::new(page, waiting, || {
        Ok(tx.find(NUMBER, params![caller.company, status], |row| row.get::<i64>(0))?.unwrap_or(0))
    })
}

/// The employee of a notification, who waits for a review.
///
/// # Errors
/// "Not found" if nobody was told of such an employee; a violation if there is nothing to review any more; a store error.
pub fn find(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Employee, Error> {
    let employee = service::find(tx, caller, id)?;
    if employee.status == Status::SelfOnboardingAwaitingAdminReview {
        return Ok(employee);
    }
    match employee.self_completed_at {
        Some(_) => Err(Error::from(Violation::operation(
            "The employee does not wait for a review any more, so that there is nothing left to do about this notification.",
        ))),
        None => Err(Error::NotFound),
    }
}
