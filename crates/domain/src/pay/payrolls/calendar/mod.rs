//! The payrolls of a company, their days and their members.
//!
//! | module | what it holds |
//! |---|---|
//! | `regular`, `periods` | payrolls created by the pay schedules, and their pay periods |
//! | `assignments`, `transitions` | which schedule employees follow, changes from one to another, and the days in between |
//! | `dismissals` | the last pay periods of departing employees, and the payrolls that pay them |
//! | `missed` | paydays that passed without a payroll |
//! | `last_wages` | final wages that are paid later than the law requires |
//! | `members` | the employees in a payroll |
//! | `employed_days`, `submitted` | the days of a payroll on which an employee was employed, and earlier payrolls that were submitted |

pub mod assignments;
pub mod dismissals;
pub mod employed_days;
pub mod last_wages;
pub mod members;
pub mod missed;
pub mod periods;
pub mod regular;
pub mod submitted;
pub mod transitions;
