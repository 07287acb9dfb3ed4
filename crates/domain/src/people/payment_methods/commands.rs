//! Inputs of the use cases of bank accounts and payment methods.

use rules::Amount;

use crate::patch::Patch;

/// Creates a bank account, or replaces its data.
#[derive(Debug, Clone, Default)]
pub struct BankAccountInput {
    /// the employee's name for it
    pub name: Patch<String>,
    /// nine digits
    pub routing_number: Patch<String>,
    /// 1 to 17 digits
    pub account_number: Patch<String>,
    /// the name of a [`rules::payment::AccountType`]
    pub account_type: Patch<String>,
}

/// Sets how an employee is paid.
#[derive(Debug, Clone, Default)]
pub struct UpdatePaymentMethod {
    /// the version as last read
    pub version: Patch<String>,
    /// [`CHECK`](super::rows::CHECK) or [`DIRECT_DEPOSIT`](super::rows::DIRECT_DEPOSIT)
    pub kind: Patch<String>,
    /// the name of a [`rules::payment::SplitBy`]; unchanged by default
    pub split_by: Patch<String>,
    /// the share of each account; unchanged by default
    pub splits: Patch<Vec<SplitInput>>,
}

/// The share of one bank account.
#[derive(Debug, Clone, Default)]
pub struct SplitInput {
    /// one of the employee's bank accounts
    pub uuid: Patch<String>,
    /// from 1, without gaps; by default the position in the list
    pub priority: Patch<i64>,
    /// whole percent or cents; null for the remainder
    pub split_amount: Patch<Amount>,
}
