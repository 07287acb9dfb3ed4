//! Reports of several companies of an application in one request.
//!
//! Each is an ordinary request of its company, made by the worker like any other; the bulk request is the list of them. Once all are made,
//! those that succeeded can be downloaded together as a ZIP file.

use std::io::{Cursor as InMemory, Write};

use jiff::Timestamp;
use rules::{Checks, Violation};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::record::Cursor;
use store::{Json, Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;
use zeroize::Zeroizing;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::links;
use super::rows::{ReportRequestStatus, Request};
use super::service;
use super::service::{CreateLedger, CreateReport};
use super::terms::{FileType, Terms};
use crate::access::tokens;
use crate::access::tokens::{Caller, Token};
use crate::company::companies;
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::pay::reports::terms::Aggregation;
use crate::platform::audit;
use crate::records::parse_id;

store::statements! {
    INSERT = "INSERT INTO bulk_reports (application_id, id, lines, created_at) VALUES ($1, $2, $3, $4)";
    FIND = "SELECT lines, created_at FROM bulk_reports WHERE application_id = $1 AND id = $2";
}

/// Table of the record.
const TABLE: &str = "bulk_reports";
/// The scope that a token for the company must have to request a report.
const WRITE: &str = "company_reports:write";
/// The scope that it must have to receive one.
const READ: &str = "company_reports:read";
/// Maximum reports of a request.
pub const MOST: usize = 25;
/// Maximum size of the reports of a request together, in bytes: the ZIP file is made in memory.
const LARGEST: usize = 64 << 20;

/// The kind of a report.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString, Serialize, Deserialize,
)]
pub enum BulkReportKind {
    /// a table of payrolls
    #[strum(serialize = "custom_report")]
    #[serde(rename = "custom_report")]
    Custom,
    /// the general ledger of a payroll
    #[strum(serialize = "general_ledger")]
    #[serde(rename = "general_ledger")]
    GeneralLedger,
}

/// Requests several reports.
#[derive(Debug, Clone, Default)]
pub struct CreateBulk {
    /// 1 to [`MOST`] reports
    pub batch: Patch<Vec<BulkReportItem>>,
}

/// A report to request.
#[derive(Debug, Clone, Default)]
pub struct BulkReportItem {
    /// the company
    pub company_uuid: Patch<String>,
    /// the kind
    pub report_type: Patch<BulkReportKind>,
    /// the payroll of a general ledger
    pub payroll_uuid: Patch<String>,
    /// criterion for aggregating lines of a general ledger
    pub aggregation: Patch<Aggregation>,
    /// accounting program that a general ledger is for
    pub integration_type: Patch<String>,
    /// the table of payrolls
    pub report: CreateReport,
}

/// A report of a bulk request.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct BulkReportLine {
    /// the company
    pub company: Uuid,
    /// the kind
    pub kind: BulkReportKind,
    /// the format
    pub file_type: FileType,
    /// the request of the company
    pub request: Uuid,
}

/// A bulk request.
#[derive(Debug, Clone)]
pub struct Bulk {
    /// identifier
    pub id: Uuid,
    /// its reports, in the order of the request
    pub lines: Vec<BulkReportLine>,
    /// time of the request
    pub submitted_at: Timestamp,
}

/// A report of a bulk request, and how far it is.
#[derive(Debug, Clone)]
pub struct ReportStatus {
    /// the report
    pub line: BulkReportLine,
    /// its status
    pub status: ReportRequestStatus,
    /// why it failed
    pub failure: Option<String>,
    /// when it was made, or failed
    finished_at: Option<Timestamp>,
}

/// A bulk request, how far it is, and the URL of its results.
#[derive(Debug)]
pub struct BulkStatus {
    /// the request
    pub bulk: Bulk,
    /// its reports
    pub reports: Vec<ReportStatus>,
    /// when the last of them was made, or failed; `None` while some are pending
    pub completed_at: Option<Timestamp>,
    /// token of the URL, once all are made and one has succeeded
    pub token: Option<Token>,
}

