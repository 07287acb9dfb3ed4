//! The salary level of the Fair Labor Standards Act: the minimum that an Exempt employee must be paid on a salary basis
//! (29 CFR 541.600), by effective date. Higher levels of individual states are not included.

use std::sync::LazyLock;

use jiff::civil::Date;
use serde::Deserialize;

use crate::amount::{Amount, Rounding};
use crate::full_time::WEEKS_PER_YEAR;
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// A salary level.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SalaryLevel {
    /// First day on which it applies.
    pub from: Date,
    /// Dollars per week.
    pub weekly: Amount,
    /// Source of the level.
    pub source: String,
    /// Confidence in the source. A level applies regardless of it; otherwise, an employee might wrongly be Exempt.
    pub confidence: Confidence,
}

impl SalaryLevel {
    /// Returns dollars per year: 52 weeks. `None` on overflow.
    pub fn yearly(&self) -> Option<Amount> {
        self.weekly.mul_ratio(WEEKS_PER_YEAR, 1, Rounding::Down)
    }
}

/// The salary levels, by effective date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SalaryLevels(Vec<SalaryLevel>);

impl SalaryLevels {
    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<SalaryLevels> = LazyLock::new(|| {
            let text = include_str!("../../../data/salary_levels.csv");
            SalaryLevels::parse(text).unwrap_or_else(|error| panic!("salary_levels.csv: {error}"))
        });
        &TABLE
    }

    /// Parses the layout of `salary_levels.csv`.
    ///
    /// # Errors
    /// A row is malformed, a level is not above zero, or the rows are not in strictly ascending order of date.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let levels = csv_rows::<SalaryLevel>(csv)?;
        if !levels.is_sorted_by(|one, next| one.from < next.from) {
            return Err(TableError::new("the rows must be in the order of their days, each day once"));
        }
        if let Some(level) = levels.iter().find(|level| level.weekly <= Amount::ZERO) {
            return Err(TableError::new(format!("{}: weekly must be more than 0.00", level.from)));
        }
        Ok(Self(levels))
    }

    /// Returns the level that applies on a day; `None` before the first.
    pub fn on(&self, day: Date) -> Option<&SalaryLevel> {
        self.0.iter().rev().find(|level| level.from <= day)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_level_went_up_in_july_2024_and_back_when_the_rule_was_vacated() {
        let weekly = |day| SalaryLevels::built_in().on(day).map(|level| level.weekly.to_text(2));
        let golden = [
            (date(2004, 8, 22), None),
            (date(2019, 12, 31), Some("455.00")),
            (date(2020, 1, 1), Some("684.00")),
            (date(2024, 6, 30), Some("684.00")),
            (date(2024, 7, 1), Some("844.00")),
            (date(2024, 11, 14), Some("844.00")),
            (date(2024, 11, 15), Some("684.00")),
            (date(2026, 11, 27), Some("684.00")),
        ];
        for (day, expected) in golden {
            assert_eq!(weekly(day).as_deref(), expected, "{day}");
        }
    }

    #[test]
    fn a_table_out_of_order_or_without_a_level_is_refused() {
        let of = |rows: &str| SalaryLevels::parse(&format!("from,weekly,source,confidence\n{rows}"));
        assert!(of("2020-01-01,684,x,secondary\n2024-07-01,844,x,secondary").is_ok());
        assert!(of("2024-07-01,844,x,secondary\n2020-01-01,684,x,secondary").is_err());
        assert!(of("2020-01-01,684,x,secondary\n2020-01-01,844,x,secondary").is_err());
        assert!(of("2020-01-01,0,x,secondary").is_err());
        assert!(of("2020-01-01,684,x,sure").is_err());
    }
}
