//! Suspensions that a company asks for itself, when it leaves: no payroll is run any more, and everything can be read.
//!
//! The record says why, where the company goes, and what it wishes for the taxes that were collected and the forms of the
//! year; carrying that out is the operator's. Ending a suspension is the operator's, too (`company::setup`).

pub mod rows;
pub mod service;
