//! Returns of states' income tax that employers withhold: when each is due (`data/returns/state_withholding_returns.csv`). States tell some
//! employers to file more or less often; the row is of those who are not told otherwise.

use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::dated::Undated;
use rules::deposits::business;
use rules::places::number_of_state;
use rules::taxes::{Confidence, Doubts};
use rules::withholding::TableError;
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Quarter;
use crate::table::{built_in, deserialize_word, read_rows};

/// How often a return is filed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Filed {
    /// for each quarter
    #[strum(serialize = "quarter")]
    EachQuarter,
    /// for each year
    #[strum(serialize = "year")]
    EachYear,
}

/// The return of the income tax that was withheld for a state.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WithholdingReturn {
    /// two-letter code
    pub state: String,
    /// name of the form
    pub form: String,
    /// how often it is filed
    #[serde(rename = "period", deserialize_with = "deserialize_word")]
    pub filed: Filed,
    /// day of the month after the period on which it is due; its last day if it is shorter
    day: i8,
    /// how far the row can be trusted
    pub confidence: Confidence,
    /// where it is from
    pub source: String,
}

impl WithholdingReturn {
    /// Returns when the return that includes a quarter is due, moved to a business day.
    pub fn due_date(&self, quarter: Quarter) -> Date {
        let last = match self.filed {
            Filed::EachQuarter => quarter,
            Filed::EachYear => Quarter::of_year(quarter.year())[3],
        };
        let month = last.last_day().saturating_add(1.day());
        let day = self.day.min(month.days_in_month());
        business::from(month.saturating_add((i64::from(day) - 1).days()))
    }

    /// Returns the key under which an operator confirms the row.
    pub fn key(&self) -> String {
        format!("{}_WITHHOLDING_RETURN", self.state)
    }
}

/// The returns of the states that tax wages, in the order of their codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithholdingReturns(Vec<WithholdingReturn>);

impl Undated for WithholdingReturns {
    const FILE: &'static str = include_str!("../../../data/returns/state_withholding_returns.csv");
    const KEY: &'static [&'static str] = &["state"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        let mut returns: Vec<WithholdingReturn> = read_rows(csv)?;
        for one in &returns {
            if number_of_state(&one.state).is_none() {
                return Err(TableError::new(format!("{:?} is not the code of a state", one.state)));
            }
            if !(1..=31).contains(&one.day) {
                return Err(TableError::new(format!("{}: day must be from 1 to 31", one.state)));
            }
        }
        returns.sort_by(|one, other| one.state.cmp(&other.state));
        Ok(Self(returns))
    }
}

impl WithholdingReturns {
    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<WithholdingReturns> = LazyLock::new(|| {
            built_in(
                "state_withholding_returns.csv",
                WithholdingReturns::read_edition(WithholdingReturns::FILE),
            )
        });
        &TABLE
    }

    /// Returns the return of a state; `None` for one without an income tax on wages.
    pub fn return_of_state(&self, state: &str) -> Option<&WithholdingReturn> {
        self.0.iter().find(|one| one.state == state)
    }

    /// Returns the returns of all states.
    pub fn iter(&self) -> impl Iterator<Item = &WithholdingReturn> {
        self.0.iter()
    }

    /// Adds the rows in doubt, for an operator to confirm.
    pub fn add_doubtful(&self, found: &mut Doubts) {
        for one in self.0.iter().filter(|one| !one.confidence.is_enough()) {
            let name = format!("{} return of withheld income tax ({}): when it is due", one.state, one.form);
            found.add_row((one.key(), name), one.confidence, &one.source, one);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jiff::civil::date;
    use rules::taxes::TaxBook;
    use rules::taxes::book::state_of_income_tax;

    use super::*;
    use crate::state_wages::StateReports;

    fn due(state: &str, number: i8) -> Date {
        WithholdingReturns::built_in()
            .return_of_state(state)
            .unwrap()
            .due_date(Quarter::new(2026, number).unwrap())
    }

    #[test]
    fn every_state_that_taxes_wages_has_a_return_and_no_other_one() {
        let taxing: BTreeSet<&str> =
            TaxBook::built_in().iter().filter_map(|tax| state_of_income_tax(&tax.id.code)).collect();
        let listed: BTreeSet<&str> =
            WithholdingReturns::built_in().iter().map(|one| one.state.as_str()).collect();
        assert_eq!(listed, taxing);
    }

    #[test]
    fn a_return_is_due_in_the_month_after_its_period_on_a_business_day() {
        assert_eq!(due("OR", 1), date(2026, 4, 30));
        assert_eq!(due("MI", 2), date(2026, 7, 20));
        assert_eq!(due("KS", 2), date(2026, 7, 27), "25 July 2026 is a Saturday");
        assert_eq!([1, 4].map(|quarter| due("MT", quarter)), [date(2027, 2, 1); 2], "it is of the year");
    }

    #[test]
    fn a_row_of_no_state_or_of_no_day_is_refused() {
        let with = |row: &str| {
            WithholdingReturns::read_edition(&format!("state,form,period,day,confidence,source\n{row}\n"))
        };
        let why = |row: &str| with(row).unwrap_err().to_string();
        assert!(why("XX,A-1,quarter,31,secondary,a rule").contains("\"XX\" is not the code of a state"));
        assert!(why("AL,A-1,quarter,32,secondary,a rule").contains("AL: day must be from 1 to 31"));
        assert!(why("AL,A-1,week,1,secondary,a rule").contains("must be one of quarter, year"));
    }

    #[test]
    fn rows_from_memory_and_unconfirmed_ones_are_in_doubt_and_no_others() {
        let mut found = Doubts::default();
        WithholdingReturns::built_in().add_doubtful(&mut found);
        StateReports::built_in().add_doubtful(&mut found);
        let found = found.by_key();
        let keys: BTreeSet<&str> = found.iter().map(|one| one.key.as_str()).collect();
        assert!(keys.contains("OR_WITHHOLDING_RETURN") && keys.contains("AL_WAGE_REPORT"));
        assert!(!keys.contains("PA_WAGE_REPORT"), "its specification was read");
        assert!(found.iter().all(|one| !one.confidence.is_enough() && !one.source.is_empty()));
    }
}
