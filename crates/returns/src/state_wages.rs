//! Wage reports to the states' unemployment insurance: when each is due, and what it asks for beside wages (`data/returns/state_wage_reports.csv`).

use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::deposits::business;
use rules::taxes::Confidence;
use rules::withholding::TableError;
use serde::Deserialize;

use crate::Quarter;
use crate::table::{built_in, rows};

/// The wage report of a state.
#[derive(Debug, Clone, Deserialize)]
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
}

impl StateReport {
    /// Returns when the report of a quarter is due, moved to a business day.
    pub fn due(&self, quarter: Quarter) -> Date {
        let month = quarter.last_day().saturating_add(1.day());
        let day = self.day.min(month.days_in_month());
        business::from(month.saturating_add((i64::from(day) - 1).days()))
    }
}

/// Returns the wage report of a state; `None` for another place.
pub fn of_state(state: &str) -> Option<&'static StateReport> {
    all().iter().find(|one| one.state == state)
}

/// Returns the wage reports of all states, in the order of their codes.
///
/// # Panics
/// Never: tests read the table.
pub fn all() -> &'static [StateReport] {
    static TABLE: LazyLock<Vec<StateReport>> = LazyLock::new(|| {
        let text = include_str!("../../../data/returns/state_wage_reports.csv");
        let read: Result<Vec<StateReport>, TableError> = rows(text);
        built_in("state_wage_reports.csv", read)
    });
    &TABLE
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_report_is_due_in_the_month_after_its_quarter_on_a_business_day() {
        assert_eq!(all().len(), 51);
        let due = |state: &str, number| of_state(state).unwrap().due(Quarter::new(2026, number).unwrap());
        assert_eq!(due("OR", 1), date(2026, 4, 30));
        assert_eq!(due("OR", 2), date(2026, 7, 31));
        assert_eq!(due("OR", 3), date(2026, 11, 2), "31 October 2026 is a Saturday");
        assert_eq!(due("MI", 2), date(2026, 7, 27), "25 July 2026 is a Saturday");
        assert_eq!(due("NJ", 2), date(2026, 7, 30));
    }
}
