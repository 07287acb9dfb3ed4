//! The outbox: events of companies, for their subscribers.
//!
//! [`emit_event`] writes the event in the transaction of the change that caused it, so that an event exists exactly if its change does. Its
//! payload is generated once and kept byte for byte; delivery sends those bytes.
//!
//! Events are numbered so that a later number is a later commit, and a reader who continues from the last number misses nothing. Where
//! units commit one after the other, events are numbered as they are written; elsewhere after the commit, by [`webhooks::outbox`], which
//! creates the deliveries to subscribers. [`feed`] stores the numbers, and [`list`] reads events.

pub mod answering;
pub mod delivery;
pub mod feed;
pub mod list;
pub mod newest;
pub mod webhooks;

use serde::Serialize;
use serde_json::{Value, json};
use store::{Json, Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    INSERT = "INSERT INTO events (company_id, id, event_type, entity_type, entity_id, payload, created_at, application_id) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    // The next number after every event so far: the newest one is never deleted.
    INSERT_NUMBERED = "INSERT INTO events (company_id, id, event_type, entity_type, entity_id, payload, created_at, application_id, seq) \
                       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, COALESCE((SELECT max(seq) FROM events), 0) + 1)";
    /// Time of the last change: every change has an event, and the newest numbered one is never deleted. A worker's heartbeat counts in a
    /// store without changes.
    pub LATEST = "SELECT created_at FROM events WHERE seq = (SELECT max(seq) FROM events) \
              UNION ALL SELECT max(created_at) FROM events WHERE seq IS NULL \
              UNION ALL SELECT at FROM clock_marks WHERE name = 'seen'";
}

/// A kind of event with the kind of record that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventType {
    /// such as `employee.created`
    pub name: &'static str,
    /// such as `Employee`
    pub entity: &'static str,
}

macro_rules! event_types {
    ($($constant:ident = $name:literal on $entity:literal),+ $(,)?) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $constant: EventType = EventType { name: $name, entity: $entity };
        )+
        /// Every event type that the service emits.
        pub const ALL_TYPES: &[EventType] = &[$($constant),+];
    };
}

