//! Time sheets: shifts reported by a time-tracking application, and adding their hours to payrolls.
//!
//! A sheet is pending until it is approved or rejected; a change makes it pending again. A sync adds the approved hours of a pay period
//! to its payroll, by location and by the day on which the shift began. A sheet whose hours are in a payroll can no longer be changed or
//! deleted. Approved sheets of an employee never overlap.
//!
//! | module | what it holds |
//! |---|---|
//! | `rows` | stored sheets and syncs |
//! | `service` | operations on sheets |
//! | `batches` | several sheets in one request |
//! | `overlaps` | overlapping sheets |
//! | `syncs` | requesting a sync |
//! | `run` | running a sync |

pub mod batches;
mod overlaps;
pub mod rows;
pub mod run;
pub mod service;
pub mod syncs;
