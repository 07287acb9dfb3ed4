//! Contractors: the person or business, with the terms of pay and the periods of work.
//!
//! `rows` has the record (SSN and EIN sealed), `service` finds and deletes it. [`profiles`](super::profiles) reads and changes it together
//! with what belongs to it.

pub mod rows;
pub mod service;

pub use rows::{Contractor, Period};
