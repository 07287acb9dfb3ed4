//! Where and how employees are paid: their bank accounts, and how pay is divided among these.
//!
//! `rows` holds the records (routing and account numbers sealed), `plan` how pay is divided when accounts are added and
//! deleted, `commands` and `service` what can be done. Account numbers leave the service only masked.
//!
//! A bank account that is added is one to be paid to: it switches the employee to direct deposit. See [`plan`] for
//! the share that it gets, and for what becomes of a deleted account's share.

use rules::payment::Split;
use uuid::Uuid;

use self::rows::{BankAccount, Method};
use crate::people::employees::Employee;

pub mod commands;
pub mod plan;
pub mod rows;
pub mod service;

/// A bank account with its numbers as they may be shown.
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

/// How an employee is paid, with the bank accounts that are paid to.
#[derive(Debug, Clone)]
pub struct PaymentMethodDetails {
    /// who is paid
    pub employee: Uuid,
    /// the payment method
    pub method: Method,
    /// in the order of their priorities; none without a plan
    pub splits: Vec<SplitDetails>,
}

/// How an employee of a list is paid, with the accounts that are paid to.
#[derive(Clone)]
pub struct PaymentDetails {
    /// who is paid
    pub employee: Employee,
    /// the payment method
    pub method: Method,
    /// in the order of their priorities; none without a plan
    pub parts: Vec<(Split<Uuid>, BankAccountDetails)>,
}

store::hidden!(PaymentDetails);

/// A split with its bank account.
#[derive(Debug, Clone)]
pub struct SplitDetails {
    /// the bank account
    pub account: Uuid,
    /// what the employee calls it
    pub name: String,
    /// the last digits of its number
    pub hidden_account_number: String,
    /// from 1 on
    pub priority: i64,
    /// percent, or cents; none is the rest
    pub amount: Option<i64>,
}