event_types! {
    COMPANY_PROVISIONED = "company.provisioned" on "Company",
    COMPANY_PARTNER_AUTHORIZED = "company.partner_authorized" on "Company",
    LOCATION_CREATED = "location.created" on "Location",
    LOCATION_UPDATED = "location.updated" on "Location",
    EMPLOYEE_CREATED = "employee.created" on "Employee",
    EMPLOYEE_UPDATED = "employee.updated" on "Employee",
    EMPLOYEE_DELETED = "employee.deleted" on "Employee",
    EMPLOYEE_ONBOARDED = "employee.onboarded" on "Employee",
    EMPLOYEE_TERMINATED = "employee.terminated" on "Employee",
    EMPLOYEE_TERMINATED_EFFECTIVE = "employee.terminated_effective" on "Employee",
    EMPLOYEE_SUPPORT_ORDER_LEAVES = "employee.child_support_termination_notice_due" on "Employee",
    EMPLOYEE_LUMP_SUM_TO_REPORT = "employee.child_support_lump_sum_notice_due" on "Employee",
    EMPLOYEE_TERMINATION_CANCELLED = "employee.termination_cancelled" on "Employee",
    EMPLOYEE_REHIRED = "employee.rehired" on "Employee",
    EMPLOYEE_REHIRE_EFFECTIVE = "employee.rehire_effective" on "Employee",
    EMPLOYEE_REHIRE_CANCELLED = "employee.rehire_cancelled" on "Employee",
    EMPLOYEE_CONFIRMATION_FAILED = "employee.confirmation_failed" on "Employee",
    CONTRACTOR_CONFIRMATION_FAILED = "contractor.confirmation_failed" on "Contractor",
    COMPANY_CONFIRMATION_FAILED = "company.confirmation_failed" on "Company",
    EMPLOYEE_MARKED_FOR_SELF_ONBOARDING = "employee.marked_for_self_onboarding" on "Employee",
    EMPLOYEE_SELF_ONBOARDING_COMPLETED = "employee.self_onboarding_completed" on "Employee",
    EMPLOYEE_INVITED_TO_PARTNER_PORTAL = "employee.invited_to_partner_portal" on "Employee",
    CONTRACTOR_CREATED = "contractor.created" on "Contractor",
    CONTRACTOR_UPDATED = "contractor.updated" on "Contractor",
    CONTRACTOR_DELETED = "contractor.deleted" on "Contractor",
    CONTRACTOR_ONBOARDED = "contractor.onboarded" on "Contractor",
    CONTRACTOR_MARKED_FOR_SELF_ONBOARDING = "contractor.marked_for_self_onboarding" on "Contractor",
    CONTRACTOR_SELF_ONBOARDING_COMPLETED = "contractor.self_onboarding_completed" on "Contractor",
    CONTRACTOR_DEACTIVATED = "contractor.deactivated" on "Contractor",
    CONTRACTOR_DEACTIVATION_EFFECTIVE = "contractor.deactivation_effective" on "Contractor",
    CONTRACTOR_DEACTIVATION_CANCELLED = "contractor.deactivation_cancelled" on "Contractor",
    CONTRACTOR_REACTIVATED = "contractor.reactivated" on "Contractor",
    CONTRACTOR_REACTIVATION_EFFECTIVE = "contractor.reactivation_effective" on "Contractor",
    CONTRACTOR_REACTIVATION_CANCELLED = "contractor.reactivation_cancelled" on "Contractor",
    CONTRACTOR_PAYMENT_METHOD_TYPE_UPDATED = "contractor.payment_method_type_updated" on "Contractor",
    CONTRACTOR_PAYMENT_METHOD_DELETED = "contractor.payment_method.deleted" on "Contractor",
    CONTRACTOR_BANK_ACCOUNT_CREATED = "contractor.bank_account.created" on "BankAccount",
    CONTRACTOR_BANK_ACCOUNT_UPDATED = "contractor.bank_account.updated" on "BankAccount",
    CONTRACTOR_BANK_ACCOUNT_DELETED = "contractor.bank_account.deleted" on "BankAccount",
    CONTRACTOR_FORM_CREATED = "contractor.form.created" on "Form",
    CONTRACTOR_FORM_UPDATED = "contractor.form.updated" on "Form",
    CONTRACTOR_FORM_SIGNED = "contractor.form.signed" on "Form",
    HOME_ADDRESS_CREATED = "employee.home_address.created" on "HomeAddress",
    HOME_ADDRESS_UPDATED = "employee.home_address.updated" on "HomeAddress",
    HOME_ADDRESS_DELETED = "employee.home_address.deleted" on "HomeAddress",
    WORK_ADDRESS_CREATED = "employee.work_address.created" on "WorkAddress",
    WORK_ADDRESS_UPDATED = "employee.work_address.updated" on "WorkAddress",
    WORK_ADDRESS_DELETED = "employee.work_address.deleted" on "WorkAddress",
    BANK_ACCOUNT_CREATED = "employee.bank_account.created" on "BankAccount",
    BANK_ACCOUNT_UPDATED = "employee.bank_account.updated" on "BankAccount",
    BANK_ACCOUNT_DELETED = "employee.bank_account.deleted" on "BankAccount",
    EMPLOYEE_PAYMENT_METHOD_TYPE_UPDATED = "employee.payment_method_type_updated" on "Employee",
    COMPENSATION_CREATED = "employee_job_compensation.created" on "EmployeeJobCompensation",
    COMPENSATION_UPDATED = "employee_job_compensation.updated" on "EmployeeJobCompensation",
    COMPENSATION_DELETED = "employee_job_compensation.deleted" on "EmployeeJobCompensation",
    PAY_SCHEDULE_CREATED = "pay_schedule.created" on "PaySchedule",
    PAY_SCHEDULE_UPDATED = "pay_schedule.updated" on "PaySchedule",
    PAYROLL_CREATED = "payroll.created" on "Payroll",
    PAYROLL_UPDATED = "payroll.updated" on "Payroll",
    PAYROLL_DELETED = "payroll.deleted" on "Payroll",
    PAYROLL_CALCULATED = "payroll.calculated" on "Payroll",
    PAYROLL_SUBMITTED = "payroll.submitted" on "Payroll",
    PAYROLL_PROCESSED = "payroll.processed" on "Payroll",
    PAYROLL_PROCESSING_FAILED = "payroll.processing_failed" on "Payroll",
    PAYROLL_PAID = "payroll.paid" on "Payroll",
    PAYROLL_CANCELLED = "payroll.cancelled" on "Payroll",
    PAYROLL_REVERSED = "payroll.reversed" on "Payroll",
    PAYROLL_PARTIALLY_REVERSED = "payroll.partially_reversed" on "Payroll",
    CONTRACTOR_PAYMENT_CREATED = "contractor_payment.created" on "ContractorPayment",
    CONTRACTOR_PAYMENT_CANCELLED = "contractor_payment.cancelled" on "ContractorPayment",
    CONTRACTOR_PAYMENT_GROUP_CREATED = "contractor_payment_group.created" on "ContractorPaymentGroup",
    CONTRACTOR_PAYMENT_GROUP_CANCELLED = "contractor_payment_group.cancelled" on "ContractorPaymentGroup",
    EXTERNAL_PAYROLL_CREATED = "external_payroll.created" on "ExternalPayroll",
    EXTERNAL_PAYROLL_UPDATED = "external_payroll.updated" on "ExternalPayroll",
    EXTERNAL_PAYROLL_DELETED = "external_payroll.deleted" on "ExternalPayroll",
    COMPANY_BENEFIT_CREATED = "company_benefit.created" on "CompanyBenefit",
    COMPANY_BENEFIT_UPDATED = "company_benefit.updated" on "CompanyBenefit",
    COMPANY_BENEFIT_DELETED = "company_benefit.deleted" on "CompanyBenefit",
    EMPLOYEE_BENEFIT_CREATED = "employee_benefit.created" on "EmployeeBenefit",
    EMPLOYEE_BENEFIT_UPDATED = "employee_benefit.updated" on "EmployeeBenefit",
    EMPLOYEE_BENEFIT_DELETED = "employee_benefit.deleted" on "EmployeeBenefit",
    PEOPLE_BATCH_COMPLETED = "people_batch.completed" on "PeopleBatch",
    PEOPLE_BATCH_FAILED = "people_batch.failed" on "PeopleBatch",
    TIME_SHEETS_BATCH_PROCESSING = "time_sheets_batch.processing" on "TimeSheetsBatch",
    TIME_SHEETS_BATCH_COMPLETED = "time_sheets_batch.completed" on "TimeSheetsBatch",
    TIME_OFF_REQUEST_CREATED = "time_off_request.created" on "TimeOffRequest",
    TIME_OFF_REQUEST_UPDATED = "time_off_request.updated" on "TimeOffRequest",
    TIME_OFF_REQUEST_DELETED = "time_off_request.deleted" on "TimeOffRequest",
    FORM_CREATED = "employee.form.created" on "Form",
    FORM_UPDATED = "employee.form.updated" on "Form",
    FORM_SIGNED = "employee.form.signed" on "Form",
    NOTIFICATION_EMPLOYEE_REVIEW_CREATED = "notification.employee_review.created" on "Notification",
    NOTIFICATION_EMPLOYEE_REVIEW_RESOLVED = "notification.employee_review.resolved" on "Notification",
    NOTIFICATION_MISSED_PAYDAY_CREATED = "notification.missed_anchor_pay_day.created" on "Notification",
    NOTIFICATION_MISSED_PAYDAY_RESOLVED = "notification.missed_anchor_pay_day.resolved" on "Notification",
    NOTIFICATION_LAST_WAGES_CREATED = "notification.employees_termination_payroll.created" on "Notification",
    NOTIFICATION_LAST_WAGES_RESOLVED = "notification.employees_termination_payroll.resolved" on "Notification",
    NOTIFICATION_TRANSITION_CREATED = "notification.pay_schedule_transition.created" on "Notification",
    NOTIFICATION_TRANSITION_RESOLVED = "notification.pay_schedule_transition.resolved" on "Notification",
    NOTIFICATION_RECOVERY_CASE_CREATED = "notification.recovery_case.created" on "Notification",
    NOTIFICATION_RECOVERY_CASE_RESOLVED = "notification.recovery_case.resolved" on "Notification",
    NOTIFICATION_BANK_ACCOUNT_CREATED = "notification.bank_account.created" on "Notification",
    NOTIFICATION_BANK_ACCOUNT_RESOLVED = "notification.bank_account.resolved" on "Notification",
    NOTIFICATION_DOCUMENTS_CREATED = "notification.sign_company_documents.created" on "Notification",
    NOTIFICATION_DOCUMENTS_RESOLVED = "notification.sign_company_documents.resolved" on "Notification",
    NOTIFICATION_RETURNED_ACCOUNT_CREATED = "notification.employee_bank_verification_failure.created" on "Notification",
    NOTIFICATION_RETURNED_ACCOUNT_RESOLVED = "notification.employee_bank_verification_failure.resolved" on "Notification",
    NOTIFICATION_SUPPORT_RETURNED_CREATED = "notification.child_support_returned.created" on "Notification",
    NOTIFICATION_SUPPORT_RETURNED_RESOLVED = "notification.child_support_returned.resolved" on "Notification",
    NOTIFICATION_TAX_FORM_CORRECTION_CREATED = "notification.tax_form_correction.created" on "Notification",
    NOTIFICATION_TAX_FORM_CORRECTION_RESOLVED = "notification.tax_form_correction.resolved" on "Notification",
    NOTIFICATION_HOME_QUESTIONS_CREATED = "notification.home_address_questions.created" on "Notification",
    NOTIFICATION_HOME_QUESTIONS_RESOLVED = "notification.home_address_questions.resolved" on "Notification",
    NOTIFICATION_MINIMUM_WAGE_CREATED = "notification.update_min_wages.created" on "Notification",
    NOTIFICATION_MINIMUM_WAGE_RESOLVED = "notification.update_min_wages.resolved" on "Notification",
    NOTIFICATION_YEAR_END_CREATED = "notification.year_end_preparation.created" on "Notification",
    NOTIFICATION_YEAR_END_RESOLVED = "notification.year_end_preparation.resolved" on "Notification",
    COMPANY_UPDATED = "company.updated" on "Company",
    COMPANY_NEEDS_APPROVAL = "company.needs_approval" on "Company",
    COMPANY_APPROVED = "company.approved" on "Company",
    COMPANY_SUSPENDED = "company.suspended" on "Company",
    COMPANY_SUSPENDED_EFFECTIVE = "company.suspended_effective" on "Company",
    COMPANY_UNSUSPENDED = "company.unsuspended" on "Company",
    COMPANY_ONBOARDED = "company.onboarded" on "Company",
    COMPANY_MARKED_AS_HIGH_RISK = "company.marked_as_high_risk_business" on "Company",
    COMPANY_MARKED_AS_MARIJUANA = "company.marked_as_marijuana_business" on "Company",
    COMPANY_BANK_ACCOUNT_CREATED = "company.bank_account.created" on "BankAccount",
    COMPANY_BANK_ACCOUNT_UPDATED = "company.bank_account.updated" on "BankAccount",
    COMPANY_BANK_ACCOUNT_DELETED = "company.bank_account.deleted" on "BankAccount",
    COMPANY_BANK_ACCOUNT_VERIFIED = "company.bank_account.verified" on "BankAccount",
    COMPANY_FORM_CREATED = "company.form.created" on "Form",
    COMPANY_FORM_UPDATED = "company.form.updated" on "Form",
    COMPANY_FORM_SIGNED = "company.form.signed" on "Form",
    SIGNATORY_CREATED = "signatory.created" on "Signatory",
    SIGNATORY_UPDATED = "signatory.updated" on "Signatory",
    SIGNATORY_DELETED = "signatory.deleted" on "Signatory",
    SIGNATORY_MARKED_FOR_INVITE = "signatory.marked_for_invite" on "Signatory",
    COMPANY_ADMIN_CREATED = "company.admin.created" on "CompanyAdmin",
    COMPANY_ADMIN_UPDATED = "company.admin.updated" on "CompanyAdmin",
    COMPANY_ADMIN_DELETED = "company.admin.deleted" on "CompanyAdmin",
    HOLIDAY_POLICY_CREATED = "company.holiday_pay_policy.created" on "HolidayPayPolicy",
    HOLIDAY_POLICY_UPDATED = "company.holiday_pay_policy.updated" on "HolidayPayPolicy",
    HOLIDAY_POLICY_DELETED = "company.holiday_pay_policy.deleted" on "HolidayPayPolicy",
    LIABILITY_PAYMENT_CREATED = "company.liability_payment.created" on "LiabilityPayment",
    GARNISHMENT_CREATED = "employee.garnishment.created" on "Garnishment",
    GARNISHMENT_UPDATED = "employee.garnishment.updated" on "Garnishment",
    PAYROLL_SYNC_COMPLETED = "payroll_sync.completed" on "PayrollSync",
    COMPANY_MIGRATED = "company.migrated" on "Company",
    COMPANY_DEPROVISIONED = "company.deprovisioned" on "Company",
}

