//! What is recorded of payments: batches with their entries, the files that they are in, and what they are for.

pub mod bank_files;
pub mod by_check;
pub mod lines;
pub mod paid_out;
pub mod purpose;
pub mod rows;
