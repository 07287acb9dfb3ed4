//! Bank accounts of companies on the wire.

use domain::company::banks::{commands, service};
use rules::{Amount, Named};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::values::{AccountNumberText, AccountTypeName, Decimal, RoutingNumberText};

/// The bank account that a company's payroll is paid from.
#[derive(Serialize, ToSchema)]
pub struct CompanyBankAccount {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// `Checking` or `Savings`
    pub account_type: &'static str,
    /// nine digits
    pub routing_number: String,
    /// masked: the whole number never leaves the service
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
    #[schema(format = Date)]
    pub balance_fetched_date: Option<String>,
    /// human-readable text
    pub name: String,
}

store::hidden!(CompanyBankAccount);

impl CompanyBankAccount {
    /// The answer for a bank account of `company`.
    pub fn new(company: Uuid, details: service::AccountDetails) -> Self {
        let service::AccountDetails { account, routing_number, hidden_account_number } = details;
        let account_type = account.account_type.as_str();
        Self {
            uuid: account.id,
            company_uuid: company,
            account_type,
            routing_number,
            name: format!("{account_type} {hidden_account_number}"),
            hidden_account_number,
            verification_status: account.verification.as_str(),
            verification_type: "bank_deposits",
            plaid_status: None,
            last_cached_balance: None,
            balance_fetched_date: None,
        }
    }
}

/// The amounts of the test deposits, in dollars.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestDeposits {
    /// one amount
    pub deposit_1: String,
    /// the other amount
    pub deposit_2: String,
}

impl From<service::TestDeposits> for TestDeposits {
    fn from(deposits: service::TestDeposits) -> Self {
        Self { deposit_1: deposits.deposit_1.to_text(2), deposit_2: deposits.deposit_2.to_text(2) }
    }
}

input! {
    /// A new bank account.
    CreateAccount => commands::CreateAccount {
        /// nine digits, including the check digit
        #[schema(required)]
        routing_number: RoutingNumberText,
        /// 1 to 17 digits
        #[schema(required)]
        account_number: AccountNumberText,
        /// `Checking` or `Savings`
        #[schema(required)]
        account_type: AccountTypeName,
    }

    /// The amounts on the company's bank statement, in either order.
    VerifyAccount => commands::VerifyAccount {
        /// one amount, in dollars
        #[schema(required, value_type = Decimal)]
        deposit_1: Amount,
        /// the other amount, in dollars
        #[schema(required, value_type = Decimal)]
        deposit_2: Amount,
    }
}