/// Requests several reports.
///
/// # Errors
/// Every violation of the input, by item; a store error.
pub fn create_bulk_reports(tx: &mut Tx<'_>, caller: &Caller, input: &CreateBulk) -> Result<Bulk, Error> {
    let application = caller.application_id()?;
    let mut checks = Checks::new();
    input.batch.required("batch", &mut checks, |key, items| {
        let why = || Violation::invalid(key, format!("{key} must have 1 to {MOST} items"));
        if (1..=MOST).contains(&items.len()) { Ok(()) } else { Err(why()) }
    });
    let items = input.batch.value().map_or(&[] as &[_], Vec::as_slice);
    let mut reports = Vec::with_capacity(items.len().min(MOST));
    for (index, item) in items.iter().enumerate().take(MOST) {
        match read_item(tx, caller, application, item) {
            Ok(report) => reports.push(report),
            Err(Error::Violations(errors)) => {
                checks.push(Violation::nested("batch", errors).with_metadata(json!({ "index": index })));
            }
            Err(error) => return Err(error),
        }
    }
    checks.finish()?;
    let mut lines = Vec::with_capacity(reports.len());
    for (kind, inside, terms) in reports {
        let file_type = terms.file_type();
        let request = service::insert_request(tx, &inside, terms)?.id;
        lines.push(BulkReportLine { company: inside.company, kind, file_type, request });
    }
    let bulk = Bulk { id: tx.new_id(), lines, submitted_at: tx.now() };
    let stored = store::record::serialize_json(TABLE, "lines", &bulk.lines)?;
    tx.insert_row(INSERT, params![application, bulk.id, Json(&stored), bulk.submitted_at])?;
    Ok(bulk)
}

/// Reads an item: the kind, the caller inside its company, and the terms.
fn read_item(
    tx: &mut Tx<'_>,
    caller: &Caller,
    application: Uuid,
    item: &BulkReportItem,
) -> Result<(BulkReportKind, Caller, Terms), Error> {
    let mut checks = Checks::new();
    let unreached = || Violation::invalid("company_uuid", unreached_message(WRITE));
    let id = |_: &str, id: &String| parse_id(id).ok_or_else(unreached);
    let company = item.company_uuid.required("company_uuid", &mut checks, id);
    let kind = item.report_type.required("report_type", &mut checks, as_is);
    let unknown = || Violation::invalid("payroll_uuid", "payroll_uuid must be a payroll of the company");
    let payroll = match kind {
        Some(BulkReportKind::GeneralLedger) => {
            let id = |_: &str, id: &String| parse_id(id).ok_or_else(unknown);
            item.payroll_uuid.required("payroll_uuid", &mut checks, id)
        }
        Some(BulkReportKind::Custom) | None => None,
    };
    if let Some(company) = company {
        let is_reached = tokens::reaches_company(tx, company, application, WRITE)?;
        checks.require(is_reached, unreached);
    }
    checks.finish()?;
    let (Some(company), Some(kind)) = (company, kind) else { unreachable!("they are required") };
    let inside = Caller { company, zone: companies::time_zone(tx, company)?, ..caller.clone() };
    let terms = match payroll {
        None => service::report_terms(tx, &inside, &item.report)?,
        Some(payroll) => {
            let (aggregation, integration_type) = (item.aggregation.clone(), item.integration_type.clone());
            let ledger = CreateLedger { aggregation, integration_type };
            service::ledger_terms(tx, &inside, payroll, &ledger).map_err(|error| match error {
                Error::NotFound => Error::from(unknown()),
                other => other,
            })?
        }
    };
    Ok((kind, inside, terms))
}

fn unreached_message(scope: &str) -> String {
    format!("no such company is connected to the application with a token that has {scope}")
}

