//! Pay schedules: how often a company pays, and for which days.
//!
//! The first schedule of a company is that of all its employees, those who are hired later included; a later one is
//! nobody's. `payrolls` makes the payrolls of the company's schedule when their pay periods begin.

pub mod rows;
pub mod service;
pub mod shapes;
