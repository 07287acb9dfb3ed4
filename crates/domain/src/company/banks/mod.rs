//! The bank account that funds a company's payroll.
//!
//! A new account replaces the current one. It is verified by two small test deposits whose amounts the company reads
//! from its statement. The service moves no money: it only chooses the amounts, which an operation for developers
//! returns.

pub mod commands;
pub mod rows;
pub mod service;
