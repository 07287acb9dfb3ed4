//! Time off requests: employees request time off, administrators decide, and payrolls pay the approved days.
//!
//! Each day of a request refers to the calculation of the payroll that paid it ([`payroll`]), so that cancelling the payroll releases it.
//! Every change takes the employee's guard.

mod asked;
pub mod commands;
pub mod payroll;
pub mod rows;
pub mod service;
