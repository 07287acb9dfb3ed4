//! The data of a bank account as it is entered, whoever's it is.

use rules::payment::{AccountType, account_number, account_type, routing_number};
use rules::{Checks, check};

use super::commands::BankAccountInput;
use crate::error::Error;

/// Maximum characters of an account's name.
const NAME: usize = 100;

/// The checked data of a bank account, before anything is sealed.
pub struct NewAccount {
    /// the owner's name for it
    pub name: String,
    /// checking or savings
    pub account_type: AccountType,
    /// nine digits
    pub routing_number: String,
    /// 1 to 17 digits
    pub account_number: String,
}

/// Checks the data of a bank account, of whomever it is.
///
/// # Errors
/// Every violation of the input.
pub fn read_account(input: &BankAccountInput) -> Result<NewAccount, Error> {
    let mut checks = Checks::new();
    let name = input.name.required("name", &mut checks, |k, v| check::validate_text(k, v, NAME));
    let routing_number =
        input.routing_number.required("routing_number", &mut checks, |k, v| routing_number(k, v));
    let account_number =
        input.account_number.required("account_number", &mut checks, |k, v| account_number(k, v));
    let account_type = input.account_type.required("account_type", &mut checks, |k, v| account_type(k, v));
    checks.finish()?;
    Ok(NewAccount {
        name: name.unwrap_or_default(),
        account_type: account_type.unwrap_or(AccountType::Checking),
        routing_number: routing_number.unwrap_or_default(),
        account_number: account_number.unwrap_or_default(),
    })
}
