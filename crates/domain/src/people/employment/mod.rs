//! Employment: from the hire to the termination, and again after a rehire.
//!
//! `rows` has the records and their combination ([`Employment`]), `service` and `rehires` the use cases. A termination states the last day
//! of work; from the next day the employee is terminated, and a job emits the event. The same records determine the days that a payroll
//! pays for (`rules::employment`).

pub mod commands;
pub mod rehires;
pub mod rows;
pub mod service;

pub use rows::{Employment, Rehire, Termination};
