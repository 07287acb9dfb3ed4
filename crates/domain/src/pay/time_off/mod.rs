//! Paid time off: policies, who has which, and balances.
//!
//! A balance moves only together with a change that is kept with its reason ([`ledger`]), so that it explains itself. Payrolls
//! add changes when they are processed and take them back when they are cancelled ([`payroll`]); due work adds those of a
//! new year ([`turns`]); people set balances ([`members`]). Every change takes the guard of the employee.

pub mod balances;
pub mod carry_over;
pub mod commands;
pub mod ledger;
pub mod members;
pub mod payroll;
pub mod requests;
pub mod rows;
pub mod service;
pub mod turns;
