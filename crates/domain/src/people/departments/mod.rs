//! Departments of a company and their members: an employee belongs to at most one. Pay schedules can be assigned by
//! department, and payroll postings are broken down by it.

pub mod rows;
pub mod service;
