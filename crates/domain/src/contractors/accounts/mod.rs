//! How contractors are paid: by check, or by transfer to their one bank account (routing and account number sealed).

pub mod rows;
pub mod service;

pub use rows::BankAccount;

/// A bank account with its numbers as responses may show them.
#[derive(Clone)]
pub struct BankAccountDetails {
    /// the record
    pub account: BankAccount,
    /// the routing number, unsealed
    pub routing_number: String,
    /// the last digits of the account number
    pub hidden_account_number: String,
}

store::hidden!(BankAccountDetails);
