//! Catch-up contributions of high earners must be Roth contributions (section 603 of the SECURE 2.0 Act, 26 U.S.C.
//! 414(v)(7)): those of employees whose Social Security wages from the employer exceeded a threshold in the prior year.
//!
//! Before 2026, pre-tax contributions counted as satisfying the rule (IRS Notice 2023-62), so the table begins with 2026.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::amount::Amount;
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// The threshold of a year.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RothThreshold {
    /// Year of the contributions.
    pub year: i16,
    /// Social Security wages of the prior year above which catch-up contributions must be Roth contributions.
    pub wages_above: Amount,
    /// Source.
    pub source: String,
    /// Confidence in it. A threshold applies regardless of it, because the one of the year before is no better.
    pub confidence: Confidence,
}

/// The thresholds by year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RothThresholds(Vec<RothThreshold>);

impl RothThresholds {
    /// The built-in table, as text.
    pub const FILE: &'static str = include_str!("../../../../../data/roth_catch_up.csv");

    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<RothThresholds> = LazyLock::new(|| {
            RothThresholds::parse(RothThresholds::FILE)
                .unwrap_or_else(|error| panic!("data/roth_catch_up.csv: {error}"))
        });
        &TABLE
    }

    /// Parses the layout of `roth_catch_up.csv`.
    ///
    /// # Errors
    /// A row is malformed, or a year has two.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let mut rows = csv_rows::<RothThreshold>(csv)?;
        rows.sort_by_key(|row| row.year);
        match rows.windows(2).find(|pair| pair[0].year == pair[1].year) {
            Some(pair) => Err(TableError::new(format!("{}: two rows", pair[0].year))),
            None => Ok(Self(rows)),
        }
    }

    /// Returns every threshold, by year.
    pub fn iter(&self) -> impl Iterator<Item = &RothThreshold> {
        self.0.iter()
    }

    /// Returns the prior year's Social Security wages above which catch-up contributions of `year` must be Roth
    /// contributions, from the newest table year up to `year`. `None` before the rule was in force.
    pub fn wages_above(&self, year: i16) -> Option<Amount> {
        self.0.iter().rfind(|row| row.year <= year).map(|row| row.wages_above)
    }

    /// Returns whether wages of the prior year require catch-up contributions of `year` to be Roth contributions.
    pub fn requires_roth(&self, year: i16, wages_before: Amount) -> bool {
        self.wages_above(year).is_some_and(|above| wages_before > above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_begins_in_2026_and_asks_for_more_than_the_threshold() {
        let wages = |dollars: i64| Amount::from_cents(dollars * 100);
        let table = RothThresholds::built_in();
        assert!(!table.requires_roth(2025, wages(1_000_000)));
        assert!(!table.requires_roth(2026, wages(150_000)));
        assert!(table.requires_roth(2026, wages(150_001)));
        assert!(table.requires_roth(2027, wages(150_001)), "until the figure of the year is known");
    }

    #[test]
    fn a_row_that_cannot_be_read_and_a_year_with_two_rows_are_named() {
        let why = |rows: &str| {
            let text = format!("year,wages_above,source,confidence\n{rows}");
            RothThresholds::parse(&text).unwrap_err().to_string()
        };
        assert!(why("2026,many,a,primary\n").contains("line: 2"), "{}", why("2026,many,a,primary\n"));
        assert_eq!(why("2027,1,a,primary\n2027,2,a,primary\n"), "2027: two rows");
    }
}