/// Returns a bulk request, how far it is, and a new URL of its results.
///
/// # Errors
/// "Not found", also if it was deleted; a store error.
pub fn bulk_status(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<BulkStatus, Error> {
    let application = caller.application_id()?;
    let bulk = find_bulk(tx, application, id)?.ok_or(Error::NotFound)?;
    let reports = report_progress(tx, application, &bulk, |_, _, _| Ok(()))?;
    let is_complete = reports.iter().all(|report| report.status != ReportRequestStatus::Pending);
    let last = reports.iter().filter_map(|report| report.finished_at).max().unwrap_or(bulk.submitted_at);
    let completed_at = is_complete.then_some(last);
    let made: Vec<_> =
        reports.iter().filter(|report| report.status == ReportRequestStatus::Succeeded).collect();
    if !is_complete || made.is_empty() {
        return Ok(BulkStatus { bulk, reports, completed_at, token: None });
    }
    for ReportStatus { line, .. } in made {
        let inside = Caller { company: line.company, ..caller.clone() };
        audit::record_audit_entry(
            tx,
            &inside,
            "document_requested",
            (Request::TABLE, line.request),
            &json!({}),
        )?;
    }
    let token = Some(links::insert_link(tx, (Uuid::nil(), id), Some(application))?);
    Ok(BulkStatus { bulk, reports, completed_at, token })
}

fn find_bulk(tx: &mut Tx<'_>, application: Uuid, id: Uuid) -> Result<Option<Bulk>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>(Bulk {
            id,
            lines: next.read_json("lines")?,
            submitted_at: next.read_plain("created_at")?,
        })
    };
    Ok(tx.try_find(FIND, params![application, id], read)?)
}

/// How far the reports of a request are; `take` receives the company and content of each that succeeded. A report counts as failed if the
/// application no longer reaches its company, and if all until then are larger than [`LARGEST`].
fn report_progress(
    tx: &mut Tx<'_>,
    application: Uuid,
    bulk: &Bulk,
    mut take: impl FnMut(Uuid, &Request, &[u8]) -> Result<(), Error>,
) -> Result<Vec<ReportStatus>, Error> {
    let mut size = 0;
    let mut reports = Vec::with_capacity(bulk.lines.len());
    for line in &bulk.lines {
        let failed = |why: String| ReportStatus {
            line: *line,
            status: ReportRequestStatus::Failed,
            failure: Some(why),
            finished_at: None,
        };
        if !tokens::reaches_company(tx, line.company, application, READ)? {
            reports.push(failed(unreached_message(READ)));
            continue;
        }
        let Some(request) = Request::find(tx, line.company, line.request)? else {
            reports.push(failed("the report was deleted".to_owned()));
            continue;
        };
        if let Some(content) = request.unseal_content(tx, line.company)? {
            size += content.len();
            if size > LARGEST {
                let most = LARGEST >> 20;
                reports.push(failed(format!(
                    "the reports have more than {most} MB together: request fewer at once"
                )));
                continue;
            }
            take(line.company, &request, &content)?;
        }
        let Request { status, failure, finished_at, .. } = request;
        reports.push(ReportStatus { line: *line, status, failure, finished_at });
    }
    Ok(reports)
}

/// The reports of a request that succeeded, as a ZIP file with a folder for each company; `None` if the request does not exist.
pub(super) fn archive_reports(
    tx: &mut Tx<'_>,
    application: Uuid,
    id: Uuid,
) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
    let Some(bulk) = find_bulk(tx, application, id)? else { return Ok(None) };
    let mut archive = ZipWriter::new(InMemory::new(Vec::new()));
    let unwritten = "a ZIP file is written to memory";
    report_progress(tx, application, &bulk, |company, request, content| {
        let name = format!("{company}/{}", links::file_name(request));
        archive.start_file(name, SimpleFileOptions::default()).map_err(Error::failed_operation(unwritten))?;
        archive.write_all(content).map_err(Error::failed_operation(unwritten))
    })?;
    Ok(Some(Zeroizing::new(archive.finish().map_err(Error::failed_operation(unwritten))?.into_inner())))
}
