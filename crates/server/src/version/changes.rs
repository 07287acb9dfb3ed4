//! What differs between the date versions: one list, on which the code branches and which is told.
//!
//! A branch asks `caller.version.has(Change::AutoPayroll)`. Versions cannot be compared by date outside this module, so
//! a difference that is not in the list cannot be written; [`super::api`] and docs/versions.md tell the list.

use serde::Serialize;
use utoipa::ToSchema;

use super::ApiVersion;

/// A difference between a version and those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Deductions are told without being asked for.
    DeductionsByDefault,
    /// The moment at which a token was given is a number.
    TokenMomentAsNumber,
    /// `auto_pilot` is called `auto_payroll`.
    AutoPayroll,
    /// Reimbursements are no line of pay.
    ReimbursementsApart,
    /// Faults of what was entered are found under the name of the field.
    FaultsUnderTheirField,
    /// Direct deposit needs a bank account.
    DirectDepositNeedsAccount,
    /// What was entered from an old reading is a conflict.
    StaleEntriesConflict,
    /// Who onboards alone needs an e-mail address.
    EmailForSelfOnboarding,
    /// `elective` of a SIMPLE IRA follows from its type.
    ElectiveByType,
    /// Terms of service are accepted by an administrator of payroll.
    TermsByPayrollAdministrator,
    /// The move of a company needs no e-mail address.
    MoveWithoutEmail,
    /// The move of a company is answered with what was found.
    MoveTellsFindings,
    /// The older operations on terms of service answer without a body.
    TermsWithoutBody,
    /// Amounts of a payroll are text.
    AmountsAsText,
    /// When an off-cycle payroll was to be paid is not told.
    OffCycleDatesUntold,
    /// A payroll outside the schedule names its employees.
    OffCycleNamesEmployees,
    /// Payrolls come in pages.
    PayrollsInPages,
}

