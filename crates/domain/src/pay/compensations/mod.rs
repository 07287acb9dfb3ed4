//! Jobs and their compensations.
//!
//! The first job of an employee is the primary one. A job has one or more compensations, each with an effective date. A job is created with
//! an empty compensation (rate 0.00), which is then updated. `rows` has both records and reads them for a page of employees; `commands` and
//! `service` have the operations on them.

pub mod commands;
pub mod rows;
pub mod service;
