//! Departments of a company, and who belongs to which: an employee to one at most. Payroll does not look at them.

pub mod rows;
pub mod service;
