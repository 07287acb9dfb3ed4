//! State minimums for paid sick leave, shown next to a policy for information. Only the minimum pay of an hour is enforced.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{AccrualMethod, AccrualTerms, HOURS_OF_A_YEAR};
use crate::amount::{Amount, Rounding};
use crate::dated::Undated;
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// The paid sick leave, or leave for any reason, that a state requires of employers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SickLeaveMinimum {
    /// Two-letter code.
    pub state: String,
    /// Hours of work that earn one hour of leave.
    pub hours_worked: Amount,
    /// Hours to which an employer may limit a year's accrual; `None` if no such limit is allowed.
    pub yearly_limit: Option<Amount>,
    /// Law under which hours taken are paid at no less than the minimum wage, without counting tips; `None` where no such
    /// requirement is known.
    #[serde(default)]
    pub at_minimum_wage: Option<String>,
    /// Statute.
    pub source: String,
    /// Confidence in the row.
    pub confidence: Confidence,
    /// What the figures leave out, such as small employers and industries.
    pub note: String,
}

/// The paid sick leave requirements of each state; states without requirements have no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SickLeaveTable(BTreeMap<String, SickLeaveMinimum>);

impl Undated for SickLeaveTable {
    const FILE: &'static str = include_str!("../../../../data/sick_leave.csv");
    const KEY: &'static [&'static str] = &["state"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        Self::parse(csv)
    }
}

impl SickLeaveTable {
    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<SickLeaveTable> = LazyLock::new(|| {
            SickLeaveTable::parse(SickLeaveTable::FILE)
                .unwrap_or_else(|error| panic!("sick_leave.csv: {error}"))
        });
        &TABLE
    }

    /// Parses the layout of `sick_leave.csv`.
    ///
    /// # Errors
    /// A row is malformed, its `hours_worked` is not above zero, or a state has two rows.
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

    /// Returns a state's requirements, given its two-letter code.
    pub fn minimum_of_state(&self, state: &str) -> Option<&SickLeaveMinimum> {
        self.0.get(state)
    }
}

impl AccrualTerms {
    /// Whether the terms give a full-time employee less than a state requires. A yearly method is compared with the hours of
    /// a full year, which statutes allow employers to grant at once.
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

/// Returns the hours earned by `hours` of work at one hour per `so_many`.
fn one_in(hours: Amount, so_many: Amount) -> Amount {
    hours.mul_ratio(1_000_000, so_many.millionths(), Rounding::Up).unwrap_or(hours)
}
