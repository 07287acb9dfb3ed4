//! The storage threads take the units that wait, run them in one transaction, and answer their callers.

use std::collections::VecDeque;
use std::time::Duration;

use super::log::Log;
use super::present::{Present, stop_for};
use super::session::Session;
use super::{Engine, fail_stop};
use crate::disk::Step;
use crate::queue::Waiting;
use crate::tx::{Effects, Fault};
use crate::unit::{Access, Unit, Verdict, reply_all};
use crate::{Clock, Error, Shared, Tx};

/// A group of writing units ends after this many units, or earlier after `group_time`.
const GROUP_UNITS: usize = 256;
/// Maximum number of waiting units that join a reading unit's transaction: few, so that other threads get some, too.
const READ_TOGETHER: usize = 8;
/// Callers of reading units that together took no longer than this are answered together.
const ANSWER_AFTER: Duration = Duration::from_micros(250);

pub(super) fn read_loop(engine: &Engine, queue: &Waiting, shared: &Shared, readers: usize) {
    let mut session = Session::new(engine);
    while let Ok(first) = queue.units.recv() {
        let started = Clock::monotonic();
        // Waiting readers share one transaction and so one snapshot. They are taken before it begins: a unit that
        // arrives later must see what was committed before it arrived.
        let waiting = std::iter::from_fn(|| queue.units.try_recv().ok()).take(READ_TOGETHER);
        let units: Vec<_> = std::iter::once(first).chain(waiting).collect();
        let together = units.len();
        if let Err(fault) = engine.meet_step(Step::Read).and_then(|()| session.run_simple("BEGIN")) {
            shared.notice_fault(Some(&fault));
            refuse_units(units, &fault);
            continue;
        }
        let mut done = Vec::with_capacity(together);
        for mut unit in units {
            engine.begin_unit();
            let mut tx = Tx::new(&mut session, shared, Access::Read);
            unit.run_closure(&mut tx);
            shared.notice_fault(tx.first_fault().as_ref());
            shared.apply_effects([tx.into_effects()]);
            done.push(unit);
            // No caller waits for a slow unit that came later.
            if Clock::monotonic() - started > ANSWER_AFTER {
                reply_all(std::mem::take(&mut done));
            }
        }
        reply_all(done);
        if let Err(fault) = session.run_simple("COMMIT") {
            tracing::warn!(?fault, "a reading transaction did not end well");
            session.run_simple("ROLLBACK").ok();
        }
        queue.pace.count_units(together, Clock::monotonic() - started, readers);
    }
}

pub(super) fn write_loop(engine: &Engine, queue: &Waiting, shared: &Shared, mut log: Option<Log>) {
    let mut session = Session::new(engine);
    while let Ok(first) = queue.units.recv() {
        let started = Clock::monotonic();
        let mut taken = 0;
        let group = VecDeque::from([first]);
        commit_group(&mut session, shared, Savepoints::Never, group, &mut || {
            taken += 1;
            let open = taken < GROUP_UNITS && Clock::monotonic() - started < shared.group_time;
            if open { queue.units.try_recv().ok() } else { None }
        });
        if let Some(log) = &mut log {
            log.maintain_log(engine);
        }
        queue.pace.count_units(taken, Clock::monotonic() - started, 1);
    }
}

/// Whether each unit of a group has its own savepoint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Savepoints {
    /// none: nearly every unit succeeds, and a refused one has usually changed nothing
    Never,
    /// one for each unit, after a refused unit had changed something
    PerUnit,
}

