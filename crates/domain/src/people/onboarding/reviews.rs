//! Employees who have completed their part and await the administrator's review, begun or not: the company is notified of them.

use rules::onboarding::Status;
use rules::{Named, Violation};
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::people::employees::Employee;
use crate::people::employees::service;

store::statements! {
    WAITING = store::text!(Employee::SELECT, " AND onboarding_status IN ($2, $3) ORDER BY id LIMIT $4 OFFSET $5");
    NUMBER = "SELECT count(*) FROM employees WHERE company_id = $1 AND onboarding_status IN ($2, $3)";
}

/// Returns employees who await a review, at most `most` after skipping `from`, in order of creation.
pub fn employees_awaiting_review(
    tx: &mut Tx<'_>,
    caller: &Caller,
    most: i64,
    from: i64,
) -> Result<Vec<Employee>, Error> {
    let [done, review] = Status::AWAITING_EMPLOYER.map(Status::as_str);
    Ok(tx.try_query(WAITING, params![caller.company, done, review, most, from], Employee::read)?)
}

/// Returns the number of employees who await a review.
pub fn count_awaiting_review(tx: &mut Tx<'_>, caller: &Caller) -> Result<i64, Error> {
    let [done, review] = Status::AWAITING_EMPLOYER.map(Status::as_str);
    Ok(tx.find_row(NUMBER, params![caller.company, done, review], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Returns the employee of a notification, who awaits a review.
///
/// # Errors
/// "Not found" if there was no such notification; a violation if there is nothing left to review; a store error.
pub fn find_awaiting_review(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Employee, Error> {
    let employee = service::find_employee(tx, caller, id)?;
    if employee.status.awaits_employer() {
        return Ok(employee);
    }
    match employee.self_completed_at {
        Some(_) => Err(Error::from(Violation::invalid_operation(
            "The employee no longer waits for a review, so there is nothing left to do about this notification.",
        ))),
        None => Err(Error::NotFound),
    }
}
