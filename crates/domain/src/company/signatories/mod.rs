//! Who signs for a company: one person at most.
//!
//! A signatory is entered as a whole, or invited with a name and an e-mail address and completed by the first update.
//! SSN and birthday are sealed.

pub mod rows;
pub mod service;
pub mod shapes;

pub use rows::{Signatory, of_company};
