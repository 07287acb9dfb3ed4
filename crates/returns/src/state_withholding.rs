//! Returns of states' income tax that employers withhold: when each is due (`data/returns/state_withholding_returns.csv`). States tell some
//! employers to file more or less often; the row is of those who are not told otherwise.

use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::deposits::business;
use rules::taxes::{Confidence, Doubtful};
use rules::withholding::TableError;
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Quarter;
use crate::state_wages::StateReports;
use crate::table::{built_in, rows, word};

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
#[derive(Debug, Clone, Deserialize)]
pub struct WithholdingReturn {
    /// two-letter code
    pub state: String,
    /// name of the form
    pub form: String,
    /// how often it is filed
    #[serde(rename = "period", deserialize_with = "word")]
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
    pub fn due(&self, quarter: Quarter) -> Date {
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

/// Returns the return of a state; `None` for one without an income tax on wages.
pub fn of_state(state: &str) -> Option<&'static WithholdingReturn> {
    all().iter().find(|one| one.state == state)
}

/// Returns the returns of all states, in the order of their codes.
///
/// # Panics
/// Never: tests read the table.
pub fn all() -> &'static [WithholdingReturn] {
    static TABLE: LazyLock<Vec<WithholdingReturn>> = LazyLock::new(|| {
        let text = include_str!("../../../data/returns/state_withholding_returns.csv");
        let read: Result<Vec<WithholdingReturn>, TableError> = rows(text);
        built_in("state_withholding_returns.csv", read)
    });
    &TABLE
}

/// Returns the rows of both tables of states' returns that are in doubt, for an operator to confirm.
pub fn doubtful() -> &'static [Doubtful] {
    static DOUBTFUL: LazyLock<Vec<Doubtful>> = LazyLock::new(|| {
        let withheld = all().iter().filter(|one| !one.confidence.is_enough()).map(|one| {
            let name = format!("{} return of withheld income tax ({}): when it is due", one.state, one.form);
            Doubtful::of_row((one.key(), name), one.confidence, &one.source, one)
        });
        let wages = StateReports::built_in().iter().filter(|one| !one.confidence.is_enough()).map(|one| {
            let name =
                format!("{} report of wages ({}): when it is due, and what it asks for", one.state, one.form);
            Doubtful::of_row((one.key(), name), one.confidence, &one.source, one)
        });
        withheld.chain(wages).collect()
    });
    &DOUBTFUL
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jiff::civil::date;
    use rules::taxes::TaxBook;
    use rules::taxes::book::state_of_income_tax;

    use super::*;

    fn due(state: &str, number: i8) -> Date {
        of_state(state).unwrap().due(Quarter::new(2026, number).unwrap())
    }

    #[test]
    fn every_state_that_taxes_wages_has_a_return_and_no_other_one() {
        let taxing: BTreeSet<&str> =
            TaxBook::built_in().iter().filter_map(|tax| state_of_income_tax(&tax.id.code)).collect();
        let listed: BTreeSet<&str> = all().iter().map(|one| one.state.as_str()).collect();
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
    fn rows_from_memory_and_unconfirmed_ones_are_in_doubt_and_no_others() {
        let keys: BTreeSet<&str> = doubtful().iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys.len(), doubtful().len(), "each has a key of its own");
        assert!(keys.contains("OR_WITHHOLDING_RETURN") && keys.contains("AL_WAGE_REPORT"));
        assert!(!keys.contains("PA_WAGE_REPORT"), "its specification was read");
        assert!(doubtful().iter().all(|one| !one.confidence.is_enough() && !one.source.is_empty()));
    }
}
