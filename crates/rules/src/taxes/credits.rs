//! Credits that cities taxing all pay of residents give for the tax of a city of work: `data/taxes/city_credits.csv`.
//!
//! The credit is the other city's tax on the same wages, up to the residence city's tax on them. Michigan's and
//! Ohio's cities and Kentucky's counties have their own rules ([`super::local`]).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::read::{self, Fault};

static BUILT_IN: LazyLock<CityCredits> = LazyLock::new(|| {
    let text = include_str!("../../../../data/taxes/city_credits.csv");
    read::built_in("city_credits.csv", CityCredits::parse(text))
});

/// Credits between cities: the source, by the keys of the places of residence and of work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CityCredits(BTreeMap<(String, String), String>);

impl CityCredits {
    /// Returns the built-in table.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses `city_credits.csv`.
    ///
    /// # Errors
    /// All errors in the table, with line and field; two rows of one pair are an error.
    fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let mut table = BTreeMap::new();
        read::rows(csv, &["home", "work", "source"], |row| {
            let pair = (row.required("home"), row.required("work"));
            if table.insert(pair, row.required("source")).is_some() {
                row.fault("work", "an earlier row has the same pair of cities");
            }
            Some(())
        })?;
        Ok(Self(table))
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
            let rows = TaxTable::local().of_place(place);
            assert!(rows.iter().any(|tax| tax.applies == Applies::Both), "{place}");
        }
        assert_eq!(CityCredits::built_in().source("PA-PHILADELPHIA", "NY-NEW_YORK_CITY"), None);
    }
}
