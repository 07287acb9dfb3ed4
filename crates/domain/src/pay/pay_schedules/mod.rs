//! Pay schedules: how often a company pays, and for which periods.
//!
//! The first schedule of a company applies to all its employees; later ones apply to none, until one is assigned. `spans` says
//! who follows which one on a day ([`schedule_spans::of_employee`]), and which are in use ([`schedule_spans::in_use`]). `payrolls` creates the
//! payrolls of the schedules in use when their pay periods begin.

pub mod commands;
pub mod rows;
pub mod schedule_spans;
pub mod service;
