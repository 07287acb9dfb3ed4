//! The tables of taxes of states and places, each of its own: what an operator imports for a year goes into one of them.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use super::read::{self, Fault};
use super::table::{Tax, TaxTable};

/// Declares a table of taxes with its built-in edition.
macro_rules! tax_tables {
    ($($(#[$doc:meta])* $name:ident of $file:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(TaxTable);

        impl $name {
            /// The built-in table, as text.
            pub const FILE: &'static str = include_str!(concat!("../../../../data/taxes/", $file));

            /// Returns the built-in table.
            pub fn built_in() -> &'static Self {
                static BUILT_IN: LazyLock<$name> =
                    LazyLock::new(|| read::built_in($file, $name::parse($name::FILE)));
                &BUILT_IN
            }

            /// Parses a table in the layout of the built-in one.
            ///
            /// # Errors
            /// All errors in the table, with line and field.
            pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
                TaxTable::parse(csv).map(Self)
            }
        }

        impl Deref for $name {
            type Target = TaxTable;

            fn deref(&self) -> &TaxTable {
                &self.0
            }
        }
    )+};
}

tax_tables! {
    /// Insurance programs of states: disability, family leave, assessments on wages.
    StatePrograms of "insurance_2026.csv";
    /// Taxes of counties, cities, school districts and other districts on wages.
    LocalTaxes of "local_2026.csv";
}

impl TaxTable {
    /// Returns the states with rows of which none begins in a year.
    pub fn states_without(&self, year: i16) -> BTreeSet<&str> {
        let state = |tax: &&Arc<Tax>| tax.from.is_some_and(|from| from.year() == year);
        let begun: BTreeSet<&str> =
            self.iter().filter(state).map(|tax| tax.jurisdiction.state.as_str()).collect();
        self.iter()
            .map(|tax| tax.jurisdiction.state.as_str())
            .filter(|state| !begun.contains(state))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    /// The rows of a code in the built-in programs, with another rate and another first day.
    fn of_2027(code: &str, rate: (&str, &str)) -> String {
        let mut lines = StatePrograms::FILE.lines();
        let header = lines.next().unwrap();
        let rows = lines.filter(|line| line.starts_with(&format!("{code},")));
        let rows = rows.map(|line| line.replace(rate.0, rate.1).replace("2026-01-01", "2027-01-01"));
        format!("{header}\n{}\n", rows.collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn a_row_of_the_next_year_ends_the_one_before_it() {
        let next = of_2027("AK_UI_EE", (",0.5,", ",0.6,"));
        let rows = next.split_once('\n').unwrap().1;
        let table = StatePrograms::parse(&format!("{}{rows}", StatePrograms::FILE)).unwrap();
        let in_force = |year: i16| {
            let rows = table.of_state("AK").iter().filter(|tax| tax.code == "AK_UI_EE");
            let found: Vec<_> = rows.filter(|tax| tax.is_in_force(date(year, 6, 30))).collect();
            assert_eq!(found.len(), 1, "{found:?}");
            format!("{:?}", found[0].method)
        };
        assert!(in_force(2026) != in_force(2027));
        assert_eq!(in_force(2027), in_force(2030));
        assert!(StatePrograms::built_in().states_without(2027).contains("AK"));
        assert!(!table.states_without(2027).contains("AK"));
    }

    #[test]
    fn built_in_rows_of_one_code_do_not_overlap() {
        let tables: [&TaxTable; 2] = [StatePrograms::built_in(), LocalTaxes::built_in()];
        for table in tables {
            for tax in table.iter() {
                let later =
                    |other: &&Arc<Tax>| other.code == tax.code && other.is_like(tax) && other.from > tax.from;
                let begins = table.iter().filter(later).filter_map(|other| other.from).min();
                assert!(begins.is_none_or(|begins| tax.to.is_some_and(|to| to < begins)), "{}", tax.code);
            }
        }
    }
}
