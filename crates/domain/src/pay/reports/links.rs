//! URLs from which a report can be downloaded for ten minutes without an access token. Each request for a finished report creates one.

use jiff::ToSpan;
use store::Tx;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::rows::{Link, ReportRequestStatus, Request};
use super::terms::{FileType, Terms};
use super::{bulk, rows};
use crate::access::tokens::{Caller, Token, still_holding};
use crate::error::Error;
use crate::platform::audit;

/// Minutes until a URL expires.
const MINUTES: i64 = 10;

/// A request and the URL of its result.
#[derive(Debug)]
pub struct RequestedReport {
    /// the request
    pub request: Request,
    /// token of the URL, once the report is made
    pub token: Option<Token>,
}

/// Returns the status of a report (or, with `documents`, of a document) and, if it is made, a new URL for it.
///
/// # Errors
/// "Not found", also if it was deleted; a store error.
pub fn report_with_link(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    documents: bool,
) -> Result<RequestedReport, Error> {
    let request = Request::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    if request.terms.is_document() != documents {
        return Err(Error::NotFound);
    }
    if request.status != ReportRequestStatus::Succeeded {
        return Ok(RequestedReport { request, token: None });
    }
    let application = still_holding(tx, caller)?;
    let token = insert_link(tx, (caller.company, id), application)?;
    audit::record_audit_entry(
        tx,
        caller,
        "document_requested",
        (Request::TABLE, id),
        &serde_json::json!({}),
    )?;
    Ok(RequestedReport { request, token: Some(token) })
}

/// Stores a new URL of the result of a company's request.
pub(super) fn insert_link(
    tx: &mut Tx<'_>,
    (company, request): (Uuid, Uuid),
    application: Option<Uuid>,
) -> Result<Token, Error> {
    let token = Token::new(tx);
    let expires_at = tx.now() + MINUTES.minutes();
    let link = Link { company, request, expires_at, application, is_disabled: false };
    rows::insert_link(tx, &token.hash, link)?;
    Ok(token)
}

/// The result of opening a URL.
pub enum Opened {
    /// the file
    File {
        /// its name
        name: String,
        /// its format
        file_type: FileType,
        /// its content
        content: Zeroizing<Vec<u8>>,
    },
    /// the reports of a bulk request
    Archive {
        /// its name
        name: String,
        /// the ZIP file
        content: Zeroizing<Vec<u8>>,
    },
    /// the URL has expired, or its application is disabled
    Expired,
    /// there is no such URL, or its report no longer exists
    Unknown,
}

store::hidden!(Opened);

/// Opens the URL with a token.
pub fn open_link(tx: &mut Tx<'_>, token: &str) -> Result<Opened, Error> {
    let Some(link) = rows::find_link(tx, &Token::hash_of(token))? else { return Ok(Opened::Unknown) };
    if link.is_disabled || link.expires_at <= tx.now() {
        return Ok(Opened::Expired);
    }
    if let Some(application) = link.application.filter(|_| link.company.is_nil()) {
        let Some(content) = bulk::archive_reports(tx, application, link.request)? else {
            return Ok(Opened::Unknown);
        };
        return Ok(Opened::Archive { name: format!("reports-{}.zip", link.request), content });
    }
    let Some(request) = Request::find(tx, link.company, link.request)? else { return Ok(Opened::Unknown) };
    let Some(content) = request.unseal_content(tx, link.company)? else { return Ok(Opened::Unknown) };
    Ok(Opened::File { name: file_name(&request), file_type: request.terms.file_type(), content })
}

/// The file name of a result.
pub(super) fn file_name(request: &Request) -> String {
    let kind = match &request.terms {
        Terms::Custom(custom) => custom.report.into(),
        Terms::GeneralLedger { .. } => "general_ledger",
        Terms::AnnualFicaWages { .. } => "employees_annual_fica_wage",
        Terms::PrintableChecks { .. } => "checks",
    };
    let ending: &str = request.terms.file_type().into();
    format!("{kind}-{}.{ending}", request.id)
}
