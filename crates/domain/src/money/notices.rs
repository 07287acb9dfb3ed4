//! What somebody of a company has to look at: debits that came back, which keep payroll up, before employees who wait for a review.

use rules::Violation;
use store::Tx;
use uuid::Uuid;

use super::cases;
use super::cases::{RecoveryCase, Status};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::people::employees::Employee;
use crate::people::onboarding::reviews;

/// What a notification is made of.
#[derive(Debug)]
pub enum Notice {
    /// a debit came back
    Recovery(RecoveryCase),
    /// an employee waits for the review of the onboarding
    Review(Box<Employee>),
}

/// What there is to look at.
///
/// # Errors
/// 422 for a list that is too long to be read whole; a store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<Notice>, Error> {
    let (limit, offset) = page.bounds();
    let cases = cases::pending(tx, caller.company)?;
    let before = cases.len() as i64;
    let shown = cases.into_iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
    let shown = shown.take(usize::try_from(limit).unwrap_or(usize::MAX));
    let mut notices: Vec<_> = shown.map(Notice::Recovery).collect();
    let (left, from) = (limit - notices.len() as i64, (offset - before).max(0));
    notices
        .extend(reviews::some(tx, caller, left, from)?.into_iter().map(|one| Notice::Review(Box::new(one))));
    Listed::new(page, notices, || Ok(before + reviews::count(tx, caller)?))
}

/// What a notification is made of.
///
/// # Errors
/// "Not found" if nobody was told of it; a violation if there is nothing to do about it any more; a store error.
pub fn find(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Notice, Error> {
    match RecoveryCase::find(tx, caller.company, id)? {
        None => Ok(Notice::Review(Box::new(reviews::find(tx, caller, id)?))),
        Some(case) if matches!(case.status, Status::Recovered | Status::Lost) => {
            let message = "The case is closed, so that there is nothing left to do about this notification.";
            Err(Error::from(Violation::operation(message)))
        }
        Some(case) => Ok(Notice::Recovery(case)),
    }
}
