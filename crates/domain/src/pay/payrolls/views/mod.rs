//! Views of payrolls and paychecks.
//!
//! | module | what it holds |
//! |---|---|
//! | `receipt` | what the company pays for a processed payroll, and to whom |
//! | `stubs`, `stub` | an employee's pay stubs, and the contents of one |
//! | `explain`, `concealed` | how a figure was calculated, and the explanation for callers who may not see benefits |
//! | `last_time` | what the employees of a regular payroll earned in the one before |
//! | `outside` | warnings about people whom a payroll does not pay |
//! | `benefit_plans` | the effect of planned benefits on payrolls that are not processed yet |
//! | `taxes` | taxes for lookup |

pub mod benefit_plans;
pub mod concealed;
pub mod explain;
pub mod last_time;
pub mod outside;
pub mod receipt;
pub mod stub;
pub mod stubs;
pub mod taxes;
