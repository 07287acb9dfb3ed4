//! Taxes of employees: Form W-4, and the questions of the states of work and home.
//!
//! Which questions a state asks, what an answer may be and what is withheld is decided in `rules::withholding`, from
//! the tables of `data/`; here the answers are kept and told. `rows` holds the records, `service` what can be done
//! with them, `view` how they are told, `api` the operations.

pub mod rows;
pub mod service;
pub mod shapes;
mod view;
