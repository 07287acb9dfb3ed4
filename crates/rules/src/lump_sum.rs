//! Lump sums that an employer must report to the child support agency before paying them.
//!
//! What counts as a lump sum, the reporting threshold, and how long the agency has to answer are set by the state that issued
//! the order (`lump_sum_reporting.csv`). States without a row may also require reports, because the table is not complete.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::amount::Amount;
use crate::dated::Undated;
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// The reporting requirements of a state.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LumpSumRule {
    /// Two-letter code.
    pub state: String,
    /// The reporting threshold, in dollars.
    pub threshold: Amount,
    /// Days the agency has to answer, during which the payment is held.
    pub days: i64,
    /// Whether commissions count: yes or no.
    commissions: String,
    /// Whether unused leave that is paid out counts: yes or no.
    leave: String,
    /// Section of the statute.
    pub section: String,
    /// Source in which the section was read.
    pub source: String,
    /// Confidence in the row.
    pub confidence: Confidence,
}

/// The lump sums of a paycheck.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LumpSums {
    /// Bonuses.
    pub bonuses: Amount,
    /// Commissions.
    pub commissions: Amount,
    /// Unused leave that is paid out.
    pub leave: Amount,
}

impl LumpSumRule {
    /// Returns the part of a paycheck to report before payment; `None` below the threshold, and on overflow.
    pub fn to_report(&self, sums: LumpSums) -> Option<Amount> {
        let counts = |word: &str, sum: Amount| if word == "yes" { sum } else { Amount::ZERO };
        let commissions = counts(&self.commissions, sums.commissions);
        let all = sums.bonuses.checked_add(commissions)?.checked_add(counts(&self.leave, sums.leave))?;
        (all > Amount::ZERO && all >= self.threshold).then_some(all)
    }
}

/// The requirements of the states, by two-letter code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LumpSumRules(BTreeMap<String, LumpSumRule>);

impl Undated for LumpSumRules {
    const FILE: &'static str = include_str!("../../../data/lump_sum_reporting.csv");
    const KEY: &'static [&'static str] = &["state"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        let mut found = BTreeMap::new();
        for row in csv_rows::<LumpSumRule>(csv)? {
            if [&row.commissions, &row.leave].iter().any(|word| !matches!(word.as_str(), "yes" | "no")) {
                return Err(TableError::new(format!(
                    "{}: commissions and leave must be yes or no",
                    row.state
                )));
            }
            found.insert(row.state.clone(), row);
        }
        Ok(Self(found))
    }
}

impl LumpSumRules {
    /// Returns a state's requirements.
    pub fn rule_of_state(&self, state: &str) -> Option<&LumpSumRule> {
        self.0.get(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texas_is_told_of_bonuses_and_leave_from_500_dollars_on_and_washington_of_commissions_too() {
        let dollars = |dollars: i64| Amount::from_cents(dollars * 100);
        let rules = LumpSumRules::read_edition(LumpSumRules::FILE).unwrap();
        let rule_of = |state: &str| rules.rule_of_state(state);
        let (texas, washington) = (rule_of("TX").unwrap(), rule_of("WA").unwrap());
        let sums = LumpSums { bonuses: dollars(300), commissions: dollars(400), leave: Amount::ZERO };
        assert_eq!((texas.to_report(sums), washington.to_report(sums)), (None, Some(dollars(700))));
        let sums = LumpSums { leave: dollars(200), ..sums };
        assert_eq!(texas.to_report(sums), Some(dollars(500)));
        assert_eq!(washington.to_report(LumpSums::default()), None);
        // Ohio requires reports from 150.00, North Dakota from 1,000.00.
        let (ohio, dakota) = (rule_of("OH").unwrap(), rule_of("ND").unwrap());
        let sums = LumpSums { bonuses: dollars(150), ..LumpSums::default() };
        assert_eq!((ohio.to_report(sums), dakota.to_report(sums)), (Some(dollars(150)), None));
        assert_eq!((ohio.days, dakota.days, dakota.threshold), (30, 30, dollars(1_000)));
        assert_eq!(rule_of("NY"), None, "nothing was read of it");
        assert!(LumpSumRules::read_edition("state,threshold,days,commissions,leave,section,source,confidence\nTX,1,1,maybe,no,s,s,primary\n").is_err());
    }
}
