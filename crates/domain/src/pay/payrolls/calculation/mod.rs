//! Calculating paychecks: reading records, giving them to the rules, and storing the results.
//!
//! | module | what it holds |
//! |---|---|
//! | `run` | the calculation, in many small units |
//! | `context`, `records` | what is read: once for the payroll, and once for a stretch of its employees |
//! | `snapshot`, `inputs` | what a paycheck is calculated from |
//! | `circumstances` | where employees live and work, as the taxes of states and places see it |
//! | `form_w4` | Form W-4 as it counts on a pay date |
//! | `floors` | pay terms with the minimum wages that they are adjusted to |
//! | `workweeks` | the hours of workweeks, with those that other payrolls have paid, and the law on overtime |
//! | `paid_hours` | hours that are paid without being entered, which divide the pay between places |
//! | `exclusions` | pay that retirement plans leave out of percentages |
//! | `sources` | benefits, garnishments and time off |
//! | `tables` | the tables of law that a payroll is worked out with |
//! | `sums`, `same_period` | what was paid before: in the year, and by other payrolls of the same pay period |
//! | `changes`, `since_calculated` | what was changed during the calculation, and after it |
//! | `employments`, `job_changes` | payrolls that rest on an employment or a job that changes |
//! | `preview`, `gross_up` | what a gross pay would come to, without a payroll, and from which pay a net pay remains |

pub(super) mod changes;
pub(super) mod circumstances;
pub(super) mod context;
pub mod employments;
pub(super) mod exclusions;
pub(super) mod floors;
pub(super) mod form_w4;
pub mod gross_up;
pub mod inputs;
pub mod job_changes;
pub(super) mod paid_hours;
pub mod preview;
pub(super) mod records;
pub mod run;
pub(super) mod same_period;
pub mod since_calculated;
pub(super) mod snapshot;
pub(super) mod sources;
pub(super) mod sums;
pub mod tables;
pub(super) mod workweeks;
