//! What states ask of paid sick leave, as facts beside a policy: shown, never enforced, but for what an hour has to pay at least.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{AccrualMethod, AccrualTerms, HOURS_OF_A_YEAR};
use crate::amount::{Amount, Rounding};
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// The paid sick leave, or leave for any reason, that a state asks employers for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SickLeaveMinimum {
    /// Two letters.
    pub state: String,
    /// Hours worked for which one hour is earned.
    pub hours_worked: Amount,
    /// Hours to which an employer may limit a year's accrual; `None` if no such limit is allowed.
    pub yearly_limit: Option<Amount>,
    /// By which law hours taken are paid no less than the minimum wage, of which tips are no part; none where it is not held that
    /// the state asks for it.
    #[serde(default)]
    pub at_minimum_wage: Option<String>,
    /// The statute.
    pub source: String,
    /// How far it can be trusted.
    pub confidence: Confidence,
    /// What the figures leave out: small employers, industries.
    pub note: String,
}

/// What each state asks of paid sick leave; states that ask for none have no row.
#[derive(Debug)]
pub struct SickLeaveTable(BTreeMap<String, SickLeaveMinimum>);

impl SickLeaveTable {
    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<SickLeaveTable> = LazyLock::new(|| {
            let text = include_str!("../../../../data/sick_leave.csv");
            SickLeaveTable::parse(text).unwrap_or_else(|error| panic!("sick_leave.csv: {error}"))
        });
        &TABLE
    }

    /// Parses the layout of `sick_leave.csv`.
    ///
    /// # Errors
    /// A row is malformed, counts by no hours, or a state has two.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let mut found = BTreeMap::new();
        for row in csv_rows::<SickLeaveMinimum>(csv)? {
            if row.hours_worked <= Amount::ZERO {
                return Err(TableError::new(format!("{}: hours_worked must be more than 0", row.state)));
            }
            let state = row.state.clone();
            if found.insert(state.clone(), row).is_some() {
                return Err(TableError::new(format!("{state}: two rows")));
            }
        }
        Ok(Self(found))
    }

    /// Returns what a state asks for, by its two letters.
    pub fn of(&self, state: &str) -> Option<&SickLeaveMinimum> {
        self.0.get(state)
    }
}

impl AccrualTerms {
    /// Whether the terms give less than a state asks for, to somebody who works full time. A yearly method is held against the
    /// hours of a year, as statutes allow that are given at once.
    pub fn gives_less_than(&self, minimum: &SickLeaveMinimum, periods_a_year: i64) -> bool {
        let full_time = one_in(HOURS_OF_A_YEAR, minimum.hours_worked);
        let of_year = minimum.yearly_limit.map_or(full_time, |limit| limit.min(full_time));
        let capped = |limit: Option<Amount>| limit.is_some_and(|limit| limit < of_year);
        let earns_less = match self.method {
            AccrualMethod::Unlimited => return false,
            AccrualMethod::PerCalendarYear | AccrualMethod::PerAnniversaryYear => self.rate < of_year,
            AccrualMethod::PerPayPeriod => {
                self.rate.mul_ratio(periods_a_year, 1, Rounding::Down).is_some_and(|hours| hours < of_year)
            }
            _ => {
                let unit = self.rate_unit.unwrap_or(Amount::ZERO).millionths();
                // rate / unit < 1 / hours_worked, without a division
                let given =
                    i128::from(self.rate.millionths()) * i128::from(minimum.hours_worked.millionths());
                given < i128::from(unit) * 1_000_000
            }
        };
        earns_less || capped(self.yearly_limit) || capped(self.balance_limit)
    }
}

/// Hours of which one in so many is earned.
fn one_in(hours: Amount, so_many: Amount) -> Amount {
    hours.mul_ratio(1_000_000, so_many.millionths(), Rounding::Up).unwrap_or(hours)
}
