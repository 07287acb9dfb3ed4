//! Which states' income tax is withheld for an employee who lives and works in several states.
//!
//! For each part of the work and each home of the period: a state whose convenience rule covers the remote days replaces the
//! state where they were worked. Tax is withheld for the state of work unless it has no tax on wages, an agreement with the
//! home state applies and the form is on file, or its threshold is not passed. Then the home state's own rule decides whether
//! its tax is withheld as well: in full, less the other state's tax, or not at all. After a move, work goes with the home on
//! its own days.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::civil::Date;

use super::due::Share;
use super::residence_tables::{Convenience, NonresidentTable, ReciprocityTable, ResidentRule, StateRule};
use super::source::{Confidence, EnteredBy, Unworked, Why};
use super::table::{Jurisdiction, Payer, Span};
use crate::amount::Amount;

/// Maximum days of all homes in a period.
const MOST_DAYS: u32 = 400;
/// Maximum days of work, or thousandths of hours, in a period. The product of both maximums fits in 32 bits.
const MOST_WORK: u32 = 10_000_000;

/// Work of the period in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// Two-letter code of the state where it was done.
    pub state: String,
    /// Hours or days, all in the same unit.
    pub weight: u32,
    /// For work away from the office for the employee's own convenience: the office's state.
    pub office: Option<String>,
    /// State of the home on the days of the work; `None` if unknown, in which case the work is divided by the days at each home.
    pub home: Option<String>,
}

/// A home of the period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// Two-letter code of the state.
    pub state: String,
    /// Days of the period.
    pub days: u32,
}

/// Work in a state this year, including this period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Presence {
    /// Working days in the year; `None` if not known.
    pub days: Option<u32>,
    /// Wages of the year; `None` if not known.
    pub of_year: Option<Amount>,
    /// Wages of the quarter; `None` if not known.
    pub of_quarter: Option<Amount>,
}

/// Where an employee lives and works.
#[derive(Debug, Clone, Default)]
pub struct Whereabouts {
    /// Work of the period.
    pub work: Vec<Work>,
    /// Homes of the period.
    pub homes: Vec<Home>,
    /// Whether the employer withholds the home state's tax although its rule does not require it (courtesy withholding).
    pub courtesy: bool,
    /// Certificates of nonresidence on file: state of work and state of residence.
    pub certificates: BTreeSet<(String, String)>,
    /// Work by state this year, for comparison with thresholds.
    pub presence: BTreeMap<String, Presence>,
    /// States whose rules from memory or in doubt the operator has confirmed.
    pub confirmed: BTreeSet<String>,
}

impl Whereabouts {
    /// Returns the state of the home that work goes with, if it is one of the period's homes.
    fn home_of<'w>(&self, work: &'w Work) -> Option<&'w str> {
        let lives_there = |state: &&str| self.homes.iter().any(|home| home.state == *state && home.days > 0);
        work.home.as_deref().filter(lives_there)
    }
}

/// The tables.
#[derive(Debug, Clone, Copy)]
pub struct Tables<'a> {
    /// Reciprocity agreements.
    pub reciprocity: &'a ReciprocityTable,
    /// The states' rules.
    pub states: &'a NonresidentTable,
}

impl Tables<'static> {
    /// Returns the built-in tables.
    pub fn built_in() -> Self {
        Self { reciprocity: ReciprocityTable::built_in(), states: NonresidentTable::built_in() }
    }
}

/// The tax withheld for a state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Withholding {
    /// Its full tax on these wages.
    Full,
    /// Its tax on these wages, less the tax withheld on them for these states.
    Excess(Vec<String>),
    /// Nothing.
    Nothing,
}

