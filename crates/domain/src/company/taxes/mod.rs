//! Tax details of a company: federal tax details, and answers to the requirements of each state with a place of work.
//!
//! The employer identification number is sealed. Legal name and legal form are fields of the company. The requirements of
//! states come from `rules::company::state`; each answer is a record of its own. So is how often withheld taxes are deposited.

pub mod commands;
pub mod deposit_schedules;
pub mod federal;
pub mod rows;
pub mod state;