/// Runs the units in `waiting`, then those that `more` supplies, in one transaction, commits and answers.
fn commit_group(
    session: &mut Session<'_>,
    shared: &Shared,
    savepoints: Savepoints,
    mut waiting: VecDeque<Box<dyn Unit>>,
    more: &mut dyn FnMut() -> Option<Box<dyn Unit>>,
) {
    let engine = session.engine;
    let mut done: Vec<(Box<dyn Unit>, Effects)> = Vec::new();
    if let Err(fault) = engine.meet_step(Step::Begin).and_then(|()| session.begin_writing()) {
        shared.notice_fault(Some(&fault));
        return refuse_units(waiting, &fault);
    }
    if let Some(loss) = engine.present.as_deref().and_then(Present::find_loss) {
        session.run_simple("ROLLBACK").ok();
        return refuse_units(waiting, &Fault::Io(report_loss(loss, shared)));
    }
    while let Some(mut unit) = waiting.pop_front().or_else(&mut *more) {
        engine.begin_unit();
        let failure = match run_among_neighbours(session, shared, savepoints, &mut *unit) {
            Ok(effects) => {
                done.push((unit, effects));
                continue;
            }
            Err(failure) => failure,
        };
        // The other units are not at fault: they are rerun, each in a savepoint.
        session.run_simple("ROLLBACK").ok();
        let mut again: VecDeque<_> = done.drain(..).map(|(unit, _)| unit).collect();
        match failure {
            Failure::TransactionEnded(fault) => {
                unit.fail(fault.into_error());
                unit.send_reply();
            }
            Failure::ChangesRemain => again.push_back(unit),
        }
        again.extend(waiting);
        if !again.is_empty() {
            commit_group(session, shared, Savepoints::PerUnit, again, more);
        }
        return;
    }
    match session.commit_unit() {
        Ok(()) => {
            if let Some(loss) = engine.present.as_deref().and_then(Present::loss_after_commit) {
                report_loss(loss, shared);
                for (mut unit, _) in done {
                    unit.fail(Error::Unknown);
                    unit.send_reply();
                }
                return;
            }
            let (units, effects): (Vec<_>, Vec<_>) = done.into_iter().unzip();
            shared.apply_effects(effects);
            reply_all(units);
        }
        Err(Fault::Io(reason) | Fault::Damaged(reason)) => fail_stop(&reason),
        Err(fault) => {
            shared.notice_fault(Some(&fault));
            session.run_simple("ROLLBACK").ok();
            let units = done.into_iter().map(|(unit, _)| unit);
            if units.len() == 1 {
                return refuse_units(units, &fault);
            }
            // There may not be room for all: each runs alone, so that a large unit does not make the small ones fail.
            for unit in units {
                commit_group(session, shared, Savepoints::PerUnit, VecDeque::from([unit]), &mut || None);
            }
        }
    }
}

/// Ends the process for the loss of a file of its store, if the store is served; otherwise nothing is acknowledged any
/// more. Returns what was lost.
fn report_loss(loss: String, shared: &Shared) -> String {
    if shared.cared_for {
        stop_for(&loss);
    }
    tracing::error!(loss, "a file of the store is gone; nothing is written any more");
    loss
}

/// Why a transaction cannot continue after a unit.
enum Failure {
    /// the unit ended the transaction
    TransactionEnded(Fault),
    /// the unit was refused, and its changes are mixed with those of other units
    ChangesRemain,
}

/// Runs one unit in its group's transaction.
fn run_among_neighbours(
    session: &mut Session<'_>,
    shared: &Shared,
    savepoints: Savepoints,
    unit: &mut dyn Unit,
) -> Result<Effects, Failure> {
    if savepoints == Savepoints::PerUnit {
        session.run_simple("SAVEPOINT unit").map_err(Failure::TransactionEnded)?;
    }
    let changes = session.engine.handle.total_changes();
    let mut tx = Tx::new(session, shared, unit.access());
    let verdict = unit.run_closure(&mut tx);
    let fault = tx.first_fault();
    shared.notice_fault(fault.as_ref());
    let effects = tx.into_effects();
    if session.engine.handle.is_autocommit() {
        let fault = fault.unwrap_or(Fault::Other("a unit ended the transaction".to_owned()));
        return Err(Failure::TransactionEnded(fault));
    }
    let effects = if verdict == Verdict::Keep { effects } else { Effects::default() };
    match savepoints {
        Savepoints::Never
            if verdict == Verdict::Discard && session.engine.handle.total_changes() != changes =>
        {
            return Err(Failure::ChangesRemain);
        }
        Savepoints::Never => {}
        Savepoints::PerUnit => {
            if verdict == Verdict::Discard {
                session.run_simple("ROLLBACK TO unit").map_err(Failure::TransactionEnded)?;
            }
            session.run_simple("RELEASE unit").map_err(Failure::TransactionEnded)?;
        }
    }
    Ok(effects)
}

fn refuse_units(units: impl IntoIterator<Item = Box<dyn Unit>>, fault: &Fault) {
    for mut unit in units {
        unit.fail(fault.clone().into_error());
        unit.send_reply();
    }
}
