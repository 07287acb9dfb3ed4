//! Books: the double-entry postings of payrolls, the liabilities they create, and the payments of those.
//!
//! A payroll is posted in the unit of work that processes it, and its lines never change: when an employee later moves to another
//! department, past postings stay. A cancelled payroll is reversed by the same lines with the opposite sign on the same day.
//! Nothing here depends on how a paycheck is calculated; `pay::payrolls::posting` makes the lines.

pub mod accounts;
pub mod journal;
pub mod liabilities;
pub mod rows;
pub mod transit;

pub use accounts::Account;
pub use rows::{BookLine, Posting, insert_posting, posting_of};
