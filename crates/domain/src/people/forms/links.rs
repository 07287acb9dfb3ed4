//! Addresses at which one document can be had without a token, for a short time: a browser that shows a form cannot
//! send headers.
//!
//! An address holds 256 random bits, of which the hash is stored. It shows one form, as it is when it is opened, and
//! nothing else can be done with it.

use jiff::ToSpan;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::document::Document;
use super::rows;
use super::rows::Link;
use super::service;
use crate::access::tokens::{Caller, Token};
use crate::company::{companies, forms as company_forms};
use crate::error::Error;
use crate::people::employees;
use crate::people::forms::shapes::{CONTENT_TYPE, FormPdf};
use crate::platform::audit;

/// How long an address works.
const MINUTES: i64 = 10;
/// In the place of the employee: the form is one of the company itself.
const OF_COMPANY: Uuid = Uuid::nil();

/// Makes an address for a form; `base` is the address of the hosted pages.
///
/// # Errors
/// "Not found"; a store error.
pub fn create(
    tx: &mut Tx<'_>,
    caller: &Caller,
    base: &str,
    employee: Uuid,
    form: Uuid,
) -> Result<FormPdf, Error> {
    let form = service::find(tx, caller, employee, form)?.id;
    make(tx, caller, base, (service::TABLE, form), employee)
}

/// As [`create`], for a form of the caller's company.
///
/// # Errors
/// "Not found"; a store error.
pub fn create_for_company(
    tx: &mut Tx<'_>,
    caller: &Caller,
    base: &str,
    form: Uuid,
) -> Result<FormPdf, Error> {
    let form = company_forms::service::find(tx, caller, form)?.id;
    make(tx, caller, base, (company_forms::service::TABLE, form), OF_COMPANY)
}

fn make(
    tx: &mut Tx<'_>,
    caller: &Caller,
    base: &str,
    (table, form): (&'static str, Uuid),
    employee: Uuid,
) -> Result<FormPdf, Error> {
    let token = Token::new(tx);
    let link = Link { company: caller.company, employee, form, expires_at: tx.now() + MINUTES.minutes() };
    rows::insert_link(tx, &token.hash, &link)?;
    audit::record(tx, caller, "document_requested", (table, form), &json!({}))?;
    let document_url = format!("{base}/documents/{}", token.text);
    Ok(FormPdf { uuid: form, document_url, document_content_type: CONTENT_TYPE })
}

/// What opening an address gives.
#[derive(Debug)]
pub enum Opened {
    /// its document
    Document(Box<Document>),
    /// it has worked once
    Expired,
    /// there is no such address
    Unknown,
}

/// Opens an address.
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
            Err(Error::NotFound) => return Ok(Opened::Unknown), // taken back meanwhile
            form => form?,
        };
        return Ok(Opened::Document(Box::new(company_forms::service::document(tx, &caller, &form)?)));
    }
    let Some(employee) = employees::Employee::find(tx, link.company, link.employee)? else {
        return Ok(Opened::Unknown); // deleted meanwhile
    };
    let Some(form) = rows::find(tx, link.company, link.employee, link.form)? else {
        return Ok(Opened::Unknown);
    };
    Ok(Opened::Document(Box::new(service::document(tx, &caller, &employee, &form)?)))
}
