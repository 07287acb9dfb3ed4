//! What the bank sends back: returned payments, corrections of accounts, and recovering returned debits.

pub mod bank_returns;
pub mod corrections;
pub mod recovery;
pub mod voids;
