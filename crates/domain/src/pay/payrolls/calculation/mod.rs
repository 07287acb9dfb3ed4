//! Calculating paychecks: reading records, giving them to the rules, and storing the results.
//!
//! | module | contents |
//! |---|---|
//! | `run` | the calculation, in many small units of work |
//! | `context`, `records` | records read once per payroll, and once per batch of its employees |
//! | `snapshot`, `inputs` | the inputs of a paycheck |
//! | `circumstances` | where employees live and work, for state and local taxes |
//! | `form_w4` | Form W-4 as it applies on a pay date |
//! | `floors` | pay terms with the minimum wages that they are adjusted to |
//! | `workweeks` | the hours of workweeks, including those that other payrolls have paid, and overtime law |
//! | `paid_hours` | hours that are paid without being entered, by which pay is also divided between locations |
//! | `exclusions` | pay that retirement plans leave out of percentages |
//! | `sources` | benefits, garnishments and time off |
//! | `tables` | the legal tables that a payroll is calculated with |
//! | `sums`, `same_period` | earlier pay: year to date, and by other payrolls of the same pay period |
//! | `changes`, `since_calculated` | changes during the calculation, and after it |
//! | `employments`, `job_changes` | payrolls affected by a change of an employment or a job |
//! | `preview`, `gross_up` | a paycheck for a gross pay without a payroll, and the pay that leaves a given net pay |

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
