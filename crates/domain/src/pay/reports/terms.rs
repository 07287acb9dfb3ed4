//! The terms of a request, as stored with it.

use jiff::civil::Date;
use rules::days::Days;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

/// Declares enums that are stored by their API names.
macro_rules! sets {
    ($($(#[$about:meta])* $name:ident { $($(#[$each:meta])* $variant:ident = $text:literal,)+ })+) => {$(
        $(#[$about])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString, Serialize, Deserialize,
        )]
        pub enum $name {
            $($(#[$each])* #[strum(serialize = $text)] #[serde(rename = $text)] $variant,)+
        }
    )+};
}

sets! {
    /// The report.
    Report {
        /// paychecks with the requested columns
        PayrollJournal = "payroll_journal",
        /// taxes by jurisdiction
        TaxLiability = "tax_liability",
        /// cash that each payroll requires from the company's account
        CashRequirement = "cash_requirement",
        /// paychecks and pay by department
        DepartmentSummary = "department_summary",
    }

    /// The file type of the result.
    FileType {
        /// with a header row
        Csv = "csv",
        /// an object with rows
        Json = "json",
        /// pages
        Pdf = "pdf",
    }

    /// A criterion for grouping paychecks.
    Grouping {
        /// the payroll
        Payroll = "payroll",
        /// the employee
        Employee = "employee",
        /// the location
        WorkAddress = "work_address",
        /// its state
        WorkAddressState = "work_address_state",
    }

    /// The date that the first and last day refer to.
    DateFilter {
        /// the pay date
        CheckDate = "check_date",
        /// the first day of the pay period
        PeriodStart = "period_start_date",
        /// its last day
        PeriodEnd = "period_end_date",
    }

    /// How paychecks are paid.
    Method {
        /// by check
        Check = "check",
        /// by direct deposit into bank accounts
        DirectDeposit = "direct_deposit",
    }

    /// Overtime status of the primary job.
    Employment {
        /// salaried, exempt from overtime
        Exempt = "exempt",
        /// salaried, eligible for overtime
        SalariedNonexempt = "salaried_nonexempt",
        /// paid by the hour
        Nonexempt = "nonexempt",
        /// commission only, exempt
        CommissionOnlyExempt = "commission_only_exempt",
        /// commission only, eligible
        CommissionOnlyNonexempt = "commission_only_nonexempt",
    }

    /// Employment status: whether an employee works for the company, and how much.
    Standing {
        /// full time
        FullTime = "active_full_time",
        /// part time
        PartTime = "active_part_time",
        /// part time, eligible for benefits
        PartTimeEligible = "active_part_time_eligible",
        /// variable hours
        Variable = "active_variable",
        /// seasonal
        Seasonal = "active_seasonal",
        /// active, with any working time
        Active = "active",
        /// terminated
        Dismissed = "dismissed",
    }

    /// The criterion for aggregating the lines of a general ledger.
    Aggregation {
        /// account, agency and name only
        Plain = "default",
        /// also job
        Job = "job",
        /// also department
        Department = "department",
        /// format of an accounting program
        Integration = "integration",
    }

    /// An accounting program.
    Integration {
        /// Xero
        Xero = "xero",
        /// QuickBooks Online
        Qbo = "qbo",
    }
}

/// The terms of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Terms {
    /// a table of payrolls
    Custom(Box<Custom>),
    /// the postings of a payroll
    GeneralLedger {
        /// the payroll
        payroll: Uuid,
        /// criterion for aggregating them
        aggregation: Aggregation,
        /// accounting program they are for
        integration: Option<Integration>,
    },
    /// Social Security and Medicare wages
    AnnualFicaWages {
        /// first year
        start_year: i16,
        /// last year
        end_year: i16,
    },
    /// printed checks
    PrintableChecks {
        /// the payroll
        payroll: Uuid,
        /// calculation whose pay they are for
        run: Uuid,
        /// whether the check is the bottom third of the page, not the top third
        at_bottom: bool,
    },
}

impl Grouping {
    /// Returns the columns that identify a group.
    pub fn grouping_columns(self) -> &'static [&'static str] {
        match self {
            Self::Payroll => &["check_date"],
            Self::Employee => &["employee_last_name", "employee_first_name"],
            Self::WorkAddress => {
                &["work_address_street", "work_address_city", "work_address_state", "work_address_zip"]
            }
            Self::WorkAddressState => &["work_address_state"],
        }
    }
}

impl Terms {
    /// Returns the file type of the result.
    pub fn file_type(&self) -> FileType {
        match self {
            Self::Custom(custom) => custom.file_type,
            Self::GeneralLedger { .. } => FileType::Json,
            Self::AnnualFicaWages { .. } => FileType::Csv,
            Self::PrintableChecks { .. } => FileType::Pdf,
        }
    }

    /// Whether the result is a document, not a report.
    pub fn is_document(&self) -> bool {
        matches!(self, Self::PrintableChecks { .. })
    }
}

/// A table of payrolls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Custom {
    /// the report
    pub report: Report,
    /// names of the columns of the payroll journal
    pub columns: Vec<String>,
    /// criteria for grouping paychecks
    pub groupings: Vec<Grouping>,
    /// name of the report
    pub custom_name: Option<String>,
    /// the format
    pub file_type: FileType,
    /// whether to add a last row with totals
    pub with_totals: bool,
    /// date that the first and last day refer to
    pub date_filter: DateFilter,
    /// first day
    pub start: Date,
    /// last day
    pub end: Date,
    /// only employees who left on this day or later
    pub dismissed_from: Option<Date>,
    /// only employees who left on this day or before
    pub dismissed_until: Option<Date>,
    /// only paychecks with this payment method
    pub method: Option<Method>,
    /// only employees with this overtime status
    pub employment: Option<Employment>,
    /// only employees with this employment status today
    pub standing: Option<Standing>,
    /// only these employees
    pub employees: Option<Vec<Uuid>>,
    /// only employees of these departments
    pub departments: Option<Vec<Uuid>>,
    /// only employees who work at these locations
    pub locations: Option<Vec<Uuid>>,
}

impl Custom {
    /// Creates the terms of a report for some days, as CSV and for all employees.
    pub fn for_days(report: Report, Days { first: start, last: end }: Days) -> Self {
        Self {
            report,
            columns: Vec::new(),
            groupings: Vec::new(),
            custom_name: None,
            file_type: FileType::Csv,
            with_totals: false,
            date_filter: DateFilter::CheckDate,
            start,
            end,
            dismissed_from: None,
            dismissed_until: None,
            method: None,
            employment: None,
            standing: None,
            employees: None,
            departments: None,
            locations: None,
        }
    }
}
