//! Employees' addresses: where they live, and which of the company's locations they work at.
//!
//! Both are effective-dated: an address is in effect from its date until the next one begins, and the one in effect
//! today is determined on every read. `rows` has the records, `commands` and `service` the use cases; `jurisdictions`
//! determines the counties, cities and districts of an address by `rules::places`; `questions` are the homes of people who are paid with
//! questions that nobody has answered.

pub mod commands;
pub mod jurisdictions;
pub mod questions;
pub mod rows;
pub mod service;

use rules::places::Question;

use self::jurisdictions::Jurisdiction;

/// An address with the data determined on every read.
#[derive(Debug, Clone)]
pub struct Dated<T> {
    /// the address
    pub address: T,
    /// counties, cities and districts that it lies in or may lie in, by code
    pub jurisdictions: Vec<Jurisdiction>,
    /// questions about it that the tables cannot answer
    pub questions: Vec<Question>,
    /// whether it is in effect today
    pub active: bool,
}
