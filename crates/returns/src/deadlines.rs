//! When each return is due: `data/returns/deadlines.csv`.
//!
//! A day on a weekend or a legal holiday is moved to the next business day (26 USC 7503).

use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Named as _;
use rules::dated::Undated;
use rules::deposits::business;
use rules::taxes::Confidence;
use rules::withholding::TableError;
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::table::{built_in, deserialize_word, deserialize_yes_no, read_rows};
use crate::{Error, Quarter};

/// A return, by what is filed with whom.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Return {
    /// Form 941
    #[strum(serialize = "941")]
    F941,
    /// Form 940
    #[strum(serialize = "940")]
    F940,
    /// Form 943
    #[strum(serialize = "943")]
    F943,
    /// Form 944
    #[strum(serialize = "944")]
    F944,
    /// Form 945
    #[strum(serialize = "945")]
    F945,
    /// Form 1099-NEC, to the contractor and to the Internal Revenue Service
    #[strum(serialize = "1099_nec")]
    F1099Nec,
    /// copies B, C and 2 of Form W-2, to the employee
    #[strum(serialize = "w2_employee")]
    W2ToEmployee,
    /// copy A of Form W-2 and Form W-3, to the Social Security Administration
    #[strum(serialize = "w2_agency")]
    W2ToAgency,
}

/// The length of a return's period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
enum Length {
    #[strum(serialize = "quarter")]
    Quarter,
    #[strum(serialize = "year")]
    Year,
}

/// A row of `deadlines.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Row {
    #[serde(rename = "return", deserialize_with = "deserialize_word")]
    of: Return,
    #[serde(deserialize_with = "deserialize_word")]
    period: Length,
    months_after: i8,
    day: i8,
    #[serde(deserialize_with = "deserialize_yes_no")]
    if_deposited: bool,
    confidence: Confidence,
}

/// When returns are due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlines(Vec<Row>);

/// A deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// the last day on which the return is in time
    pub due: Date,
    /// the day that the rule names, before it is moved
    pub named: Date,
    /// how far the rule can be trusted
    pub confidence: Confidence,
}

impl Undated for Deadlines {
    const FILE: &'static str = include_str!("../../../data/returns/deadlines.csv");
    const KEY: &'static [&'static str] = &["return", "if_deposited"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        Self::parse(csv)
    }
}

impl Deadlines {
    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<Deadlines> =
            LazyLock::new(|| built_in("deadlines.csv", Deadlines::parse(<Deadlines as Undated>::FILE)));
        &TABLE
    }

    /// Parses the layout of `deadlines.csv`.
    ///
    /// # Errors
    /// A row is malformed.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let rows: Vec<Row> = read_rows(csv)?;
        for row in &rows {
            if !(1..=31).contains(&row.day) || !(1..=12).contains(&row.months_after) {
                let of = row.of.as_str();
                let why = format!("{of}: day must be from 1 to 31, and months_after from 1 to 12");
                return Err(TableError::new(why));
            }
        }
        Ok(Self(rows))
    }

    /// Returns when a return for the period that ends with `quarter` is due. Annual returns are due for the fourth quarter of a year. If
    /// all deposits were made in time, some are due later.
    ///
    /// # Errors
    /// No such return is due for the quarter.
    pub fn return_deadline(
        &self,
        of: Return,
        quarter: Quarter,
        all_deposited: bool,
    ) -> Result<Deadline, Error> {
        let ends = |row: &&Row| row.period == Length::Quarter || quarter.number() == 4;
        let rows = self.0.iter().filter(|row| row.of == of).filter(ends);
        let row = rows.filter(|row| all_deposited || !row.if_deposited).max_by_key(|row| row.months_after);
        let missing = Error::Year { what: "the due date of the return", year: quarter.year(), known: vec![] };
        let row = row.ok_or(missing)?;
        let month = quarter.last_day().first_of_month().saturating_add(i64::from(row.months_after).months());
        let named = month.saturating_add((i64::from(row.day.min(month.days_in_month())) - 1).days());
        Ok(Deadline { due: business::from(named), named, confidence: row.confidence })
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn due(of: Return, (year, quarter): (i16, i8), all_deposited: bool) -> Date {
        let quarter = Quarter::new(year, quarter).unwrap();
        Deadlines::built_in().return_deadline(of, quarter, all_deposited).unwrap().due
    }

    #[test]
    fn a_deadline_on_a_weekend_is_the_next_business_day() {
        let f941 = |quarter, all_deposited| due(Return::F941, quarter, all_deposited);
        assert_eq!(f941((2026, 4), false), date(2027, 2, 1), "31 January 2027 is a Sunday");
        assert_eq!(f941((2026, 4), true), date(2027, 2, 10));
        assert_eq!(f941((2027, 1), false), date(2027, 4, 30));
        assert_eq!(f941((2027, 1), true), date(2027, 5, 10));
        assert_eq!(f941((2027, 2), false), date(2027, 8, 2), "31 July 2027 is a Saturday");
        assert_eq!(f941((2027, 3), false), date(2027, 11, 1), "31 October 2027 is a Sunday");
        assert_eq!(f941((2027, 4), false), date(2028, 1, 31));
        assert_eq!(f941((2027, 4), true), date(2028, 2, 10));
    }

    #[test]
    fn annual_returns_are_due_for_the_fourth_quarter_alone() {
        for of in [Return::F940, Return::F944, Return::W2ToEmployee, Return::W2ToAgency] {
            assert_eq!(due(of, (2026, 4), false), date(2027, 2, 1), "{of:?}");
            let third = Quarter::new(2026, 3).unwrap();
            assert!(Deadlines::built_in().return_deadline(of, third, false).is_err(), "{of:?}");
        }
        assert_eq!(due(Return::F940, (2026, 4), true), date(2027, 2, 10));
        assert_eq!(due(Return::W2ToAgency, (2026, 4), true), date(2027, 2, 1), "deposits do not matter");
    }
}
