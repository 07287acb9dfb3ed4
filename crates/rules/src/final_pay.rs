//! Due dates of final wages after employment ends.
//!
//! No federal law requires them before the regular payday (29 CFR 778.106); states do, and most of them sooner after a
//! dismissal than after a resignation. Each row of the table gives its source and confidence: information for the
//! payer, not advice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::dated::Undated;
use crate::named::serde_by_name;
use crate::payroll::holidays::is_banking_day;
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// How employment ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Separation {
    /// The employer ended it.
    #[strum(serialize = "discharged")]
    Discharged,
    /// The employer had no more work. Where a statute does not mention layoffs, they count as dismissals.
    #[strum(serialize = "laid_off")]
    LaidOff,
    /// The employee left without notice, or with less than 72 hours' notice.
    #[strum(serialize = "quit")]
    Quit,
    /// The employee left with at least 72 hours' notice.
    #[strum(serialize = "quit_with_notice")]
    QuitWithNotice,
    /// The employee died. Statutes set due dates for employees who are dismissed and for those who leave; the latter are read as
    /// including a death.
    #[strum(serialize = "death")]
    Death,
}

serde_by_name!(Separation);

/// Treatment of vacation that was earned but not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum UnusedVacation {
    /// It counts as wages and is paid out.
    #[strum(serialize = "required")]
    Required,
    /// The employer's policy or contract decides.
    #[strum(serialize = "policy")]
    Policy,
}

serde_by_name!(UnusedVacation);

/// A payment deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Term {
    LastDay,
    Payday,
    Days(i32),
    BusinessDays(i32),
}

/// When wages are due: the earliest or the latest of several deadlines.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Due {
    terms: Vec<Term>,
    latest: bool,
}

impl Due {
    fn parse(text: &str) -> Result<Self, TableError> {
        let (latest, rest) = text.strip_prefix("later ").map_or((false, text), |rest| (true, rest));
        let unknown = |word: &str| TableError::new(format!("{word:?} is no term of payment"));
        let number = |word: &str, days: &str| days.parse().map_err(|_| unknown(word));
        let term = |word: &str| match word.split_once(':') {
            None if word == "last_day" => Ok(Term::LastDay),
            None if word == "payday" => Ok(Term::Payday),
            Some(("days", days)) => number(word, days).map(Term::Days),
            Some(("business_days", days)) => number(word, days).map(Term::BusinessDays),
            _ => Err(unknown(word)),
        };
        let terms: Vec<Term> = rest.split_ascii_whitespace().map(term).collect::<Result<_, _>>()?;
        if terms.is_empty() {
            return Err(TableError::new("a row without a term of payment"));
        }
        Ok(Self { terms, latest })
    }

    fn due_date(&self, last_day: Date, payday: Date) -> Date {
        let days = self.terms.iter().map(|term| match *term {
            Term::LastDay => last_day,
            Term::Payday => payday,
            Term::Days(days) => last_day.saturating_add(days.days()),
            Term::BusinessDays(days) => business_days_after(last_day, days),
        });
        let found = if self.latest { days.max() } else { days.min() };
        found.unwrap_or(payday)
    }
}

fn business_days_after(day: Date, count: i32) -> Date {
    let mut found = day;
    for _ in 0..count {
        found = found.saturating_add(1.day());
        while !is_banking_day(found) && found < Date::MAX {
            found = found.saturating_add(1.day());
        }
    }
    found
}

/// A state's final pay requirements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalPayRule {
    /// Two-letter code.
    pub state: String,
    discharged: Due,
    laid_off: Due,
    quit: Due,
    quit_with_notice: Due,
    /// Treatment of unused vacation.
    pub unused_vacation: UnusedVacation,
    /// Statute.
    pub source: String,
    /// Confidence in the row.
    pub confidence: Confidence,
    /// What the deadlines leave out; empty if nothing.
    pub note: String,
}

impl FinalPayRule {
    /// Returns the key that an operator uses to confirm that unused vacation is wages, such as `NE_FINAL_PAY`.
    pub fn key(&self) -> String {
        format!("{}_FINAL_PAY", self.state)
    }

    /// Whether unused vacation must be paid out, under a rule with sufficient confidence or one the operator has confirmed.
    pub fn pays_out(&self, confirmed: &BTreeSet<String>) -> bool {
        self.unused_vacation == UnusedVacation::Required
            && (self.confidence.is_enough() || confirmed.contains(&self.key()))
    }

    /// Whether unused vacation must be paid out only if the rule is confirmed.
    pub fn is_doubtful(&self) -> bool {
        self.unused_vacation == UnusedVacation::Required && !self.confidence.is_enough()
    }

    /// Returns the due date of the final wages. `payday` is the regular pay date of the last pay period. Without a reason
    /// for the separation, returns the earliest due date of all reasons.
    pub fn due_on(&self, separation: Option<Separation>, last_day: Date, payday: Date) -> Date {
        let on = |due: &Due| due.due_date(last_day, payday);
        match separation {
            Some(Separation::Discharged) => on(&self.discharged),
            Some(Separation::LaidOff) => on(&self.laid_off),
            Some(Separation::Quit | Separation::Death) => on(&self.quit),
            Some(Separation::QuitWithNotice) => on(&self.quit_with_notice),
            None => {
                let all = [&self.discharged, &self.laid_off, &self.quit, &self.quit_with_notice];
                all.into_iter().map(on).min().unwrap_or(payday)
            }
        }
    }
}

/// The final pay requirements of each state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalPayTable(BTreeMap<String, FinalPayRule>);

#[derive(Deserialize)]
struct Row {
    state: String,
    discharged: String,
    laid_off: String,
    quit: String,
    quit_with_notice: String,
    unused_vacation: UnusedVacation,
    source: String,
    confidence: Confidence,
    note: String,
}

