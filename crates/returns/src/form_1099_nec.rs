//! Form 1099-NEC: what a contractor was paid in a year, and the federal income tax withheld from it.
//!
//! Boxes of Form 1099-NEC (Rev. April 2025) that the service fills: 1, 4, and 5 to 7 for the contractor's state. It withholds no state tax.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of a taxpayer identification number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TinKind {
    /// a Social Security number
    Individual,
    /// an employer identification number
    Business,
}

/// The contractor.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    /// the payer's identifier of the contractor
    pub account: String,
    /// name
    pub name: String,
    /// nine digits; `None` if none is on file
    pub tin: Option<String>,
    /// what the number is
    pub tin_kind: TinKind,
    /// street, with a second line
    pub street: String,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
}

/// The form of a contractor.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form1099Nec {
    /// the year of the payments
    pub year: i16,
    /// who was paid
    pub recipient: Recipient,
    /// box 1: nonemployee compensation, in cents
    pub compensation: i64,
    /// box 4: federal income tax withheld, in cents
    pub withheld: i64,
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recipient").field("account", &self.account).finish_non_exhaustive()
    }
}

impl fmt::Debug for Form1099Nec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Form1099Nec")
            .field("year", &self.year)
            .field("recipient", &self.recipient)
            .finish_non_exhaustive()
    }
}

impl Recipient {
    /// Returns the last four digits of the number behind a mask, as on copies for the contractor (26 CFR 301.6109-4).
    pub fn masked_tin(&self) -> String {
        let last = self.tin.as_deref().and_then(|tin| tin.get(5..));
        match (last, self.tin_kind) {
            (None, _) => "not on file".to_owned(),
            (Some(last), TinKind::Individual) => format!("XXX-XX-{last}"),
            (Some(last), TinKind::Business) => format!("XX-XXX{last}"),
        }
    }
}

/// What the forms of a year come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// number of forms
    pub forms: i64,
    /// box 1 of all of them, in cents
    pub compensation: i64,
    /// box 4 of all of them, in cents
    pub withheld: i64,
}

impl Sum {
    /// Adds a form.
    pub fn add_form(&mut self, form: &Form1099Nec) {
        self.forms += 1;
        self.compensation += form.compensation;
        self.withheld += form.withheld;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_digits_of_a_number_are_shown() {
        let of = |tin: Option<&str>, tin_kind| Recipient {
            account: String::new(),
            name: "Ann".to_owned(),
            tin: tin.map(str::to_owned),
            tin_kind,
            street: String::new(),
            city: String::new(),
            state: String::new(),
            zip: String::new(),
        };
        assert_eq!(of(Some("123456789"), TinKind::Individual).masked_tin(), "XXX-XX-6789");
        assert_eq!(of(Some("123456789"), TinKind::Business).masked_tin(), "XX-XXX6789");
        assert_eq!(of(None, TinKind::Individual).masked_tin(), "not on file");
    }
}
