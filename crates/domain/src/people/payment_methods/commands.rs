//! Inputs of the use cases of bank accounts and payment methods.

use rules::Amount;

use crate::patch::Patch;

/// Creates a bank account, or replaces the data of one.
#[derive(Debug, Clone, Default)]
pub struct BankAccountInput {
    /// what the employee calls it
    pub name: Patch<String>,
    /// nine digits
    pub routing_number: Patch<String>,
    /// 1 to 17 digits
    pub account_number: Patch<String>,
    /// a [`rules::payment::AccountType`] by name
    pub account_type: Patch<String>,
}

/// Sets how an employee is paid.
#[derive(Debug, Clone, Default)]
pub struct UpdatePaymentMethod {
    /// the version as last read
    pub version: Patch<String>,
    /// [`CHECK`](super::rows::CHECK) or [`DIRECT_DEPOSIT`](super::rows::DIRECT_DEPOSIT)
    pub kind: Patch<String>,
    /// a [`rules::payment::SplitBy`] by name; by default as it is
    pub split_by: Patch<String>,
    /// what each account gets; by default as it is
    pub splits: Patch<Vec<SplitInput>>,
}

/// What one bank account is to get.
#[derive(Debug, Clone, Default)]
pub struct SplitInput {
    /// one of the employee's bank accounts
    pub uuid: Patch<String>,
    /// from 1 on, without gaps; by default the place in the list
    pub priority: Patch<i64>,
    /// whole percent or cents; null for the rest
    pub split_amount: Patch<Amount>,
}
