//! Codes of tipped occupations, box 14b of Form W-2.
//!
//! Source: 26 CFR 1.224-1(h), table 1; General Instructions for Forms W-2 and W-3 (2026).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use rules::taxes::Confidence;
use rules::withholding::TableError;
use serde::Deserialize;

use crate::table::{built_in, read_rows};

/// The code for an occupation that is not listed.
pub const NOT_LISTED: &str = "000";
/// Codes that box 14b has room for.
const CODES_OF_A_FORM: usize = 2;

/// An occupation in which tips are customary.
#[derive(Debug, Clone, Deserialize)]
pub struct TippedOccupation {
    /// three digits
    pub code: String,
    /// group of the table
    pub category: String,
    /// title
    pub title: String,
    /// codes of the Standard Occupational Classification, joined by a blank
    pub soc: String,
    /// how far the row can be trusted
    pub confidence: Confidence,
}

/// Tipped occupations, by code.
#[derive(Debug, Clone)]
pub struct TippedOccupations(BTreeMap<String, TippedOccupation>);

impl TippedOccupations {
    /// Returns the built-in table, `tipped_occupations.csv`.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<TippedOccupations> = LazyLock::new(|| {
            let text = include_str!("../../../data/returns/tipped_occupations.csv");
            built_in("tipped_occupations.csv", TippedOccupations::parse(text))
        });
        &TABLE
    }

    /// Parses the layout of `tipped_occupations.csv`.
    ///
    /// # Errors
    /// A row is malformed.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let rows: Vec<TippedOccupation> = read_rows(csv)?;
        Ok(Self(rows.into_iter().map(|row| (row.code.clone(), row)).collect()))
    }

    /// Returns an occupation.
    pub fn get(&self, code: &str) -> Option<&TippedOccupation> {
        self.0.get(code)
    }

    /// Returns the occupations that a code of the Standard Occupational Classification belongs to.
    pub fn of_soc(&self, soc: &str) -> Vec<&TippedOccupation> {
        self.0.values().filter(|one| one.soc.split(' ').any(|code| code == soc)).collect()
    }

    /// Returns all occupations, in the order of their codes.
    pub fn iter(&self) -> impl Iterator<Item = &TippedOccupation> {
        self.0.values()
    }
}

/// Returns the codes of box 14b: at most two, and `000` first if any tips were earned in an occupation that is not listed. Of more than
/// two occupations any two are named.
pub fn box_14b(occupations: &BTreeSet<String>) -> Vec<String> {
    let is_listed =
        |code: &&String| code.as_str() != NOT_LISTED && TippedOccupations::built_in().get(code).is_some();
    let other = occupations.iter().any(|code| !is_listed(&code)).then(|| NOT_LISTED.to_owned());
    let listed = occupations.iter().filter(is_listed).cloned();
    other.into_iter().chain(listed).take(CODES_OF_A_FORM).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_seventy_one_occupations_and_the_code_for_all_others() {
        assert_eq!(TippedOccupations::built_in().iter().count(), 72);
        let of_waiters = TippedOccupations::built_in().of_soc("35-3031");
        assert_eq!(of_waiters.iter().map(|one| one.code.as_str()).collect::<Vec<_>>(), ["102"]);
    }

    #[test]
    fn box_14b_has_two_codes_at_most_and_names_occupations_that_are_not_listed() {
        let codes = |codes: &[&str]| box_14b(&codes.iter().map(|code| (*code).to_owned()).collect());
        assert_eq!(codes(&[]), Vec::<String>::new());
        assert_eq!(codes(&["102"]), ["102"]);
        assert_eq!(codes(&["101", "102", "104"]), ["101", "102"]);
        assert_eq!(codes(&["101", "102", ""]), ["000", "101"]);
    }
}
