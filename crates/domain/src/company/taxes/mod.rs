//! Tax details of a company: federal tax details, and answers to the requirements of each state with a place of work.
//!
//! The employer identification number is sealed. Legal name and legal form are fields of the company. The requirements of
//! states come from `rules::company::state`; each answer is a record of its own.

pub mod commands;
pub mod federal;
pub mod rows;
pub mod state;
