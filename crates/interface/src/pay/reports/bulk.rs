//! Reports of several companies in one request: operations, and their shapes.

use std::collections::BTreeMap;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::reports::bulk::{self, BulkStatus, ReportStatus};
use domain::pay::reports::rows::ReportRequestStatus;
use domain::pay::reports::service;
use rules::Named;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::field::{Field, Ids, List, Words};
use crate::http::{Call, Id, Input};
use crate::moment::format_moment;
use crate::named::Enum;
use crate::values::{
    DateText, IdText, LedgerAggregation, LedgerIntegration, LineText, ReportDateFilter, ReportEmployment,
    ReportFileType, ReportMethod, ReportStanding,
};
use crate::{input, words};

const PENDING: &str = "pending";
const SUCCESS: &str = "success";
const PARTIAL_SUCCESS: &str = "partial_success";
const FAILED: &str = "failed";

/// The kind of a report in a bulk request.
pub type BulkReportType = Enum<bulk::BulkReportKind>;

words! {
    /// The status of a bulk request, or of a company's reports in it.
    BulkReportStatus = [PENDING, SUCCESS, PARTIAL_SUCCESS, FAILED];
    /// The status of a report in a bulk request.
    BulkReportItemStatus = [PENDING, SUCCESS, FAILED];
}

/// Operations on bulk requests.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(create_bulk_report)).routes(routes!(get_bulk_report))
}

/// Create reports of several companies
///
/// Up to 25 tables of payrolls and general ledgers, with the fields of the operations that create one, in companies
/// connected to the application whose token has the scope company_reports:write. If one is invalid, none is created.
/// They are created in the background: poll with `uuid`.
#[utoipa::path(post, path = "/v1/bulk_reports", tag = "Reports",
    request_body = CreateBulkReport,
    responses((status = 201, description = "The uuid of the request", body = BulkReportRequest)),
    security(("system_access" = ["company_reports:write"])))]
async fn create_bulk_report(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateBulkReport>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(BulkReportRequest { uuid: bulk::create_bulk_reports(tx, caller, &command)?.id, status: PENDING })
    })
    .await
}

/// Read the status of reports of several companies
///
/// Once all have been created the response includes the result of each, and a URL at which those that succeeded can be
/// downloaded together as a ZIP file, with a folder for each company. It works for ten minutes without a token; each
/// request creates a new one. Reports are kept for seven days.
#[utoipa::path(get, path = "/v1/bulk_reports/{bulk_report_uuid}", tag = "Reports",
    params(("bulk_report_uuid" = Uuid, Path, description = "The request")),
    responses((status = 200, description = "Its status, and the URL at which the reports can be downloaded", body = BulkReport)),
    security(("system_access" = ["company_reports:read"])))]
async fn get_bulk_report(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    let base = app.settings.flow_url.clone().unwrap_or_default();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let partner = caller.application_id()?;
        Ok(BulkReport::new(&base, partner, bulk::bulk_status(tx, caller, id)?))
    })
    .await
}

/// Reports of several companies that are being created.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkReportRequest {
    /// the request, with which to poll
    pub uuid: Uuid,
    /// `pending`
    pub status: &'static str,
}

/// Reports of several companies.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkReport {
    /// the request
    pub uuid: Uuid,
    /// `pending` until all have been created; then `success`, `partial_success` or `failed`
    #[schema(value_type = BulkReportStatus)]
    pub status: &'static str,
    /// when they were requested
    #[schema(format = DateTime)]
    pub submitted_at: String,
    /// when the last was created; null until then
    #[schema(format = DateTime)]
    pub completed_at: Option<String>,
    /// number of reports in the request
    pub submitted_items: usize,
    /// the result, once all have been created
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub results: Option<BulkReportResults>,
}

/// The results of reports of several companies.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkReportResults {
    /// the application that requested them
    pub partner_uuid: Uuid,
    /// number of reports that succeeded
    pub processed_items: usize,
    /// URL of the ZIP file, valid for ten minutes without a token; null if no report succeeded
    pub report_url: Option<String>,
    /// the results by company
    pub companies: Vec<BulkReportCompany>,
}

/// The reports of a company in a bulk request.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkReportCompany {
    /// the company
    pub company_uuid: Uuid,
    /// the status of its reports together
    #[schema(value_type = BulkReportStatus)]
    pub status: &'static str,
    /// its reports, in the order of the request
    pub reports: Vec<BulkReportItem>,
}

/// A report in a bulk request.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkReportItem {
    /// the kind
    #[schema(value_type = BulkReportType)]
    pub report_type: &'static str,
    /// the format
    #[schema(value_type = ReportFileType)]
    pub file_type: &'static str,
    /// its status
    #[schema(value_type = BulkReportItemStatus)]
    pub status: &'static str,
    /// why it failed
    pub error: Option<String>,
}

