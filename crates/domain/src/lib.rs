//! Payroll as records, statements and use cases, by area.
//!
//! A use case takes a transaction, the caller and a command, and returns records. This crate knows nothing of HTTP, of
//! pages or of the store's engine.
#![allow(
    clippy::result_large_err,
    reason = "a violation is plain data, and a broken rule is rare enough that its size costs nothing"
)]

pub mod access;
pub mod batch;
pub mod benefits;
pub mod company;
pub mod datasets;
pub mod digest;
mod editable;
pub mod error;
pub mod events;
mod followers;
pub mod language;
pub mod loopback;
pub mod money;
pub mod offboarding;
pub mod paging;
pub mod patch;
pub mod pay;
pub mod people;
mod placement;
pub mod platform;
pub mod readiness;
pub mod records;
pub mod salary;
pub mod sealed;
pub mod version;
pub mod withholding;

pub use error::Error;
pub use placement::PLACEMENTS;

/// Declares the files of the migrations folder.
macro_rules! migrations {
    ($($name:literal),+ $(,)?) => {
        &[$(store::Migration {
            name: $name,
            text: include_str!(concat!("../../../migrations/", $name, ".sql")),
        }),+]
    };
}

/// Every migration, oldest first.
pub const MIGRATIONS: &[store::Migration] = migrations![
    "0001_store",
    "0002_foundation",
    "0003_payment_methods",
    "0004_taxes",
    "0005_forms",
    "0006_flow_sessions",
    "0007_webhooks",
    "0008_oauth",
    "0009_company",
    "0010_garnishments",
    "0011_reference_data",
    "0012_salary_estimates",
    "0013_benefits",
    "0014_pay_schedules",
    "0015_payrolls",
    "0017_flow_drafts",
    "0018_audit_seals",
    "0019_master_keys",
    "0030_job_failures",
    "0045_data_key_rotations",
    "0046_rules_of_runs",
    "0047_runs_of_withholdings",
    "0048_payroll_settings",
    "0049_last_paychecks",
    "0054_sessions_by_owner",
    "0055_offboarding",
    "0056_links",
    "0057_clock_marks",
    "0058_pages_of_kept_answers",
    "0059_remote_work",
    "0060_confirmed_figures",
    "0070_garnishment_law",
    "0071_adjustments_after_calculation",
    "0072_medical_support_notices",
    "0080_employment",
    "0081_separations",
    "0090_earning_types",
    "0091_company_suspensions",
    "0092_recurring_reimbursements",
    "0093_pay_schedule_assignments",
    "0094_skipped_payrolls",
    "0100_payroll_tax_settings",
    "0101_block_unworked_taxes",
    "0105_jurisdictions_of_addresses",
    "0110_agreed_overtime_rate",
    "0111_workweek_first_day",
    "0112_levies_for_age_and_blindness",
    "0113_earning_types_in_regular_rate",
    "0115_time_off",
    "0116_departments",
    "0117_new_employers",
    "0125_holiday_pay",
    "0135_time_off_requests",
    "0136_new_hire_filings",
    "0137_fluctuating_workweeks",
    "0145_external_payrolls",
    "0146_limits_of_deferrals",
    "0155_bank_files",
    "0156_bank_returns",
    "0157_wire_in_requests",
    "0165_books",
    "0166_checks",
    "0167_reports",
    "0175_links_lead_back",
    "0185_event_feed",
    "0200_employer_fees",
    "0201_lump_sum_notices",
    "0220_i9_reviews",
    "0221_historical_employees",
    "0250_recovery_cases",
    "0251_bank_pickups",
    "0265_identity_checks",
    "0270_employee_counts",
    "0280_contribution_exclusions",
    "0281_time_sheets",
    "0282_people_batches",
    "0283_payroll_digests",
    "0300_deposit_schedules",
    "0301_tax_deposits",
    "0310_attachments",
    "0350_feed_of_a_file",
    "0360_pay_schedule_stretches",
    "0370_partner_disbursements",
    "0371_returned_accounts",
    "0385_payroll_fundings",
    "0386_returned_entries",
    "0400_access_of_applications",
    "0401_events_of_one_application",
    "0420_last_days",
    "0440_runs_of_payrolls",
    "0470_held_entries",
    "0490_debited_entries",
    "0510_names_of_administrators",
    "0520_claims_of_exemption",
    "0540_seen_changes",
    "0541_places_of_files",
];

