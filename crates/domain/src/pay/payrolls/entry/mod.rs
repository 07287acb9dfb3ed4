//! The inputs for the employees of a payroll, and what is paid if nothing is entered.
//!
//! | module | what it holds |
//! |---|---|
//! | `entered` | the lines of an employee, and how an update changes them |
//! | `entry_version` | whether data sent back is what was returned |
//! | `hours` | hours worked, by pay period, workweek, day and location |
//! | `by_workweek` | lines that a client divides by workweek |
//! | `earned` | whether an amount counts towards the regular rate, and when it was earned |
//! | `salaried` | the standard hours of a salary |
//! | `granted` | holidays and approved requests, which are paid without an entry |
//! | `leave` | time off that a paycheck uses, accrues and pays out |

mod by_workweek;
pub mod earned;
pub mod entered;
pub(super) mod entry_version;
pub mod granted;
pub mod hours;
pub mod leave;
pub mod salaried;
