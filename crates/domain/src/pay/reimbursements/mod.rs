//! Recurring reimbursements: expenses that are paid back to an employee with every regular payroll, on top of net pay and
//! untaxed. An off-cycle payroll pays none.

pub mod rows;
pub mod service;
