//! Paid time off: policies, their members, and balances.
//!
//! Every change to a balance is recorded with its reason ([`ledger`]), so every balance can be explained. Payrolls add changes when they
//! are processed and reverse them when they are cancelled ([`payroll`]); scheduled jobs add the changes of a new year ([`turns`]); people
//! set balances ([`members`]). Every change takes the employee's guard.

pub mod balances;
pub mod carry_over;
pub mod commands;
pub mod enrolled;
pub mod ledger;
pub mod members;
pub mod payroll;
pub mod requests;
pub mod rows;
pub mod service;
pub mod turns;
