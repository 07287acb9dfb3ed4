//! The calls that lead to each event. Changes of a company itself are made to a new one, so that the demo world stays
//! as reported.

use domain::events;
use domain::events::EventType;

use super::contractors;
use super::steps::{
    ACCOUNT, ADMINISTERED, ASKED, BACK, BACK_SOON, BANK, BENEFIT, BONUS_WITH_ORDER, By, CALCULATE,
    CALCULATED, CHECK_ONLY, DEDUCTION, DEPOSITS, EMPLOYEE, ENROLLED, EVERY_STEP, EXTERNAL_PAYROLL, FEDERAL,
    FINISHED, HOME, JOB, LATER_HOME, LATER_WORK, LEAVING, LEAVING_APART, LEFT, LEFT_WITH_ORDER, LOCATION,
    MOVED, NOTE_HIGH_RISK, NOTE_MARIJUANA, OFF_CYCLE, ONBOARDED, OTHER_BANK, PAID_HOLIDAYS, PAID_TOO_LITTLE,
    PAY, PAYROLL, PROCESSED, PROCESSED_PAYROLL, PROVISIONED, RAISE, SCHEDULE, SHEETS, SIGNATORY,
    SIGNED_COMPANY_FORM, SIGNED_W4, SUBMIT, SUSPEND, Step, TRANSITION, VERIFY, W4, WORK, delete_call,
    get_call, post_call, put_call,
};

