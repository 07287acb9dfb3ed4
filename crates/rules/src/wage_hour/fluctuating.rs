//! States in which a salary cannot cover fluctuating hours (29 CFR 778.114): there, an hour of overtime pays one and a half times
//! the rate, whatever was agreed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// A state's bar on such salaries. A row applies whatever its confidence, because without it an employee might be paid less than
/// the law requires.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FluctuatingWorkweekBar {
    /// Two-letter code.
    pub state: String,
    /// Section of the law, or the decision.
    pub section: String,
    /// Where it was read.
    pub source: String,
    /// How far it can be trusted.
    pub confidence: Confidence,
}

/// Parses the layout of `fluctuating_workweek.csv`.
fn parse(csv: &str) -> Result<BTreeMap<String, FluctuatingWorkweekBar>, TableError> {
    let rows = csv_rows::<FluctuatingWorkweekBar>(csv)?;
    Ok(rows.into_iter().map(|row| (row.state.clone(), row)).collect())
}

/// Returns the law that bars a salary for fluctuating hours in a state, by two-letter code; `None` if there is none.
///
/// # Panics
/// Never: tests read the table.
pub fn fluctuating_workweek_bar(state: &str) -> Option<&'static FluctuatingWorkweekBar> {
    static TABLE: LazyLock<BTreeMap<String, FluctuatingWorkweekBar>> = LazyLock::new(|| {
        let text = include_str!("../../../../data/fluctuating_workweek.csv");
        parse(text).unwrap_or_else(|error| panic!("fluctuating_workweek.csv: {error}"))
    });
    TABLE.get(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_states_bar_a_salary_for_whatever_hours_and_say_by_what() {
        for state in ["AK", "CA", "NM", "PA"] {
            assert!(!fluctuating_workweek_bar(state).unwrap().section.is_empty(), "{state}");
        }
        assert_eq!(fluctuating_workweek_bar("TX"), None);
    }
}
