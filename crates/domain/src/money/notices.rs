//! What somebody of a company has to look at: debits that came back, which keep payroll up, before payrolls of transitions, and those
//! before employees who wait for a review.

use rules::Violation;
use store::Tx;
use uuid::Uuid;

use super::cases;
use super::cases::{RecoveryCase, Status};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::pay::payrolls::rows as payrolls;
use crate::pay::payrolls::rows::Payroll;
use crate::people::employees::Employee;
use crate::people::onboarding::reviews;

/// What a notification is made of.
#[derive(Debug)]
pub enum Notice {
    /// a debit came back
    Recovery(RecoveryCase),
    /// days between two pay schedules wait to be paid, or skipped
    Transition(Box<Payroll>),
    /// an employee waits for the review of the onboarding
    Review(Box<Employee>),
}

/// What there is to look at.
///
/// # Errors
/// 422 for a list that is too long to be read whole; a store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<Notice>, Error> {
    let (limit, offset) = page.bounds();
    let cases = cases::pending(tx, caller.company)?.into_iter().map(Notice::Recovery);
    let transitions = payrolls::open_transitions(tx, caller.company)?.into_iter();
    let few: Vec<_> = cases.chain(transitions.map(|one| Notice::Transition(Box::new(one)))).collect();
    let before = few.len() as i64;
    let shown = few.into_iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
    let mut notices: Vec<_> = shown.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect();
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
    let closed = |what: &str| {
        let message = format!("{what}, so that there is nothing left to do about this notification.");
        Err(Error::from(Violation::operation(message)))
    };
    if let Some(case) = RecoveryCase::find(tx, caller.company, id)? {
        return match case.status {
            Status::Recovered | Status::Lost => closed("The case is closed"),
            Status::Open | Status::RedebitInitiated | Status::WireInitiated => Ok(Notice::Recovery(case)),
        };
    }
    match payrolls::find(tx, caller.company, id)?.filter(Payroll::is_transition) {
        None => Ok(Notice::Review(Box::new(reviews::find(tx, caller, id)?))),
        Some(one) if one.submitted_at.is_some() => closed("The payroll was submitted"),
        Some(one) => Ok(Notice::Transition(Box::new(one))),
    }
}
