//! One payment.

use std::fmt;

use crate::field::{Record, name_field};
use crate::{Error, Routing};

/// The largest amount of an entry, in cents.
pub const MOST_CENTS: u64 = 9_999_999_999;
/// The longest account number, in characters.
const ACCOUNT: usize = 17;
/// The longest identification, in characters.
const ID: usize = 15;
/// The longest name, in characters.
const NAME: usize = 22;
/// The longest addendum, in characters.
pub(crate) const ADDENDUM: usize = 80;

/// The direction of the money, seen from the account of the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// into the account
    Credit,
    /// out of the account
    Debit,
}

/// Kind of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountKind {
    /// checking
    Checking,
    /// savings
    Savings,
}

/// A payment to or from an account.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// which way the money goes
    pub direction: Direction,
    /// kind of the account
    pub account_kind: AccountKind,
    /// its bank
    pub routing: Routing,
    /// its number, at most 17 characters
    pub account: String,
    /// cents; 0 for a prenote, which asks the bank whether the account exists
    pub cents: u64,
    /// the originator's identification of the receiver, at most 15 characters
    pub id: String,
    /// of the receiver; truncated to 22 characters
    pub name: String,
    /// payment information, at most 80 characters
    pub addendum: Option<String>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { direction, account_kind, routing, cents, .. } = self;
        write!(f, "Entry({direction:?} {cents} cents, {account_kind:?} at {routing:?})")
    }
}

impl Entry {
    /// Whether it is a prenote, which moves no money.
    pub fn is_prenote(&self) -> bool {
        self.cents == 0
    }

    /// The number of records it takes.
    pub(crate) fn record_count(&self) -> u64 {
        1 + u64::from(self.addendum.is_some())
    }

    /// Transaction code: tens by the account, ones by what is done.
    pub(crate) fn code(&self) -> u64 {
        let tens = match self.account_kind {
            AccountKind::Checking => 20,
            AccountKind::Savings => 30,
        };
        tens + match (self.direction, self.is_prenote()) {
            (Direction::Credit, false) => 2,
            (Direction::Credit, true) => 3,
            (Direction::Debit, false) => 7,
            (Direction::Debit, true) => 8,
        }
    }

    /// Writes the entry, and its addendum, under a trace number.
    pub(crate) fn write_records(&self, trace: &str, lines: &mut Vec<String>) -> Result<(), Error> {
        if self.cents > MOST_CENTS {
            return Err(Error::invalid_field("amount", "must be at most 99,999,999.99"));
        }
        if self.account.trim().is_empty() {
            return Err(Error::invalid_field("account number", "can't be blank"));
        }
        let entry = Record::new('6')
            .number_field("transaction code", self.code(), 2)?
            .fixed_text(self.routing.as_str())
            .text_field("account number", &self.account, ACCOUNT)?
            .number_field("amount", self.cents, 10)?
            .text_field("identification", &self.id, ID)?
            .text_field("name", &name_field(&self.name, NAME), NAME)?
            .blank_field(2)
            .number_field("addenda indicator", u64::from(self.addendum.is_some()), 1)?
            .fixed_text(trace);
        lines.push(entry.finish());
        if let Some(addendum) = &self.addendum {
            let addendum = Record::new('7')
                .fixed_text("05")
                .text_field("addendum", addendum, ADDENDUM)?
                .fixed_text("0001")
                .fixed_text(&trace[8..]);
            lines.push(addendum.finish());
        }
        Ok(())
    }
}
