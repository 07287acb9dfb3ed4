//! Operations on bank accounts and payment methods of employees, and their shapes.

use rules::Amount;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;

/// A bank account that an employee is paid to.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EmployeeBankAccount {
    /// identifier
    pub uuid: Uuid,
    /// whose account it is
    pub employee_uuid: Uuid,
    /// what the employee calls it
    pub name: String,
    /// `Checking` or `Savings`
    pub account_type: &'static str,
    /// nine digits
    pub routing_number: String,
    /// the last digits: the whole number never leaves the service
    pub hidden_account_number: String,
}

/// A bank account, new or as it is to be.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct BankAccountInput {
    /// what the employee calls it, at most 100 characters
    #[schema(required)]
    pub name: Field<String>,
    /// nine digits, the last of which checks the others
    #[schema(required)]
    pub routing_number: Field<String>,
    /// 1 to 17 digits
    #[schema(required)]
    pub account_number: Field<String>,
    /// `Checking` or `Savings`
    #[schema(required)]
    pub account_type: Field<String>,
}

/// How an employee is paid.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EmployeePaymentMethod {
    /// concurrency token, to be sent with an update; a bank account that is added or deleted changes it, too
    pub version: String,
    /// `Direct Deposit` or `Check`
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `Percentage` or `Amount`; null for checks
    pub split_by: Option<&'static str>,
    /// the accounts that are paid to, in the order of their priority; null for checks
    pub splits: Option<Vec<PaymentMethodSplit>>,
}

/// What one bank account gets.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PaymentMethodSplit {
    /// the bank account
    pub uuid: Uuid,
    /// what the employee calls it
    pub name: String,
    /// the last digits of its number
    pub hidden_account_number: String,
    /// from 1 on
    pub priority: i64,
    /// percent, or cents; null for the rest
    pub split_amount: Option<i64>,
}

/// How an employee is to be paid.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateEmployeePaymentMethod {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// `Direct Deposit` or `Check`; checks are not divided, and the bank accounts are kept for another time
    #[serde(rename = "type")]
    #[schema(required)]
    pub kind: Field<String>,
    /// `Percentage` or `Amount`; by default as it is
    pub split_by: Field<String>,
    /// what each account gets. Percentages add up to 100; of amounts the last one is null, for the rest. Without it
    /// pay stays divided as it is, or goes to the newest account where it was not
    pub splits: Field<Vec<SplitInput>>,
}

/// What one bank account is to get.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct SplitInput {
    /// one of the employee's bank accounts
    #[schema(required)]
    pub uuid: Field<String>,
    /// not read: the account keeps its name
    pub name: Field<String>,
    /// from 1 on, without gaps; by default the place in the list
    pub priority: Field<i64>,
    /// whole percent or cents; null for the rest
    #[schema(value_type = Option<f64>)]
    pub split_amount: Field<Amount>,
}
