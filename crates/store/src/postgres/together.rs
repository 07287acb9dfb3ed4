//! Reading units that wait at the same time are asked together.
//!
//! A unit that waits once says all that it asks before it needs an answer ([`Tx::announce`]). So it can be run twice: up to where
//! it would wait, which tells what it asks, and again with the answers at hand. What several units ask travels in between as
//! one group of statements, which costs one wait, and is one transaction to the server. They see the same moment then, which
//! is later than any of them came, as units do that share a transaction in a file.

use std::any::TypeId;
use std::collections::HashMap;

use super::session::{Asked, MOST_BYTES, Session};
use super::{Access, Effects, Shared, Tx, Unit, Verdict, Waiting, Worker};
use crate::unit::reply_all;

/// Reading units that are asked together at most.
const READ_TOGETHER: usize = 8;
/// Times in a row that a kind of unit has waited once, until the next one is expected to. One that waits again after all is run
/// twice.
const ENOUGH: u8 = 3;

impl Worker {
    /// Runs a unit that reads with its share of those that wait. Whoever waits more than once, or is not known, is run alone.
    pub(super) fn read_some(&mut self, first: Box<dyn Unit>, waiting: &Waiting, workers: usize) -> usize {
        // The other connections get theirs.
        let share = waiting.units.len().div_ceil(workers).min(READ_TOGETHER - 1);
        let more = waiting.units.try_iter().take(share).filter(|unit| !unit.is_abandoned());
        let units: Vec<_> = std::iter::once(first).chain(more).collect();
        let count = units.len();
        let (together, mut alone): (Vec<_>, Vec<_>) =
            units.into_iter().partition(|unit| self.habits.waits_once(unit.kind()));
        // Whoever is run alone finds out whether the server has what is asked for; here all are asked for at once.
        let ready = self.follower.is_none() || self.ready().is_ok();
        match &mut self.session {
            Some(session) if together.len() > 1 && ready => {
                alone.extend(read_together(session, together, &self.shared, &mut self.habits));
            }
            _ => alone.extend(together),
        }
        for mut unit in alone {
            self.run_until_done(&mut *unit);
            unit.reply();
        }
        count
    }
}

/// Which kinds of units wait once on a connection and can be run with others, as far as it was seen.
#[derive(Default)]
pub(super) struct Habits(HashMap<TypeId, u8>);

impl Habits {
    /// Whether units of the kind have waited once at most, several times in a row (and, if they write, did nothing that
    /// keeps them apart). Now and then one waits for what nobody has
    /// asked for in a while, such as the data key of a company; those after it do not.
    pub fn waits_once(&self, kind: TypeId) -> bool {
        self.0.get(&kind).is_some_and(|in_a_row| *in_a_row >= ENOUGH)
    }

    /// Notes whether a unit has waited once at most.
    pub fn note(&mut self, kind: TypeId, once: bool) {
        let in_a_row = self.0.entry(kind).or_default();
        *in_a_row = if once { in_a_row.saturating_add(1) } else { 0 };
    }
}

/// Runs units up to where they would wait; what each of them asks. Those for which there is no room have none.
pub(super) fn run_ahead(
    session: &mut Session,
    units: &mut [Box<dyn Unit>],
    shared: &Shared,
    access: Access,
) -> Vec<Asked> {
    let mut asked = Vec::with_capacity(units.len());
    for unit in units {
        session.start_ahead();
        // What it makes of having no answer is of no interest.
        unit.run(&mut Tx::new(session, shared, access));
        asked.push(session.asked());
        if session.out.len() > MOST_BYTES {
            break;
        }
    }
    asked
}

/// Runs units with what one exchange brings, and answers their callers; those for which that was not enough.
fn read_together(
    session: &mut Session,
    mut units: Vec<Box<dyn Unit>>,
    shared: &Shared,
    habits: &mut Habits,
) -> Vec<Box<dyn Unit>> {
    let mut asked = run_ahead(session, &mut units, shared, Access::Read);
    let mut alone = units.split_off(asked.len());
    if session.fetch(&mut asked).is_err() {
        // Each finds out for itself what is wrong, and with whom.
        session.leave();
        alone.append(&mut units);
        return alone;
    }
    let mut done = Vec::with_capacity(units.len());
    for (mut unit, asked) in units.into_iter().zip(asked) {
        session.start_answered(asked);
        let mut tx = Tx::new(session, shared, Access::Read);
        let verdict = unit.run(&mut tx);
        let effects = tx.into_effects();
        match session.outgrown() {
            true => {
                habits.note(unit.kind(), false);
                alone.push(unit);
            }
            false => {
                if verdict == Verdict::Keep {
                    shared.finish([effects] as [Effects; 1]);
                }
                done.push(unit);
            }
        }
        session.leave();
    }
    reply_all(done);
    alone
}
