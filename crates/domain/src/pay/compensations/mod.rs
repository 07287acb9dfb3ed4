//! Jobs and what they pay.
//!
//! An employee has jobs, the first of which is the primary one. A job has one or more compensations, each in effect from a day on: a job
//! is created with an empty one (rate 0.00), which is then updated. `rows` has both records and reads them for a page of employees;
//! `commands`
//! and `service` have the operations on them.

pub mod commands;
pub mod rows;
pub mod service;
