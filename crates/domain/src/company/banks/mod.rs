//! The bank account that a company's payroll is paid from.
//!
//! A new account replaces the one before. It proves itself by two small deposits whose amounts the company reads off
//! its statement. Moving money is not this service's part: the deposits are chosen here; for developers an operation
//! tells them.

pub mod rows;
pub mod service;
pub mod shapes;
