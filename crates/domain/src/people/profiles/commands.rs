//! Inputs of the use cases of profiles.

pub use crate::people::employees::rows::{CreateEmployee, UpdateEmployee};

/// Optional parts of a profile, read in addition to the employee, jobs and pay.
#[derive(Debug, Default, Clone, Copy)]
pub struct Include {
    /// the home addresses
    pub home_addresses: bool,
    /// the name of the company
    pub company_name: bool,
}
