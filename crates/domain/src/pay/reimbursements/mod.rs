//! Recurring reimbursements: expenses reimbursed to an employee with every regular payroll, in addition to net pay and untaxed. They are
//! not paid in off-cycle payrolls.

pub mod rows;
pub mod service;
