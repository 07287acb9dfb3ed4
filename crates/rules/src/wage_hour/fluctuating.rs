//! States in which a salary cannot cover fluctuating hours (29 CFR 778.114): there, an hour of overtime pays one and a half times
//! the rate, whatever was agreed.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::dated::Undated;
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

/// The bars, by two-letter code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FluctuatingWorkweekBars(BTreeMap<String, FluctuatingWorkweekBar>);

impl Undated for FluctuatingWorkweekBars {
    const FILE: &'static str = include_str!("../../../../data/fluctuating_workweek.csv");
    const KEY: &'static [&'static str] = &["state"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        let rows = csv_rows::<FluctuatingWorkweekBar>(csv)?;
        Ok(Self(rows.into_iter().map(|row| (row.state.clone(), row)).collect()))
    }
}

impl FluctuatingWorkweekBars {
    /// Returns the law that bars a salary for fluctuating hours in a state; `None` if there is none.
    pub fn bar_in_state(&self, state: &str) -> Option<&FluctuatingWorkweekBar> {
        self.0.get(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_states_bar_a_salary_for_whatever_hours_and_say_by_what() {
        let bars = FluctuatingWorkweekBars::read_edition(FluctuatingWorkweekBars::FILE).unwrap();
        for state in ["AK", "CA", "NM", "PA"] {
            assert!(!bars.bar_in_state(state).unwrap().section.is_empty(), "{state}");
        }
        assert_eq!(bars.bar_in_state("TX"), None);
    }
}
