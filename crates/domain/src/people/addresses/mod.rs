//! Addresses of employees: where they live and at which of the company's locations they work.
//!
//! Both are effective-dated: an address counts from its date until the next one begins, and which one counts today
//! is found out anew at every reading. `rows` holds the records, `service` what can be done with them, `view` how
//! they are told, `api` the operations.

pub mod rows;
pub mod service;
pub mod shapes;
mod view;
