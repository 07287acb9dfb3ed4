//! Operations on bank accounts of companies, and their shapes.

use rules::Amount;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;

/// The bank account that a company's payroll is paid from.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyBankAccount {
    /// identifier
    pub uuid: Uuid,
    /// whose account it is
    pub company_uuid: Uuid,
    /// `Checking` or `Savings`
    pub account_type: &'static str,
    /// nine digits
    pub routing_number: String,
    /// the last digits: the whole number never leaves the service
    pub hidden_account_number: String,
    /// `awaiting_deposits`, `ready_for_verification` or `verified`
    pub verification_status: &'static str,
    /// always `bank_deposits`
    pub verification_type: &'static str,
    /// always null
    pub plaid_status: Option<String>,
    /// always null
    pub last_cached_balance: Option<String>,
    /// always null
    pub balance_fetched_date: Option<String>,
    /// for people
    pub name: String,
}

/// A new bank account.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateAccount {
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

/// The amounts of the test deposits, in dollars.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestDeposits {
    /// the one
    pub deposit_1: String,
    /// the other
    pub deposit_2: String,
}

/// The amounts that the company read off its statement, in either order.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct VerifyAccount {
    /// the one, in dollars
    #[schema(required, value_type = f64)]
    pub deposit_1: Field<Amount>,
    /// the other, in dollars
    #[schema(required, value_type = f64)]
    pub deposit_2: Field<Amount>,
}
