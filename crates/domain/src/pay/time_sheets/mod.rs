//! Time sheets: shifts that a time-tracking application reports, and putting their hours into payrolls.
//!
//! A sheet is pending until somebody approves or rejects it; a change makes it pending again. A sync puts the approved hours of a
//! pay period into its payroll, by the day on which the shift began where it was worked. Hours that are in a payroll stay: the
//! sheet is neither changed nor deleted any more. No two approved sheets of an employee have the same time.
//!
//! | module | what it holds |
//! |---|---|
//! | `rows` | sheets and syncs as they are stored |
//! | `service` | what can be done with sheets |
//! | `overlaps` | time that two sheets have in common |
//! | `syncs` | asking for a sync |
//! | `run` | what the worker does for one |

mod overlaps;
pub mod rows;
pub mod run;
pub mod service;
pub mod syncs;
