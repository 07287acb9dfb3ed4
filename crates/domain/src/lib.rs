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
pub mod contractors;
pub mod datasets;
pub mod digest;
mod editable;
pub mod error;
pub mod events;
pub mod folding;
mod followers;
pub mod language;
pub mod loopback;
mod millionths;
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
pub mod returns;
pub mod salary;
pub mod sealed;
pub mod spreadsheet;
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
    "0001_schema",
    "0002_places_of_files",
    "0003_missed_premiums",
    "0004_tipped_occupations",
    "0005_year_end",
    "0006_after_payday",
    "0007_year_preparation"
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
    access::users::browsers::ALL,
    access::users::rows::ALL,
    contractors::payments::rows::ALL,
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
    contractors::accounts::rows::ALL,
    contractors::addresses::rows::ALL,
    contractors::documents::rows::ALL,
    contractors::profiles::rows::ALL,
    contractors::records::rows::ALL,
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
    pay::payroll_batches::ALL,
    pay::reports::bulk::ALL,
    pay::earning_types::rows::ALL,
    pay::external_payrolls::rows::ALL,
    pay::holiday_pay::rows::ALL,
    pay::pay_schedules::rows::ALL,
    pay::pay_schedules::schedule_spans::ALL,
    pay::reimbursements::rows::ALL,
    pay::reports::rows::ALL,
    pay::time_off::carry_over::ALL,
    pay::time_off::requests::rows::ALL,
    pay::time_off::rows::ALL,
    pay::time_sheets::batches::ALL,
    pay::time_sheets::rows::ALL,
    people::addresses::questions::ALL,
    pay::low_wages::ALL,
    people::addresses::rows::ALL,
    people::batches::ALL,
    people::departments::rows::ALL,
    people::employees::counts::ALL,
    people::employees::rows::ALL,
    people::employment::rows::ALL,
    people::flows::confirmation::ALL,
    people::flows::drafts::ALL,
    people::flows::portal::ALL,
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
    returns::forms::consents::ALL,
    returns::forms::preparations::ALL,
    returns::forms::rows::ALL,
    returns::outside_deposits::ALL,
    returns::positions::ALL,
    salary::estimates::rows::ALL,
    withholding::garnishments::lump_sums::ALL,
    withholding::notices::ALL,
    withholding::garnishments::remittances::ALL,
    withholding::garnishments::rows::ALL,
    withholding::garnishments::withheld::ALL,
    withholding::taxes::rows::ALL,
];

/// Every statement of this crate, for the test that prepares them on both engines.
pub fn domain_statements() -> Vec<store::Sql> {
    let put_together = [
        benefits::rows::benefit_statements(),
        money::money_statements(),
        pay::payrolls::sql_statements(),
        sealed::sealed_statements(),
    ]
    .concat();
    [OF_AREAS.concat(), put_together].concat()
}
