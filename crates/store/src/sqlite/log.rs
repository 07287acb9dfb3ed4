//! The write-ahead log and its checkpoints.
//!
//! Commits stay in the log until their pages are checkpointed into the file, with a sync at the end. A writer that did this
//! itself would commit nothing for tens of milliseconds. So a thread of its own copies, over a connection of its own,
//! while the writer goes on, and syncs the file, which the engine leaves to the one that copies the last page. It does so
//! again with pages added in the meantime, until few are left; then the writer copies the rest, and restarts the log
//! from its beginning. Readers of an old snapshot (a backup) can keep the log from restarting; past a bound the writer
//! waits for the copy, and for them a moment, and tries again when the log has grown by as much again.
//!
//! A page that changes again and again is copied once, if the log is long enough to see it again. In a larger file what
//! is written lies farther apart, so the log may be longer there, and the writer keeps more pages by it.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use rusqlite::{Connection as Handle, OpenFlags};

use super::{BUSY, Engine, cannot_open, fail_stop, spawn};
use crate::tx::Fault;
use crate::{Error, Shared};

/// Pages in the log from which on they are copied back, in a file of up to a third of a gigabyte: 64 MB.
const COPY_FROM: u32 = 16_000;
/// The part of a larger file that the log may come to, up to [`MOST`].
const PART_OF_FILE: u32 = 5;
/// As [`COPY_FROM`], in any file: 192 MB. A start after a crash reads all of the log, which takes some 100 ms then.
const MOST: u32 = 48_000;
/// How much more there must be before what could not be finished is tried again.
const COPY_AGAIN: u64 = 2_000;
/// At this multiple of the checkpoint threshold the log is truncated even if the writer has to wait for readers.
const BOUND: u64 = 2;
/// Kibibytes of cache that the writer has for each page of the log: 16 MB with the shortest. The engine looks through all of
/// it at most commits, until the file is larger than 1 GB (a tree that is balanced takes the number of the page of locks,
/// which lies there, and what lies past the end is looked for after that), so a larger one costs more than it saves.
const CACHE: i64 = 1;
/// Bytes that the log's file keeps, when it begins anew, for each page that it is copied from.
const KEPT: i64 = 6_144;
/// Pages that came in while others were copied, and that the writer may copy: more would keep it for too long.
const LITTLE: u64 = 1_000;
/// How often the thread copies what came in, if that does not become little.
const PASSES: u32 = 4;
/// How long the writer waits for readers.
const PATIENCE: Duration = Duration::from_millis(250);

/// What the writer knows of the log.
pub(super) struct Log {
    shared: Arc<Shared>,
    /// in the log after the last commit
    pages: Arc<AtomicU64>,
    copier: Sender<()>,
    copied: Receiver<()>,
    copying: bool,
    /// how long it may become in a file of this size
    copy_from: u64,
    copy_at: u64,
    cut_at: u64,
}

impl Log {
    /// Starts the thread that copies.
    pub fn open(
        path: &str,
        file: &Arc<File>,
        writer: &mut Engine,
        shared: &Arc<Shared>,
    ) -> Result<(Self, JoinHandle<()>), Error> {
        let pages = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&pages);
        let count = move |_: &mut rusqlite::hooks::Wal, pages: i32| {
            seen.store(u64::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        };
        // In place of the engine's own, by which whoever commits copies.
        writer.handle.wal_hook(Some(count)).map_err(|e| cannot_open(path, &e))?;
        let mut engine = Engine::open(path, OpenFlags::default(), shared.unit_limit)?;
        engine.file = Some(Arc::clone(file));
        engine.handle.pragma_update(None, "synchronous", "FULL").map_err(|e| cannot_open(path, &e))?;
        let (copier, asked) = bounded(1);
        let (done, copied) = bounded(1);
        let (grown, told) = (Arc::clone(&pages), Arc::clone(shared));
        let thread = spawn("store-copier", move || copy_when_asked(&engine, &grown, &told, &asked, &done))?;
        let shared = Arc::clone(shared);
        let mut log =
            Self { shared, pages, copier, copied, copying: false, copy_from: 0, copy_at: 0, cut_at: 0 };
        log.fit(&writer.handle).map_err(|e| cannot_open(path, &e))?;
        log.begin();
        Ok((log, thread))
    }

