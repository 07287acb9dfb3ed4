//! Tax details of a company: federal tax details, and answers to the requirements of each state with a location.
//!
//! The employer identification number is sealed. Legal name and legal form are fields of the company. The requirements of states come from
//! `rules::company::state`; each answer is a record of its own. So is the deposit schedule of withheld taxes.

pub mod commands;
pub mod deposit_schedules;
pub mod federal;
pub mod rows;
pub mod state;
