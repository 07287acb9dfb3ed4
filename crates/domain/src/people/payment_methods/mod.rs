//! How employees are paid: their bank accounts and the split of pay among them.
//!
//! `rows` has the records (routing and account numbers sealed), `plan` changes a split when accounts are added or
//! deleted, `payable` leaves out accounts to which a payment was returned, `commands` and `service` have the use cases. Account numbers leave the service only masked.
//!
//! Adding a bank account switches the employee to direct deposit. [`plan`] describes the share of a new account, and
//! what happens to that of a deleted one.

use rules::payment::Split;
use uuid::Uuid;

use self::rows::{BankAccount, Method};
use crate::people::profiles::ShownEmployee;

pub mod commands;
pub mod entered;
pub mod payable;
pub mod plan;
pub mod rows;
pub mod service;

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

/// How an employee is paid, with the accounts used.
#[derive(Debug, Clone)]
pub struct PaymentMethodDetails {
    /// the employee
    pub employee: Uuid,
    /// the payment method
    pub method: Method,
    /// by priority; empty without a split
    pub splits: Vec<SplitDetails>,
}

/// How an employee in a list is paid, with the accounts used.
pub struct PaymentDetails {
    /// the employee
    pub employee: ShownEmployee,
    /// the payment method
    pub method: Method,
    /// by priority; empty without a split
    pub parts: Vec<(Split<Uuid>, BankAccountDetails)>,
}

store::hidden!(PaymentDetails);

/// A split with its bank account.
#[derive(Debug, Clone)]
pub struct SplitDetails {
    /// the bank account
    pub account: Uuid,
    /// the employee's name for it
    pub name: String,
    /// the last digits of its number
    pub hidden_account_number: String,
    /// from 1
    pub priority: i64,
    /// percent or cents; `None` is the remainder
    pub amount: Option<i64>,
}