/// Every event with the steps that lead to it; a test compares them with the event types.
pub const RECIPES: &[(EventType, &[Step])] = &[
    (events::COMPANY_PROVISIONED, PROVISIONED),
    (events::COMPANY_PARTNER_AUTHORIZED, &[Step::Consent("connected")]),
    (
        events::COMPANY_MIGRATED,
        &[
            Step::Consent("connected"),
            Step::Unless("PUT", "/v1/partner_managed_companies/{connected.company_uuid}/disassociate"),
            Step::Consent("connected"),
            Step::Enter("connected"),
            get_call("/v1/companies/{company}/signatories", "signatories"),
            post_call(
                "/v1/partner_managed_companies/{company}/accept_terms_of_service",
                r#"{"email":"{signatories.0.email}","ip_address":"203.0.113.7","external_user_id":"user-7"}"#,
                "",
            ),
            put_call(
                "/v1/partner_managed_companies/{company}/migrate",
                r#"{"email":"{signatories.0.email}","ip_address":"203.0.113.7","external_user_id":"user-7"}"#,
                "",
            ),
        ],
    ),
    (
        events::COMPANY_DEPROVISIONED,
        &[
            Step::First(PROVISIONED),
            Step::Call {
                by: By::Application,
                method: "PUT",
                path: "/v1/partner_managed_companies/{company}/disassociate",
                body: "",
                name: "",
            },
        ],
    ),
    (
        events::COMPANY_UPDATED,
        &[Step::First(PROVISIONED), put_call("/v1/companies/{company}", r#"{"contractor_only":true}"#, "")],
    ),
    (events::COMPANY_ONBOARDED, FINISHED),
    (events::COMPANY_NEEDS_APPROVAL, FINISHED),
    (events::COMPANY_APPROVED, &[Step::First(FINISHED), put_call("/v1/companies/{company}/approve", "", "")]),
    (events::COMPANY_SUSPENDED, &[Step::First(PROVISIONED), SUSPEND]),
    (events::COMPANY_SUSPENDED_EFFECTIVE, &[Step::First(PROVISIONED), SUSPEND]),
    (
        events::COMPANY_UNSUSPENDED,
        &[Step::First(PROVISIONED), SUSPEND, put_call("/v1/companies/{company}/reinstate", "", "")],
    ),
    (events::COMPANY_MARKED_AS_HIGH_RISK, &[Step::First(PROVISIONED), NOTE_HIGH_RISK]),
    (events::COMPANY_MARKED_AS_MARIJUANA, &[Step::First(PROVISIONED), NOTE_MARIJUANA]),
    (events::COMPANY_BANK_ACCOUNT_CREATED, &[Step::First(PROVISIONED), BANK]),
    (events::COMPANY_BANK_ACCOUNT_UPDATED, &[Step::First(PROVISIONED), BANK, DEPOSITS]),
    (events::COMPANY_BANK_ACCOUNT_DELETED, &[Step::First(PROVISIONED), BANK, OTHER_BANK]),
    (events::COMPANY_BANK_ACCOUNT_VERIFIED, &[Step::First(PROVISIONED), BANK, DEPOSITS, VERIFY]),
    (events::NOTIFICATION_BANK_ACCOUNT_CREATED, &[Step::First(PROVISIONED), BANK]),
    (events::NOTIFICATION_BANK_ACCOUNT_RESOLVED, &[Step::First(PROVISIONED), BANK, DEPOSITS, VERIFY]),
    (events::NOTIFICATION_DOCUMENTS_CREATED, &[Step::First(PROVISIONED), BANK]),
    (events::NOTIFICATION_DOCUMENTS_RESOLVED, SIGNED_COMPANY_FORM),
    (events::COMPANY_FORM_CREATED, &[Step::First(PROVISIONED), Step::First(FEDERAL), SIGNATORY]),
    (events::COMPANY_FORM_SIGNED, SIGNED_COMPANY_FORM),
    (events::COMPANY_FORM_UPDATED, &[Step::First(SIGNED_COMPANY_FORM), OTHER_BANK]),
    (events::COMPANY_ADMIN_CREATED, ADMINISTERED),
    (
        events::COMPANY_ADMIN_UPDATED,
        &[
            Step::First(ADMINISTERED),
            post_call(
                "/v1/companies/{company}/admins",
                r#"{"first_name":"Nils","last_name":"Trigger","email":"nils.trigger@people.example","primary":true}"#,
                "",
            ),
        ],
    ),
    (
        events::COMPANY_ADMIN_DELETED,
        &[Step::First(ADMINISTERED), delete_call("/v1/companies/{company}/admins/{admin}")],
    ),
    (events::HOLIDAY_POLICY_CREATED, PAID_HOLIDAYS),
    (
        events::HOLIDAY_POLICY_UPDATED,
        &[
            Step::First(PAID_HOLIDAYS),
            put_call(
                "/v1/companies/{company}/holiday_pay_policy",
                r#"{"version":"{policy.version}","federal_holidays":{"columbus_day":{"selected":true}}}"#,
                "",
            ),
        ],
    ),
    (
        events::HOLIDAY_POLICY_DELETED,
        &[Step::First(PAID_HOLIDAYS), delete_call("/v1/companies/{company}/holiday_pay_policy")],
    ),
    (
        events::LIABILITY_PAYMENT_CREATED,
        &[
            Step::First(CHECK_ONLY),
            CALCULATE,
            CALCULATED,
            SUBMIT,
            PROCESSED,
            get_call("/v1/companies/{company}/liabilities", "owed"),
            post_call(
                "/v1/companies/{company}/liability_payments",
                r#"{"liability_uuid":"{owed.0.uuid}","amount":"0.01","paid_on":"{today-1}"}"#,
                "",
            ),
        ],
    ),
    (events::GARNISHMENT_CREATED, &[EMPLOYEE, DEDUCTION]),
    (
        events::GARNISHMENT_UPDATED,
        &[
            EMPLOYEE,
            DEDUCTION,
            put_call(
                "/v1/garnishments/{deduction}",
                r#"{"version":"{deduction.version}","amount":"30.00"}"#,
                "",
            ),
        ],
    ),
    (
        events::PAYROLL_SYNC_COMPLETED,
        &[
            get_call(
                "/v1/companies/{company}/payrolls?processing_statuses=unprocessed&payroll_types=regular",
                "open",
            ),
            post_call(
                "/v1/companies/{company}/time_tracking/payroll_syncs",
                r#"{"kind":"regular","pay_schedule_uuid":"{open.0.pay_period.pay_schedule_uuid}","pay_period_start_date":"{open.0.pay_period.start_date}","pay_period_end_date":"{open.0.pay_period.end_date}"}"#,
                "",
            ),
        ],
    ),
    (events::SIGNATORY_CREATED, &[Step::First(PROVISIONED), SIGNATORY]),
    (
        events::SIGNATORY_UPDATED,
        &[
            Step::First(PROVISIONED),
            SIGNATORY,
            put_call(
                "/v1/companies/{company}/signatories/{signatory}",
                r#"{"version":"{signatory.version}","title":"President"}"#,
                "",
            ),
        ],
    ),
    (
        events::SIGNATORY_DELETED,
        &[
            Step::First(PROVISIONED),
            SIGNATORY,
            delete_call("/v1/companies/{company}/signatories/{signatory}"),
        ],
    ),
    (
        events::SIGNATORY_MARKED_FOR_INVITE,
        &[
            Step::First(PROVISIONED),
            post_call(
                "/v1/companies/{company}/signatories/invite",
                r#"{"first_name":"Susan","last_name":"Trigger","email":"susan.trigger@people.example"}"#,
                "",
            ),
        ],
    ),
    (events::PAY_SCHEDULE_CREATED, &[Step::First(PROVISIONED), SCHEDULE]),
    (
        events::PAY_SCHEDULE_UPDATED,
        &[
            Step::First(PROVISIONED),
            SCHEDULE,
            put_call(
                "/v1/companies/{company}/pay_schedules/{schedule}",
                r#"{"version":"{schedule.version}","custom_name":"Everybody"}"#,
                "",
            ),
        ],
    ),
    (events::LOCATION_CREATED, &[LOCATION]),
    (
        events::LOCATION_UPDATED,
        &[
            LOCATION,
            put_call(
                "/v1/locations/{location}",
                r#"{"version":"{location.version}","street_2":"Suite 7"}"#,
                "",
            ),
        ],
    ),
    (events::CONTRACTOR_CONFIRMATION_FAILED, contractors::UNCONFIRMED),
    (events::CONTRACTOR_CREATED, contractors::CREATED),
    (events::CONTRACTOR_UPDATED, contractors::UPDATED),
    (events::CONTRACTOR_DELETED, contractors::DELETED),
    (events::CONTRACTOR_ONBOARDED, contractors::ONBOARDED),
    (events::CONTRACTOR_MARKED_FOR_SELF_ONBOARDING, contractors::MARKED),
    (events::CONTRACTOR_SELF_ONBOARDING_COMPLETED, contractors::SELF_ONBOARDED),
    (events::CONTRACTOR_DEACTIVATED, contractors::DISMISSED),
    (events::CONTRACTOR_DEACTIVATION_EFFECTIVE, contractors::DISMISSED),
    (events::CONTRACTOR_DEACTIVATION_CANCELLED, contractors::DISMISSAL_CANCELLED),
    (events::CONTRACTOR_REACTIVATED, contractors::REHIRED),
    (events::CONTRACTOR_REACTIVATION_EFFECTIVE, contractors::REHIRED),
    (events::CONTRACTOR_REACTIVATION_CANCELLED, contractors::REHIRE_CANCELLED),
    (events::CONTRACTOR_PAYMENT_METHOD_TYPE_UPDATED, contractors::ACCOUNT_CREATED),
    (events::CONTRACTOR_PAYMENT_METHOD_DELETED, contractors::ACCOUNT_DELETED),
    (events::CONTRACTOR_BANK_ACCOUNT_CREATED, contractors::ACCOUNT_CREATED),
    (events::CONTRACTOR_BANK_ACCOUNT_UPDATED, contractors::ACCOUNT_UPDATED),
    (events::CONTRACTOR_BANK_ACCOUNT_DELETED, contractors::ACCOUNT_DELETED),
    (events::CONTRACTOR_FORM_CREATED, contractors::ENTERED),
    (events::CONTRACTOR_FORM_UPDATED, contractors::CHANGED_FORM),
    (events::CONTRACTOR_FORM_SIGNED, contractors::SIGNED),
    (events::CONTRACTOR_PAYMENT_CREATED, contractors::PAID),
    (events::CONTRACTOR_PAYMENT_CANCELLED, contractors::PAYMENT_CANCELLED),
    (events::CONTRACTOR_PAYMENT_GROUP_CREATED, contractors::GROUP_PAID),
    (events::CONTRACTOR_PAYMENT_GROUP_CANCELLED, contractors::GROUP_CANCELLED),
    (events::EMPLOYEE_CREATED, &[EMPLOYEE]),
    (events::EMPLOYEE_MARKED_FOR_SELF_ONBOARDING, &[EMPLOYEE]),
    (
        events::EMPLOYEE_INVITED_TO_PARTNER_PORTAL,
        &[EMPLOYEE, post_call("/v1/employees/{employee}/member_portal_invitations", "{}", "")],
    ),
    (events::NOTIFICATION_HOME_QUESTIONS_CREATED, MOVED),
    (
        events::NOTIFICATION_HOME_QUESTIONS_RESOLVED,
        &[
            Step::First(MOVED),
            put_call(
                "/v1/home_addresses/{moved}",
                r#"{"version":"{moved.version}","city":"Dallas","state":"TX","zip":"75201"}"#,
                "",
            ),
        ],
    ),
    (events::NOTIFICATION_MINIMUM_WAGE_CREATED, PAID_TOO_LITTLE),
    (
        events::NOTIFICATION_MINIMUM_WAGE_RESOLVED,
        &[
            Step::First(PAID_TOO_LITTLE),
            put_call("/v1/compensations/{low}", r#"{"version":"{low.version}","rate":"21.00"}"#, ""),
        ],
    ),
    (
        events::EMPLOYEE_UPDATED,
        &[
            EMPLOYEE,
            put_call(
                "/v1/employees/{employee}",
                r#"{"version":"{employee.version}","last_name":"Triggered"}"#,
                "",
            ),
        ],
    ),
    (events::EMPLOYEE_DELETED, &[EMPLOYEE, delete_call("/v1/employees/{employee}")]),
    (events::EMPLOYEE_ONBOARDED, ONBOARDED),
    (events::EMPLOYEE_SELF_ONBOARDING_COMPLETED, EVERY_STEP),
    (events::NOTIFICATION_EMPLOYEE_REVIEW_CREATED, EVERY_STEP),
    (
        events::NOTIFICATION_EMPLOYEE_REVIEW_RESOLVED,
        &[
            Step::First(EVERY_STEP),
            put_call(
                "/v1/employees/{employee}/onboarding_status",
                r#"{"onboarding_status":"onboarding_completed"}"#,
                "",
            ),
        ],
    ),
    (events::EMPLOYEE_TERMINATED, LEAVING),
    (events::EMPLOYEE_TERMINATED_EFFECTIVE, LEFT),
    (events::EMPLOYEE_SUPPORT_ORDER_LEAVES, LEFT_WITH_ORDER),
    (events::EMPLOYEE_LUMP_SUM_TO_REPORT, BONUS_WITH_ORDER),
    (
        events::EMPLOYEE_TERMINATION_CANCELLED,
        &[Step::First(LEAVING), delete_call("/v1/employees/{employee}/terminations")],
    ),
    (events::EMPLOYEE_REHIRED, &[Step::First(LEFT), BACK_SOON]),
    (events::EMPLOYEE_REHIRE_EFFECTIVE, &[Step::First(LEFT), BACK]),
    (
        events::EMPLOYEE_REHIRE_CANCELLED,
        &[Step::First(LEFT), BACK_SOON, delete_call("/v1/employees/{employee}/rehire")],
    ),
    // The idempotency key of a batch can be used only once: it is that of a new employee.
    (
        events::PEOPLE_BATCH_COMPLETED,
        &[
            EMPLOYEE,
            post_call(
                "/v1/companies/{company}/people_batches",
                r#"{"idempotency_key":"{employee}","batch_action":"create","batch":[{"entity_type":"employee","person":{"external_id":"trigger","first_name":"Robin","last_name":"Batch"}}]}"#,
                "",
            ),
        ],
    ),
    (
        events::PEOPLE_BATCH_FAILED,
        &[
            EMPLOYEE,
            post_call(
                "/v1/companies/{company}/people_batches",
                r#"{"idempotency_key":"{employee}","batch_action":"create","batch":[{"entity_type":"employee","person":{"external_id":"trigger","first_name":"","last_name":"Batch"}}]}"#,
                "",
            ),
        ],
    ),
    (events::TIME_SHEETS_BATCH_PROCESSING, SHEETS),
    (events::TIME_SHEETS_BATCH_COMPLETED, SHEETS),
    (events::TIME_OFF_REQUEST_CREATED, ASKED),
    (
        events::TIME_OFF_REQUEST_UPDATED,
        &[Step::First(ASKED), put_call("/v1/time_off/requests/{request}/approve", "{}", "")],
    ),
    (events::TIME_OFF_REQUEST_DELETED, &[Step::First(ASKED), delete_call("/v1/time_off/requests/{request}")]),
    (events::HOME_ADDRESS_CREATED, &[EMPLOYEE, HOME]),
    (
        events::HOME_ADDRESS_UPDATED,
        &[
            EMPLOYEE,
            HOME,
            put_call("/v1/home_addresses/{home}", r#"{"version":"{home.version}","street_2":"Unit 3"}"#, ""),
        ],
    ),
    (events::HOME_ADDRESS_DELETED, &[EMPLOYEE, HOME, LATER_HOME, delete_call("/v1/home_addresses/{home}")]),
    (events::WORK_ADDRESS_CREATED, &[EMPLOYEE, LOCATION, WORK]),
    (
        events::WORK_ADDRESS_UPDATED,
        &[
            EMPLOYEE,
            LOCATION,
            WORK,
            LATER_WORK,
            put_call(
                "/v1/work_addresses/{later}",
                r#"{"version":"{later.version}","effective_date":"2026-03-02"}"#,
                "",
            ),
        ],
    ),
    (
        events::WORK_ADDRESS_DELETED,
        &[EMPLOYEE, LOCATION, WORK, LATER_WORK, delete_call("/v1/work_addresses/{work}")],
    ),
    (events::BANK_ACCOUNT_CREATED, &[EMPLOYEE, ACCOUNT]),
    (events::EMPLOYEE_PAYMENT_METHOD_TYPE_UPDATED, &[EMPLOYEE, ACCOUNT]),
    (
        events::BANK_ACCOUNT_UPDATED,
        &[
            EMPLOYEE,
            ACCOUNT,
            put_call(
                "/v1/employees/{employee}/bank_accounts/{account}",
                r#"{"name":"Joint","routing_number":"021001208","account_number":"52190031","account_type":"Savings"}"#,
                "",
            ),
        ],
    ),
    (
        events::BANK_ACCOUNT_DELETED,
        &[EMPLOYEE, ACCOUNT, delete_call("/v1/employees/{employee}/bank_accounts/{account}")],
    ),
    (events::COMPENSATION_CREATED, &[EMPLOYEE, JOB]),
    (events::COMPENSATION_UPDATED, &[EMPLOYEE, JOB, PAY]),
    (events::COMPENSATION_DELETED, &[EMPLOYEE, JOB, PAY, RAISE, delete_call("/v1/compensations/{raise}")]),
    (events::FORM_CREATED, W4),
    (events::FORM_SIGNED, SIGNED_W4),
    (
        events::FORM_UPDATED,
        &[
            Step::First(SIGNED_W4),
            put_call(
                "/v1/employees/{employee}/federal_taxes",
                r#"{"version":"{taxes.version}","w4_data_type":"rev_2020_w4","filing_status":"Married"}"#,
                "",
            ),
        ],
    ),
    (events::EXTERNAL_PAYROLL_CREATED, &[EXTERNAL_PAYROLL]),
    (
        events::EXTERNAL_PAYROLL_UPDATED,
        &[
            EMPLOYEE,
            EXTERNAL_PAYROLL,
            put_call(
                "/v1/companies/{company}/external_payrolls/{external}",
                r#"{"external_payroll_items":[{"employee_uuid":"{employee}","earnings":[{"earning_id":1,"amount":"1000.00"}]}]}"#,
                "",
            ),
        ],
    ),
    (
        events::EXTERNAL_PAYROLL_DELETED,
        &[EXTERNAL_PAYROLL, delete_call("/v1/companies/{company}/external_payrolls/{external}")],
    ),
    (events::COMPANY_BENEFIT_CREATED, &[BENEFIT]),
    (
        events::COMPANY_BENEFIT_UPDATED,
        &[
            BENEFIT,
            put_call(
                "/v1/company_benefits/{benefit}",
                r#"{"version":"{benefit.version}","description":"Gym, fitness and swimming"}"#,
                "",
            ),
        ],
    ),
    (events::COMPANY_BENEFIT_DELETED, &[BENEFIT, delete_call("/v1/company_benefits/{benefit}")]),
    (events::EMPLOYEE_BENEFIT_CREATED, ENROLLED),
    (
        events::EMPLOYEE_BENEFIT_UPDATED,
        &[
            Step::First(ENROLLED),
            put_call(
                "/v1/employee_benefits/{enrolled}",
                r#"{"version":"{enrolled.version}","employee_deduction":"55.00"}"#,
                "",
            ),
        ],
    ),
    (
        events::EMPLOYEE_CONFIRMATION_FAILED,
        &[
            post_call(
                "/v1/companies/{company}/employees",
                r#"{"first_name":"Robin","last_name":"Trigger","date_of_birth":"1990-04-01","ssn":"412551077"}"#,
                "employee",
            ),
            post_call(
                "/v1/companies/{company}/flows",
                r#"{"flow_type":"employee_self_management","entity_type":"Employee","entity_uuid":"{employee}"}"#,
                "link",
            ),
            Step::Guess("link", "payment"),
        ],
    ),
    (
        events::COMPANY_CONFIRMATION_FAILED,
        &[
            Step::First(PROVISIONED),
            SIGNATORY,
            post_call(
                "/v1/companies/{company}/flows",
                r#"{"flow_type":"add_bank_info","entity_type":"Company","entity_uuid":"{company}"}"#,
                "link",
            ),
            Step::Guess("link", "bank"),
        ],
    ),
    (
        events::EMPLOYEE_BENEFIT_DELETED,
        &[Step::First(ENROLLED), delete_call("/v1/employee_benefits/{enrolled}")],
    ),
    (events::PAYROLL_CREATED, OFF_CYCLE),
    (events::NOTIFICATION_LAST_WAGES_CREATED, LEAVING_APART),
    (
        events::NOTIFICATION_LAST_WAGES_RESOLVED,
        &[
            Step::First(LEAVING_APART),
            put_call(
                "/v1/terminations/{employee}",
                r#"{"version":"{termination.version}","effective_date":"{today+30}","run_termination_payroll":false}"#,
                "",
            ),
        ],
    ),
    (events::NOTIFICATION_TRANSITION_CREATED, TRANSITION),
    (events::NOTIFICATION_TRANSITION_RESOLVED, &[Step::First(TRANSITION), delete_call(PAYROLL)]),
    (
        events::PAYROLL_UPDATED,
        &[
            Step::First(OFF_CYCLE),
            put_call("/v1/companies/{company}/payrolls/{payroll}/prepare", "{ }", "prepared"),
            put_call(
                PAYROLL,
                r#"{"employee_compensations":[{"employee_uuid":"{people.onboarding_completed}","version":"{prepared.employee_compensations.0.version}","memo":"Thank you"}]}"#,
                "",
            ),
        ],
    ),
    (events::PAYROLL_DELETED, &[Step::First(OFF_CYCLE), delete_call(PAYROLL)]),
    (events::PAYROLL_CALCULATED, &[Step::First(OFF_CYCLE), CALCULATE, CALCULATED]),
    (events::PAYROLL_SUBMITTED, &[Step::First(OFF_CYCLE), CALCULATE, CALCULATED, SUBMIT]),
    (events::PAYROLL_PROCESSED, PROCESSED_PAYROLL),
    (
        events::PAYROLL_CANCELLED,
        &[
            Step::First(PROCESSED_PAYROLL),
            put_call("/v1/companies/{company}/payrolls/{payroll}/cancel", "", ""),
        ],
    ),
    (events::PAYROLL_PAID, &[Step::First(CHECK_ONLY), CALCULATE, CALCULATED, SUBMIT, PROCESSED]),
    (
        events::PAYROLL_PROCESSING_FAILED,
        &[Step::First(OFF_CYCLE), put_call("/v1/companies/{company}/payrolls/{payroll}/fail", "", "")],
    ),
];