/// The event as it is delivered (specification, Webhook event).
#[derive(Serialize)]
struct Payload<'a> {
    uuid: Uuid,
    event_type: &'a str,
    resource_type: &'a str,
    resource_uuid: Uuid,
    entity_type: &'a str,
    entity_uuid: Uuid,
    timestamp: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    references: Option<Value>,
}

/// Records an event about `entity` of `company`.
pub fn emit_event(tx: &mut Tx<'_>, company: Uuid, event: EventType, entity: Uuid) -> Result<(), Error> {
    write_event(tx, company, event, entity, (None, None))
}

/// Records an event between a company and one application, which no other application receives.
pub fn emit_to(tx: &mut Tx<'_>, company: Uuid, event: EventType, application: Uuid) -> Result<(), Error> {
    write_event(tx, company, event, company, (None, Some(application)))
}

/// As [`emit_event`], for an event that contains the company of its entity.
pub fn emit_of_company(tx: &mut Tx<'_>, company: Uuid, event: EventType, entity: Uuid) -> Result<(), Error> {
    write_event(tx, company, event, entity, (Some(json!({ "company_uuid": company })), None))
}

/// As [`emit_of_company`], with the event's id as the caller has derived it: a unit in the background that draws no ids leaves those of others,
/// in a seeded world, as they are without it.
pub fn emit_derived(
    tx: &mut Tx<'_>,
    company: Uuid,
    (event, id): (EventType, Uuid),
    entity: Uuid,
) -> Result<(), Error> {
    let references = json!({ "company_uuid": company });
    write_as(tx, company, (event, id), entity, (Some(references), None))
}

