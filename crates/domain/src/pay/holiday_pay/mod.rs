//! Holiday pay: which federal holidays a company pays, and for which employees. A company has at most one policy. In payrolls, these
//! employees have the hours of a holiday in its pay period, unless other hours are entered.

pub mod rows;
pub mod service;