/// Reason for a decision. `Display` is a sentence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Lives and works there.
    LivesAndWorksThere,
    /// Works there, and the state taxes nonresidents from the first day or past its threshold.
    WorksThere,
    /// Works there; an agreement exists, but the form is not on file.
    FormMissing(String),
    /// Works there; an agreement is from memory or in doubt, and not applied because it is not confirmed.
    AgreementUnconfirmed,
    /// Works there; a threshold is from memory or in doubt, and not applied because it is not confirmed.
    ThresholdUnconfirmed,
    /// Works there; a threshold is not applied because days and wages of the year are not known.
    ThresholdNotCounted,
    /// Works elsewhere for the employee's own convenience; the office is there.
    Convenience,
    /// The state of work does not tax residents of the home state who have given the form.
    Reciprocity(String),
    /// The threshold of the state of work is not passed.
    BelowThreshold,
    /// The state does not tax wages, or not those of nonresidents.
    NoTax,
    /// Lives there; the work state withholds nothing.
    HomeAlone,
    /// Lives there; the home state's tax in excess of the tax of the state of work is withheld.
    HomeExcess,
    /// Lives there; at the employee's request, the employer withholds the home state's tax in excess of the state of work's.
    HomeCourtesy,
    /// Lives there; the home state's tax is withheld in full.
    HomeFull,
    /// Lives there; nothing is withheld for the home state if the tax of the state of work is withheld.
    HomeExcused,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LivesAndWorksThere => f.write_str("lives and works there"),
            Self::WorksThere => f.write_str("works there, and the state taxes nonresidents' wages"),
            Self::FormMissing(form) => {
                write!(f, "works there, and form {form} of the agreement is not on file")
            }
            Self::AgreementUnconfirmed => {
                f.write_str("works there; the states' agreement is not confirmed and so not applied")
            }
            Self::ThresholdUnconfirmed => {
                f.write_str("works there; the state's threshold is not confirmed and so not applied")
            }
            Self::ThresholdNotCounted => f.write_str(
                "works there; days and wages of the year are not known, so that no threshold applies",
            ),
            Self::Convenience => {
                f.write_str("works elsewhere for the employee's own convenience; the office is there")
            }
            Self::Reciprocity(form) => {
                write!(f, "does not tax residents of the other state who gave form {form}")
            }
            Self::BelowThreshold => f.write_str("the state's threshold for nonresidents is not passed"),
            Self::NoTax => f.write_str("the state does not tax these wages"),
            Self::HomeAlone => f.write_str("lives there; the work state withholds nothing"),
            Self::HomeExcess => f.write_str("lives there; the tax above that of the state of work"),
            Self::HomeCourtesy => f.write_str(
                "lives there; by courtesy withholding the tax above that of the state of work, which the state does not ask for",
            ),
            Self::HomeFull => f.write_str("lives there; the tax in full, whatever the state of work takes"),
            Self::HomeExcused => {
                f.write_str("lives there; nothing where the tax of the state of work is withheld")
            }
        }
    }
}

/// The decision for one state on one part of the wages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Two-letter code.
    pub state: String,
    /// Part of the period's wages.
    pub share: Share,
    /// Tax withheld.
    pub withholding: Withholding,
    /// For each state of [`Withholding::Excess`], in its order: part of the period's wages that both states tax.
    pub overlaps: Vec<Share>,
    /// Reason.
    pub reason: Reason,
    /// Source of the rule.
    pub source: String,
    /// Confidence in the rule.
    pub confidence: Confidence,
    /// Whether the state's local taxes are waived along with its own.
    pub relieves_local: bool,
}

/// Decisions by state, and taxes that could not be decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decisions {
    /// Decisions, by state.
    pub decisions: Vec<Decision>,
    /// Taxes not decided.
    pub unworked: Vec<Unworked>,
}

impl Decisions {
    /// Returns the decisions that withhold something.
    pub fn withholding_decisions(&self) -> impl Iterator<Item = &Decision> {
        self.decisions.iter().filter(|decision| decision.withholding != Withholding::Nothing)
    }
}

/// Decides the withholding for the work and the homes of a period.
pub fn decide_withholding(tables: Tables<'_>, day: Date, whereabouts: &Whereabouts) -> Decisions {
    let mut deciding = Deciding { tables, day, whereabouts, days: 0, of: 0, decisions: Decisions::default() };
    let days = whereabouts.homes.iter().map(|home| home.days).try_fold(0u32, u32::checked_add);
    let work = whereabouts.work.iter().map(|work| work.weight).try_fold(0u32, u32::checked_add);
    match (days, work) {
        (Some(days @ 1..=MOST_DAYS), Some(work @ 1..=MOST_WORK)) => {
            // If all work names its home, the days at each home are not needed to divide it.
            let is_told = |work: &Work| whereabouts.home_of(work).is_some();
            deciding.days = if whereabouts.work.iter().all(is_told) { 1 } else { days };
            deciding.of = deciding.days * work;
        }
        _ => {
            let missing = Why::Missing(
                "where the employee lived and worked in the period",
                EnteredBy::Address,
                Vec::new(),
            );
            deciding.add_unworked("US", missing);
            return deciding.decisions;
        }
    }
    for home in whereabouts.homes.iter().filter(|home| home.days > 0) {
        deciding.decide_home(home);
    }
    let mut decisions = deciding.decisions;
    decisions
        .decisions
        .sort_by(|a, b| (&a.state, &a.withholding, &a.reason).cmp(&(&b.state, &b.withholding, &b.reason)));
    decisions.unworked.sort_by(|a, b| a.code.cmp(&b.code));
    decisions
}

struct Deciding<'a> {
    tables: Tables<'a>,
    day: Date,
    whereabouts: &'a Whereabouts,
    /// factor for the weight of work that names its home: the days of all homes, or 1 if all work names its home
    days: u32,
    of: u32,
    decisions: Decisions,
}

/// The decision for a state of work.
struct AtWork<'a> {
    withheld: bool,
    reason: Reason,
    source: &'a str,
    confidence: Confidence,
    relieves_local: bool,
}

