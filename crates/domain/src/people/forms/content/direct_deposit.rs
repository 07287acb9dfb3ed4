//! The authorization to pay into bank accounts.

use rules::Amount;
use rules::payment::SplitBy;
use serde::{Deserialize, Serialize};

use super::parts::{Masked, Name, dollars};
use crate::people::forms::document::{DocumentLine, Section};

/// The authorization to pay into bank accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectDepositContent {
    /// the employee
    pub name: Name,
    /// accounts, in order of priority
    pub accounts: Vec<Deposit>,
}

/// An account that pay is deposited into.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deposit {
    /// the employee's name for the account
    pub name: String,
    /// routing number
    pub routing_number: String,
    /// account number
    pub account_number: Masked,
    /// `Checking` or `Savings`
    pub account_type: String,
    /// share of the pay, such as `100 %`, `$200.00` or `the remainder`
    pub share: String,
}

store::hidden!(Deposit);

impl Deposit {
    /// Describes an account's share of the pay. `amount` is a percentage or cents; `None` is the remainder.
    pub fn describe_share(by: SplitBy, amount: Option<i64>) -> String {
        match (by, amount) {
            (_, None) => "the remainder".to_owned(),
            (SplitBy::Percentage, Some(percent)) => format!("{percent} %"),
            (SplitBy::Amount, Some(cents)) => dollars(&Amount::from_cents(cents).to_text(2)),
        }
    }
}

impl DirectDepositContent {
    pub(super) fn document_sections(&self) -> Vec<Section> {
        let accounts = (1..).zip(&self.accounts).map(|(number, account)| Section {
            heading: format!("Account {number}: {}", account.name),
            lines: vec![
                DocumentLine::new("", "Routing number of the bank", account.routing_number.clone()),
                DocumentLine::new("", "Account number", account.account_number.to_string()),
                DocumentLine::new("", "Type of account", account.account_type.clone()),
                DocumentLine::new("", "Part of the pay", account.share.clone()),
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
        assert_eq!(Deposit::describe_share(SplitBy::Percentage, Some(40)), "40 %");
        assert_eq!(Deposit::describe_share(SplitBy::Amount, Some(120_000)), "$1,200.00");
        assert_eq!(Deposit::describe_share(SplitBy::Amount, None), "the remainder");
    }
}
