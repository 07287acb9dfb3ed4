//! Reading units that wait at the same time are sent together.
//!
//! A unit with one round trip issues all its statements before it needs an answer ([`Tx::announce`]). So it can be run
//! twice: up to the point where it would wait, which records its statements, and again with the answers available. In
//! between, the statements of several units are sent as one group, which costs one round trip and is one transaction to
//! the server. The units therefore see one snapshot, taken after all of them arrived, like units that share a
//! transaction in a file store.

use std::any::TypeId;
use std::collections::HashMap;

use super::session::{Asked, MOST_BYTES, Session};
use super::{Access, Effects, Shared, Tx, Unit, Verdict, Waiting, Worker};
use crate::unit::reply_all;

/// Maximum number of reading units that are sent together.
const READ_TOGETHER: usize = 8;
/// How many consecutive units of a kind must have needed at most one round trip before the next is expected to. A unit
/// that needs another round trip after all is rerun.
const ENOUGH: u8 = 3;

impl Worker {
    /// Runs a reading unit together with some of those waiting. A unit that needs more round trips, or of an unknown
    /// kind, runs alone.
    pub(super) fn read_some(&mut self, first: Box<dyn Unit>, waiting: &Waiting, workers: usize) -> usize {
        // Leave the rest to the other connections.
        let share = waiting.units.len().div_ceil(workers).min(READ_TOGETHER - 1);
        let more = waiting.units.try_iter().take(share).filter(|unit| !unit.is_abandoned());
        let units: Vec<_> = std::iter::once(first).chain(more).collect();
        let count = units.len();
        let (together, mut alone): (Vec<_>, Vec<_>) =
            units.into_iter().partition(|unit| self.habits.waits_once(unit.kind()));
        // A unit that runs alone checks the server itself; here it is checked once for all.
        let ready = self.follower.is_none() || self.ensure_session().is_ok();
        match &mut self.session {
            Some(session) if together.len() > 1 && ready => {
                alone.extend(read_together(session, together, &self.shared, &mut self.habits));
            }
            _ => alone.extend(together),
        }
        for mut unit in alone {
            self.run_until_done(&mut *unit);
            unit.send_reply();
        }
        count
    }
}

/// The kinds of units that have needed at most one round trip on a connection, so that they can be run with others.
#[derive(Default)]
pub(super) struct Habits(HashMap<TypeId, u8>);

impl Habits {
    /// Whether the last [`ENOUGH`] units of the kind have needed at most one round trip (and, if they write, did nothing
    /// that prevents sharing). Occasionally a unit waits for something that was not needed for a while, such as a
    /// company's data key; the units after it do not.
    pub fn waits_once(&self, kind: TypeId) -> bool {
        self.0.get(&kind).is_some_and(|in_a_row| *in_a_row >= ENOUGH)
    }

    /// Records whether a unit has needed at most one round trip.
    pub fn note_habit(&mut self, kind: TypeId, once: bool) {
        let in_a_row = self.0.entry(kind).or_default();
        *in_a_row = if once { in_a_row.saturating_add(1) } else { 0 };
    }
}

/// Runs units up to the point where they would wait; returns the statements of each, but of fewer units if there is no
/// room for more.
pub(super) fn run_ahead(
    session: &mut Session,
    units: &mut [Box<dyn Unit>],
    shared: &Shared,
    access: Access,
) -> Vec<Asked> {
    let mut asked = Vec::with_capacity(units.len());
    for unit in units {
        session.start_ahead();
        // Ignore the result: without answers it is meaningless.
        unit.run_closure(&mut Tx::new(session, shared, access));
        asked.push(session.take_statements());
        if session.out.len() > MOST_BYTES {
            break;
        }
    }
    asked
}

/// Runs units with the answers of one exchange, and answers their callers; returns the units that must be rerun alone.
fn read_together(
    session: &mut Session,
    mut units: Vec<Box<dyn Unit>>,
    shared: &Shared,
    habits: &mut Habits,
) -> Vec<Box<dyn Unit>> {
    let mut asked = run_ahead(session, &mut units, shared, Access::Read);
    let mut alone = units.split_off(asked.len());
    if session.fetch_answers(&mut asked).is_err() {
        // Run alone, each unit gets its own error.
        session.leave_unit();
        alone.append(&mut units);
        return alone;
    }
    let mut done = Vec::with_capacity(units.len());
    for (mut unit, asked) in units.into_iter().zip(asked) {
        session.start_answered(asked);
        let mut tx = Tx::new(session, shared, Access::Read);
        let verdict = unit.run_closure(&mut tx);
        let effects = tx.into_effects();
        match session.has_outgrown_group() {
            true => {
                habits.note_habit(unit.kind(), false);
                alone.push(unit);
            }
            false => {
                if verdict == Verdict::Keep {
                    shared.apply_effects([effects] as [Effects; 1]);
                }
                done.push(unit);
            }
        }
        session.leave_unit();
    }
    reply_all(done);
    alone
}
