//! Time off requests: employees request, administrators decide, and payrolls pay what was approved.
//!
//! Each day of a request refers to the calculation of the payroll that paid it ([`payroll`]), so that cancelling the payroll releases
//! it. Every change takes the guard of the employee.

mod asked;
pub mod commands;
pub mod payroll;
pub mod rows;
pub mod service;
