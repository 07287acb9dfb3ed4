//! What was asked for, as it is stored with a request.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

/// Declares closed sets that are stored by the names that they have on the wire.
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
    /// Which report.
    Report {
        /// paychecks, by columns
        PayrollJournal = "payroll_journal",
        /// taxes by who levies them
        TaxLiability = "tax_liability",
        /// what each payroll takes from the company's account
        CashRequirement = "cash_requirement",
        /// paychecks and pay by department
        DepartmentSummary = "department_summary",
    }

    /// The format of what comes out.
    FileType {
        /// with a line of column names
        Csv = "csv",
        /// an object with rows
        Json = "json",
        /// pages
        Pdf = "pdf",
    }

    /// What paychecks are gathered by.
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

    /// Of which day the first and the last day are.
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
        /// into bank accounts
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

    /// Whether an employee works in the company, and how much.
    Standing {
        /// full time
        FullTime = "active_full_time",
        /// part time
        PartTime = "active_part_time",
        /// part time, eligible for benefits
        PartTimeEligible = "active_part_time_eligible",
        /// variable hours
        Variable = "active_variable",
        /// in a season
        Seasonal = "active_seasonal",
        /// however much
        Active = "active",
        /// has left
        Dismissed = "dismissed",
    }

    /// By what the lines of a general ledger are told apart.
    Aggregation {
        /// by nothing but account and name
        Plain = "default",
        /// by job
        Job = "job",
        /// by department
        Department = "department",
        /// as a bookkeeping program takes them
        Integration = "integration",
    }

    /// A bookkeeping program.
    Integration {
        /// Xero
        Xero = "xero",
        /// QuickBooks Online
        Qbo = "qbo",
    }
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Terms {
    /// a table of payrolls
    Custom(Box<Custom>),
    /// the lines of a payroll in the books
    GeneralLedger {
        /// the payroll
        payroll: Uuid,
        /// by what they are told apart
        aggregation: Aggregation,
        /// for which program
        integration: Option<Integration>,
    },
    /// what counted for Social Security and Medicare
    AnnualFicaWages {
        /// first year
        start_year: i16,
        /// last year
        end_year: i16,
    },
    /// checks on paper
    PrintableChecks {
        /// the payroll
        payroll: Uuid,
        /// the calculation that they pay
        run: Uuid,
        /// whether the check is the lowest third of the page, not the uppermost
        at_bottom: bool,
    },
}

impl Grouping {
    /// The columns that name what it gathers by.
    pub fn columns(self) -> &'static [&'static str] {
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
    /// The format of what comes out.
    pub fn file_type(&self) -> FileType {
        match self {
            Self::Custom(custom) => custom.file_type,
            Self::GeneralLedger { .. } => FileType::Json,
            Self::AnnualFicaWages { .. } => FileType::Csv,
            Self::PrintableChecks { .. } => FileType::Pdf,
        }
    }

    /// Whether it is a document, not a report.
    pub fn is_document(&self) -> bool {
        matches!(self, Self::PrintableChecks { .. })
    }
}

/// A table of payrolls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Custom {
    /// which
    pub report: Report,
    /// columns of paychecks, by their names
    pub columns: Vec<String>,
    /// what paychecks are gathered by
    pub groupings: Vec<Grouping>,
    /// what it is called
    pub custom_name: Option<String>,
    /// the format
    pub file_type: FileType,
    /// whether a last line has the sums
    pub with_totals: bool,
    /// of which day the first and the last day are
    pub date_filter: DateFilter,
    /// first day
    pub start: Date,
    /// last day
    pub end: Date,
    /// only who left on this day or later
    pub dismissed_from: Option<Date>,
    /// only who left on this day or before
    pub dismissed_until: Option<Date>,
    /// only what is paid so
    pub method: Option<Method>,
    /// only who has this overtime status
    pub employment: Option<Employment>,
    /// only who stands so today
    pub standing: Option<Standing>,
    /// only these
    pub employees: Option<Vec<Uuid>>,
    /// only who belongs to these
    pub departments: Option<Vec<Uuid>>,
    /// only who works at these locations
    pub locations: Option<Vec<Uuid>>,
}

impl Custom {
    /// A report of some days, as CSV, of everybody.
    pub fn of(report: Report, (start, end): (Date, Date)) -> Self {
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
