//! Paper checks. Each has a number unique within the company. A check is issued for printing. It becomes void on request, when it is
//! reissued under another number, or when its payroll is cancelled.

pub mod rows;
pub mod service;

pub use service::void_run;