impl Undated for FinalPayTable {
    const FILE: &'static str = include_str!("../../../data/final_pay.csv");
    const KEY: &'static [&'static str] = &["state"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        Self::parse(csv)
    }
}

impl FinalPayTable {
    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<FinalPayTable> = LazyLock::new(|| {
            FinalPayTable::parse(FinalPayTable::FILE).unwrap_or_else(|error| panic!("final_pay.csv: {error}"))
        });
        &TABLE
    }

    /// Parses the layout of `final_pay.csv`.
    ///
    /// # Errors
    /// A row is malformed, or a state has two rows.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let mut found = BTreeMap::new();
        for row in csv_rows::<Row>(csv)? {
            let rule = FinalPayRule {
                discharged: Due::parse(&row.discharged)?,
                laid_off: Due::parse(&row.laid_off)?,
                quit: Due::parse(&row.quit)?,
                quit_with_notice: Due::parse(&row.quit_with_notice)?,
                unused_vacation: row.unused_vacation,
                source: row.source,
                confidence: row.confidence,
                note: row.note,
                state: row.state.clone(),
            };
            if found.insert(row.state.clone(), rule).is_some() {
                return Err(TableError::new(format!("{}: two rows", row.state)));
            }
        }
        Ok(Self(found))
    }

    /// Returns the rules, ordered by state.
    pub fn iter(&self) -> impl Iterator<Item = &FinalPayRule> {
        self.0.values()
    }

    /// Returns the rule of a state, given its two-letter code.
    pub fn rule_of_state(&self, state: &str) -> Option<&FinalPayRule> {
        self.0.get(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn due(state: &str, separation: Option<Separation>) -> Date {
        // A Friday; the regular pay date is two weeks later.
        FinalPayTable::built_in().rule_of_state(state).unwrap().due_on(
            separation,
            date(2026, 11, 20),
            date(2026, 12, 4),
        )
    }

    #[test]
    fn california_pays_at_once_after_a_dismissal_and_within_72_hours_after_a_resignation() {
        assert_eq!(due("CA", Some(Separation::Discharged)), date(2026, 11, 20));
        assert_eq!(due("CA", Some(Separation::Quit)), date(2026, 11, 23));
        assert_eq!(due("CA", Some(Separation::QuitWithNotice)), date(2026, 11, 20));
        assert_eq!(due("CA", None), date(2026, 11, 20), "without a reason the earliest");
    }

    #[test]
    fn a_layoff_is_paid_as_a_dismissal_unless_the_statute_tells_them_apart() {
        let next_payday = date(2026, 12, 4);
        for state in ["CT", "NH"] {
            assert_eq!(due(state, Some(Separation::LaidOff)), next_payday, "{state}");
            assert!(due(state, Some(Separation::Discharged)) < next_payday, "{state}");
        }
        for rule in FinalPayTable::built_in().iter().filter(|rule| !["CT", "NH"].contains(&&*rule.state)) {
            assert_eq!(rule.laid_off, rule.discharged, "{}", rule.state);
        }
        assert_eq!(due("CT", None), date(2026, 11, 23), "without a reason the earliest");
    }

    #[test]
    fn a_death_is_paid_as_a_departure_without_notice() {
        assert_eq!(due("CA", Some(Separation::Death)), due("CA", Some(Separation::Quit)));
        assert_eq!(due("TX", Some(Separation::Death)), date(2026, 12, 4), "not a discharge");
    }

    #[test]
    fn unused_vacation_is_paid_out_by_a_rule_that_is_sure_or_confirmed() {
        let of = |state: &str| FinalPayTable::built_in().rule_of_state(state).unwrap();
        let (nothing, confirmed) = (BTreeSet::new(), BTreeSet::from(["ND_FINAL_PAY".to_owned()]));
        for state in ["CA", "MT", "NE"] {
            assert!(of(state).pays_out(&nothing) && !of(state).is_doubtful(), "{state}");
        }
        assert!(!of("ND").pays_out(&nothing) && of("ND").is_doubtful());
        assert!(of("ND").pays_out(&confirmed));
        assert!(!of("TX").pays_out(&confirmed) && !of("TX").is_doubtful(), "the policy decides");
    }

    #[test]
    fn terms_count_days_business_days_and_paydays() {
        assert_eq!(due("TX", Some(Separation::Discharged)), date(2026, 11, 26));
        assert_eq!(due("TX", Some(Separation::Quit)), date(2026, 12, 4));
        // The next business day after a Friday is a Monday; Thanksgiving is not a business day.
        assert_eq!(due("CT", Some(Separation::Discharged)), date(2026, 11, 23));
        assert_eq!(due("AZ", Some(Separation::Discharged)), date(2026, 12, 2));
        assert_eq!(due("KY", Some(Separation::Quit)), date(2026, 12, 4));
        assert_eq!(due("TN", Some(Separation::Quit)), date(2026, 12, 11), "the later of the two");
        assert_eq!(due("LA", Some(Separation::Quit)), date(2026, 12, 4));
    }

    #[test]
    fn every_state_and_the_district_has_a_row_with_a_source_and_a_confidence() {
        let table = FinalPayTable::built_in();
        assert_eq!(table.0.len(), 51);
        for rule in table.0.values() {
            assert!(!rule.source.is_empty(), "{}", rule.state);
            assert!(
                rule.confidence != Confidence::Primary,
                "{}: no statute was read for the table",
                rule.state
            );
        }
        for faulty in ["soon", "", "days:x", "weeks:2"] {
            assert!(Due::parse(faulty).is_err(), "{faulty:?}");
        }
    }
}
