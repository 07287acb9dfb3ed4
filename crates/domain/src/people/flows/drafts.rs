//! What somebody entered on a page after the session had ended: nothing was stored as theirs, but nothing is lost.
//!
//! A form that arrives too late, from a session that was known, is kept sealed for its employee and screen. When a new
//! link is opened, the screen shows these entries, to be looked at and saved. Numbers that identify a person or an
//! account, and signatures, are not kept: whoever opens the next link must not read them, and types them again.

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

/// How long entries wait for a new link.
pub const KEPT_HOURS: i64 = 7 * 24;

fn place(visitor: &Visitor, screen: &'static str) -> Place {
    Place { owner: visitor.caller.company, table: "flow_drafts", row: visitor.employee, column: screen }
}

/// Keeps the entries of a screen; later ones take the place of earlier ones.
///
/// # Errors
/// A store error.
pub fn keep(tx: &mut Tx<'_>, visitor: &Visitor, screen: &'static str, entries: &str) -> Result<(), Error> {
    let sealed = tx.seal(place(visitor, screen), entries.as_bytes())?;
    let now = tx.now();
    let parameters = params![visitor.caller.company, visitor.employee, screen, &sealed, now];
    let _first_or_later = tx.change(KEEP, parameters)?.rows();
    Ok(())
}

/// The entries that wait for a screen.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, visitor: &Visitor, screen: &'static str) -> Result<Option<Vec<u8>>, Error> {
    let since = tx.now() - KEPT_HOURS.hours();
    let parameters = params![visitor.caller.company, visitor.employee, screen, since];
    let Some(sealed) = tx.find(FIND, parameters, |row| row.get::<Vec<u8>>(0))? else { return Ok(None) };
    Ok(Some(tx.unseal(place(visitor, screen), &sealed)?.to_vec()))
}

/// Forgets the entries of a screen that was saved.
///
/// # Errors
/// A store error.
pub fn forget(tx: &mut Tx<'_>, visitor: &Visitor, screen: &'static str) -> Result<(), Error> {
    let _were_there = tx.change(FORGET, params![visitor.caller.company, visitor.employee, screen])?.rows();
    Ok(())
}

/// Forgets whatever waits for an employee.
///
/// # Errors
/// A store error.
pub fn forget_all(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _were_there = tx.change(FORGET_ALL, params![company, employee])?.rows();
    Ok(())
}
