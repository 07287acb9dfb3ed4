//! Parts shared by the forms: people, addresses and the employer, masked numbers, and the format of dates and amounts.

use jiff::civil::Date;
pub(super) use rules::money::dollars_of as dollars;
use serde::{Deserialize, Serialize};
use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::language::Language;

/// The employer, as named in a document. Its data is not part of the signed content, so a company that moves needs no
/// new signatures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Employer {
    /// legal name
    pub name: String,
    /// employer identification number
    pub ein: Option<String>,
    /// filing address
    pub address: Option<Address>,
}

impl Employer {
    /// Returns the employer's lines in a document.
    pub fn employer_lines(&self) -> Vec<String> {
        let mut lines = vec![self.name.clone()];
        lines.extend(self.address.iter().flat_map(Address::address_lines));
        let ein = self.ein.as_deref().and_then(|ein| ein.split_at_checked(2));
        lines.extend(ein.map(|(prefix, rest)| format!("EIN {prefix}-{}", rest.trim_start_matches('-'))));
        lines
    }
}

/// An identifying number, reduced to its last digits and a keyed digest. Equal numbers within a company have equal digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Masked {
    last: String,
    mark: String,
}

impl Masked {
    /// Masks a number: keeps its last four characters, or the last half if it has fewer than eight.
    pub fn new(tx: &mut Tx<'_>, company: Uuid, number: &str) -> Result<Self, Error> {
        let mark = hex::encode(tx.fingerprint(company, "employee_forms.number", number.as_bytes())?);
        Ok(Self { last: last_digits_of(number), mark })
    }

    /// The last digits.
    pub fn last_digits(&self) -> &str {
        &self.last
    }

    /// Creates a masked number from the masked form and the fingerprint stored in another record.
    pub fn from_stored(shown: &str, fingerprint: &[u8]) -> Self {
        Self { last: shown.trim_start_matches('X').to_owned(), mark: hex::encode(fingerprint) }
    }
}

fn last_digits_of(number: &str) -> String {
    let count = number.chars().count();
    number.chars().skip(count - (count / 2).min(4)).collect()
}

impl std::fmt::Display for Masked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ending in {}", self.last)
    }
}

/// Formats a masked Social Security number, such as `XXX-XX-6789`.
pub(super) fn format_masked_ssn(number: Option<&Masked>) -> String {
    number.map_or_else(|| MISSING.to_owned(), |number| format!("XXX-XX-{}", number.last))
}

pub(super) const MISSING: &str = "not given";

/// Formats a date for print, such as `February 3, 1990`.
pub(super) fn format_day(text: &str) -> String {
    text.parse::<Date>().map_or_else(|_| text.to_owned(), |day| Language::English.format_day(day))
}

/// A person's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// first name
    pub first: String,
    /// middle initial, one letter
    pub middle: Option<String>,
    /// last name
    pub last: String,
}

impl Name {
    pub(super) fn full_name(&self) -> String {
        let middle = self.middle.as_ref().map(|letter| format!("{letter}. ")).unwrap_or_default();
        format!("{} {middle}{}", self.first, self.last)
    }
}

/// A postal address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// house number and street
    pub street_1: String,
    /// second address line
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two-letter state
    pub state: String,
    /// ZIP code
    pub zip: String,
}

impl Address {
    /// Returns the address lines as on an envelope.
    pub fn address_lines(&self) -> Vec<String> {
        let Self { street_1, street_2, city, state, zip } = self;
        let mut lines = vec![street_1.clone()];
        lines.extend(street_2.clone());
        lines.push(format!("{city}, {state} {zip}"));
        lines
    }
}

pub(super) fn format_address(address: Option<&Address>) -> String {
    address.map_or_else(|| MISSING.to_owned(), |address| address.address_lines().join(", "))
}

pub(super) fn or_missing(text: Option<&String>) -> String {
    text.cloned().unwrap_or_else(|| MISSING.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_dates_are_printed_in_american_format() {
        for (amount, printed) in [
            ("0.00", "$0.00"),
            ("999.00", "$999.00"),
            ("1500.50", "$1,500.50"),
            ("1234567.89", "$1,234,567.89"),
        ] {
            assert_eq!(dollars(amount), printed);
        }
        assert_eq!(format_day("1990-02-03"), "February 3, 1990");
    }

    #[test]
    fn a_number_masked_by_another_record_is_shown_alike_and_distinguished_by_its_fingerprint() {
        let known = |fingerprint: &[u8]| Masked::from_stored("XXXXXX1207", fingerprint);
        assert_eq!(known(b"a").to_string(), "ending in 1207");
        assert_ne!(known(b"a"), known(b"b"));
    }

    #[test]
    fn a_number_shows_at_most_its_last_four_characters_and_never_more_than_half() {
        for (number, shown) in
            [("412551099", "1099"), ("1234567", "567"), ("12345", "45"), ("1", ""), ("", "")]
        {
            assert_eq!(last_digits_of(number), shown);
        }
    }
}
