//! Which payrolls there are, for which days, and who is in them.
//!
//! | module | what it holds |
//! |---|---|
//! | `regular`, `periods`, `auto` | payrolls that follow from the pay schedule, pay periods, and payrolls that run by themselves |
//! | `assignments`, `transitions` | which schedule is that of the employees, the change from one to another, and the days between |
//! | `dismissals` | the last pay periods of those who leave, and the payrolls that pay them |
//! | `last_wages` | last wages that are paid later than the law asks for |
//! | `members` | who is in a payroll |

pub mod assignments;
pub mod auto;
pub mod dismissals;
pub mod last_wages;
pub mod members;
pub mod periods;
pub mod regular;
pub mod transitions;
