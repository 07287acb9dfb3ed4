//! Taxes of employees: Form W-4, and the tax questions of the work and home states.
//!
//! `rules::withholding` decides, from the tables of `data/`, which questions a state asks, what an answer may be and what
//! is withheld; this module stores the answers. `rows` holds the records, `commands` and `service` what can be done with
//! them.

pub mod commands;
pub mod rows;
pub mod service;
