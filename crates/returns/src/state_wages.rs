//! Wage reports to the states' unemployment insurance: when each is due, and what it asks for beside wages (`data/returns/state_wage_reports.csv`).

use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::dated::Undated;
use rules::deposits::business;
use rules::places::number_of_state;
use rules::taxes::{Confidence, Doubts};
use rules::withholding::TableError;
use serde::Deserialize;

use crate::Quarter;
use crate::table::{built_in, read_rows};

/// The wage report of a state.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StateReport {
    /// two-letter code
    pub state: String,
    /// name of the form
    pub form: String,
    /// day of the month after the quarter on which it is due; its last day if it is shorter
    day: i8,
    /// formats that the agency takes
    pub formats: String,
    /// what is reported beside names, numbers and wages; empty if nothing is known to be
    pub beside_wages: String,
    /// how far the row can be trusted
    pub confidence: Confidence,
    /// where it is from
    pub source: String,
}

impl StateReport {
    /// Returns the key under which an operator confirms the row.
    pub fn key(&self) -> String {
        format!("{}_WAGE_REPORT", self.state)
    }

    /// Returns when the report of a quarter is due, moved to a business day.
    pub fn due_date(&self, quarter: Quarter) -> Date {
        let month = quarter.last_day().saturating_add(1.day());
        let day = self.day.min(month.days_in_month());
        business::from(month.saturating_add((i64::from(day) - 1).days()))
    }
}

/// The wage reports of the states, in the order of their codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateReports(Vec<StateReport>);

impl Undated for StateReports {
    const FILE: &'static str = include_str!("../../../data/returns/state_wage_reports.csv");
    const KEY: &'static [&'static str] = &["state"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        let mut reports: Vec<StateReport> = read_rows(csv)?;
        for one in &reports {
            if number_of_state(&one.state).is_none() {
                return Err(TableError::new(format!("{:?} is not the code of a state", one.state)));
            }
            if !(1..=31).contains(&one.day) {
                return Err(TableError::new(format!("{}: day must be from 1 to 31", one.state)));
            }
        }
        reports.sort_by(|one, other| one.state.cmp(&other.state));
        Ok(Self(reports))
    }
}

impl StateReports {
    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<StateReports> = LazyLock::new(|| {
            built_in("state_wage_reports.csv", StateReports::read_edition(StateReports::FILE))
        });
        &TABLE
    }

    /// Returns the wage report of a state; `None` for another place.
    pub fn report_of_state(&self, state: &str) -> Option<&StateReport> {
        self.0.iter().find(|one| one.state == state)
    }

    /// Returns the wage reports of all states.
    pub fn iter(&self) -> impl Iterator<Item = &StateReport> {
        self.0.iter()
    }

    /// Adds the rows in doubt, for an operator to confirm.
    pub fn add_doubtful(&self, found: &mut Doubts) {
        for one in self.0.iter().filter(|one| !one.confidence.is_enough()) {
            let name =
                format!("{} report of wages ({}): when it is due, and what it asks for", one.state, one.form);
            found.add_row((one.key(), name), one.confidence, &one.source, one);
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_report_is_due_in_the_month_after_its_quarter_on_a_business_day() {
        let table = StateReports::built_in();
        assert_eq!(table.iter().count(), 51);
        let due = |state: &str, number| {
            table.report_of_state(state).unwrap().due_date(Quarter::new(2026, number).unwrap())
        };
        assert_eq!(due("OR", 1), date(2026, 4, 30));
        assert_eq!(due("OR", 2), date(2026, 7, 31));
        assert_eq!(due("OR", 3), date(2026, 11, 2), "31 October 2026 is a Saturday");
        assert_eq!(due("MI", 2), date(2026, 7, 27), "25 July 2026 is a Saturday");
        assert_eq!(due("NJ", 2), date(2026, 7, 30));
    }
}
