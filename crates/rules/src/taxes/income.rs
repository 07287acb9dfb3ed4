//! Which states' income tax is withheld from a paycheck, and on which part of the wages: [`super::residence`] decisions grouped by state.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::circumstances::Circumstances;
use super::doubtful::state_of_residence;
use super::due::Share;
use super::residence::{
    Decision, Decisions, Home, Presence, Tables, Whereabouts, Withholding, Work, decide_withholding,
};
use super::source::Unworked;

/// A credit for another state's tax, on the wages that both states tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateCredit {
    /// Index of the other state in the list.
    pub place: usize,
    /// Part of the other state's tax that is on the same wages.
    pub theirs: Share,
    /// Part of the state's own tax that is on the same wages: the most that is credited.
    pub own: Share,
}

/// A state's income tax in given circumstances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateIncome {
    /// Two-letter code.
    pub state: String,
    /// Whether the tax is withheld.
    pub withheld: bool,
    /// Part of the wages that the tax is withheld on; everything if none is withheld.
    pub share: Share,
    /// Earlier states in the list whose tax is credited.
    pub credits: Vec<StateCredit>,
    /// Reason, as a sentence with its source; empty for an employee who lives and works in one state.
    pub why: String,
}

/// The states of a paycheck; a state whose tax another credits comes before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateIncomes {
    /// One entry per state.
    pub states: Vec<StateIncome>,
    /// Taxes that could not be decided.
    pub unworked: Vec<Unworked>,
}

impl Circumstances {
    /// Decides which states' income tax is withheld on a pay date. Without a home address, the states of work alone decide.
    pub fn state_incomes(&self, tables: Tables<'_>, day: Date) -> StateIncomes {
        let Some(covering) = self.covering_state() else { return StateIncomes::default() };
        let homes = self.homes();
        let everywhere = self.work.iter().map(|at| at.state.as_str());
        let mut everywhere = everywhere.chain(homes.iter().map(|home| home.state.as_str()));
        let offices = self.work.iter().filter_map(|at| at.office.as_deref());
        if everywhere.all(|state| state == covering) && offices.clone().all(|office| office == covering) {
            let (share, credits) = (Share::ALL, Vec::new());
            let only = StateIncome {
                state: covering.to_owned(),
                withheld: true,
                share,
                credits,
                why: String::new(),
            };
            return StateIncomes { states: vec![only], unworked: Vec::new() };
        }
        if homes.is_empty() {
            return self.by_work();
        }
        by_state(decide_withholding(tables, day, &self.find_whereabouts(homes)))
    }

    /// Returns the homes of the period with their days.
    fn homes(&self) -> Vec<Home> {
        let moved = self.lived.iter().map(|(state, days)| Home { state: state.clone(), days: *days });
        let moved: Vec<Home> = moved.collect();
        if moved.is_empty() && !self.home.state.is_empty() {
            return vec![Home { state: self.home.state.clone(), days: 1 }];
        }
        moved
    }

    /// Returns the states of work alone, each weighted by its days or hours.
    fn by_work(&self) -> StateIncomes {
        let of = self.weighted_work_places().map(|(_, weight)| weight).sum();
        let mut weights: BTreeMap<&str, u32> = BTreeMap::new();
        self.weighted_work_places().for_each(|(at, weight)| *weights.entry(&at.state).or_default() += weight);
        let states = weights.into_iter().map(|(state, part)| StateIncome {
            state: state.to_owned(),
            withheld: true,
            share: Share::new(part, of).unwrap_or(Share::ALL),
            credits: Vec::new(),
            why: "works there, and has no home address".to_owned(),
        });
        StateIncomes { states: states.collect(), unworked: Vec::new() }
    }

    /// Returns the days and wages that a state's thresholds are compared with. Wages count only if the employee is not assigned to
    /// the state: wages at an assigned work location are expected to exceed every threshold.
    fn presence_in_state(&self, state: &str) -> Presence {
        let assigned = self.worked_days.get(state).copied();
        let Some(visited) = self.visited.get(state) else {
            return Presence { days: assigned, ..Presence::default() };
        };
        let days = visited.known_days().map(|days| days.saturating_add(assigned.unwrap_or(0)));
        let wages = assigned.is_none().then_some(visited);
        Presence {
            days,
            of_year: wages.map(|visited| visited.of_year),
            of_quarter: wages.map(|visited| visited.of_quarter),
        }
    }

