//! The rules of payroll as plain functions over plain data.
//!
//! Nothing here reads files, clocks, databases or the network, and nothing blocks: the caller passes in the
//! data and today's date and gets back a value or the list of violations. Each rule can be read and tested on
//! its own, and the crate can be used without the rest of the service.
//!
//! | module | contents |
//! |---|---|
//! | [`violation`] | violations of rules, as data |
//! | [`amount`] | exact money, rates and percentages |
//! | [`check`] | validation of single fields (names, SSNs, states, dates, …) |
//! | [`city`] | comparison of city names across spellings |
//! | [`onboarding`] | steps and status of employee onboarding |
//! | [`compensation`] | pay terms and annualized pay |
//! | [`contractor`] | independent contractors: kinds, pay and onboarding |
//! | [`full_time`] | hours and weeks of a full-time year |
//! | [`salary_level`] | the minimum salary of Exempt employees, by day |
//! | [`time_off`] | paid time off: accrual, limits, and the states' minimum sick leave |
//! | [`taxes`] | taxes of states, counties, cities and districts |
//! | [`withholding`] | tax certificates and income tax withholding |
//! | [`payment`] | bank accounts and splits of net pay |
//! | [`payroll`] | from gross to net pay |
//! | [`places`] | counties, cities, districts and municipalities of an address, or the question for them |
//! | [`window`] | non-overlapping date ranges and changes to them |
//! | [`salary`] | reasonable compensation of shareholder-employees |
//! | [`dated`] | editions of tables whose rows have no days of their own |
//! | [`days`] | ranges of days |
//! | [`deposits`] | when federal employment taxes are deposited, and under which codes |
//! | [`effective`] | effective-dated records |
//! | [`explain`] | explanations of calculations |
//! | [`holiday_pay`] | paid holidays |
//! | [`i9`] | Form I-9, sections 1 and 2 |
//! | [`retry`] | retry schedule of deliveries |
//! | [`company`] | company identity, setup and migration |
//! | [`lump_sum`] | lump sums to report to the child support agency before they are paid |
//! | [`new_hire`] | deadlines and recipients of new hire reports |
//! | [`new_hire_file`] | the file format of new hire reports |
//! | [`contractor_pay`] | pay of contractors: backup withholding, and what is reported of a year |
//! | [`named`] | names of the variants of closed sets |
//! | [`calendar`] | time zones of states |
//!
//! There is no floating point. Dates carry no time zone. Messages address the partner's engineers, say what
//! was wrong and what would be valid, and never contain a Social Security number or an account number.

#![allow(
    clippy::result_large_err,
    reason = "a violation is plain data, and a broken rule is rare enough that its size costs nothing"
)]

/// The version of the rules and their built-in tables, incremented whenever a figure of any paycheck may change. It is
/// stored with each paycheck, so that a later explanation can say that different rules applied at the time.
pub const VERSION: u32 = 14;

pub mod amount;
pub mod calendar;
pub mod check;
pub mod city;
pub mod company;
pub mod compensation;
pub mod contractor;
pub mod contractor_pay;
pub mod dated;
pub mod days;
pub mod deposits;
pub mod effective;
pub mod employment;
pub mod explain;
pub mod final_pay;
pub mod full_time;
pub mod holiday_pay;
pub mod i9;
pub mod lump_sum;
pub mod money;
pub mod named;
pub mod new_hire;
pub mod new_hire_file;
pub mod onboarding;
pub mod payment;
pub mod payroll;
pub mod places;
mod ratio;
pub mod retry;
pub mod salary;
pub mod salary_level;
pub mod taxes;
pub mod time_off;
pub mod violation;
pub mod wage_hour;
pub mod window;
pub mod withholding;

pub use amount::{Amount, Rounding};
pub use named::Named;
pub use violation::{Category, Checks, Violation};