/// As [`emit_event`], for an event that contains the company and the batch that is its entity.
pub fn emit_of_batch(tx: &mut Tx<'_>, company: Uuid, event: EventType, batch: Uuid) -> Result<(), Error> {
    let references = json!({ "company_uuid": company, "batch_uuid": batch });
    write_event(tx, company, event, batch, (Some(references), None))
}

/// As [`emit_event`], for an event that contains the company and the employee of its entity.
pub fn emit_of_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    event: EventType,
    entity: Uuid,
    employee: Uuid,
) -> Result<(), Error> {
    let references = json!({ "company_uuid": company, "employee_uuid": employee });
    write_event(tx, company, event, entity, (Some(references), None))
}

/// As [`emit_event`], for an event that contains the company and the contractor of its entity.
pub fn emit_of_contractor(
    tx: &mut Tx<'_>,
    company: Uuid,
    event: EventType,
    entity: Uuid,
    contractor: Uuid,
) -> Result<(), Error> {
    let references = json!({ "company_uuid": company, "contractor_uuid": contractor });
    write_event(tx, company, event, entity, (Some(references), None))
}

fn write_event(
    tx: &mut Tx<'_>,
    company: Uuid,
    event: EventType,
    entity: Uuid,
    (references, to): (Option<Value>, Option<Uuid>),
) -> Result<(), Error> {
    let id = tx.new_id();
    write_as(tx, company, (event, id), entity, (references, to))
}

fn write_as(
    tx: &mut Tx<'_>,
    company: Uuid,
    (event, id): (EventType, Uuid),
    entity: Uuid,
    (references, to): (Option<Value>, Option<Uuid>),
) -> Result<(), Error> {
    let now = tx.now();
    let payload = Payload {
        uuid: id,
        event_type: event.name,
        resource_type: "Company",
        resource_uuid: company,
        entity_type: event.entity,
        entity_uuid: entity,
        timestamp: now.as_second(),
        references,
    };
    let payload =
        serde_json::to_string(&payload).unwrap_or_else(|error| panic!("an event is always JSON: {error}"));
    let row = params![company, id, event.name, event.entity, entity, Json(&payload), now, to];
    if tx.one_after_the_other() {
        tx.insert_row(INSERT_NUMBERED, row)?;
    } else {
        tx.insert_row(INSERT, row)?;
    }
    tx.wake_workers();
    Ok(())
}