impl<'a> Deciding<'a> {
    fn add_unworked(&mut self, state: &str, why: Why) {
        let unworked = Unworked {
            code: format!("{state}_INCOME"),
            name: format!("{state} income tax"),
            jurisdiction: Jurisdiction::state(state),
            payer: Payer::Employee,
            why,
        };
        if !self.decisions.unworked.contains(&unworked) {
            self.decisions.unworked.push(unworked);
        }
    }

    fn accepts_confidence(&self, state: &str, confidence: Confidence) -> bool {
        confidence.is_enough() || self.whereabouts.confirmed.contains(state)
    }

    /// Adds a decision, or adds its part of the wages to an equal one.
    fn add_decision(&mut self, state: &str, weight: u32, withholding: Withholding, at: AtWork<'_>) {
        self.add_above(state, weight, (withholding, Vec::new()), at);
    }

    fn add_above(
        &mut self,
        state: &str,
        weight: u32,
        (withholding, overlaps): (Withholding, Vec<Share>),
        at: AtWork<'_>,
    ) {
        let found = self.decisions.decisions.iter_mut().find(|known| {
            known.state == state && known.withholding == withholding && known.reason == at.reason
        });
        match found {
            Some(known) => {
                known.share.part += weight;
                known.overlaps.iter_mut().zip(overlaps).for_each(|(held, more)| held.part += more.part);
            }
            None => self.decisions.decisions.push(Decision {
                state: state.to_owned(),
                share: Share { part: weight, of: self.of },
                withholding,
                overlaps,
                reason: at.reason,
                source: at.source.to_owned(),
                confidence: at.confidence,
                relieves_local: at.relieves_local,
            }),
        }
    }

    /// Returns the weight of work for a home.
    fn weight(&self, work: &Work, home: &Home) -> u32 {
        match self.whereabouts.home_of(work) {
            None => work.weight * home.days,
            Some(state) if state == home.state => work.weight * self.days,
            Some(_) => 0,
        }
    }

    fn decide_home(&mut self, home: &Home) {
        let tables = self.tables;
        let Some(rule) = tables.states.get(&home.state) else {
            return self.add_unworked(&home.state, Why::NoRow);
        };
        // The home state taxes its residents' year as a whole: one decision on everything it may tax.
        let (mut alone, mut others) = (0, BTreeMap::new());
        let mut works_there = false;
        let whereabouts = self.whereabouts;
        for work in &whereabouts.work {
            let weight = self.weight(work, home);
            if weight == 0 {
                continue;
            }
            let (source, by_convenience) = self.source_state(work, &home.state);
            if source == home.state {
                works_there = true;
                alone += weight;
                continue;
            }
            let Some(other) = tables.states.get(&source) else {
                self.add_unworked(&source, Why::NoRow);
                continue;
            };
            let mut at = self.at_work(&source, other, home);
            if by_convenience && at.withheld {
                at.reason = Reason::Convenience;
            }
            let withheld = at.withheld;
            self.add_decision(
                &source,
                weight,
                if withheld { Withholding::Full } else { Withholding::Nothing },
                at,
            );
            if !withheld {
                alone += weight;
            } else if rule.taxes_wages && self.counts_beside(rule, &home.state, &source, weight) {
                *others.entry(source).or_insert(0) += weight;
            }
        }
        self.add_home(rule, &home.state, alone, others, works_there);
    }

    /// Adds the home state's own decision on the wages it may tax.
    fn add_home(
        &mut self,
        rule: &StateRule,
        state: &str,
        alone: u32,
        others: BTreeMap<String, u32>,
        works_there: bool,
    ) {
        let with_others: u32 = others.values().sum();
        let of_home = |reason| AtWork {
            withheld: true,
            reason,
            source: &rule.source,
            confidence: rule.residents_confidence,
            relieves_local: false,
        };
        if !rule.taxes_wages {
            if alone > 0 {
                self.add_decision(state, alone, Withholding::Nothing, of_home(Reason::NoTax));
            }
            return;
        }
        let asked = rule.residents == ResidentRule::Excess;
        let excess = (asked || self.by_courtesy(rule)) && with_others > 0;
        if excess {
            let overlaps = others.values().map(|part| Share { part: *part, of: self.of }).collect();
            let reason = if asked { Reason::HomeExcess } else { Reason::HomeCourtesy };
            let withholding = (Withholding::Excess(others.into_keys().collect()), overlaps);
            self.add_above(state, alone + with_others, withholding, of_home(reason));
        } else if alone + with_others > 0 {
            let reason = match (with_others > 0, works_there) {
                (true, _) => Reason::HomeFull,
                (false, true) => Reason::LivesAndWorksThere,
                (false, false) => Reason::HomeAlone,
            };
            self.add_decision(state, alone + with_others, Withholding::Full, of_home(reason));
        }
    }

