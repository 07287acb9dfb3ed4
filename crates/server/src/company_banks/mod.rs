//! The bank account that a company's payroll is paid from.
//!
//! A new account replaces the one before. It proves itself by two small deposits whose amounts the company reads off its
//! statement. Moving money is not this service's part: the deposits are chosen here, and whoever moves money for the
//! service is told them by `stipend company test-deposits`, or, for developers, by an operation.

pub mod api;
pub mod rows;
pub mod service;
