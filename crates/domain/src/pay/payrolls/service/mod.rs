//! Payrolls as callers list, create and fill them: one module for each stage.
//!
//! Every change to a payroll takes its guard first. Operations that also affect the year-to-date sums of other payrolls (submitting and
//! cancelling) take the guard of all of the company's payrolls before that.
//!
//! | module | what it holds |
//! |---|---|
//! | `details` | payrolls with their employees, as callers read them |
//! | `create`, `enter`, `skip` | creating payrolls, entering pay, and skipping |
//! | `estimates` | what a calculation would add, before it is made |
//! | `blockers`, `submission_blockers` | what blocks running and submitting payrolls |
//! | `gross_up` | the pay that leaves a given net pay |

pub mod blockers;
mod create;
pub(in crate::pay::payrolls) mod details;
mod enter;
mod estimates;
pub mod gross_up;
mod skip;
pub mod submission_blockers;

pub use create::{REASONS, create_off_cycle_payroll};
pub use details::{
    ListPayrolls, PayrollDetails, PayrollEmployee, WITHHOLDING_PERIODS, current_version, employee,
    find_payroll, list_payrolls, payroll_with_members,
};
pub use enter::{prepare_payroll, update_payroll};
pub use skip::{SKIPPED, SkipPayroll, skip_payroll};
