//! Writing units that share a transaction.
//!
//! A transaction costs the server, and the service, about as much as what a small unit does in it. Units that arrive
//! while others are being committed wait for the next transaction and share it, so the number of transactions grows
//! more slowly than the load. A unit that shares one reads once, before it writes, and then only inserts rows and adds
//! to sums. Its decisions would be the same on a connection of its own: there, too, it would not see concurrent inserts
//! before they are committed, and unique keys prevent duplicates. Each unit is run twice, like reading units that are
//! sent together ([`super::together`]): first to record what it reads, then with the answers. The inserts of all units
//! are sent with COMMIT, those of one table together ([`super::session`]).
//!
//! If a unit's insert is refused (for a duplicate key, say), the transaction is rolled back, and each unit is rerun
//! alone. If the outcome of COMMIT is unknown, it is unknown for every unit. Units never share a transaction where
//! tables are distributed: one server commits a transaction about one company.

use std::sync::{Mutex, PoisonError};

use super::session::{Asked, Ended, Gathered, MOST_BYTES, Session};
use super::together::run_ahead;
use super::{Access, Effects, Error, Habits, Shared, Tx, Unit, Verdict, Waiting, Worker};
use crate::tx::Fault;
use crate::unit::reply_all;

/// Maximum number of units in one transaction.
const SHARED: usize = 16;
/// Connections per shared transaction that may be open at once.
const CONNECTIONS_FOR_ONE: usize = 4;
/// Maximum number of units that wait for a shared transaction; further units get their own.
const MOST_WAITING: usize = 256;

/// Units that wait for a shared transaction.
pub(super) struct Sharing {
    /// maximum number of transactions under way at once
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    under_way: usize,
    waiting: Vec<Box<dyn Unit>>,
}

impl Sharing {
    /// Creates the state for a store with this number of writing connections.
    pub fn for_connections(connections: usize) -> Self {
        Self { most: connections.div_ceil(CONNECTIONS_FOR_ONE), state: Mutex::default() }
    }

    /// Queues a unit for the next shared transaction and returns `None`, or returns the unit, with which the caller then
    /// begins a transaction.
    fn offer_unit(&self, unit: Box<dyn Unit>) -> Option<Box<dyn Unit>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.under_way < self.most {
            state.under_way += 1;
            return Some(unit);
        }
        state.waiting.push(unit);
        None
    }

    fn is_full(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.len() >= MOST_WAITING
    }

    /// Takes the units that waited for the next transaction; if there are none, the caller's turn ends.
    fn next(&self) -> Vec<Box<dyn Unit>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let count = state.waiting.len().min(SHARED);
        let next: Vec<_> = state.waiting.drain(..count).collect();
        if next.is_empty() {
            state.under_way -= 1;
        }
        next
    }
}

impl Worker {
    /// Runs a writing unit, with waiting units that can share its transaction; returns how many units were completed, and
    /// how many connections do the same at once.
    pub(super) fn write_some(
        &mut self,
        mut first: Box<dyn Unit>,
        waiting: &Waiting,
        workers: usize,
    ) -> (usize, usize) {
        if !self.habits.waits_once(first.kind()) || self.sharing.is_full() {
            self.run_until_done(&mut *first);
            first.send_reply();
            return (1, workers);
        }
        let Some(first) = self.sharing.offer_unit(first) else { return (0, workers) };
        // With a single connection no other thread queues units here.
        let mut units = vec![first];
        let mut apart = None;
        while units.len() < SHARED
            && apart.is_none()
            && let Ok(unit) = waiting.units.try_recv()
        {
            match self.habits.waits_once(unit.kind()) && unit.access() == Access::Write {
                true => units.push(unit),
                false => apart = Some(unit),
            }
        }
        let mut done = 0;
        while !units.is_empty() {
            units.retain(|unit| !unit.is_abandoned());
            done += units.len();
            self.write_shared(units);
            units = self.sharing.next();
        }
        if let Some(mut unit) = apart.filter(|unit| !unit.is_abandoned()) {
            self.run_until_done(&mut *unit);
            unit.send_reply();
            done += 1;
        }
        (done, self.sharing.most)
    }

    /// Runs units in one transaction, and reruns alone those that cannot share it.
    fn write_shared(&mut self, units: Vec<Box<dyn Unit>>) {
        let alone = match &mut self.session {
            Some(session) if units.len() > 1 => {
                let (alone, spent) = write_together(session, units, &self.shared, &mut self.habits);
                if spent {
                    self.session = None;
                }
                alone
            }
            _ => units,
        };
        // Callers that have left got an unknown outcome; nothing of their units was written.
        for mut unit in alone.into_iter().filter(|unit| !unit.is_abandoned()) {
            self.run_until_done(&mut *unit);
            unit.send_reply();
        }
    }
}

/// Runs units in one transaction and answers their callers; returns the units that must be rerun alone, and whether the
/// connection is broken.
fn write_together(
    session: &mut Session,
    mut units: Vec<Box<dyn Unit>>,
    shared: &Shared,
    habits: &mut Habits,
) -> (Vec<Box<dyn Unit>>, bool) {
    let Ok(asked) = ask_ahead(session, &mut units, shared) else {
        // Run alone, each unit gets its own error.
        session.leave_shared();
        return (units, false);
    };
    let mut alone = units.split_off(asked.len());
    let (mut kept, mut done) = (Gathered::default(), Vec::new());
    let mut effects_of_kept: Vec<Effects> = Vec::new();
    for (mut unit, asked) in units.into_iter().zip(asked) {
        // Callers that left while the answers arrived got an unknown outcome.
        if unit.is_abandoned() {
            continue;
        }
        session.start_answered(asked);
        let mut tx = Tx::new(session, shared, Access::Write);
        let verdict = unit.run_closure(&mut tx);
        let effects = tx.into_effects();
        let (outgrown, gathered) = (session.has_outgrown_group(), session.take_gathered());
        session.leave_unit();
        if outgrown {
            habits.note_habit(unit.kind(), false);
            alone.push(unit);
        } else if kept.bytes + gathered.bytes > MOST_BYTES {
            alone.push(unit);
        } else {
            if verdict == Verdict::Keep {
                kept.append_gathered(gathered);
                effects_of_kept.push(effects);
            }
            done.push(unit);
        }
    }
    match session.commit_shared(kept) {
        Ended::Committed => {
            shared.apply_effects(effects_of_kept);
            reply_all(done);
            (alone, false)
        }
        // Nothing was written.
        Ended::Before(_) => {
            alone.append(&mut done);
            (alone, false)
        }
        Ended::Unknown => {
            done.iter_mut().for_each(|unit| unit.fail(Error::Unknown));
            reply_all(done);
            (alone, true)
        }
    }
}

/// Does a trial run of each unit, sends the recorded statements after BEGIN, and reads their answers.
fn ask_ahead(
    session: &mut Session,
    units: &mut [Box<dyn Unit>],
    shared: &Shared,
) -> Result<Vec<Asked>, Fault> {
    session.start_shared()?;
    let mut asked = run_ahead(session, units, shared, Access::Write);
    session.fetch_answers(&mut asked)?;
    session.settle_answers()?;
    Ok(asked)
}
