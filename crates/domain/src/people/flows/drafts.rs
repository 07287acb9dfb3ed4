//! Form entries submitted after their session expired.
//!
//! Entries are sealed and stored per employee and screen. After a new link is opened, the screen shows them for review. Numbers that
//! identify a person or an account, and signatures, are not stored, because the person who opens the new link must not see them.

use jiff::ToSpan;
use store::{Place, Tx, params};
use uuid::Uuid;

use super::session::Visitor;
use crate::error::Error;

store::statements! {
    KEEP = "INSERT INTO flow_drafts (company_id, employee_id, screen, entries, created_at) VALUES ($1, $2, $3, $4, $5) \
            ON CONFLICT (company_id, employee_id, screen) DO UPDATE \
            SET entries = excluded.entries, created_at = excluded.created_at";
    FIND = "SELECT entries FROM flow_drafts WHERE company_id = $1 AND employee_id = $2 AND screen = $3 AND created_at > $4";
    FORGET = "DELETE FROM flow_drafts WHERE company_id = $1 AND employee_id = $2 AND screen = $3";
    FORGET_ALL = "DELETE FROM flow_drafts WHERE company_id = $1 AND employee_id = $2";
}

/// Hours that entries are kept.
pub const KEPT_HOURS: i64 = 7 * 24;

fn place(visitor: &Visitor, screen: &'static str) -> Place {
    Place { owner: visitor.caller.company, table: "flow_drafts", row: visitor.person, column: screen }
}

/// Stores the entries of a screen, replacing earlier ones.
///
/// # Errors
/// A store error.
pub fn keep(tx: &mut Tx<'_>, visitor: &Visitor, screen: &'static str, entries: &str) -> Result<(), Error> {
    let sealed = tx.seal(place(visitor, screen), entries.as_bytes())?;
    let now = tx.now();
    let parameters = params![visitor.caller.company, visitor.person, screen, &sealed, now];
    let _first_or_later = tx.change(KEEP, parameters)?.rows();
    Ok(())
}

/// Returns the entries of a screen as they were stored.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, visitor: &Visitor, screen: &'static str) -> Result<Option<Vec<u8>>, Error> {
    let since = tx.now() - KEPT_HOURS.hours();
    let parameters = params![visitor.caller.company, visitor.person, screen, since];
    let Some(sealed) = tx.find(FIND, parameters, |row| row.get::<Vec<u8>>(0))? else { return Ok(None) };
    Ok(Some(tx.unseal(place(visitor, screen), &sealed)?.to_vec()))
}

/// Deletes the entries of a screen.
///
/// # Errors
/// A store error.
pub fn forget(tx: &mut Tx<'_>, visitor: &Visitor, screen: &'static str) -> Result<(), Error> {
    let _were_there = tx.change(FORGET, params![visitor.caller.company, visitor.person, screen])?.rows();
    Ok(())
}

/// Deletes all entries of an employee.
///
/// # Errors
/// A store error.
pub fn forget_all(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _were_there = tx.change(FORGET_ALL, params![company, employee])?.rows();
    Ok(())
}
