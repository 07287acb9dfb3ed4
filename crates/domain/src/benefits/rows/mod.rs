//! Rows of company benefits, of employees' windows, and of what payrolls took and gave.

pub mod company;
pub mod employee;
pub mod payroll;

/// Every statement on benefits.
pub fn all() -> Vec<store::Sql> {
    [company::ALL, employee::ALL, payroll::ALL].concat()
}
