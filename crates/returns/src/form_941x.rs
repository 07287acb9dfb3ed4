//! Form 941-X: what is corrected of a quarter that was filed, line by line.
//!
//! Column 1 is the corrected amount, column 2 what was reported or corrected before, column 3 the difference and column 4 the tax on it. It
//! is calculated on the difference, and rounded there: what the books owe then is changed by cents.
//!
//! Source: Form 941-X and its instructions.

use std::sync::LazyLock;

use rules::payroll::taxes::PayrollTaxes;
use rules::{Amount, Named as _};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::form_941::Line941;
use crate::table::{built_in, deserialize_word, read_rows};
use crate::{Form941, percent_of};

/// The number of the line with the total of column 4.
pub const TOTAL: &str = "27";

/// How the tax on a difference is calculated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
enum TaxOn {
    /// there is none
    #[strum(serialize = "none")]
    Nothing,
    /// the difference is the tax
    #[strum(serialize = "whole")]
    Whole,
    /// both shares of Social Security
    #[strum(serialize = "social_security")]
    SocialSecurity,
    /// both shares of Medicare
    #[strum(serialize = "medicare")]
    Medicare,
    /// Additional Medicare tax
    #[strum(serialize = "additional_medicare")]
    AdditionalMedicare,
}

#[derive(Debug, Deserialize)]
struct Row {
    line: String,
    #[serde(deserialize_with = "deserialize_word")]
    of_941: Line941,
    #[serde(deserialize_with = "deserialize_word")]
    tax: TaxOn,
    title: String,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    built_in("form_941x.csv", read_rows(include_str!("../../../data/returns/form_941x.csv")))
});

/// A line that is corrected. Amounts are cents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corrected {
    /// number on Form 941-X
    pub line: String,
    /// number of the line of Form 941
    pub of_941: String,
    /// title
    pub title: String,
    /// column 1: the corrected amount
    pub corrected: i64,
    /// column 2: as reported, or as corrected before
    pub reported: i64,
    /// column 4: the tax on the difference; `None` for a line without one
    pub tax: Option<i64>,
}

impl Corrected {
    /// Column 3.
    pub fn difference(&self) -> i64 {
        self.corrected - self.reported
    }
}

/// Form 941-X of a quarter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form941X {
    /// its lines, also those without a difference
    pub lines: Vec<Corrected>,
}

impl Form941X {
    /// Makes the form of what was reported, by line of Form 941, and of the quarter as it is today.
    pub fn new(reported: impl Fn(Line941) -> i64, today: &Form941, taxes: &PayrollTaxes) -> Self {
        let both = |rate: Amount| Amount::from_millionths(rate.millionths() * 2);
        let line = |row: &Row| {
            let (corrected, reported) = (today.amount(row.of_941), reported(row.of_941));
            let difference = corrected - reported;
            let tax = match row.tax {
                TaxOn::Nothing => None,
                TaxOn::Whole => Some(difference),
                TaxOn::SocialSecurity => Some(percent_of(difference, both(taxes.social_security))),
                TaxOn::Medicare => Some(percent_of(difference, both(taxes.medicare))),
                TaxOn::AdditionalMedicare => Some(percent_of(difference, taxes.additional_medicare)),
            };
            let of_941 = row.of_941.as_str().to_owned();
            Corrected { line: row.line.clone(), of_941, title: row.title.clone(), corrected, reported, tax }
        };
        Self { lines: ROWS.iter().map(line).collect() }
    }

    /// The lines that differ.
    pub fn changed_lines(&self) -> impl Iterator<Item = &Corrected> {
        self.lines.iter().filter(|line| line.difference() != 0)
    }

    /// Line 27: what is owed, or, if it is negative, what was paid too much.
    pub fn total_due(&self) -> i64 {
        self.lines.iter().filter_map(|line| line.tax).sum()
    }

    /// What it says of a line of Form 941 after the correction.
    pub fn corrected_amount(&self, line: Line941) -> Option<i64> {
        self.lines.iter().find(|one| one.of_941 == line.as_str()).map(|one| one.corrected)
    }
}
