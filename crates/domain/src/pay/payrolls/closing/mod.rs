//! From the submission on: processing, paying, reversing and cancelling.
//!
//! | module | what it holds |
//! |---|---|
//! | `lifecycle` | calculating, submitting, cancelling and deleting, as callers ask for it |
//! | `automatic_runs` | payrolls that their schedule runs |
//! | `processing` | what follows a submission: the books, payments, and FUTA credit reductions |
//! | `reversals` | pay that was taken back, and paychecks that are void |
//! | `recovery` | recovery of payrolls whose background job failed permanently |

pub mod automatic_runs;
pub mod lifecycle;
pub mod processing;
pub mod recovery;
pub mod reversals;
