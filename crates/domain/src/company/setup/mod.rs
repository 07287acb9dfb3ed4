//! How far a company is on the way to its first payroll: its industry, the steps with their state, the moment at which
//! it says that it is done, and its approval.

pub mod industry;
pub mod rows;
pub mod service;
pub mod shapes;
