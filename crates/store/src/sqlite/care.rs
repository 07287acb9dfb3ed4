//! Maintenance of a store's file while it is served ([`Care`](crate::Care)).
//!
//! A damaged page fails its checksum when it is read; from then on every unit fails, because there is no way to know
//! which answers would be complete ([`Shared::damage`]). All pages are read periodically, so that damage is found while
//! recent backups are still intact. In a file without checksums, SQLite detects only damage to its own structures: a
//! statement does not notice missing rows on a page that is no longer linked, but the periodic `integrity_check` does.
//!
//! A file that was deleted or replaced keeps accepting writes until the process ends, and then those writes are lost. So
//! the process ends at once; the engine's file lock does not prevent deletion.

use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::{Engine, reader, spawn, stop};
use crate::tx::Fault;
use crate::{Care, Clock, Error, Shared};

/// Interval of the check that the file and its log are still those that were opened.
const LOOK: Duration = Duration::from_millis(500);
/// How long after start-up the first full read begins: clients that waited for the start are served first.
const FIRST_CHECK: Duration = Duration::from_secs(10);

/// The threads that maintain a file until `Sender` is dropped.
pub(super) type Keepers = (Sender<()>, Vec<JoinHandle<()>>);

/// Starts the threads.
pub(super) fn begin(
    path: &str,
    file: &Arc<File>,
    care: Care,
    shared: &Arc<Shared>,
) -> Result<Keepers, Error> {
    // Nothing is ever sent: the threads end when the sender is gone.
    let (keep, until) = bounded::<()>(0);
    let looker = spawn("store-looker", {
        let (path, file, until) = (path.to_owned(), Arc::clone(file), until.clone());
        move || look(&path, &file, &until)
    })?;
    let mut engine = reader(path, Duration::ZERO)?;
    engine.file = Some(Arc::clone(file));
    let shared = Arc::clone(shared);
    let checker = spawn("store-checker", move || check_again_and_again(&engine, care, &shared, &until))?;
    Ok((keep, vec![looker, checker]))
}

/// Waits, and returns whether the store is still open.
fn goes_on(until: &Receiver<()>, wait: Duration) -> bool {
    until.recv_timeout(wait) == Err(RecvTimeoutError::Timeout)
}

fn look(path: &str, file: &File, until: &Receiver<()>) {
    // The log exists once something was written, and for as long as the store is open.
    let log_path = format!("{path}-wal");
    let (own, mut log) = (file.metadata().ok().map(identity), None);
    while goes_on(until, LOOK) {
        log = log.or_else(|| found(&log_path).flatten());
        let missing = !is_still_there(path, own) || !is_still_there(&log_path, log);
        // The engine removes the log when the last connection is closed; by then the store is no longer open.
        if missing && goes_on(until, Duration::ZERO) {
            stop(
                "the file of the store or its log was deleted or replaced; stopping, for what is written would be lost",
                path,
            );
        }
    }
}

/// The identity of a file: its device and inode number.
type Identity = (u64, u64);

fn identity(file: Metadata) -> Identity {
    (file.dev(), file.ino())
}

/// Returns the file at a path, `Some(None)` if there is none, or `None` if that cannot be determined.
fn found(path: &str) -> Option<Option<Identity>> {
    match std::fs::metadata(path) {
        Ok(there) => Some(Some(identity(there))),
        Err(error) if error.kind() == ErrorKind::NotFound => Some(None),
        Err(_) => None,
    }
}

/// Whether a path still leads to the same file.
fn is_still_there(path: &str, known: Option<Identity>) -> bool {
    known.is_none() || found(path).is_none_or(|now| now == known)
}

/// Whether the open file has been unlinked: checked before writes are acknowledged, since it costs only a microsecond.
pub(super) fn is_deleted(file: &File) -> bool {
    file.metadata().is_ok_and(|file| file.nlink() == 0)
}

fn check_again_and_again(engine: &Engine, care: Care, shared: &Shared, until: &Receiver<()>) {
    let mut wait = FIRST_CHECK.min(care.check_every);
    while goes_on(until, wait) {
        wait = care.check_every;
        if shared.damaged().is_some() {
            continue;
        }
        let started = Clock::monotonic();
        match read_all(engine, || goes_on(until, Duration::ZERO)) {
            Ok(None) => {
                let seconds = (Clock::monotonic() - started).as_secs();
                tracing::info!(seconds, "every page of the store was read and is whole");
            }
            Ok(Some(wrong)) => shared.damage(&wrong),
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
    let tables = texts(engine, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
    for table in tables {
        if !go_on() {
            return Ok(None);
        }
        let name = table.replace('"', "\"\"");
        let found = texts(engine, &format!("PRAGMA integrity_check(\"{name}\")"))?;
        if let Some(wrong) = found.into_iter().find(|line| line != "ok") {
            // SQLite reports a failed checksum only as a page that it could not read.
            let wrong = engine.damaged_page().unwrap_or(wrong);
            return Ok(Some(format!("table {table}: {wrong}")));
        }
    }
    Ok(None)
}

fn texts(engine: &Engine, sql: &str) -> Result<Vec<String>, Fault> {
    let mut statement = engine.handle.prepare(sql).map_err(|e| engine.fault(e))?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0)).map_err(|e| engine.fault(e))?;
    rows.collect::<Result<_, _>>().map_err(|e| engine.fault(e))
}
