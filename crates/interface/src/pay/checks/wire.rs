//! Paper checks on the wire.

use domain::pay::checks::{rows, service};
use domain::pay::reports::checks;
use domain::pay::reports::links::RequestedReport;
use rules::{Amount, Named};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::moment::format_moment;
use crate::pay::reports::wire::download_urls;
use crate::values::{LongLineText, PrintingFormat};

/// The checks of a payroll, whose pages are being created.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollChecks {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// the position of the check on the page
    #[schema(value_type = PrintingFormat)]
    pub printing_format: &'static str,
    /// the first check number that was requested
    pub starting_check_number: Option<i64>,
    /// the request, with which to poll the document
    pub request_uuid: Uuid,
    /// `pending`, `succeeded` or `failed`
    pub status: &'static str,
    /// the check number of each employee
    pub employee_check_number_mapping: Vec<EmployeeCheckNumber>,
}

/// The check number of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeCheckNumber {
    /// the employee
    pub employee_uuid: Uuid,
    /// the number
    pub check_number: i64,
}

impl From<checks::PrintedChecks> for PayrollChecks {
    fn from(printed: checks::PrintedChecks) -> Self {
        let numbers = printed
            .checks
            .iter()
            .map(|check| EmployeeCheckNumber { employee_uuid: check.employee, check_number: check.number });
        Self {
            payroll_uuid: printed.payroll,
            printing_format: printed.format.as_str(),
            starting_check_number: printed.start,
            request_uuid: printed.request.id,
            status: printed.request.status.as_str(),
            employee_check_number_mapping: numbers.collect(),
        }
    }
}

/// The status of a document.
#[derive(Debug, Serialize, ToSchema)]
pub struct GeneratedDocument {
    /// the request
    pub request_uuid: Uuid,
    /// `pending`, `succeeded` or `failed`
    pub status: &'static str,
    /// URL of the download, valid for ten minutes without a token; empty until it has succeeded
    pub document_urls: Vec<String>,
    /// why it failed (extension)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl GeneratedDocument {
    /// The answer; `base` is the URL of the hosted pages.
    pub fn new(base: &str, asked: RequestedReport) -> Self {
        Self {
            document_urls: download_urls(base, &asked),
            request_uuid: asked.request.id,
            status: asked.request.status.as_str(),
            failure: asked.request.failure,
        }
    }
}

/// A paper check.
#[derive(Debug, Serialize, ToSchema)]
pub struct Check {
    /// its number
    pub check_number: i64,
    /// the payroll
    pub payroll_uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// decimal text, dollars
    pub amount: String,
    /// when its number was assigned
    #[schema(format = DateTime)]
    pub issued_at: String,
    /// when it became void
    #[schema(format = DateTime)]
    pub voided_at: Option<String>,
    /// the reason
    pub void_reason: Option<String>,
}

impl From<rows::Check> for Check {
    fn from(check: rows::Check) -> Self {
        Self {
            check_number: check.number,
            payroll_uuid: check.payroll,
            employee_uuid: check.employee,
            amount: Amount::from_cents(check.cents).to_text(2),
            issued_at: format_moment(check.issued_at),
            voided_at: check.voided_at.map(format_moment),
            void_reason: check.void_reason,
        }
    }
}

/// How checks are printed.
#[derive(Debug, Serialize, ToSchema)]
pub struct CheckSettings {
    /// whether the MICR line is printed, for blank check stock
    pub micr_line: bool,
}

input! {
    /// The checks to print.
    PrintPayrollChecks => checks::PrintChecks {
        /// the position of the check on the page
        #[schema(required)]
        printing_format: PrintingFormat,
        /// the first check number; defaults to the next unused one
        #[schema(nullable)]
        starting_check_number: i64,
    }

    /// A check to void.
    VoidCheck => service::VoidCheck {
        /// the reason, at most 255 characters
        #[schema(required)]
        reason: LongLineText,
    }

    /// The change of how checks are printed.
    UpdateCheckSettings => service::UpdateCheckSettings {
        /// whether the MICR line is printed
        micr_line: bool,
    }
}
