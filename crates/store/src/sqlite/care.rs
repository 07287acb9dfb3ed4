//! Maintenance of a store's file while it is served ([`Care`](crate::Care)).
//!
//! A damaged page fails its checksum when it is read; from then on every unit fails, because there is no way to know
//! which answers would be complete ([`Shared::damage`]). All pages are read periodically, so that damage is found while
//! recent backups are still intact. In a file without checksums, SQLite detects only damage to its own structures: a
//! statement does not notice missing rows on a page that is no longer linked, but the periodic `integrity_check` does.
//!
//! A process whose store lost one of its files ends ([`present`](super::present)).

use std::fs::File;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::present::{Present, stop_for};
use super::{Engine, open_reader, spawn_thread};
use crate::tx::Fault;
use crate::{Care, Clock, Error, Shared};

/// Interval of the check that the files are still those that were opened.
const LOOK: Duration = Duration::from_millis(500);
/// How long after start-up the first full read begins: clients that waited for the start are served first.
const FIRST_CHECK: Duration = Duration::from_secs(10);

/// Starts the threads, which end with the sender of `until`.
pub(super) fn begin_care(
    path: &str,
    (file, present): (&Arc<File>, Arc<Present>),
    (care, shared): (Care, &Arc<Shared>),
    until: Receiver<()>,
) -> Result<Vec<JoinHandle<()>>, Error> {
    let looker = spawn_thread("store-looker", {
        let until = until.clone();
        move || watch_files(&present, &until)
    })?;
    let mut engine = open_reader(path, Duration::ZERO)?;
    engine.file = Some(Arc::clone(file));
    let shared = Arc::clone(shared);
    let checker =
        spawn_thread("store-checker", move || check_again_and_again(&engine, care, &shared, &until))?;
    Ok(vec![looker, checker])
}

/// Waits, and returns whether the store is still open.
fn goes_on(until: &Receiver<()>, wait: Duration) -> bool {
    until.recv_timeout(wait) == Err(RecvTimeoutError::Timeout)
}

fn watch_files(present: &Present, until: &Receiver<()>) {
    while goes_on(until, LOOK) {
        let Some(loss) = present.find_loss() else { continue };
        // The engine removes the log and its index when the last connection is closed; by then the store is no longer
        // open.
        if goes_on(until, Duration::ZERO) {
            stop_for(&loss);
        }
    }
}

fn check_again_and_again(engine: &Engine, care: Care, shared: &Shared, until: &Receiver<()>) {
    let mut wait = FIRST_CHECK.min(care.check_every);
    while goes_on(until, wait) {
        wait = care.check_every;
        if shared.damage_found().is_some() {
            continue;
        }
        let started = Clock::monotonic();
        match read_all(engine, || goes_on(until, Duration::ZERO)) {
            Ok(None) => {
                let seconds = (Clock::monotonic() - started).as_secs();
                tracing::info!(seconds, "every page of the store was read and is whole");
            }
            Ok(Some(wrong)) => shared.record_damage(&wrong),
            Err(fault) => {
                tracing::warn!(?fault, "the pages of the store could not be checked; it is tried again")
            }
        }
    }
}

/// Reads all pages, table by table, so that no long-running read keeps an old snapshot; returns the first fault found.
/// Ends early when `go_on` returns false.
pub(super) fn read_all(engine: &Engine, go_on: impl Fn() -> bool) -> Result<Option<String>, Fault> {
    match read_through(engine, go_on) {
        // The damage is so severe that the engine cannot continue.
        Err(Fault::Damaged(wrong)) => Ok(Some(wrong)),
        found => found,
    }
}

fn read_through(engine: &Engine, go_on: impl Fn() -> bool) -> Result<Option<String>, Fault> {
    let tables = query_texts(engine, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
    for table in tables {
        if !go_on() {
            return Ok(None);
        }
        let name = table.replace('"', "\"\"");
        let found = query_texts(engine, &format!("PRAGMA integrity_check(\"{name}\")"))?;
        if let Some(wrong) = found.into_iter().find(|line| line != "ok") {
            // SQLite reports a failed checksum only as a page that it could not read.
            let wrong = engine.damaged_page().unwrap_or(wrong);
            return Ok(Some(format!("table {table}: {wrong}")));
        }
    }
    Ok(None)
}

fn query_texts(engine: &Engine, sql: &str) -> Result<Vec<String>, Fault> {
    let mut statement = engine.handle.prepare(sql).map_err(|e| engine.explain_fault(e))?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0)).map_err(|e| engine.explain_fault(e))?;
    rows.collect::<Result<_, _>>().map_err(|e| engine.explain_fault(e))
}
