//! What cities whose tax is on all pay of residents credit them for the tax of a city where they work: `data/taxes/city_credits.csv`.
//!
//! The credit is what the other city takes of the same wages, at most the tax of the city of residence on them. Michigan's and
//! Ohio's cities and Kentucky's counties have rules of their own ([`super::local`]).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::read::{self, Fault};

static BUILT_IN: LazyLock<CityCredits> = LazyLock::new(|| {
    let text = include_str!("../../../../data/taxes/city_credits.csv");
    read::built_in("city_credits.csv", CityCredits::parse(text))
});

/// Which city credits which: the source, by the keys of the places of residence and of work.
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
    /// Every fault of the table, with line and field; two rows of one pair are a fault.
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

    /// Returns the source of the credit that a city of residence gives for the tax of a city of work, if it gives one.
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