    /// Gives the log and the writer's cache the size that the file asks for.
    fn fit(&mut self, writer: &Handle) -> rusqlite::Result<()> {
        let file: u32 = writer.pragma_query_value(None, "page_count", |row| row.get(0))?;
        let pages = copy_from(file);
        self.copy_from = pages.into();
        // Below zero it counts kibibytes, above it pages.
        writer.pragma_update(None, "cache_size", -i64::from(pages) * CACHE)?;
        writer.pragma_update(None, "journal_size_limit", i64::from(pages) * KEPT)
    }

    /// From when on it is looked after, if it begins now.
    const fn begin(&mut self) {
        (self.copy_at, self.cut_at) = (self.copy_from, self.copy_from * BOUND);
    }

    /// Looks after the log between two groups.
    pub fn keep(&mut self, writer: &Engine) {
        let pages = self.pages.load(Ordering::Relaxed);
        if self.copying {
            // A writer that is faster than the disk can copy waits here; else it only looks.
            let wait = if pages >= self.cut_at { BUSY } else { Duration::ZERO };
            if self.copied.recv_timeout(wait).is_ok() {
                self.copying = false;
                copy(writer, &self.shared);
                // It fits less well where it cannot be asked for.
                self.fit(&writer.handle).ok();
            }
        } else if pages < self.copy_from {
            self.begin();
        } else if pages >= self.copy_at {
            self.copy_at = pages + COPY_AGAIN;
            self.copying = self.copier.try_send(()).is_ok();
        }
        if pages >= self.cut_at {
            self.cut_at = pages + self.copy_from * BOUND;
            cut(writer, &self.shared);
        }
    }
}

/// Pages in the log from which on they are copied back into a file of so many pages.
fn copy_from(file: u32) -> u32 {
    (file / PART_OF_FILE).clamp(COPY_FROM, MOST)
}

fn copy_when_asked(
    engine: &Engine,
    pages: &AtomicU64,
    shared: &Shared,
    asked: &Receiver<()>,
    done: &Sender<()>,
) {
    while asked.recv().is_ok() {
        for _ in 0..PASSES {
            let copied = copy(engine, shared);
            // Else the writer would wait for all of it, when it syncs what it copies itself.
            if let Some(Err(error)) = engine.file.as_ref().map(|file| file.sync_data()) {
                fail_stop(&error.to_string());
            }
            if pages.load(Ordering::Relaxed).saturating_sub(copied) <= LITTLE {
                break;
            }
        }
        done.try_send(()).ok();
    }
}

/// Copies what can be copied without waiting for anybody, and says how many pages of the log are copied.
fn copy(engine: &Engine, shared: &Shared) -> u64 {
    checkpoint(engine, "PRAGMA wal_checkpoint(PASSIVE)", shared).map_or(0, |done| done.copied)
}

fn cut(engine: &Engine, shared: &Shared) {
    engine.handle.busy_timeout(PATIENCE).ok();
    if checkpoint(engine, "PRAGMA wal_checkpoint(TRUNCATE)", shared).is_none_or(|done| done.hindered) {
        tracing::warn!("the log is over its bound and could not be cut yet: something reads an old state");
    }
    engine.handle.busy_timeout(BUSY).ok();
}

/// What became of copying.
struct Copied {
    /// a reader or writer was in the way
    hindered: bool,
    /// pages of the log that are in the file now
    copied: u64,
}

fn checkpoint(engine: &Engine, how: &str, shared: &Shared) -> Option<Copied> {
    // It says -1 of pages that it did not come to count.
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Copied { hindered: row.get(0)?, copied: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0) })
    };
    match engine.handle.query_row(how, [], read).map_err(|error| engine.fault(error)) {
        Ok(done) => Some(done),
        // What did not reach the file lies in the log still, but only a restart reads it from there again.
        Err(Fault::Io(reason)) => fail_stop(&reason),
        // The process stays: recovery at a restart would end at the damaged frame and silently drop later commits.
        Err(Fault::Damaged(what)) => {
            shared.damage(&what);
            None
        }
        Err(fault) => {
            tracing::warn!(?fault, "the log could not be copied back; it is tried again as it grows");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::copy_from;

    #[test]
    fn the_log_may_come_to_a_fifth_of_a_large_file_and_to_no_more_than_its_bound() {
        assert_eq!([0, 80_000, 200_000, 10_000_000].map(copy_from), [16_000, 16_000, 40_000, 48_000]);
    }
}
