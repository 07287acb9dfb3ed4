//! The rules of payroll as plain functions over plain data.
//!
//! Nothing here reads files, clocks, databases or the network, and nothing blocks: the caller passes in the
//! data and today's date and gets back a value or the list of violations. Each rule can be read and tested on
//! its own, and the crate can be used without the rest of the service.
//! rest of the service.
//!
//! | module | question it answers |
//! |---|---|
//! | [`violation`] | how is a broken rule told, and how are several told at once? |
//! | [`amount`] | how are money, rates and percentages held and rounded exactly? |
//! | [`check`] | is this field (a name, SSN, state, date, …) well formed? |
//! | [`onboarding`] | which steps has an employee completed, and which status may come next? |
//! | [`compensation`] | which pay terms may stand together, and what are they a year? |
//! | [`withholding`] | what do tax certificates ask, and how much federal income tax is withheld? |
//! | [`payment`] | is this a bank account, and how is net pay divided among several? |
//! | [`payroll`] | what does a pay period pay, and what is taken from it? |
//! | [`window`] | which windows of days may stand side by side, and what leads to the days somebody wishes? |
//! | [`salary`] | which salary is reasonable for an owner who works in the company? |
//! | [`effective`] | which of several effective-dated records counts today? |
//! | [`explain`] | how did a calculation come to its figure? |
//! | [`i9`] | what does an employee say about the right to work, and with which number? |
//! | [`retry`] | when is a delivery that failed tried again? |
//! | [`company`] | what does a company have to settle before payroll, and before it moves to a partner? |
//! | [`named`] | which names do the variants of a closed set have? |
//! | [`calendar`] | whose day is "today" for a company in a state? |
//!
//! Three habits hold throughout. There is no floating point. Dates carry no time zone. Whatever a
//! message says is meant for a partner's engineer: what was wrong and what would be right, never a Social
//! Security number or an account number.

#![allow(
    clippy::result_large_err,
    reason = "a violation is plain data, and a broken rule is rare enough that its size costs nothing"
)]

pub mod amount;
pub mod calendar;
pub mod check;
pub mod company;
pub mod compensation;
pub mod effective;
pub mod explain;
pub mod i9;
pub mod named;
pub mod onboarding;
pub mod payment;
pub mod payroll;
mod ratio;
pub mod retry;
pub mod salary;
pub mod violation;
pub mod window;
pub mod withholding;

pub use amount::{Amount, Rounding};
pub use named::Named;
pub use violation::{Category, Checks, Violation};
