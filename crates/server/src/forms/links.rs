//! Addresses at which one document can be had without a token, for a short time: a browser that shows a form cannot
//! send headers.
//!
//! An address holds 256 random bits, of which the hash is stored. It shows one form, as it is when it is opened, and
//! nothing else can be done with it.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::ToSpan;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::api::{CONTENT_TYPE, FormPdf};
use super::document::Document;
use super::rows::{self, Link};
use super::{pdf, service};
use crate::app::App;
use crate::auth::{Caller, Token};
use crate::error::Error;
use crate::flows::pages::message;
use crate::language::Language;
use crate::{audit, companies, company_forms, employees};

/// How long an address works.
const MINUTES: i64 = 10;
/// In the place of the employee: the form is one of the company itself.
const OF_COMPANY: Uuid = Uuid::nil();

/// Where documents lie.
pub fn routes() -> Router<App> {
    Router::new().route("/documents/{token}", get(show))
}

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
    let Some(employee) = employees::rows::find(tx, link.company, link.employee)? else {
        return Ok(Opened::Unknown); // deleted meanwhile
    };
    let Some(form) = rows::find(tx, link.company, link.employee, link.form)? else {
        return Ok(Opened::Unknown);
    };
    Ok(Opened::Document(Box::new(service::document(tx, &caller, &employee, &form)?)))
}

async fn show(State(app): State<App>, Path(token): Path<String>, headers: HeaderMap) -> Response {
    let language = Language::of(&headers);
    let t = language.texts();
    let token = Arc::new(token);
    let mut response = match app.store.read(move |tx| open(tx, &token)).await {
        Ok(Opened::Document(document)) => file(&document),
        Ok(Opened::Expired) => {
            message(language, StatusCode::GONE, t.document_gone_title, t.document_gone_text)
        }
        Ok(Opened::Unknown) => {
            message(language, StatusCode::NOT_FOUND, t.document_unknown_title, t.document_unknown_text)
        }
        Err(error) => error.into_response(),
    };
    // A page of the service's own address may show a document inside itself, and so may the partners' pages that may
    // show the service's own.
    let partners = &app.settings.frame_origins;
    let framed_by = [&["'self'".to_owned()], partners.as_slice()].concat().join(" ");
    let policy = format!(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {framed_by}"
    );
    let headers = response.headers_mut();
    headers
        .extend(HeaderValue::from_str(&policy).ok().map(|policy| (header::CONTENT_SECURITY_POLICY, policy)));
    if partners.is_empty() {
        // The older header can name no other origin.
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    }
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn file(document: &Document) -> Response {
    let mut response = Response::new(Body::from(pdf::render(document)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
    let name = format!("inline; filename=\"form-{}.pdf\"", document.id);
    headers.extend(HeaderValue::from_str(&name).ok().map(|name| (header::CONTENT_DISPOSITION, name)));
    response
}
