//! What is kept of forms: entries submitted after their session expired, and the page that answers a form until the browser has read it.
//!
//! Entries are sealed and stored per employee and screen. After a new link is opened, the screen shows them for review. Numbers that
//! identify a person or an account, and signatures, are not stored, because the person who opens the new link must not see them.

use jiff::{Timestamp, ToSpan};
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

fn draft_place(visitor: &Visitor, screen: &'static str) -> Place {
    Place { owner: visitor.caller.company, table: "flow_drafts", row: visitor.person, column: screen }
}

/// Stores the entries of a screen, replacing earlier ones.
pub fn store_draft(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    screen: &'static str,
    entries: &str,
) -> Result<(), Error> {
    let sealed = tx.seal_field(draft_place(visitor, screen), entries.as_bytes())?;
    let now = tx.now();
    let parameters = params![visitor.caller.company, visitor.person, screen, &sealed, now];
    let _first_or_later = tx.change_rows(KEEP, parameters)?.rows();
    Ok(())
}

/// Returns the entries of a screen as they were stored.
pub fn find_draft(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    screen: &'static str,
) -> Result<Option<Vec<u8>>, Error> {
    let since = tx.now() - KEPT_HOURS.hours();
    kept_since(tx, visitor, screen, since)
}

fn kept_since(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    screen: &'static str,
    since: Timestamp,
) -> Result<Option<Vec<u8>>, Error> {
    let parameters = params![visitor.caller.company, visitor.person, screen, since];
    let Some(sealed) = tx.find_row(FIND, parameters, |row| row.get::<Vec<u8>>(0))? else { return Ok(None) };
    Ok(Some(tx.unseal_field(draft_place(visitor, screen), &sealed)?.to_vec()))
}

/// Deletes the entries of a screen.
pub fn delete_draft(tx: &mut Tx<'_>, visitor: &Visitor, screen: &'static str) -> Result<(), Error> {
    let _were_there = tx.change_rows(FORGET, params![visitor.caller.company, visitor.person, screen])?.rows();
    Ok(())
}

/// Deletes all entries of an employee.
pub fn forget_all(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _were_there = tx.change_rows(FORGET_ALL, params![company, employee])?.rows();
    Ok(())
}

/// Minutes for which the answer to a form can be read.
const ANSWERED_MINUTES: i64 = 60;
/// Under what it is stored instead of a screen.
const ANSWER: &str = "answer";

/// The page that answers a form: the form again with its problems, a question, or a preview. The browser is sent on to read it, so that it
/// can go back without sending the form again.
#[derive(Debug)]
pub struct Answer {
    /// its HTTP status
    pub status: u16,
    /// its HTML
    pub page: String,
}

/// Stores the answer to a form of this session, in place of an earlier one, and returns its key.
pub fn keep_answer(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    (path, status): (&str, u16),
    page: &str,
) -> Result<Uuid, Error> {
    let key = tx.new_id();
    let content = format!("{}\n{key}\n{path}\n{status}\n{page}", visitor.form_token);
    store_draft(tx, visitor, ANSWER, &content)?;
    Ok(key)
}

/// Returns the answer under a key, if it was given to this session at this address within the last hour.
pub fn find_answer(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    path: &str,
    key: Uuid,
) -> Result<Option<Answer>, Error> {
    let since = tx.now() - ANSWERED_MINUTES.minutes();
    let Some(content) = kept_since(tx, visitor, ANSWER, since)? else { return Ok(None) };
    let content = String::from_utf8_lossy(&content);
    let mut lines = content.splitn(5, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let is_own = visitor.owns_form_token(next());
    let is_meant = next() == key.to_string() && next() == path;
    let (status, page) = (next().parse().unwrap_or(200), next().to_owned());
    Ok((is_own && is_meant).then_some(Answer { status, page }))
}

/// Deletes the last answer, because a form was accepted since.
pub fn forget_answer(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<(), Error> {
    delete_draft(tx, visitor, ANSWER)
}