impl BulkReport {
    /// The answer to an application; `base` is the URL of the hosted pages.
    fn new(base: &str, partner: Uuid, asked: BulkStatus) -> Self {
        let report_url = super::wire::token_url(base, asked.token.as_ref());
        let processed_items =
            asked.reports.iter().filter(|one| one.status == ReportRequestStatus::Succeeded).count();
        let status = combined_status(asked.reports.iter().map(|one| one.status));
        let submitted_items = asked.reports.len();
        let results = asked.completed_at.is_some().then(|| BulkReportResults {
            partner_uuid: partner,
            processed_items,
            report_url,
            companies: by_company(asked.reports),
        });
        Self {
            uuid: asked.bulk.id,
            status,
            submitted_at: format_moment(asked.bulk.submitted_at),
            completed_at: asked.completed_at.map(format_moment),
            submitted_items,
            results,
        }
    }
}

fn by_company(reports: Vec<ReportStatus>) -> Vec<BulkReportCompany> {
    let mut companies: BTreeMap<Uuid, Vec<ReportStatus>> = BTreeMap::new();
    for report in reports {
        companies.entry(report.line.company).or_default().push(report);
    }
    let item = |one: ReportStatus| BulkReportItem {
        report_type: one.line.kind.as_str(),
        file_type: one.line.file_type.as_str(),
        status: combined_status([one.status].into_iter()),
        error: one.failure,
    };
    let company = |(company_uuid, reports): (Uuid, Vec<ReportStatus>)| BulkReportCompany {
        company_uuid,
        status: combined_status(reports.iter().map(|one| one.status)),
        reports: reports.into_iter().map(item).collect(),
    };
    companies.into_iter().map(company).collect()
}

/// The status of several reports together.
fn combined_status(statuses: impl Iterator<Item = ReportRequestStatus>) -> &'static str {
    let statuses: Vec<_> = statuses.collect();
    let some = |status: ReportRequestStatus| statuses.contains(&status);
    match (
        some(ReportRequestStatus::Pending),
        some(ReportRequestStatus::Succeeded),
        some(ReportRequestStatus::Failed),
    ) {
        (true, _, _) => PENDING,
        (false, true, true) => PARTIAL_SUCCESS,
        (false, true, false) => SUCCESS,
        (false, false, _) => FAILED,
    }
}

input! {
    /// The reports to create.
    CreateBulkReport => bulk::CreateBulk {
        /// 1 to 25 reports
        #[schema(required)]
        batch: List<BulkReportOfCompany>,
    }

    /// A report to create: a table of payrolls, or a general ledger.
    BulkReportOfCompany => bulk::BulkReportItem {
        /// the company
        #[schema(required)]
        company_uuid: IdText,
        /// the kind
        #[schema(required)]
        report_type: BulkReportType,
        /// the payroll; required for a general ledger
        #[schema(nullable)]
        payroll_uuid: IdText,
        /// how the lines of a general ledger are grouped; required for one
        #[schema(nullable)]
        aggregation: LedgerAggregation,
        /// the program for which a general ledger is formatted; only with aggregation `integration`
        #[schema(nullable)]
        integration_type: LedgerIntegration,
    }
    + report: service::CreateReport {
        /// columns of a table, as the report template lists them; required for one
        #[schema(nullable)]
        columns: Words,
        /// groupings: `payroll`, `employee`, `work_address`, `work_address_state`
        #[schema(nullable)]
        groupings: Words,
        /// its name, at most 100 characters
        #[schema(nullable)]
        custom_name: LineText,
        /// the format of a table; required for one
        #[schema(nullable)]
        file_type: ReportFileType,
        /// whether a last line has the totals
        #[schema(nullable)]
        with_totals: bool,
        /// which date of a payroll the range applies to; defaults to the check date
        #[schema(nullable)]
        date_filter_type: ReportDateFilter,
        /// YYYY-MM-DD: first day
        #[schema(nullable)]
        start_date: DateText,
        /// YYYY-MM-DD: last day, at most 366 days later
        #[schema(nullable)]
        end_date: DateText,
        /// YYYY-MM-DD: only employees terminated on this day or later
        #[schema(nullable)]
        dismissed_start_date: DateText,
        /// YYYY-MM-DD: only employees terminated on this day or earlier
        #[schema(nullable)]
        dismissed_end_date: DateText,
        /// only paychecks with this payment method
        #[schema(nullable)]
        payment_method: ReportMethod,
        /// only paychecks of employees with this FLSA status
        #[schema(nullable)]
        employment_type: ReportEmployment,
        /// only employees with this status today
        #[schema(nullable)]
        employment_status: ReportStanding,
        /// only these employees
        #[schema(nullable)]
        employee_uuids: Ids,
        /// only employees of these departments
        #[schema(nullable)]
        department_uuids: Ids,
        /// only employees who work at these locations
        #[schema(nullable)]
        work_address_uuids: Ids,
    }
}
