//! Paper checks: each has a number that no other check of the company ever had. A check is issued when it is to be printed, and
//! is void when somebody says so, when it is printed again under another number, or when its payroll is cancelled.

pub mod rows;
pub mod service;

pub use service::void_run;
