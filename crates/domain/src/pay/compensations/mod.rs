//! Jobs and what they pay.
//!
//! An employee has jobs, the first of which is the primary one, and each job has compensations that count from a
//! day on: one at least, because a job is created together with an empty one (rate 0.00) that is then filled in.
//! `rows` holds both records and reads them for a whole page of employees, `service` what can be done with them,
//! `view` how they are told, `api` the operations.

pub mod rows;
pub mod service;
pub mod shapes;
pub mod view;
