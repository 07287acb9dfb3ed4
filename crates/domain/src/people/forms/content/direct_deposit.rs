//! The authorization to pay into bank accounts.

use rules::Amount;
use rules::payment::SplitBy;
use serde::{Deserialize, Serialize};

use super::parts::{Masked, Name, dollars};
use crate::people::forms::document::{Line, Section};

/// The authorization to pay into bank accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectDepositContent {
    /// the employee
    pub name: Name,
    /// the accounts, in the order in which they are filled
    pub accounts: Vec<Deposit>,
}

/// One account that pay goes to.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deposit {
    /// the employee's name for it
    pub name: String,
    /// routing number
    pub routing_number: String,
    /// account number
    pub account_number: Masked,
    /// `Checking` or `Savings`
    pub account_type: String,
    /// how much of the pay, such as `100 %`, `$200.00` or `the remainder`
    pub share: String,
}

store::hidden!(Deposit);

impl Deposit {
    /// An account's share of the pay in words: `amount` is percent or cents, and `None` is the remainder.
    pub fn share(by: SplitBy, amount: Option<i64>) -> String {
        match (by, amount) {
            (_, None) => "the remainder".to_owned(),
            (SplitBy::Percentage, Some(percent)) => format!("{percent} %"),
            (SplitBy::Amount, Some(cents)) => dollars(&Amount::from_cents(cents).to_text(2)),
        }
    }
}

impl DirectDepositContent {
    pub(super) fn sections(&self) -> Vec<Section> {
        let accounts = (1..).zip(&self.accounts).map(|(number, account)| Section {
            heading: format!("Account {number}: {}", account.name),
            lines: vec![
                Line::new("", "Routing number of the bank", account.routing_number.clone()),
                Line::new("", "Account number", account.account_number.to_string()),
                Line::new("", "Type of account", account.account_type.clone()),
                Line::new("", "Part of the pay", account.share.clone()),
            ],
        });
        accounts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_pay_is_described_in_words() {
        assert_eq!(Deposit::share(SplitBy::Percentage, Some(40)), "40 %");
        assert_eq!(Deposit::share(SplitBy::Amount, Some(120_000)), "$1,200.00");
        assert_eq!(Deposit::share(SplitBy::Amount, None), "the remainder");
    }
}
