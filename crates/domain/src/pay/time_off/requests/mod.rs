//! Requests for time off: somebody asks, somebody decides, and payrolls pay what was approved.
//!
//! Each day of a request knows the calculation of the payroll that paid it ([`payroll`]), so that a cancelled payroll gives it
//! back. Every change takes the guard of the employee.

mod asked;
pub mod commands;
pub mod payroll;
pub mod rows;
pub mod service;
