//! What is known of an employee on the days of a payroll.
//!
//! | module | what it holds |
//! |---|---|
//! | `context` | records read once per payroll |
//! | `tables` | the legal tables that a payroll is calculated with |
//! | `circumstances` | where employees live and work, for state and local taxes |
//! | `form_w4` | Form W-4 as it applies on a pay date |
//! | `floors` | pay terms with the minimum wages that they are adjusted to |
//! | `paid_hours` | hours that are paid without being entered, by which pay is also divided between locations |
//! | `exclusions` | pay that retirement plans leave out of percentages |
//! | `sources` | benefits, garnishments and time off |
//! | `leave` | time off that a paycheck uses, accrues and pays out |
//! | `late_premiums` | premiums of pay periods that were paid before the record of their benefit was entered |
//! | `payment` | how net pay is divided among bank accounts |
//! | `opening`, `year_to_date`, `same_period` | earlier pay: opening balances, year to date, and by other payrolls of the same pay period |
//! | `member` | the facts of one employee |
//! | `employee` | an employee as the rules expect it, made of the inputs of a paycheck |
//! | `employments`, `job_changes` | payrolls affected by a change of an employment or a job |

pub(in crate::pay::payrolls) mod circumstances;
pub(in crate::pay::payrolls) mod context;
mod employee;
pub mod employments;
pub(in crate::pay::payrolls) mod exclusions;
pub(in crate::pay::payrolls) mod floors;
pub(in crate::pay::payrolls) mod form_w4;
pub mod job_changes;
pub(in crate::pay::payrolls) mod late_premiums;
pub mod leave;
pub(in crate::pay::payrolls) mod member;
pub mod opening;
pub(in crate::pay::payrolls) mod paid_hours;
pub(in crate::pay::payrolls) mod payment;
pub(in crate::pay::payrolls) mod same_period;
pub(in crate::pay::payrolls) mod sources;
pub mod tables;
pub mod year_to_date;
