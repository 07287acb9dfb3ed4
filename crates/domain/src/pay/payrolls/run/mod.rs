//! Calculating paychecks: reading records, giving them to the rules, and storing the results.
//!
//! | module | what it holds |
//! |---|---|
//! | `calculation` | the calculation, in many small units of work |
//! | `records`, `snapshot` | records read once per batch of employees, and the inputs of paychecks made of them |
//! | `earlier_pay` | what earlier payrolls paid, as it counts for a paycheck |
//! | `workweeks` | the hours of workweeks, including those that other payrolls have paid, and overtime law |
//! | `changes`, `since_calculated` | changes during the calculation, and after it |
//! | `preview` | a paycheck for a gross pay without a payroll |
//! | `prior_provider` | pay from another provider earlier in the year, recalculated into opening balances |

pub mod calculation;
pub(in crate::pay::payrolls) mod changes;
pub(in crate::pay::payrolls) mod earlier_pay;
pub mod preview;
pub mod prior_provider;
pub(in crate::pay::payrolls) mod records;
pub mod since_calculated;
pub(in crate::pay::payrolls) mod snapshot;
pub(in crate::pay::payrolls) mod workweeks;
