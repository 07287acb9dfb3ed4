//! Links to one document that need no token: a browser that shows a document cannot send headers.
//!
//! The token of a link has 256 random bits, and only its hash is stored. A link shows one form, as it is when the link is
//! opened.

use jiff::ToSpan;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::document::Document;
use super::rows;
use super::rows::{Form, Link};
use super::service;
use crate::access::tokens::{Caller, Token};
use crate::company::{companies, forms as company_forms};
use crate::error::Error;
use crate::people::employees;
use crate::platform::audit;

/// Minutes until a link expires.
const MINUTES: i64 = 10;
/// The employee of a link to a form of the company itself.
const OF_COMPANY: Uuid = Uuid::nil();

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
    rows::insert_link(tx, &token.hash, &link)?;
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
    let Some(link) = rows::find_link(tx, &Token::hash_of(token))? else { return Ok(Opened::Unknown) };
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
