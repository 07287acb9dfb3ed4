//! Credits that cities taxing all pay of residents give for the tax of a city of work: `data/taxes/city_credits.csv`.
//!
//! The credit is the other city's tax on the same wages, up to the residence city's tax on them. Michigan's and
//! Ohio's cities and Kentucky's counties have their own rules ([`super::local`]).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::read;
use super::source::Confidence;
use crate::dated::Undated;
use crate::withholding::TableError;

static BUILT_IN: LazyLock<CityCredits> = LazyLock::new(|| {
    CityCredits::read_edition(CityCredits::FILE).unwrap_or_else(|why| panic!("city_credits.csv: {why}"))
});

/// Credits between cities: the source, by the keys of the places of residence and of work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CityCredits(BTreeMap<(String, String), String>);

impl Undated for CityCredits {
    const FILE: &'static str = include_str!("../../../../data/taxes/city_credits.csv");
    const KEY: &'static [&'static str] = &["home", "work"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        let mut table = BTreeMap::new();
        read::read_rows(csv, &["home", "work", "confidence", "source"], |row| {
            let pair = (row.required_text("home"), row.required_text("work"));
            let confidence: Confidence = row.one_of("confidence")?;
            // A credit lowers a tax that is withheld otherwise.
            if confidence.is_enough() && table.insert(pair, row.required_text("source")).is_some() {
                row.record_fault("work", "an earlier row has the same pair of cities");
            }
            Some(())
        })?;
        Ok(Self(table))
    }
}

impl CityCredits {
    /// Returns the built-in table.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Returns the source of the credit that a city of residence gives for a city of work's tax, if it gives one.
    pub(super) fn source(&self, home: &str, work: &str) -> Option<&str> {
        self.0.get(&(home.to_owned(), work.to_owned())).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Applies, TaxTable};
    use super::*;

    #[test]
    fn every_city_of_the_table_taxes_residents_and_work() {
        for place in CityCredits::built_in().0.keys().flat_map(|(home, work)| [home, work]) {
            let rows = TaxTable::built_in_local().of_place(place);
            assert!(rows.iter().any(|tax| tax.applies == Applies::Both), "{place}");
        }
        assert_eq!(CityCredits::built_in().source("PA-PHILADELPHIA", "NY-NEW_YORK_CITY"), None);
    }
}
