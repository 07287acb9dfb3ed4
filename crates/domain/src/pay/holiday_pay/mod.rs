//! Holiday pay: which federal holidays a company pays, and whom it pays for them. A company has one policy at most. Payrolls
//! read it: whoever it pays has the hours of a holiday in the payroll of its pay period, unless others are entered.

pub mod rows;
pub mod service;
