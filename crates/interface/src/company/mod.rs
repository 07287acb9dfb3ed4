//! The employer: its record, places, people who sign, taxes, bank accounts, forms, and how far its setup is.

pub mod attachments;
pub mod banks;
pub mod companies;
pub mod forms;
pub mod locations;
pub mod money;
pub mod notices;
pub mod partners;
pub mod setup;
pub mod signatories;
pub mod suspensions;
pub mod taxes;
