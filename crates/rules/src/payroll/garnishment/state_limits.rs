//! States' limits on creditors and on their own tax levies, in whole cents of pay.
//!
//! Federal law lets creditors take a quarter of disposable earnings, and protects 30 hours a week at the federal
//! minimum wage (15 USC 1673(a)). A state may allow them less, or nothing; the smaller amount applies (15 USC 1677).
//! Neither limit applies to taxes (15 USC 1673(b)(1)(C)), but some states limit their own levies.
//!
//! A row holds the terms of a state's law; the least of its terms is the maximum that may be withheld. A row from
//! memory or in doubt applies only once it is confirmed ([`crate::taxes::doubtful`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::full_time::WEEKS_PER_YEAR;
use crate::named::serde_by_name;
use crate::taxes::Confidence;
use crate::withholding::federal::PayFrequency;
use crate::withholding::{TableError, csv_rows};

static BUILT_IN: LazyLock<GarnishmentLimits> = LazyLock::new(|| {
    GarnishmentLimits::parse(GarnishmentLimits::FILE)
        .unwrap_or_else(|error| panic!("garnishment_limits.csv is not a table: {error}"))
});

/// What a limit applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum LimitKind {
    /// Creditors with a judgment.
    #[strum(serialize = "creditor")]
    Creditor,
    /// The state's own tax levies.
    #[strum(serialize = "state_levy")]
    StateLevy,
}

/// The rule that a state's law sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum LimitRule {
    /// The state has no limit below the federal one.
    #[strum(serialize = "federal")]
    Federal,
    /// The least of the terms of the row.
    #[strum(serialize = "limit")]
    Limit,
    /// Nothing may be withheld.
    #[strum(serialize = "barred")]
    Barred,
}

/// The minimum wage that determines protected earnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum WageBasis {
    /// The federal minimum wage.
    #[strum(serialize = "federal")]
    Federal,
    /// The greater of the federal and the state minimum wage.
    #[strum(serialize = "state")]
    State,
    /// The greatest at the place of work, including those of its county and city.
    #[strum(serialize = "local")]
    Local,
}

serde_by_name!(LimitKind, LimitRule, WageBasis);

/// Minimum wages on the pay date at the place of work, in dollars per hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MinimumWages {
    /// Federal minimum wage.
    pub federal: Amount,
    /// State minimum wage, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Amount>,
    /// The greater of the county's and the city's, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<Amount>,
}

impl MinimumWages {
    /// Returns the federal minimum wage alone.
    pub const fn of_country(federal: Amount) -> Self {
        Self { federal, state: None, local: None }
    }

    /// Returns the minimum wage for a basis.
    pub fn wage_for_basis(&self, basis: WageBasis) -> Amount {
        let state = self.state.map_or(self.federal, |state| state.max(self.federal));
        match basis {
            WageBasis::Federal => self.federal,
            WageBasis::State => state,
            WageBasis::Local => self.local.map_or(state, |local| local.max(state)),
        }
    }
}

/// A state's limit.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GarnishmentLimit {
    /// Two-letter code.
    pub state: String,
    /// What it applies to.
    pub kind: LimitKind,
    /// First check date to which it applies; `None` for the earliest one.
    #[serde(default)]
    pub from: Option<Date>,
    /// Highest gross weekly pay to which the row applies, in dollars; `None` for any pay.
    #[serde(default)]
    pub gross_up_to: Option<Amount>,
    /// The same, in hours at `minimum_wage`.
    #[serde(default)]
    pub gross_up_to_hours: Option<i64>,
    /// Rule that the law sets.
    pub rule: LimitRule,
    /// Percent of disposable earnings.
    #[serde(default)]
    pub percent_of_disposable: Option<Amount>,
    /// Percent of gross pay.
    #[serde(default)]
    pub percent_of_gross: Option<Amount>,
    /// Percent of the disposable earnings above the protected earnings.
    #[serde(default)]
    pub percent_of_excess: Option<Amount>,
    /// Protected hours per week at `minimum_wage`.
    #[serde(default)]
    pub hours: Option<i64>,
    /// Minimum wage for `hours` and `gross_up_to_hours`.
    #[serde(default)]
    pub minimum_wage: Option<WageBasis>,
    /// Protected dollars per week, instead of `hours`.
    #[serde(default)]
    pub weekly: Option<Amount>,
    /// Protected dollars per two weeks; by default twice those of a week.
    #[serde(default)]
    pub biweekly: Option<Amount>,
    /// Protected dollars per half month; by default 52/24 of those of a week.
    #[serde(default)]
    pub semimonthly: Option<Amount>,
    /// Protected dollars per month; by default 52/12 of those of a week.
    #[serde(default)]
    pub monthly: Option<Amount>,
    /// Whether health insurance premiums are subtracted from disposable earnings.
    #[serde(default, deserialize_with = "deserialize_yes_no")]
    pub health_premiums: bool,
    /// Whether support counts against the federal limit only, and does not reduce the state's.
    #[serde(default, deserialize_with = "deserialize_yes_no")]
    pub support_apart: bool,
    /// Section of the law.
    pub section: String,
    /// Where it was read.
    pub source: String,
    /// Degree of confidence in the row.
    pub confidence: Confidence,
    /// What the row leaves out, in words.
    #[serde(default)]
    pub note: String,
}

