//! The employer: its record, locations, signatories, taxes, bank accounts, forms, and onboarding.

pub mod attachments;
pub mod banks;
pub mod companies;
pub mod forms;
pub mod locations;
pub mod money;
pub mod notices;
pub mod partners;
pub mod places;
pub mod setup;
pub mod signatories;
pub mod suspensions;
pub mod taxes;
