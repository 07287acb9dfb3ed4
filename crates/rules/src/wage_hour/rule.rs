//! Hours that the law of a state counts as overtime.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::amount::Amount;
use crate::dated::Undated;
use crate::named::serde_by_name;
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// Row of federal law, for states without a row.
const FEDERAL: &str = "US";

static BUILT_IN: LazyLock<OvertimeRules> = LazyLock::new(|| {
    OvertimeRules::parse(OvertimeRules::FILE)
        .unwrap_or_else(|error| panic!("overtime_rules.csv is not a table: {error}"))
});

/// Whether all hours of the seventh consecutive day worked in a workweek are overtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum SeventhDay {
    /// They are not.
    #[strum(serialize = "no")]
    No,
    /// They are, and hours above the daily limit are double time.
    #[strum(serialize = "yes")]
    Yes,
    /// They are, without double time, in workweeks longer than the weekly limit.
    #[strum(serialize = "long_weeks")]
    LongWeeks,
}

serde_by_name!(SeventhDay);

/// The law of a state on overtime, in hours.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct OvertimeRule {
    /// Two-letter code, or `US` for federal law.
    pub state: String,
    /// Hours of a day above which one and a half times the rate is due.
    #[serde(default)]
    pub daily_overtime: Option<Amount>,
    /// Hours of a day above which twice the rate is due.
    #[serde(default)]
    pub daily_double: Option<Amount>,
    /// Multiple of the minimum wage: hours of a day count only for rates below it.
    #[serde(default)]
    pub daily_up_to_minimum_wages: Option<Amount>,
    /// Whether the seventh consecutive day worked in a workweek is overtime.
    pub seventh_day: SeventhDay,
    /// Hours of a workweek above which one and a half times the rate is due.
    pub weekly_overtime: Amount,
    /// Section of the law.
    pub section: String,
    /// Where it was read.
    pub source: String,
    /// How far it can be trusted.
    pub confidence: Confidence,
    /// Note for people on what the row leaves out.
    #[serde(default)]
    pub note: String,
}

impl OvertimeRule {
    /// Returns the key under which an operator confirms the rule, such as `CA_OVERTIME`.
    pub fn key(&self) -> String {
        format!("{}_OVERTIME", self.state)
    }

    /// Whether the rule applies: it was read in the law itself or in a secondary source, or the operator has confirmed it.
    pub fn is_applicable(&self, confirmed: &BTreeSet<String>) -> bool {
        self.confidence.is_enough() || confirmed.contains(&self.key())
    }

    /// Returns the hours of a day above which overtime is due at a rate, given the state's minimum wage, both in dollars per hour.
    pub fn daily_limit(&self, rate: Amount, minimum_wage: Amount) -> Option<Amount> {
        let below = self.daily_up_to_minimum_wages.is_none_or(|times| {
            let most = minimum_wage.mul_ratio(times.millionths(), 1_000_000, crate::amount::Rounding::HalfUp);
            most.is_some_and(|most| rate < most)
        });
        self.daily_overtime.filter(|_| below)
    }
}

/// The law of all states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OvertimeRules {
    by_state: BTreeMap<String, OvertimeRule>,
}

impl Undated for OvertimeRules {
    const FILE: &'static str = include_str!("../../../../data/overtime_rules.csv");
    const KEY: &'static [&'static str] = &["state"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        Self::parse(csv)
    }
}

impl OvertimeRules {
    /// Returns the built-in rules.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses the layout of `overtime_rules.csv`.
    ///
    /// # Errors
    /// A row is malformed or duplicated, its daily hours are inconsistent, or the federal row is missing.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let mut by_state = BTreeMap::new();
        for row in csv_rows::<OvertimeRule>(csv)? {
            let state = row.state.clone();
            let above =
                row.daily_double.is_none_or(|double| row.daily_overtime.is_some_and(|first| first < double));
            let doubled = row.seventh_day == SeventhDay::Yes;
            if !above || (doubled && row.daily_overtime.is_none()) {
                return Err(TableError::new(format!("{state}: the hours of a day do not belong together")));
            }
            if by_state.insert(state.clone(), row).is_some() {
                return Err(TableError::new(format!("{state} is there twice")));
            }
        }
        if by_state.contains_key(FEDERAL) { Ok(Self { by_state }) } else { Err(TableError::new("no row US")) }
    }

    /// Returns the rule of a state, or the federal one if it has none.
    ///
    /// # Panics
    /// Never: the federal row is always present.
    pub fn rule_of_state(&self, state: &str) -> &OvertimeRule {
        let found = self.by_state.get(state).or_else(|| self.by_state.get(FEDERAL));
        found.unwrap_or_else(|| panic!("the federal rule is held"))
    }

    /// Returns all rules, by state.
    pub fn iter(&self) -> impl Iterator<Item = &OvertimeRule> {
        self.by_state.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_without_a_row_follow_federal_law() {
        assert_eq!(OvertimeRules::built_in().rule_of_state("TX").state, "US");
        assert_eq!(
            OvertimeRules::built_in().rule_of_state("CA").daily_double,
            Some(Amount::from_cents(1_200))
        );
        let days: Vec<_> =
            OvertimeRules::built_in().iter().filter(|rule| rule.daily_overtime.is_some()).collect();
        assert_eq!(days.iter().map(|rule| rule.state.as_str()).collect::<Vec<_>>(), ["AK", "CA", "CO", "NV"]);
    }

    #[test]
    fn hours_that_do_not_belong_together_are_refused() {
        let head =
            "state,daily_overtime,daily_double,seventh_day,weekly_overtime,section,source,confidence\n";
        for (rows, expected) in [
            ("CA,8,12,yes,40,s,s,primary", "no row US"),
            ("US,,,no,40,s,s,primary\nUS,,,no,40,s,s,primary", "twice"),
            ("US,12,8,no,40,s,s,primary", "belong together"),
            ("US,,12,no,40,s,s,primary", "belong together"),
            ("US,,,yes,40,s,s,primary", "belong together"),
            ("US,,,maybe,40,s,s,primary", "maybe"),
        ] {
            let why = OvertimeRules::parse(&format!("{head}{rows}\n")).unwrap_err().to_string();
            assert!(why.contains(expected), "{rows}: {why}");
        }
    }
}