    fn find_whereabouts(&self, homes: Vec<Home>) -> Whereabouts {
        let work = self.weighted_work_places().map(|(at, weight)| Work {
            state: at.state.clone(),
            weight,
            office: at.office.clone(),
            home: at.lived.as_ref().map(|lived| lived.state.clone()),
        });
        let pairs =
            |state: &String| homes.iter().map(|home| (state.clone(), home.state.clone())).collect::<Vec<_>>();
        let certificates = self.nonresident_certificates.iter().flat_map(pairs).collect();
        let counted: BTreeSet<&String> = self.worked_days.keys().chain(self.visited.keys()).collect();
        let presence = counted.into_iter().map(|state| (state.clone(), self.presence_in_state(state)));
        Whereabouts {
            work: work.collect(),
            presence: presence.collect(),
            courtesy: self.home.courtesy_withholding,
            certificates,
            confirmed: self
                .confirmed
                .iter()
                .filter_map(|key| state_of_residence(key))
                .map(str::to_owned)
                .collect(),
            homes,
        }
    }
}

/// Combines the decisions for each state: formulas are progressive, so each is applied once to all wages.
fn by_state(decided: Decisions) -> StateIncomes {
    let mut grouped: BTreeMap<&str, Vec<&Decision>> = BTreeMap::new();
    for decision in &decided.decisions {
        grouped.entry(&decision.state).or_default().push(decision);
    }
    let excess = |of_state: &[&Decision]| {
        of_state.iter().any(|decision| matches!(decision.withholding, Withholding::Excess(_)))
    };
    let mut order: Vec<(&str, Vec<&Decision>)> = grouped.into_iter().collect();
    order.sort_by_key(|(_, of_state)| excess(of_state));
    let mut states: Vec<StateIncome> = Vec::with_capacity(order.len());
    for (state, of_state) in order {
        let state = of_one(state, &of_state, &states);
        states.push(state);
    }
    StateIncomes { states, unworked: decided.unworked }
}

fn of_one(state: &str, decisions: &[&Decision], before: &[StateIncome]) -> StateIncome {
    let withheld = || decisions.iter().filter(|decision| decision.withholding != Withholding::Nothing);
    let part: u32 = withheld().map(|decision| decision.share.part).sum();
    let of = decisions.first().map_or(1, |decision| decision.share.of);
    let mut why: BTreeSet<String> = BTreeSet::new();
    why.extend(decisions.iter().map(|decision| format!("{} ({})", decision.reason, decision.source)));
    let mut credits = Vec::new();
    for decision in decisions {
        let Withholding::Excess(others) = &decision.withholding else { continue };
        for (other, overlap) in others.iter().zip(&decision.overlaps) {
            match before.iter().position(|earlier| earlier.state == *other) {
                Some(place) => {
                    let theirs = of_their_tax(*overlap, before[place].share);
                    let own = Share::new(overlap.part, part.min(of)).unwrap_or(Share::ALL);
                    credits.push(StateCredit { place, theirs, own });
                }
                // If two states would credit each other, one of them has to come first.
                None => {
                    why.insert(format!("the tax of {other} is not credited"));
                }
            }
        }
    }
    StateIncome {
        state: state.to_owned(),
        withheld: part > 0,
        share: if part > 0 { Share { part: part.min(of), of } } else { Share::ALL },
        credits,
        why: why.into_iter().collect::<Vec<_>>().join("; "),
    }
}

/// Returns the part of a state's tax on wages that another state also taxes.
fn of_their_tax(overlap: Share, taxed: Share) -> Share {
    // Both are parts of the same whole, unless the other state taxes everything.
    let whole = if taxed.of == overlap.of { taxed.part } else { overlap.of };
    Share::new(overlap.part, whole).unwrap_or(Share::ALL)
}

#[cfg(test)]
#[path = "income_tests.rs"]
mod tests;