fn deserialize_yes_no<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "yes" => Ok(true),
        "" => Ok(false),
        other => Err(serde::de::Error::custom(format_args!("must be yes or empty, not {other}"))),
    }
}

impl GarnishmentLimit {
    /// Returns the key with which an operator confirms it, such as `AL_CREDITORS`.
    pub fn key(&self) -> String {
        let what = match self.kind {
            LimitKind::Creditor => "CREDITORS",
            LimitKind::StateLevy => "STATE_LEVY",
        };
        format!("{}_{what}", self.state)
    }

    /// Whether it applies: it was read in the law itself or in a third-party list, or the operator has confirmed it. `confirmed` are
    /// keys whose figures in the table in force are those that were confirmed.
    pub fn is_applicable(&self, confirmed: &BTreeSet<String>) -> bool {
        self.confidence.is_enough() || confirmed.contains(&self.key())
    }

    /// Whether it applies to a gross weekly pay, in dollars.
    fn concerns_gross_pay(&self, weekly_gross: Amount, wages: &MinimumWages) -> bool {
        let by_hours = self.gross_up_to_hours.zip(self.minimum_wage);
        let by_hours = by_hours.map(|(hours, basis)| {
            let most = wages.wage_for_basis(basis).mul_ratio(hours, 1, Rounding::HalfUp);
            most.unwrap_or(crate::amount::MAX_AMOUNT)
        });
        [self.gross_up_to, by_hours].into_iter().flatten().all(|most| weekly_gross <= most)
    }

    /// Returns the protected dollars and the number of their periods per year, if the law sets dollars.
    pub(super) fn protected_dollars(&self, frequency: PayFrequency) -> Option<(Amount, i64)> {
        let own = match frequency {
            PayFrequency::EveryOtherWeek => self.biweekly,
            PayFrequency::TwicePerMonth => self.semimonthly,
            PayFrequency::Monthly => self.monthly,
            _ => None,
        };
        match own {
            Some(dollars) => Some((dollars, frequency.periods_per_year())),
            None => self.weekly.map(|dollars| (dollars, WEEKS_PER_YEAR)),
        }
    }

    fn check_row(&self) -> Result<(), String> {
        let of = format!("{} {}", self.state, self.kind.as_str());
        let percents = [self.percent_of_disposable, self.percent_of_gross, self.percent_of_excess];
        if percents.into_iter().flatten().any(|percent| !(Amount::ZERO..=WHOLE).contains(&percent)) {
            return Err(format!("{of}: a percentage must be from 0 to 100"));
        }
        let protects = self.hours.is_some() || self.weekly.is_some();
        if self.hours.or(self.gross_up_to_hours).is_some() != self.minimum_wage.is_some() {
            return Err(format!("{of}: hours and minimum_wage belong together"));
        }
        if self.gross_up_to.is_some() && self.gross_up_to_hours.is_some() {
            return Err(format!("{of}: gross_up_to is in dollars or in hours"));
        }
        if protects != self.percent_of_excess.is_some() {
            return Err(format!("{of}: percent_of_excess needs hours or weekly, and they need it"));
        }
        let has_terms = percents.into_iter().flatten().next().is_some();
        if has_terms != (self.rule == LimitRule::Limit) {
            return Err(format!("{of}: only the rule limit has figures, and it needs one"));
        }
        Ok(())
    }
}

/// 100 percent.
const WHOLE: Amount = Amount::from_cents(10_000);

/// Limits of all states, by first check date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GarnishmentLimits {
    by_state: BTreeMap<(String, LimitKind), BTreeMap<Option<Date>, Vec<GarnishmentLimit>>>,
}

impl GarnishmentLimits {
    /// The built-in limits as text.
    pub const FILE: &'static str = include_str!("../../../../../data/garnishment_limits.csv");

