//! The descriptions of the differences between date versions, shown by `GET /v1/versions/diff`, `/docs/versions` and
//! docs/versions.md.

use domain::version::{ApiVersion, Change};
use serde::Serialize;
use utoipa::ToSchema;

/// Area, operations, what is different, what to do.
type Said = (&'static str, &'static [&'static str], &'static str, &'static str);

/// A difference, described for a client that migrates past the version.
#[derive(Debug, Clone, Serialize, ToSchema, PartialEq, Eq)]
pub struct Difference {
    /// the first version that has it
    pub version: &'static str,
    /// area of the API, as in the description
    pub area: &'static str,
    /// affected operations, as method and route
    pub operations: &'static [&'static str],
    /// what differs from this version on
    pub change: &'static str,
    /// what a client has to do
    pub action: &'static str,
}

const PAYROLL: &str = "GET /v1/companies/{company_id}/payrolls/{payroll_id}";
const PREPARE: &str = "PUT /v1/companies/{company_id}/payrolls/{payroll_id}/prepare";
const UPDATE: &str = "PUT /v1/companies/{company_id}/payrolls/{payroll_id}";
const CREATE: &str = "POST /v1/companies/{company_id}/payrolls";
const LIST: &str = "GET /v1/companies/{company_id}/payrolls";

/// The differences of `newer` from `older`, oldest first.
pub fn differences_between(older: ApiVersion, newer: ApiVersion) -> Vec<Difference> {
    let brought = |change: &Change| newer.includes_change(*change) && !older.includes_change(*change);
    Change::ALL.into_iter().filter(brought).map(describe_change).collect()
}

/// The description of a difference.
pub fn describe_change(this: Change) -> Difference {
    let (area, operations, change, action) = match this {
        Change::DeductionsByDefault
        | Change::ReimbursementsApart
        | Change::FaultsUnderTheirField
        | Change::UnusedHoursAsNull
        | Change::SkippedLastPeriodIsNamed
        | Change::StaleEntriesConflict
        | Change::AmountsAsText
        | Change::OffCycleDatesOmitted
        | Change::OffCycleNamesEmployees
        | Change::PayrollsInPages
        | Change::ReceiptInPages => of_payrolls(this),
        Change::ContractorGroupsAfterPreview
        | Change::ContractorRecordsCreated
        | Change::ContractorPaymentNotes => of_contractors(this),
        _ => of_the_rest(this),
    };
    Difference { version: this.since().as_str(), area, operations, change, action }
}

fn of_payrolls(this: Change) -> Said {
    let (operations, change, action): (&[&str], _, _) = match this {
        Change::DeductionsByDefault => (
            &[PAYROLL, PREPARE, UPDATE],
            "Each employee of a regular payroll has `deductions`, even without include=deductions.",
            "Omit include=deductions for regular payrolls; keep sending it for off-cycle payrolls.",
        ),
        Change::ReimbursementsApart => (
            &[PAYROLL, PREPARE, UPDATE, CREATE, "GET /v1/companies/{company_id}"],
            "Reimbursements are listed only in `reimbursements`, one entry each. `fixed_compensations` no longer has a line \
             named Reimbursement, and does not accept one.",
            "Send and read `reimbursements`; remove the line from the `fixed_compensations` that you send.",
        ),
        Change::UnusedHoursAsNull => (
            &[PAYROLL, PREPARE, UPDATE],
            "final_payout_unused_hours_input in paid_time_off is null if there are no such hours; earlier versions omit it.",
            "Treat null as none.",
        ),
        Change::FaultsUnderTheirField => (
            &[UPDATE],
            "Errors in entered pay are nested under the error_key employee_compensations instead of payroll_items.",
            "Look for employee_compensations in the errors of the response.",
        ),
        Change::SkippedLastPeriodIsNamed => (
            &["POST /v1/companies/{company_uuid}/payrolls/skip"],
            "payroll_type Dismissed employee requires end_date and pay_schedule_uuid; earlier versions use today's pay period.",
            "Send both as listed by unprocessed_termination_pay_periods.",
        ),
        Change::StaleEntriesConflict => (
            &[UPDATE],
            "A version that is not the current one returns 409 invalid_resource_version instead of 422.",
            "On 409, prepare the payroll again.",
        ),
        Change::AmountsAsText => (
            &[LIST, PAYROLL, PREPARE, UPDATE],
            "gross_pay, net_pay, check_amount, and the amounts in deductions, taxes and benefits are strings with \
             two decimal places instead of numbers.",
            "Parse them as decimal strings.",
        ),
        Change::OffCycleDatesOmitted => (
            &[LIST, PAYROLL, PREPARE, UPDATE, CREATE],
            "initial_check_date and payroll_late in payroll_status_meta are null for off-cycle payrolls.",
            "Use check_date for off-cycle payrolls.",
        ),
        Change::OffCycleNamesEmployees => (
            &[CREATE],
            "An empty list in employee_uuids is refused with 422. If employee_uuids is omitted, the payroll includes all employees.",
            "Send the employees to pay, or omit employee_uuids.",
        ),
        Change::PayrollsInPages => (
            &[LIST],
            "The list is always paged, with 25 payrolls per page by default.",
            "Follow X-Total-Pages.",
        ),
        Change::ReceiptInPages => (
            &["GET /v1/payrolls/{payroll_id}/receipt"],
            "Employees are always paged, 25 per page by default; earlier versions return all of them if neither page nor per is sent.",
            "Follow X-Total-Pages.",
        ),
        _ => panic!("{this:?} is no difference of payrolls"),
    };
    ("Payrolls", operations, change, action)
}

fn of_the_rest(this: Change) -> Said {
    match this {
        Change::RehireMayBeNone => (
            "Employment",
            &["GET /v1/employees/{employee_id}/rehire"],
            "For an employee without a rehire the response is 204 without a body instead of 404.",
            "Treat 204 as no rehire.",
        ),
        Change::TokenMomentAsNumber => (
            "OAuth",
            &["POST /oauth/token"],
            "created_at is a number of seconds instead of a string.",
            "Read a number.",
        ),
        Change::AbsentTextAsNull => (
            "Employees",
            &[
                "POST /v1/companies/{company_id}/employees",
                "GET /v1/companies/{company_id}/employees",
                "GET /v1/employees/{employee_id}",
                "PUT /v1/employees/{employee_id}",
                "GET /v1/employees/{employee_id}/work_addresses",
                "POST /v1/employees/{employee_id}/work_addresses",
                "GET /v1/work_addresses/{work_address_uuid}",
                "PUT /v1/work_addresses/{work_address_uuid}",
                "GET /v1/employees/{employee_id}/home_addresses",
                "POST /v1/employees/{employee_id}/home_addresses",
                "GET /v1/home_addresses/{home_address_uuid}",
                "PUT /v1/home_addresses/{home_address_uuid}",
            ],
            "email and work_email of an employee, and street_2 of an address, are null if they were never given; earlier \
             versions return an empty string.",
            "Treat null as none. Requests accept both in every version.",
        ),
        Change::AutoPayroll => (
            "Pay schedules",
            &[
                "GET /v1/companies/{company_id}/pay_schedules",
                "POST /v1/companies/{company_id}/pay_schedules",
                "GET /v1/companies/{company_id}/pay_schedules/{pay_schedule_id}",
                "PUT /v1/companies/{company_id}/pay_schedules/{pay_schedule_id}",
                LIST,
                PAYROLL,
            ],
            "auto_pilot is named auto_payroll in responses.",
            "Read auto_payroll. Requests accept both names in every version.",
        ),
        Change::DirectDepositNeedsAccount => (
            "Employee payment methods",
            &["PUT /v1/employees/{employee_id}/payment_method"],
            "Direct Deposit for an employee without a bank account is refused with 422.",
            "Add the bank account first.",
        ),
        Change::EmailForSelfOnboarding => (
            "Employees",
            &["POST /v1/companies/{company_id}/employees"],
            "email is required if self_onboarding is true.",
            "Send email.",
        ),
        Change::ElectiveByType => (
            "Employee benefits",
            &[
                "POST /v1/employees/{employee_id}/employee_benefits",
                "PUT /v1/employee_benefits/{employee_benefit_id}",
                "PUT /v1/company_benefits/{company_benefit_id}/employee_benefits",
            ],
            "elective of a SIMPLE IRA is set by its type; a different value is refused with 422.",
            "Omit elective for a SIMPLE IRA.",
        ),
        _ => of_migration(this),
    }
}

fn of_contractors(this: Change) -> Said {
    match this {
        Change::ContractorGroupsAfterPreview => (
            "Contractor payments",
            &["POST /v1/companies/{company_id}/contractor_payment_groups"],
            "creation_token is required: it comes from the preview of the same payments.",
            "Preview the payments, and send the creation_token of the response.",
        ),
        Change::ContractorRecordsCreated => (
            "Contractor payments",
            &["POST /v1/companies/{company_id}/contractor_payment_groups", "POST /v1/sandbox/generate_1099"],
            "Creating is answered 201 instead of 200.",
            "Expect 201.",
        ),
        Change::ContractorPaymentNotes => (
            "Contractor payments",
            &[
                "POST /v1/companies/{company_id}/contractor_payments",
                "GET /v1/companies/{company_id}/contractor_payments",
                "GET /v1/companies/{company_id}/contractor_payments/{contractor_payment_id}",
                "GET /v1/contractors/{contractor_uuid}/payments",
                "POST /v1/companies/{company_id}/contractor_payment_groups",
                "POST /v1/companies/{company_id}/contractor_payment_groups/preview",
                "GET /v1/contractor_payment_groups/{contractor_payment_group_uuid}",
            ],
            "Payments have memo and invoice_number, in requests and responses.",
            "Nothing; send them if the contractor should see them.",
        ),
        _ => panic!("{this:?} is no difference of contractors"),
    }
}

fn of_migration(this: Change) -> Said {
    match this {
        Change::TermsByPayrollAdministrator => (
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
        Change::MoveWithoutEmail => (
            "Company migration",
            &["PUT /v1/partner_managed_companies/{company_uuid}/migrate"],
            "The fields of the body are no longer required, and email is ignored.",
            "Accept the terms of service with their own operation.",
        ),
        Change::MoveTellsFindings => (
            "Company migration",
            &["PUT /v1/partner_managed_companies/{company_uuid}/migrate"],
            "migration_status is true instead of \"success\"; errors and warnings are separate lists.",
            "Read migration_status as a boolean, and show the warnings.",
        ),
        Change::TermsWithoutBody => (
            "Company migration",
            &[
                "POST /v1/partner_managed_companies/{company_uuid}/accept_terms_of_service",
                "POST /v1/partner_managed_companies/{company_uuid}/retrieve_terms_of_service",
            ],
            "Both operations are deprecated and return no body.",
            "Use POST, PUT and GET on terms_of_service.",
        ),
        _ => panic!("{this:?} is a difference of payrolls"),
    }
}
