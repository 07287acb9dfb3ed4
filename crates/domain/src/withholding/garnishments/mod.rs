//! Garnishments of employees, child support above all.
//!
//! `rules::payroll::garnishment` decides how much is withheld, and why; this module stores the orders. `rows` has the
//! record, `commands` and `service` the use cases, `agencies` the child support agencies in use, `withheld` the amounts
//! that payrolls withheld, `remittances` the amounts due to agencies, and `lump_sums` the payments that have to be
//! reported to agencies before they are made ([`super::notices`]).
//!
//! A payroll withholds the active garnishments of its employees ([`rows::active_between`]), keeps with the sums of the
//! year how often and how much it withheld for each, and records the amounts once it is processed ([`withheld::record_withholdings`],
//! [`withheld::delete_withholdings`]).

pub mod agencies;
pub mod commands;
pub mod lump_sums;
pub mod remittances;
pub mod rows;
pub mod service;
pub mod withheld;
