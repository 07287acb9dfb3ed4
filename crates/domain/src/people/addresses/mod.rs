//! Addresses of employees: where they live and at which of the company's locations they work.
//!
//! Both are effective-dated: an address is in effect from its date until the next one begins, and which one is in effect
//! today is determined at every reading. `rows` holds the records, `commands` and `service` what can be done with them.

pub mod commands;
pub mod rows;
pub mod service;

/// An address, and whether it is the one in effect today.
#[derive(Debug, Clone)]
pub struct Dated<T> {
    /// the address
    pub address: T,
    /// whether it is in effect today
    pub active: bool,
}
