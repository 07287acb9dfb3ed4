//! Companies.
//!
//! What a company is asked before its first payroll lies beside: `signatories`, `company_taxes`, `company_banks`,
//! `company_forms`, and `company_setup`, which says how far it is.

pub mod rows;
pub mod service;
pub mod shapes;
pub mod traits;

pub use rows::{find, time_zone};