    /// Whether the employer withholds for the home state although the state's rule does not always require it.
    fn by_courtesy(&self, rule: &StateRule) -> bool {
        self.whereabouts.courtesy && !matches!(rule.residents, ResidentRule::Full | ResidentRule::Excess)
    }

    /// Whether the home state withholds tax in addition to the work state.
    fn counts_beside(&mut self, rule: &StateRule, home: &str, source: &str, weight: u32) -> bool {
        if self.by_courtesy(rule) {
            return true;
        }
        if !self.accepts_confidence(home, rule.residents_confidence) {
            self.add_unworked(home, Why::Unconfirmed(rule.residents_confidence));
            return false;
        }
        let excused = rule.residents_except == source
            || matches!(rule.residents, ResidentRule::NotIfWithheld | ResidentRule::NotRequired);
        if excused {
            let at = AtWork {
                withheld: false,
                reason: Reason::HomeExcused,
                source: &rule.source,
                confidence: rule.residents_confidence,
                relieves_local: false,
            };
            self.add_decision(home, weight, Withholding::Nothing, at);
        }
        !excused
    }

    /// Returns the state where work counts as done, and whether a convenience rule moved it there.
    fn source_state(&mut self, work: &Work, home: &str) -> (String, bool) {
        let here = (work.state.clone(), false);
        let Some(office) = work.office.as_ref().filter(|office| **office != work.state && **office != home)
        else {
            return here;
        };
        let tables = self.tables;
        let Some(rule) = tables.states.get(office) else {
            self.add_unworked(office, Why::NoRow);
            return here;
        };
        let reaches = match rule.convenience {
            Convenience::No => false,
            Convenience::Yes => true,
            Convenience::Reciprocal => {
                tables.states.get(home).is_some_and(|home| home.convenience != Convenience::No)
            }
        };
        if reaches && !self.accepts_confidence(office, rule.convenience_confidence) {
            self.add_unworked(office, Why::Unconfirmed(rule.convenience_confidence));
            return here;
        }
        if reaches { (office.clone(), true) } else { here }
    }

    /// Whether more than half of the period's work is done in a state.
    fn works_mostly_in(&self, state: &str) -> bool {
        let weight = |one: &Work| u64::from(one.weight);
        let there = self.whereabouts.work.iter().filter(|one| one.state == state).map(weight).sum::<u64>();
        there * 2 > self.whereabouts.work.iter().map(weight).sum::<u64>()
    }

    /// Decides whether tax is withheld for the state of work.
    fn at_work(&self, state: &str, rule: &'a StateRule, home: &Home) -> AtWork<'a> {
        let tables = self.tables;
        let at = |withheld, reason| AtWork {
            withheld,
            reason,
            source: &rule.source,
            confidence: rule.threshold_confidence,
            relieves_local: false,
        };
        if !rule.taxes_wages || !rule.taxes_nonresidents {
            return at(false, Reason::NoTax);
        }
        if let Some(row) = tables.reciprocity.get(state, &home.state, self.day) {
            let pair = (state.to_owned(), home.state.clone());
            if !self.whereabouts.certificates.contains(&pair) {
                return at(true, Reason::FormMissing(row.form.clone()));
            }
            if !self.accepts_confidence(state, row.confidence) {
                return at(true, Reason::AgreementUnconfirmed);
            }
            return AtWork {
                withheld: false,
                reason: Reason::Reciprocity(row.form.clone()),
                source: &row.source,
                confidence: row.confidence,
                relieves_local: row.relieves_local,
            };
        }
        let home_rule = tables.states.get(&home.state);
        let shared = home_rule.is_some_and(|home| !home.taxes_wages || home.days.is_some());
        let expected = rule.expected && self.works_mostly_in(state);
        if (rule.days.is_none() && rule.dollars.is_none()) || (rule.mutual && !shared) || expected {
            return at(true, Reason::WorksThere);
        }
        if !self.accepts_confidence(state, rule.threshold_confidence) {
            return at(true, Reason::ThresholdUnconfirmed);
        }
        let Some(presence) = self.whereabouts.presence.get(state) else {
            return at(true, Reason::ThresholdNotCounted);
        };
        let few_days = rule.days.zip(presence.days).map(|(most, days)| days <= most);
        let few_dollars = rule.dollars.and_then(|(most, span)| {
            let earned = if span == Span::Quarter { presence.of_quarter } else { presence.of_year };
            earned.map(|earned| earned <= most)
        });
        // If a state has both thresholds, each must be passed.
        match few_days.into_iter().chain(few_dollars).max() {
            Some(true) => at(false, Reason::BelowThreshold),
            Some(false) => at(true, Reason::WorksThere),
            None => at(true, Reason::ThresholdNotCounted),
        }
    }
}
