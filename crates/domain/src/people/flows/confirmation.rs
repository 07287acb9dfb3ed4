//! Confirms that the holder of a link is the person it was created for. Before a bank account, the payment method or the Social Security
//! number itself changes, the last four digits of that number are requested, which no page shows; on a company's pages, those of the
//! signatory's number; on a contractor's, those of the taxpayer identification number. A stolen link therefore cannot redirect pay.
//!
//! After five wrong answers within a day, across sessions, no answer is accepted until that day has passed, and the partner gets an event.

use jiff::{Timestamp, ToSpan};
use serde_json::json;
use store::record::Cursor;
use store::{Tx, Unread, params};
use subtle::ConstantTimeEq;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::session::Visitor;
use super::types::FlowEntityKind;
use crate::company::signatories;
use crate::contractors::records as contractors;
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

/// Maximum number of wrong answers within [`WINDOW_HOURS`].
const MOST: i64 = 5;
const WINDOW_HOURS: i64 = 24;

/// Whether a session may change where pay is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// it may, because the person's identity was confirmed recently
    Confirmed,
    /// the last four digits must be entered first
    Asked,
    /// no number is on file to identify the person; it must be entered first
    NoNumber,
    /// too many wrong answers
    Locked,
}

/// Returns whether a session may change where pay is sent.
///
/// # Errors
/// "Not found"; a store error.
pub fn confirmation_standing(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Standing, Error> {
    if visitor.is_confirmed(tx.now()) {
        return Ok(Standing::Confirmed);
    }
    if !has_number(tx, visitor)? {
        return Ok(Standing::NoNumber);
    }
    let (wrong, _) = count_wrong_answers(tx, visitor)?;
    Ok(if wrong >= MOST { Standing::Locked } else { Standing::Asked })
}

fn has_number(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<bool, Error> {
    if visitor.is_employer() {
        let held = signatories::of_company(tx, visitor.caller.company)?;
        return Ok(held.is_some_and(|signatory| signatory.ssn.is_some()));
    }
    match visitor.kind {
        FlowEntityKind::Contractor => {
            Ok(contractors::service::find_contractor(tx, &visitor.caller, visitor.person)?.has_tin())
        }
        _ => Ok(service::find_employee(tx, &visitor.caller, visitor.person)?.ssn.is_some()),
    }
}

/// Returns the number that identifies the person, read under its record's guard, and the record that contains it.
fn identifying_number(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
) -> Result<(Zeroizing<String>, (&'static str, Uuid)), Error> {
    let (caller, company) = (&visitor.caller, visitor.caller.company);
    let (number, record) = if visitor.is_employer() {
        tx.take_guard(company, signatories::service::TABLE, company)?;
        let held = signatories::of_company(tx, company)?.ok_or(Error::NotFound)?;
        (held.ssn(tx, company)?, (signatories::service::TABLE, held.id))
    } else if visitor.kind == FlowEntityKind::Contractor {
        let held = contractors::service::find_guarded(tx, caller, visitor.person)?;
        (contractors::rows::unseal_tin(tx, company, &held)?, (contractors::service::TABLE, visitor.person))
    } else {
        let held = service::find_guarded(tx, caller, visitor.person)?;
        (employees::unseal_ssn(tx, company, &held)?, (service::TABLE, visitor.person))
    };
    Ok((number.ok_or(Error::NotFound)?, record))
}

/// Returns the number of wrong answers in the current window, and when the window began.
fn count_wrong_answers(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<(i64, Timestamp), Error> {
    let now = tx.now();
    let found = tx.try_find(FIND, params![visitor.caller.company, visitor.person], |row| {
        let mut next = Cursor::new(row, "flow_confirmations", 0);
        Ok::<(i64, Timestamp), store::Error>((next.read_plain("wrong")?, next.read_plain("since")?))
    })?;
    Ok(found.filter(|(_, since)| *since + WINDOW_HOURS.hours() > now).unwrap_or((0, now)))
}

/// Whether an answer matches the last four digits of the number on file. A wrong answer is counted and is not an error, so that the count
/// is committed; an empty answer is not counted. After too many wrong answers, no answer is checked.
///
/// # Errors
/// "Not found" if no number is on file; a store error, including for a number on file that is too short.
pub fn is_right(tx: &mut Tx<'_>, visitor: &Visitor, text: &str) -> Result<bool, Error> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if text.trim().is_empty() {
        return Ok(false);
    }
    let (caller, person) = (&visitor.caller, visitor.person);
    let company = caller.company;
    let (number, record) = identifying_number(tx, visitor)?;
    let (wrong, since) = count_wrong_answers(tx, visitor)?;
    if wrong >= MOST {
        return Ok(false);
    }
    let last_four = number.len().checked_sub(4).and_then(|from| number.get(from..)).ok_or_else(|| {
        Unread::new("is too short for a Social Security number").into_error(record.0, "ssn")
    })?;
    if bool::from(digits.as_bytes().ct_eq(last_four.as_bytes())) {
        let _counted_before = tx.change_rows(CLEAR, params![company, person])?.rows();
        visitor.record_confirmation(tx)?;
        audit::record_audit_entry(tx, caller, "confirmed", record, &json!({ "by": "ssn_last_four" }))?;
        return Ok(true);
    }
    tx.insert_row(PUT, params![company, person, wrong + 1, since])?;
    let left = MOST - wrong - 1;
    audit::record_audit_entry(tx, caller, "confirmation_failed", record, &json!({ "tries_left": left }))?;
    if left == 0 {
        metrics::counter!("flow_confirmations_locked_total").increment(1);
        match visitor.kind {
            FlowEntityKind::Company => {
                events::emit_event(tx, company, events::COMPANY_CONFIRMATION_FAILED, company)?
            }
            FlowEntityKind::Employee => {
                events::emit_event(tx, company, events::EMPLOYEE_CONFIRMATION_FAILED, person)?
            }
            FlowEntityKind::Contractor => {
                events::emit_event(tx, company, events::CONTRACTOR_CONFIRMATION_FAILED, person)?
            }
        }
    }
    Ok(false)
}
