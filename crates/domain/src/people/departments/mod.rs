//! Departments of a company and their members: an employee belongs to at most one. Payroll does not use them.

pub mod rows;
pub mod service;
