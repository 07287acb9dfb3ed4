//! Books: what payrolls came to in double entry, what is owed because of them, and what was paid of it.
//!
//! A payroll is posted in the unit that processes it, and its lines never change: whoever moves to another department later moves
//! nothing of the past. A payroll that is cancelled is reversed, by the same lines with the other sign on the same day.
//! Nothing here knows how a paycheck comes about; `pay::payrolls::posting` makes the lines.

pub mod accounts;
pub mod journal;
pub mod liabilities;
pub mod rows;

pub use accounts::Account;
pub use rows::{Line, Posting, post, posting_of};
