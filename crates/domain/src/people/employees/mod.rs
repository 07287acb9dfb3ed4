//! Employees: the person, without work and pay.
//!
//! `rows` has the record (SSN and date of birth sealed), `counts` the number of employees, `service` finds and deletes a record. Reading
//! and changing it together with jobs, pay and addresses is in [`profiles`](super::profiles).

pub mod counts;
pub mod named;
pub mod rows;
pub mod service;

pub use rows::Employee;
