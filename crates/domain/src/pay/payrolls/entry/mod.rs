//! Entering the pay of a payroll's employees, and what is paid if nothing is entered.
//!
//! | module | what it holds |
//! |---|---|
//! | `known` | the records that lines can refer to, and which amounts and hours are accepted |
//! | `merge`, `hours`, `time_off` | how an update changes the lines of an employee: amounts, hours, time off |
//! | `returned_values` | values that responses return besides the entries, and how clients send them back |
//! | `entry_version` | whether data sent back is what was returned |
//! | `by_workweek` | lines that a client divides by workweek |
//! | `open_days` | the days and workweeks for which an employee's hours can be entered |
//! | `salaried` | the standard hours of a salary |
//! | `granted` | holidays and approved requests, which are paid without an entry |

mod by_workweek;
pub(in crate::pay::payrolls) mod entry_version;
pub mod granted;
pub mod hours;
pub mod known;
pub mod merge;
pub mod open_days;
pub mod returned_values;
pub mod salaried;
pub mod time_off;
