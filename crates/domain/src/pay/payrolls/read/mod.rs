//! What is shown of payrolls and paychecks.
//!
//! | module | what it holds |
//! |---|---|
//! | `totals` | sums of all employees of a payroll |
//! | `receipt` | what the company pays for a processed payroll, and to whom |
//! | `stubs`, `stub` | which pay stubs an employee has, and what one says |
//! | `explain`, `concealed` | how a figure came about, and what callers who may not see benefits are told of it |
//! | `outside` | what has to be looked at of people whom a payroll does not pay |
//! | `benefit_plans` | what planned benefits come to in payrolls that are not processed yet |
//! | `taxes` | taxes as one can look them up |

pub mod benefit_plans;
pub mod concealed;
pub mod explain;
pub mod outside;
pub mod receipt;
pub mod stub;
pub mod stubs;
pub mod taxes;
pub mod totals;