    /// Returns the built-in limits.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses the layout of `garnishment_limits.csv`.
    ///
    /// # Errors
    /// A row is malformed or combines figures that do not belong together; a state has two rows for the same pay.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let mut by_state: BTreeMap<_, BTreeMap<_, Vec<GarnishmentLimit>>> = BTreeMap::new();
        for row in csv_rows::<GarnishmentLimit>(csv)? {
            row.check_row().map_err(TableError::new)?;
            let (state, kind) = (row.state.clone(), row.kind);
            let of_day =
                by_state.entry((row.state.clone(), row.kind)).or_default().entry(row.from).or_default();
            let up_to = |row: &GarnishmentLimit| (row.gross_up_to, row.gross_up_to_hours);
            if of_day.iter().any(|held| up_to(held) == up_to(&row)) {
                return Err(TableError::new(format!(
                    "{} {}: two rows for the same pay",
                    row.state,
                    row.kind.as_str()
                )));
            }
            of_day.push(row);
            // The row for any pay comes last.
            of_day.sort_by_key(|row| (up_to(row) == (None, None), up_to(row)));
            let in_dollars = |row: &GarnishmentLimit| row.gross_up_to.is_some();
            let in_hours = |row: &GarnishmentLimit| row.gross_up_to_hours.is_some();
            if of_day.iter().any(in_dollars) && of_day.iter().any(in_hours) {
                let why = "the rows of a day are up to dollars or up to hours, not both";
                return Err(TableError::new(format!("{state} {}: {why}", kind.as_str())));
            }
        }
        Ok(Self { by_state })
    }

    /// Returns the limit of a state on a check date, for a gross weekly pay in dollars and the minimum wages at the place of
    /// work. `None` if the table has none.
    pub fn limit_of_state(
        &self,
        state: &str,
        kind: LimitKind,
        day: Date,
        weekly_gross: Amount,
        wages: &MinimumWages,
    ) -> Option<&GarnishmentLimit> {
        let rows = self.by_state.get(&(state.to_owned(), kind))?.range(..=Some(day)).next_back()?.1;
        rows.iter().find(|row| row.concerns_gross_pay(weekly_gross, wages))
    }

    /// Returns all rows, by state, kind and first day.
    pub fn iter(&self) -> impl Iterator<Item = &GarnishmentLimit> {
        self.by_state.values().flat_map(BTreeMap::values).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAGES: MinimumWages = MinimumWages::of_country(Amount::from_cents(725));

    #[test]
    fn rows_for_gross_pay_in_dollars_and_in_hours_do_not_stand_side_by_side() {
        let head = "state,kind,gross_up_to,gross_up_to_hours,rule,percent_of_disposable,minimum_wage,section,source,confidence\n";
        for (rows, expected) in [
            ("MN,creditor,400,40,limit,10,state,s,s,primary", "in dollars or in hours"),
            ("MN,creditor,,40,limit,10,,s,s,primary", "hours and minimum_wage"),
            (
                "MN,creditor,,40,limit,10,state,s,s,primary\nMN,creditor,400,,limit,10,,s,s,primary",
                "not both",
            ),
            (
                "MN,creditor,,40,limit,10,state,s,s,primary\nMN,creditor,,40,limit,15,state,s,s,primary",
                "two rows",
            ),
        ] {
            let why = GarnishmentLimits::parse(&format!("{head}{rows}\n")).unwrap_err().to_string();
            assert!(why.contains(expected), "{rows}: {why}");
        }
    }

    #[test]
    fn every_state_says_what_creditors_may_take_with_its_section() {
        let day = jiff::civil::date(2026, 9, 1);
        for (state, _) in crate::check::STATES {
            let row = GarnishmentLimits::built_in().limit_of_state(
                state,
                LimitKind::Creditor,
                day,
                Amount::from_cents(50_000),
                &WAGES,
            );
            let row = row.unwrap_or_else(|| panic!("{state} has no row"));
            assert!(!row.section.is_empty() && !row.source.is_empty(), "{state}");
        }
        let barred = GarnishmentLimits::built_in().iter().filter(|row| row.rule == LimitRule::Barred);
        // Minnesota bars creditors only from gross pay up to 40 hours at its minimum wage.
        let barred = barred.filter(|row| row.gross_up_to_hours.is_none());
        assert_eq!(barred.map(|row| row.state.as_str()).collect::<Vec<_>>(), ["NC", "PA", "SC", "TX"]);
    }

    #[test]
    fn a_row_from_memory_counts_only_once_it_is_confirmed() {
        let day = jiff::civil::date(2026, 9, 1);
        let limit = GarnishmentLimits::built_in();
        let limit = limit.limit_of_state("IL", LimitKind::StateLevy, day, Amount::ZERO, &WAGES).unwrap();
        assert!(!limit.is_applicable(&BTreeSet::new()));
        let confirmed = BTreeSet::from(["IL_STATE_LEVY".to_owned()]);
        assert!(limit.is_applicable(&confirmed));
    }

    #[test]
    fn figures_that_do_not_belong_together_are_refused() {
        let head = "state,kind,rule,percent_of_disposable,percent_of_excess,hours,minimum_wage,section,source,confidence\n";
        for (row, expected) in [
            ("CA,creditor,limit,,,,,s,s,primary", "only the rule limit has figures"),
            ("CA,creditor,barred,20,,,,s,s,primary", "only the rule limit has figures"),
            ("CA,creditor,limit,120,,,,s,s,primary", "from 0 to 100"),
            ("CA,creditor,limit,20,40,48,,s,s,primary", "hours and minimum_wage"),
            ("CA,creditor,limit,20,,48,state,s,s,primary", "percent_of_excess"),
            ("CA,debtor,limit,20,,,,s,s,primary", "debtor"),
            ("CA,creditor,limit,20,,,,s,s,primary\nCA,creditor,limit,25,,,,s,s,primary", "two rows"),
        ] {
            let why = GarnishmentLimits::parse(&format!("{head}{row}\n")).unwrap_err().to_string();
            assert!(why.contains(expected), "{row}: {why}");
        }
    }
}
