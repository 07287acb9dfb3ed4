//! Reports on the wire.

use domain::access::tokens::Token;
use domain::pay::reports::links::RequestedReport;
use domain::pay::reports::rows::Request;
use domain::pay::reports::terms::{self, Terms};
use domain::pay::reports::{COLUMNS, service};
use rules::Named;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, Ids, Words};
use crate::input;
use crate::values::{
    DateText, LedgerAggregation, LedgerIntegration, LineText, ReportDateFilter, ReportEmployment,
    ReportFileType, ReportMethod, ReportStanding, ReportType,
};

/// The URLs at which the result can be downloaded; `base` is the URL of the hosted pages.
pub fn download_urls(base: &str, asked: &RequestedReport) -> Vec<String> {
    token_url(base, asked.token.as_ref()).into_iter().collect()
}

/// The URL of a token.
pub(super) fn token_url(base: &str, token: Option<&Token>) -> Option<String> {
    token.map(|token| format!("{base}/documents/reports/{}", token.text))
}

/// A general ledger that is being created.
#[derive(Debug, Serialize, ToSchema)]
pub struct GeneralLedger {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// how its lines are grouped
    #[schema(value_type = LedgerAggregation)]
    pub aggregation: &'static str,
    /// the program for which it is formatted
    #[schema(value_type = Option<LedgerIntegration>)]
    pub integration_type: Option<&'static str>,
    /// the request, with which to poll the report
    pub request_uuid: Uuid,
}

impl GeneralLedger {
    /// The answer for a request of a general ledger.
    pub fn from_request(request: &Request) -> Option<Self> {
        let Terms::GeneralLedger { payroll, aggregation, integration } = request.terms else { return None };
        Some(Self {
            payroll_uuid: payroll,
            aggregation: aggregation.as_str(),
            integration_type: integration.map(Named::as_str),
            request_uuid: request.id,
        })
    }
}

/// The template of a report.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportTemplate {
    /// its columns
    pub columns: Vec<&'static str>,
    /// the groupings available for its rows
    pub groupings: Vec<&'static str>,
    /// the company
    pub company_uuid: Uuid,
    /// always `payroll_journal`
    pub report_type: &'static str,
}

impl ReportTemplate {
    /// That of a type, if there is one.
    pub fn of_kind(company: Uuid, kind: &str) -> Option<Self> {
        let report = terms::Report::PayrollJournal;
        (kind == report.as_str()).then(|| Self {
            columns: COLUMNS.to_vec(),
            groupings: terms::Grouping::names(),
            company_uuid: company,
            report_type: report.as_str(),
        })
    }
}

/// A report that is being created.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportRequest {
    /// the request, with which to poll the report
    pub request_uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// its name
    pub custom_name: Option<String>,
    /// its format
    #[schema(value_type = ReportFileType)]
    pub file_type: &'static str,
}

impl ReportRequest {
    /// The answer.
    pub fn new(company: Uuid, request: Request) -> Self {
        let file_type = request.terms.file_type().as_str();
        let custom_name = match request.terms {
            Terms::Custom(custom) => custom.custom_name,
            _ => None,
        };
        Self { request_uuid: request.id, company_uuid: company, custom_name, file_type }
    }
}

/// A report of wages that is being created.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnnualFicaWages {
    /// the request, with which to poll the report
    pub request_uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// first year
    pub start_year: i16,
    /// last year
    pub end_year: i16,
}

/// The status of a report.
#[derive(Debug, Serialize, ToSchema)]
pub struct Report {
    /// the request
    pub request_uuid: Uuid,
    /// `pending`, `succeeded` or `failed`
    pub status: &'static str,
    /// URLs of the download, valid for ten minutes without a token; empty until it has succeeded
    pub report_urls: Vec<String>,
    /// why it failed (extension)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Report {
    /// The answer; `base` is the URL of the hosted pages.
    pub fn new(base: &str, asked: RequestedReport) -> Self {
        Self {
            report_urls: download_urls(base, &asked),
            request_uuid: asked.request.id,
            status: asked.request.status.as_str(),
            failure: asked.request.failure,
        }
    }
}

input! {
    /// The general ledger to create.
    CreateGeneralLedger => service::CreateLedger {
        /// how its lines are grouped
        #[schema(required)]
        aggregation: LedgerAggregation,
        /// the program for which it is formatted; only with aggregation `integration`
        #[schema(nullable)]
        integration_type: LedgerIntegration,
    }

    /// The report to create.
    CreateReport => service::CreateReport {
        /// extension: the kind of report; defaults to `payroll_journal`
        #[schema(nullable)]
        report_type: ReportType,
        /// columns of the payroll journal, as the report template lists them; other reports have columns of their own
        #[schema(required)]
        columns: Words,
        /// groupings: `payroll`, `employee`, `work_address`, `work_address_state`
        #[schema(nullable)]
        groupings: Words,
        /// its name, at most 100 characters
        #[schema(nullable)]
        custom_name: LineText,
        /// its format
        #[schema(required)]
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

    /// The years of the report.
    CreateAnnualFicaWages => service::CreateFicaWages {
        /// first year, 2011 or later
        #[schema(required)]
        start_year: i64,
        /// last year, at most the current one
        #[schema(required)]
        end_year: i64,
    }
}
