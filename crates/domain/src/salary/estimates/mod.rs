//! Reasonable salaries for owners who work in the company: estimated from wage statistics, updated while open, then
//! accepted and final.
//!
//! `check` validates a command and looks up the wages; `service` has the use cases; `rows` stores estimates with all
//! inputs of their calculation (`stored` is the JSON of these); `explain` explains them.

pub mod check;
pub mod commands;
pub mod explain;
pub mod rows;
pub mod service;
mod stored;