/// Area, operations, what is different, what to do.
type Told = (&'static str, &'static [&'static str], &'static str, &'static str);

/// A difference, as it is told to whoever changes the version.
#[derive(Debug, Clone, Serialize, ToSchema, PartialEq, Eq)]
pub struct Difference {
    /// the first version that has it
    pub version: &'static str,
    /// area of the interface, as in the description
    pub area: &'static str,
    /// operations that it touches, as method and route
    pub operations: &'static [&'static str],
    /// what is different from this version on
    pub change: &'static str,
    /// what a client does that moves past this version
    pub action: &'static str,
}

const PAYROLL: &str = "GET /v1/companies/{company_id}/payrolls/{payroll_id}";
const PREPARE: &str = "PUT /v1/companies/{company_id}/payrolls/{payroll_id}/prepare";
const UPDATE: &str = "PUT /v1/companies/{company_id}/payrolls/{payroll_id}";
const CREATE: &str = "POST /v1/companies/{company_id}/payrolls";
const LIST: &str = "GET /v1/companies/{company_id}/payrolls";

impl Change {
    /// Every difference, by version.
    pub const ALL: [Self; 17] = [
        Self::DeductionsByDefault,
        Self::TokenMomentAsNumber,
        Self::AutoPayroll,
        Self::ReimbursementsApart,
        Self::FaultsUnderTheirField,
        Self::DirectDepositNeedsAccount,
        Self::StaleEntriesConflict,
        Self::EmailForSelfOnboarding,
        Self::ElectiveByType,
        Self::TermsByPayrollAdministrator,
        Self::MoveWithoutEmail,
        Self::MoveTellsFindings,
        Self::TermsWithoutBody,
        Self::AmountsAsText,
        Self::OffCycleDatesUntold,
        Self::OffCycleNamesEmployees,
        Self::PayrollsInPages,
    ];

    /// The first version that has it.
    pub const fn since(self) -> ApiVersion {
        match self {
            Self::DeductionsByDefault | Self::TokenMomentAsNumber => ApiVersion::V2025_06_15,
            Self::AutoPayroll
            | Self::ReimbursementsApart
            | Self::FaultsUnderTheirField
            | Self::DirectDepositNeedsAccount => ApiVersion::V2025_11_15,
            Self::StaleEntriesConflict
            | Self::EmailForSelfOnboarding
            | Self::ElectiveByType
            | Self::TermsByPayrollAdministrator
            | Self::MoveWithoutEmail
            | Self::MoveTellsFindings => ApiVersion::V2026_02_01,
            Self::TermsWithoutBody
            | Self::AmountsAsText
            | Self::OffCycleDatesUntold
            | Self::OffCycleNamesEmployees
            | Self::PayrollsInPages => ApiVersion::V2026_06_15,
        }
    }

    /// The difference as it is told.
    pub fn told(self) -> Difference {
        let (area, operations, change, action) = match self {
            Self::DeductionsByDefault
            | Self::ReimbursementsApart
            | Self::FaultsUnderTheirField
            | Self::StaleEntriesConflict
            | Self::AmountsAsText
            | Self::OffCycleDatesUntold
            | Self::OffCycleNamesEmployees
            | Self::PayrollsInPages => self.of_payrolls(),
            _ => self.of_the_rest(),
        };
        Difference { version: self.since().as_str(), area, operations, change, action }
    }

    fn of_payrolls(self) -> Told {
        let (operations, change, action): (&[&str], _, _) = match self {
            Self::DeductionsByDefault => (
                &[PAYROLL, PREPARE, UPDATE],
                "Each employee of a regular payroll has `deductions`, also without include=deductions.",
                "Leave include=deductions out for regular payrolls, and send it still for off-cycle ones.",
            ),
            Self::ReimbursementsApart => (
                &[PAYROLL, PREPARE, UPDATE, CREATE, "GET /v1/companies/{company_id}"],
                "Reimbursements stand only in `reimbursements`, one by one. No line of `fixed_compensations` is called \
                 Reimbursement any more, and none can be sent.",
                "Send and read `reimbursements`; drop the line from what you send in `fixed_compensations`.",
            ),
            Self::FaultsUnderTheirField => (
                &[UPDATE],
                "Faults of what was entered are nested under the error_key employee_compensations instead of \
                 payroll_items.",
                "Look for employee_compensations in the answer's errors.",
            ),
            Self::StaleEntriesConflict => (
                &[UPDATE],
                "A version that is not the current one is answered 409 invalid_resource_version instead of 422.",
                "Treat 409 as the sign to prepare the payroll again.",
            ),
            Self::AmountsAsText => (
                &[LIST, PAYROLL, PREPARE, UPDATE],
                "gross_pay, net_pay, check_amount, and the amounts in deductions, taxes and benefits are text with two \
                 places instead of numbers.",
                "Read them as decimal text.",
            ),
            Self::OffCycleDatesUntold => (
                &[LIST, PAYROLL, PREPARE, UPDATE, CREATE],
                "initial_check_date and payroll_late in payroll_status_meta are null for off-cycle payrolls.",
                "Take the check_date of an off-cycle payroll.",
            ),
            Self::OffCycleNamesEmployees => (
                &[CREATE],
                "employee_uuids must name at least one employee; without it the call is refused with 422.",
                "Send the employees that the payroll is for.",
            ),
            Self::PayrollsInPages => (
                &[LIST],
                "The list always comes in pages, of 25 payrolls where per says nothing else.",
                "Follow X-Total-Pages.",
            ),
            _ => panic!("{self:?} is no difference of payrolls"),
        };
        ("Payrolls", operations, change, action)
    }

    fn of_the_rest(self) -> Told {
        match self {
            Self::TokenMomentAsNumber => (
                "OAuth",
                &["POST /oauth/token"],
                "created_at is a number of seconds instead of text.",
                "Read a number.",
            ),
            Self::AutoPayroll => (
                "Pay schedules",
                &[
                    "GET /v1/companies/{company_id}/pay_schedules",
                    "POST /v1/companies/{company_id}/pay_schedules",
                    "GET /v1/companies/{company_id}/pay_schedules/{pay_schedule_id}",
                    "PUT /v1/companies/{company_id}/pay_schedules/{pay_schedule_id}",
                    LIST,
                    PAYROLL,
                ],
                "auto_pilot is called auto_payroll in answers.",
                "Read auto_payroll. In requests both names are taken, in every version.",
            ),
            Self::DirectDepositNeedsAccount => (
                "Employee payment methods",
                &["PUT /v1/employees/{employee_id}/payment_method"],
                "Direct Deposit for an employee without a bank account is refused with 422.",
                "Add the bank account first.",
            ),
            Self::EmailForSelfOnboarding => (
                "Employees",
                &["POST /v1/companies/{company_id}/employees"],
                "email is needed where self_onboarding is true.",
                "Send email.",
            ),
            Self::ElectiveByType => (
                "Employee benefits",
                &[
                    "POST /v1/employees/{employee_id}/employee_benefits",
                    "PUT /v1/employee_benefits/{employee_benefit_id}",
                    "PUT /v1/company_benefits/{company_benefit_id}/employee_benefits",
                ],
                "elective of a SIMPLE IRA is filled in by its type, and refused with 422 where it says otherwise.",
                "Leave elective out for a SIMPLE IRA.",
            ),
            _ => self.of_migration(),
        }
    }

    fn of_migration(self) -> Told {
        match self {
            Self::TermsByPayrollAdministrator => (
                "Company migration",
                &[
                    "POST /v1/partner_managed_companies/{company_uuid}/terms_of_service",
                    "POST /v1/partner_managed_companies/{company_uuid}/accept_terms_of_service",
                    "GET /v1/partner_managed_companies/{company_uuid}/terms_of_service",
                    "GET /v1/partner_managed_companies/{company_uuid}/migration_readiness",
                    "PUT /v1/partner_managed_companies/{company_uuid}/migrate",
                ],
                "Only an administrator who may authorize payroll can accept the terms of service, and only such an \
                 acceptance counts.",
                "Show the terms to the primary or a full-access administrator.",
            ),
            Self::MoveWithoutEmail => (
                "Company migration",
                &["PUT /v1/partner_managed_companies/{company_uuid}/migrate"],
                "The fields of the body are not needed any more; email is not looked at.",
                "Nothing; the terms of service are accepted by an operation of their own.",
            ),
            Self::MoveTellsFindings => (
                "Company migration",
                &["PUT /v1/partner_managed_companies/{company_uuid}/migrate"],
                "migration_status is true instead of \"success\", and errors and warnings are lists beside it.",
                "Read migration_status as a boolean, and show the warnings.",
            ),
            Self::TermsWithoutBody => (
                "Company migration",
                &[
                    "POST /v1/partner_managed_companies/{company_uuid}/accept_terms_of_service",
                    "POST /v1/partner_managed_companies/{company_uuid}/retrieve_terms_of_service",
                ],
                "Both operations are deprecated and answer without a body.",
                "Use POST, PUT and GET on terms_of_service.",
            ),
            _ => panic!("{self:?} is a difference of payrolls"),
        }
    }
}