/// The tables and the hooks on changes of their records: what a store of the domain is opened with.
pub const SCHEMA: store::Schema =
    store::Schema { migrations: MIGRATIONS, placements: PLACEMENTS, extension: &followers::HOOKS };

/// The lists of statements of each area.
const OF_AREAS: &[&[store::Sql]] = &[
    access::applications::ALL,
    access::connections::ALL,
    access::idempotency::ALL,
    access::oauth::codes::ALL,
    access::oauth::sessions::ALL,
    access::oauth::tokens::ALL,
    access::themes::ALL,
    access::tokens::ALL,
    access::users::attempts::ALL,
    access::users::rows::ALL,
    company::attachments::rows::ALL,
    company::banks::rows::ALL,
    company::companies::rows::ALL,
    company::companies::traits::ALL,
    company::document_links::ALL,
    company::forms::rows::ALL,
    company::locations::rows::ALL,
    company::partners::rows::ALL,
    company::payment_configs::ALL,
    company::setup::rows::ALL,
    company::signatories::rows::ALL,
    company::suspensions::rows::ALL,
    company::taxes::deposit_schedules::ALL,
    company::taxes::rows::ALL,
    events::ALL,
    events::webhooks::outbox::ALL,
    events::delivery::rows::ALL,
    events::delivery::tries::ALL,
    events::feed::ALL,
    events::list::ALL,
    events::webhooks::redelivery::ALL,
    events::webhooks::rows::ALL,
    pay::books::accounts::ALL,
    pay::books::rows::ALL,
    pay::checks::rows::ALL,
    pay::compensations::rows::ALL,
    pay::digests::ALL,
    pay::earning_types::rows::ALL,
    pay::external_payrolls::rows::ALL,
    pay::holiday_pay::rows::ALL,
    pay::pay_schedules::rows::ALL,
    pay::pay_schedules::stretches::ALL,
    pay::reimbursements::rows::ALL,
    pay::reports::rows::ALL,
    pay::time_off::carry_over::ALL,
    pay::time_off::requests::rows::ALL,
    pay::time_off::rows::ALL,
    pay::time_sheets::rows::ALL,
    people::addresses::rows::ALL,
    people::batches::ALL,
    people::departments::rows::ALL,
    people::employees::counts::ALL,
    people::employees::rows::ALL,
    people::employment::rows::ALL,
    people::flows::confirmation::ALL,
    people::flows::drafts::ALL,
    people::flows::rows::ALL,
    people::flows::session::ALL,
    people::forms::rows::ALL,
    people::new_hires::ALL,
    people::new_hires::files::ALL,
    people::onboarding::reviews::ALL,
    people::payment_methods::rows::ALL,
    people::profiles::rows::ALL,
    platform::audit::ALL,
    platform::audit::seals::ALL,
    platform::jobs::ALL,
    platform::jobs::dead_letters::ALL,
    platform::jobs::work::ALL,
    platform::confirmations::ALL,
    platform::moments::ALL,
    platform::reference::rows::ALL,
    salary::estimates::rows::ALL,
    withholding::garnishments::lump_sums::ALL,
    withholding::notices::ALL,
    withholding::garnishments::remittances::ALL,
    withholding::garnishments::rows::ALL,
    withholding::garnishments::withheld::ALL,
    withholding::taxes::rows::ALL,
];

/// Every statement of this crate, for the test that prepares them on both engines.
pub fn statements() -> Vec<store::Sql> {
    let put_together =
        [benefits::rows::all(), money::statements(), pay::payrolls::statements(), sealed::statements()]
            .concat();
    [OF_AREAS.concat(), put_together].concat()
}
