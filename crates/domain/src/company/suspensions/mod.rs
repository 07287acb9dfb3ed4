//! Suspensions that a company requests itself, when it leaves: no payroll is run any more, and everything can be read.
//!
//! The record says why, where the company goes, and its wishes for collected taxes and for the forms of the year, which
//! the operator carries out. The operator also ends a suspension (`company::setup`).

pub mod rows;
pub mod service;
