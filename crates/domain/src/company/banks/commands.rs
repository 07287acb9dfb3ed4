//! Inputs of the use cases of companies' bank accounts.

use rules::Amount;

use crate::patch::Patch;

/// Adds a bank account in place of the current one.
#[derive(Debug, Clone, Default)]
pub struct CreateAccount {
    /// nine digits, with a check digit
    pub routing_number: Patch<String>,
    /// 1 to 17 digits
    pub account_number: Patch<String>,
    /// name of an `AccountType`
    pub account_type: Patch<String>,
}

/// Verifies a bank account by the amounts of its test deposits, in any order.
#[derive(Debug, Clone, Default)]
pub struct VerifyAccount {
    /// one amount, in dollars
    pub deposit_1: Patch<Amount>,
    /// the other amount, in dollars
    pub deposit_2: Patch<Amount>,
}
