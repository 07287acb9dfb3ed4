//! Addresses of employees: where they live and at which of the company's locations they work.
//!
//! Both are effective-dated: an address is in effect from its date until the next one begins, and which one is in effect
//! today is determined at every reading. `rows` holds the records, `commands` and `service` what can be done with them;
//! `jurisdictions` says in which counties, cities and districts an address lies, with the county of its ZIP code from
//! `counties`.

pub mod commands;
pub mod counties;
pub mod jurisdictions;
pub mod rows;
pub mod service;

use self::jurisdictions::Jurisdiction;

/// An address, with what is found out about it at every reading.
#[derive(Debug, Clone)]
pub struct Dated<T> {
    /// the address
    pub address: T,
    /// counties, cities and districts in which it lies or may lie, by code
    pub jurisdictions: Vec<Jurisdiction>,
    /// whether it is in effect today
    pub active: bool,
}
