//! Signatories, who sign for a company. A company has at most one.
//!
//! A signatory is entered completely, or invited with a name and an e-mail address and completed by the first update.
//! SSN and date of birth are sealed.

pub mod commands;
pub mod rows;
pub mod service;

pub use rows::{IdentityCheck, Signatory, of_company};
