//! Employment: from the hire to the termination, and again after a rehire.
//!
//! `rows` holds the records and what they say together ([`Employment`]), `service` and `rehires` what can be done. A termination names the
//! last day of work; from the day after it the employee is terminated, which a piece of due work tells. The days that a
//! payroll pays for follow from the same records (`rules::employment`).

pub mod commands;
pub mod rehires;
pub mod rows;
pub mod service;

pub use rows::{Employment, Rehire, Termination};
