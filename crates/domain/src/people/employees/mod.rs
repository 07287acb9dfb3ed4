//! Employees: the person, without what is known of work and pay.
//!
//! `rows` holds the record (SSN and date of birth sealed), `service` what can be done with it, `view` how it is
//! told together with the jobs and addresses that belong to it, `api` the operations.

pub mod rows;
pub mod service;
pub mod shapes;
pub mod view;

pub use rows::Employee;
