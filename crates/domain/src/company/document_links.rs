//! Links to one document that need no token: a browser that shows a document cannot send headers.
//!
//! The token of a link has 256 random bits, and only its hash is stored. A link shows one form of an employee or of the
//! company itself, as it is when the link is opened.

use jiff::{Timestamp, ToSpan};
use serde_json::json;
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::{Caller, Token};
use crate::company::{companies, forms as company_forms};
use crate::error::Error;
use crate::people::employees;
use crate::people::forms::document::Document;
use crate::people::forms::rows::Form;
use crate::people::forms::service;
use crate::platform::audit;

store::statements! {
    FIND_LINK = "SELECT company_id, employee_id, form_id, expires_at FROM document_links WHERE hash = $1";
    DELETE_ALL = "DELETE FROM document_links WHERE company_id = $1";
    INSERT_LINK = "INSERT INTO document_links (hash, company_id, employee_id, form_id, created_at, expires_at) \
                   VALUES ($1, $2, $3, $4, $5, $6)";
}

/// Minutes until a link expires.
const MINUTES: i64 = 10;
/// The employee of a link to a form of the company itself.
const OF_COMPANY: Uuid = Uuid::nil();

/// A link to a document.
#[derive(Debug, Clone, Copy)]
struct Link {
    /// the company
    company: Uuid,
    /// the employee; nil for a form of the company itself
    employee: Uuid,
    /// the form
    form: Uuid,
    /// when it expires
    expires_at: Timestamp,
}

/// The link of a token, expired or not.
fn find(tx: &mut Tx<'_>, hash: &[u8; 32]) -> Result<Option<Link>, Error> {
    Ok(tx.try_find(FIND_LINK, params![hash], |row| {
        let mut next = Cursor::new(row, "document_links", 0);
        Ok::<_, store::Error>(Link {
            company: next.plain("company_id")?,
            employee: next.plain("employee_id")?,
            form: next.plain("form_id")?,
            expires_at: next.plain("expires_at")?,
        })
    })?)
}

/// Deletes every link to a document of a company and its employees; how many there were.
///
/// # Errors
/// A store error.
pub fn delete_all(tx: &mut Tx<'_>, company: Uuid) -> Result<u64, Error> {
    Ok(tx.change(DELETE_ALL, params![company])?.rows())
}

/// Stores a new link.
fn insert(tx: &mut Tx<'_>, hash: &[u8; 32], new: &Link) -> Result<(), Error> {
    let now = tx.now();
    let Link { company, employee, form, expires_at } = *new;
    Ok(tx.insert(INSERT_LINK, params![hash, company, employee, form, now, expires_at])?)
}

/// Makes a link to a form.
///
/// # Errors
/// "Not found"; a store error.
pub fn create(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, form: Uuid) -> Result<Token, Error> {
    let form = service::find(tx, caller, employee, form)?.id;
    make(tx, caller, (service::TABLE, form), employee)
}

/// Makes a link to a form of the caller's company.
///
/// # Errors
/// "Not found"; a store error.
pub fn create_for_company(tx: &mut Tx<'_>, caller: &Caller, form: Uuid) -> Result<Token, Error> {
    let form = company_forms::service::find(tx, caller, form)?.id;
    make(tx, caller, (company_forms::service::TABLE, form), OF_COMPANY)
}

fn make(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (table, form): (&'static str, Uuid),
    employee: Uuid,
) -> Result<Token, Error> {
    let token = Token::new(tx);
    let link = Link { company: caller.company, employee, form, expires_at: tx.now() + MINUTES.minutes() };
    insert(tx, &token.hash, &link)?;
    audit::record(tx, caller, "document_requested", (table, form), &json!({}))?;
    Ok(token)
}

/// Result of opening a link.
#[derive(Debug)]
pub enum Opened {
    /// its document
    Document(Box<Document>),
    /// the link has expired
    Expired,
    /// there is no such link
    Unknown,
}

/// Opens a link.
///
/// # Errors
/// A store error.
pub fn open(tx: &mut Tx<'_>, token: &str) -> Result<Opened, Error> {
    let Some(link) = find(tx, &Token::hash_of(token))? else { return Ok(Opened::Unknown) };
    if link.expires_at <= tx.now() {
        return Ok(Opened::Expired);
    }
    let zone = companies::time_zone(tx, link.company)?;
    let caller = Caller::service(link.company, zone);
    if link.employee == OF_COMPANY {
        let form = match company_forms::service::find(tx, &caller, link.form) {
            Err(Error::NotFound) => return Ok(Opened::Unknown), // deleted since
            form => form?,
        };
        return Ok(Opened::Document(Box::new(company_forms::service::document(tx, &caller, &form)?)));
    }
    let Some(employee) = employees::Employee::find(tx, link.company, link.employee)? else {
        return Ok(Opened::Unknown); // deleted since
    };
    let Some(form) = Form::find(tx, link.company, link.employee, link.form)? else {
        return Ok(Opened::Unknown);
    };
    Ok(Opened::Document(Box::new(service::document(tx, &caller, &employee, &form)?)))
}
