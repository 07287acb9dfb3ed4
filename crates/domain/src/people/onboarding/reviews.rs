//! Employees who have done every step of their own and wait for the administrator: what the company is notified of.

use rules::Named;
use rules::onboarding::Status;
use store::{Tx, params};

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::people::employees::Employee;

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
