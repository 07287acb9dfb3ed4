//! Employees: the person, without work and pay.
//!
//! `rows` holds the record (SSN and date of birth sealed), `counts` how many there are, `service` finds and deletes it. What is read and changed
//! together with jobs, pay and addresses is in [`profiles`](super::profiles).

pub mod counts;
pub mod named;
pub mod rows;
pub mod service;

pub use rows::Employee;
