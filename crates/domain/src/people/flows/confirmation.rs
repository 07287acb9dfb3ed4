//! Whether whoever holds a link is the person: the last four digits of the Social Security number, which no page shows, are
//! asked for before bank accounts, the payment method or the number itself change. On the pages of a company the number is
//! that of its signatory. A link that was stolen redirects no pay.
//!
//! Five wrong answers within a day, in whatever session, and nothing can be confirmed until that day is over; the partner
//! is told by an event.

use jiff::{Timestamp, ToSpan};
use serde_json::json;
use store::record::Cursor;
use store::{Tx, Unread, params};
use subtle::ConstantTimeEq;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::session::Visitor;
use crate::company::signatories;
use crate::error::Error;
use crate::events;
use crate::people::employees::rows as employees;
use crate::people::employees::service;
use crate::platform::audit;

store::statements! {
    FIND = "SELECT wrong, since FROM flow_confirmations WHERE company_id = $1 AND employee_id = $2";
    PUT = "INSERT INTO flow_confirmations (company_id, employee_id, wrong, since) VALUES ($1, $2, $3, $4) \
           ON CONFLICT (company_id, employee_id) DO UPDATE SET wrong = excluded.wrong, since = excluded.since";
    CLEAR = "DELETE FROM flow_confirmations WHERE company_id = $1 AND employee_id = $2";
}

/// Wrong answers within [`WINDOW_HOURS`].
const MOST: i64 = 5;
const WINDOW_HOURS: i64 = 24;

/// Whether a session may change where pay goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// it may: the person was there lately
    Confirmed,
    /// the last four digits are asked for
    Asked,
    /// no number is held yet by which anybody could be told; it is entered first
    NoNumber,
    /// there were too many wrong answers
    Locked,
}

/// How a session stands.
///
/// # Errors
/// "Not found"; a store error.
pub fn standing(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Standing, Error> {
    if visitor.is_confirmed(tx.now()) {
        return Ok(Standing::Confirmed);
    }
    if !has_number(tx, visitor)? {
        return Ok(Standing::NoNumber);
    }
    let (wrong, _) = counted(tx, visitor)?;
    Ok(if wrong >= MOST { Standing::Locked } else { Standing::Asked })
}

fn has_number(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<bool, Error> {
    if visitor.is_employer() {
        let held = signatories::of_company(tx, visitor.caller.company)?;
        return Ok(held.is_some_and(|signatory| signatory.ssn.is_some()));
    }
    Ok(service::find(tx, &visitor.caller, visitor.employee)?.ssn.is_some())
}

/// The number by which the person is told, under its guard, with the record that holds it.
fn number(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<(Zeroizing<String>, (&'static str, Uuid)), Error> {
    let (caller, company) = (&visitor.caller, visitor.caller.company);
    let (number, record) = if visitor.is_employer() {
        tx.guard(company, signatories::service::TABLE, company)?;
        let held = signatories::of_company(tx, company)?.ok_or(Error::NotFound)?;
        (held.ssn(tx, company)?, (signatories::service::TABLE, held.id))
    } else {
        let held = service::find_guarded(tx, caller, visitor.employee)?;
        (employees::ssn(tx, company, &held)?, (service::TABLE, visitor.employee))
    };
    Ok((number.ok_or(Error::NotFound)?, record))
}

/// Wrong answers so far, and since when.
fn counted(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<(i64, Timestamp), Error> {
    let now = tx.now();
    let found = tx.try_find(FIND, params![visitor.caller.company, visitor.employee], |row| {
        let mut next = Cursor::new(row, "flow_confirmations", 0);
        Ok::<(i64, Timestamp), store::Error>((next.plain("wrong")?, next.plain("since")?))
    })?;
    Ok(found.filter(|(_, since)| *since + WINDOW_HOURS.hours() > now).unwrap_or((0, now)))
}

/// Whether an answer is the end of the number that is held. A wrong one is counted, and no error, so that the count is
/// kept; an empty one is not. After too many wrong answers none is looked at.
///
/// # Errors
/// "Not found" where no number is held; a store error, also for a number that is too short.
pub fn is_right(tx: &mut Tx<'_>, visitor: &Visitor, text: &str) -> Result<bool, Error> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if text.trim().is_empty() {
        return Ok(false);
    }
    let (caller, employee) = (&visitor.caller, visitor.employee);
    let company = caller.company;
    let (number, record) = number(tx, visitor)?;
    let (wrong, since) = counted(tx, visitor)?;
    if wrong >= MOST {
        return Ok(false);
    }
    let last_four = number
        .len()
        .checked_sub(4)
        .and_then(|from| number.get(from..))
        .ok_or_else(|| Unread::new("is too short for a Social Security number").of(record.0, "ssn"))?;
    if bool::from(digits.as_bytes().ct_eq(last_four.as_bytes())) {
        let _counted_before = tx.change(CLEAR, params![company, employee])?.rows();
        visitor.confirm(tx)?;
        audit::record(tx, caller, "confirmed", record, &json!({ "by": "ssn_last_four" }))?;
        return Ok(true);
    }
    tx.insert(PUT, params![company, employee, wrong + 1, since])?;
    let left = MOST - wrong - 1;
    audit::record(tx, caller, "confirmation_failed", record, &json!({ "tries_left": left }))?;
    if left == 0 {
        metrics::counter!("flow_confirmations_locked_total").increment(1);
        match visitor.is_employer() {
            true => events::emit(tx, company, events::COMPANY_CONFIRMATION_FAILED, company)?,
            false => events::emit(tx, company, events::EMPLOYEE_CONFIRMATION_FAILED, employee)?,
        }
    }
    Ok(false)
}
