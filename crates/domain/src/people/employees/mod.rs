//! Employees: the person, without work and pay.
//!
//! `rows` has the record (SSN and date of birth sealed), `counts` the number of employees; `service` finds and deletes a record.
//! [`profiles`](super::profiles) reads and changes it together with jobs, pay and addresses.

pub mod counts;
pub mod named;
pub mod rows;
pub mod service;

pub use rows::Employee;
