//! Pay schedules: how often a company pays, and for which periods.
//!
//! The first schedule of a company applies to all its employees; later ones apply to none, until one is assigned to them. `payrolls` creates the
//! payrolls of the company's schedule when their pay periods begin.

pub mod commands;
pub mod rows;
pub mod service;
