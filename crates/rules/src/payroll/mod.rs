//! From gross to net: what a pay period pays, what is taken from it, and why.
//!
//! Each part is a pure function that takes a [`crate::explain::Trace`], so that the figure on a pay stub and its
//! explanation come from the same lines.
//!
//! | module | question it answers |
//! |---|---|
//! | [`schedule`] | which days is a paycheck for, and when is it paid? |
//! | [`holidays`] | on which days do banks settle payments? |
//! | [`benefits`] | what do benefits take, and what does the company give? |
//! | [`garnishment`] | what do courts, agencies and creditors have taken? |
//! | [`taxes`] | what are Social Security, Medicare and federal unemployment tax? |
//!
//! [`paycheck`] puts them together: [`Payroll`] and [`Employee`] are what a [`Paycheck`] is calculated from.

pub mod benefits;
mod earnings;
pub mod garnishment;
pub mod holidays;
mod input;
mod net;
mod output;
#[cfg(test)]
mod sample;
pub mod schedule;
mod shares;
pub mod taxes;

pub use input::{
    Compensation, Employee, FixedKind, FixedPay, Floor, Job, MINIMUM_WAGE_ADJUSTMENT, Payment, Payroll,
    StateTax, TimeOff, Worked, YearToDate,
};
pub use net::paycheck;
pub use output::{JobPay, Paycheck, TaxableWages, Taxes, Totals, Warning};
