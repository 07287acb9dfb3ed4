//! Reports on the wire.

use domain::pay::reports::links::Asked;
use domain::pay::reports::rows::Request;
use domain::pay::reports::terms::{self, Aggregation, Integration, Terms};
use domain::pay::reports::{COLUMNS, service};
use rules::Named;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, Words};
use crate::input;
use crate::values::{
    LedgerAggregation, LedgerIntegration, ReportDateFilter, ReportEmployment, ReportFileType, ReportMethod,
    ReportStanding, ReportType,
};

/// The addresses at which what came out can be fetched; `base` is the URL of the hosted pages.
pub fn urls(base: &str, asked: &Asked) -> Vec<String> {
    asked.token.iter().map(|token| format!("{base}/documents/reports/{}", token.text)).collect()
}

/// A general ledger that is being made.
#[derive(Debug, Serialize, ToSchema)]
pub struct GeneralLedger {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// what its lines are grouped by
    #[schema(value_type = LedgerAggregation)]
    pub aggregation: &'static str,
    /// for which program
    #[schema(value_type = Option<LedgerIntegration>)]
    pub integration_type: Option<&'static str>,
    /// what to ask for the report
    pub request_uuid: Uuid,
}

impl GeneralLedger {
    /// The answer.
    pub fn new(payroll: Uuid, request: Uuid, by: Aggregation, program: Option<Integration>) -> Self {
        Self {
            payroll_uuid: payroll,
            aggregation: by.as_str(),
            integration_type: program.map(Named::as_str),
            request_uuid: request,
        }
    }
}

/// What a report can have.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportTemplate {
    /// its columns
    pub columns: Vec<&'static str>,
    /// what its rows can be gathered by
    pub groupings: Vec<&'static str>,
    /// the company
    pub company_uuid: Uuid,
    /// always `payroll_journal`
    pub report_type: &'static str,
}

impl ReportTemplate {
    /// That of a type, if there is one.
    pub fn of(company: Uuid, kind: &str) -> Option<Self> {
        let report = terms::Report::PayrollJournal;
        (kind == report.as_str()).then(|| Self {
            columns: COLUMNS.to_vec(),
            groupings: terms::Grouping::names(),
            company_uuid: company,
            report_type: report.as_str(),
        })
    }
}

/// A report that is being made.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportRequest {
    /// what to ask for the report
    pub request_uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// what it is called
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

/// Wages of years that are being gathered.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnnualFicaWages {
    /// what to ask for the report
    pub request_uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// first year
    pub start_year: i16,
    /// last year
    pub end_year: i16,
}

/// How far a report is.
#[derive(Debug, Serialize, ToSchema)]
pub struct Report {
    /// the request
    pub request_uuid: Uuid,
    /// `pending`, `succeeded` or `failed`
    pub status: &'static str,
    /// where it can be fetched for ten minutes, without a token; empty until it has succeeded
    pub report_urls: Vec<String>,
    /// why it could not be made (extension)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Report {
    /// The answer; `base` is the URL of the hosted pages.
    pub fn new(base: &str, asked: Asked) -> Self {
        Self {
            report_urls: urls(base, &asked),
            request_uuid: asked.request.id,
            status: asked.request.status.as_str(),
            failure: asked.request.failure,
        }
    }
}

input! {
    /// Which general ledger.
    CreateGeneralLedger => service::CreateLedger {
        /// what its lines are grouped by
        #[schema(required)]
        aggregation: LedgerAggregation,
        /// for which program; with aggregation `integration` alone
        #[schema(nullable)]
        integration_type: LedgerIntegration,
    }

    /// Which report.
    CreateReport => service::CreateReport {
        /// extension: which report; `payroll_journal` without it
        #[schema(nullable)]
        report_type: ReportType,
        /// columns of the payroll journal, as the report template lists them; other reports have columns of their own
        #[schema(required)]
        columns: Words,
        /// what paychecks are gathered by: `payroll`, `employee`, `work_address`, `work_address_state`
        #[schema(nullable)]
        groupings: Words,
        /// what it is called, at most 100 characters
        #[schema(nullable)]
        custom_name: String,
        /// its format
        #[schema(required)]
        file_type: ReportFileType,
        /// whether a last line has the sums
        #[schema(nullable)]
        with_totals: bool,
        /// of which day of a payroll the first and the last day are; the pay date without it
        #[schema(nullable)]
        date_filter_type: ReportDateFilter,
        /// YYYY-MM-DD: first day
        #[schema(nullable)]
        start_date: String,
        /// YYYY-MM-DD: last day, at most 366 days later
        #[schema(nullable)]
        end_date: String,
        /// YYYY-MM-DD: only employees who left on this day or later
        #[schema(nullable)]
        dismissed_start_date: String,
        /// YYYY-MM-DD: only employees who left on this day or before
        #[schema(nullable)]
        dismissed_end_date: String,
        /// only paychecks that are paid so
        #[schema(nullable)]
        payment_method: ReportMethod,
        /// only paychecks of employees with this overtime status
        #[schema(nullable)]
        employment_type: ReportEmployment,
        /// only employees who stand so today
        #[schema(nullable)]
        employment_status: ReportStanding,
        /// only these employees
        #[schema(nullable)]
        employee_uuids: Words,
        /// only employees of these departments
        #[schema(nullable)]
        department_uuids: Words,
        /// only employees who work at these locations
        #[schema(nullable)]
        work_address_uuids: Words,
    }

    /// Of which years.
    CreateAnnualFicaWages => service::CreateFicaWages {
        /// first year, 2011 or later
        #[schema(required)]
        start_year: i64,
        /// last year, the present one at the latest
        #[schema(required)]
        end_year: i64,
    }
}
