//! The employer: its record, locations, signatory, taxes, bank account, forms, and onboarding.

pub mod attachments;
pub mod banks;
pub mod companies;
pub mod document_links;
pub mod forms;
pub mod locations;
pub mod partners;
pub mod payment_configs;
pub mod profile;
pub mod setup;
pub mod signatories;
pub mod suspensions;
pub mod taxes;
