//! The write-ahead log and its checkpoints.
//!
//! Commits stay in the log until their pages are checkpointed into the file, which ends with a sync. A writer that did
//! this itself could not commit for tens of milliseconds. So a separate thread copies pages over its own connection
//! while the writer continues, and syncs the file, which the engine does only when the last page is copied. It repeats
//! this for the pages added in the meantime until few are left; then the writer copies the rest and restarts the log
//! from its beginning. Readers of an old snapshot (a backup) can keep the log from restarting; past a bound the writer
//! waits for the copy, and briefly for the readers, and tries again when the log has grown by the same amount again.
//!
//! A page that changes often is copied once if the log is long enough to contain all its changes. In a larger file
//! writes are spread over more pages, so the log may be longer there, and the writer's cache grows with it.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use rusqlite::{Connection as Handle, OpenFlags};

use super::present::Present;
use super::{BUSY, Engine, cannot_open, fail_stop, spawn_thread};
use crate::pulse::Pulse;
use crate::tx::Fault;
use crate::{Error, Shared};

/// The checkpoint threshold in pages, for files of up to a third of a gigabyte: 64 MB.
const COPY_FROM: u32 = 16_000;
/// The threshold as a fraction of a larger file, up to [`MOST`].
const PART_OF_FILE: u32 = 5;
/// Upper bound of the threshold: 192 MB. Recovery after a crash reads the whole log, which then takes some 100 ms.
const MOST: u32 = 48_000;
/// How much the log must grow before an unfinished checkpoint is tried again.
const COPY_AGAIN: u64 = 2_000;
/// At this multiple of the checkpoint threshold the log is truncated even if the writer has to wait for readers.
const BOUND: u64 = 2;
/// Kibibytes of the writer's cache for each page of the threshold: 16 MB at the lowest threshold. At most commits the
/// engine scans the whole cache until the file is larger than 1 GB (pages above the lock-byte page there are looked up
/// differently), so a larger cache costs more than it saves.
const CACHE: i64 = 1;
/// Bytes that the log file keeps when it restarts, for each page of the threshold.
const KEPT: i64 = 6_144;
/// Pages added during a checkpoint that the writer may copy: more would block it for too long.
const LITTLE: u64 = 1_000;
/// Maximum number of times the thread copies if the remainder does not become small.
const PASSES: u32 = 4;
/// How long copying the log, and syncing what was copied, may take on a slow disk before that is told.
const COPYING: Duration = Duration::from_secs(3);
/// How long the writer waits for readers.
const PATIENCE: Duration = Duration::from_millis(250);

/// The writer's view of the log.
pub(super) struct Log {
    shared: Arc<Shared>,
    /// pages in the log after the last commit
    pages: Arc<AtomicU64>,
    copier: Sender<()>,
    copier_pulse: Pulse,
    copied: Receiver<()>,
    copying: bool,
    /// the threshold for a file of this size
    copy_from: u64,
    copy_at: u64,
    cut_at: u64,
}

impl Log {
    /// Starts the checkpoint thread.
    pub fn open_log(
        path: &str,
        file: &Arc<File>,
        writer: &mut Engine,
        (present, shared): (&Arc<Present>, &Arc<Shared>),
    ) -> Result<(Self, JoinHandle<()>), Error> {
        let pages = Arc::new(AtomicU64::new(0));
        let (seen, files) = (Arc::clone(&pages), Arc::clone(present));
        let count = move |_: &mut rusqlite::hooks::Wal, pages: i32| {
            let pages = u64::try_from(pages).unwrap_or(0);
            seen.store(pages, Ordering::Relaxed);
            files.note_frames(pages);
            Ok(())
        };
        writer.present = Some(Arc::clone(present));
        // Replaces the engine's automatic checkpoint, which would run in the committing thread.
        writer.handle.wal_hook(Some(count)).map_err(|e| cannot_open(path, &e))?;
        let mut engine = Engine::open_engine(path, OpenFlags::default(), shared.unit_limit)?;
        engine.file = Some(Arc::clone(file));
        engine.handle.pragma_update(None, "synchronous", "FULL").map_err(|e| cannot_open(path, &e))?;
        let copier_pulse = engine.pulse.clone();
        let (copier, asked) = bounded(1);
        let (done, copied) = bounded(1);
        let (grown, told) = (Arc::clone(&pages), Arc::clone(shared));
        let thread =
            spawn_thread("store-copier", move || copy_when_asked(&engine, &grown, &told, &asked, &done))?;
        let shared = Arc::clone(shared);
        let mut log = Self {
            shared,
            pages,
            copier,
            copier_pulse,
            copied,
            copying: false,
            copy_from: 0,
            copy_at: 0,
            cut_at: 0,
        };
        log.fit_to_file(&writer.handle).map_err(|e| cannot_open(path, &e))?;
        log.begin_log();
        Ok((log, thread))
    }

    /// Whether the thread that copies is in the engine.
    pub fn copier_pulse(&self) -> Pulse {
        self.copier_pulse.clone()
    }

    /// Adapts the threshold and the writer's cache to the size of the file.
    fn fit_to_file(&mut self, writer: &Handle) -> rusqlite::Result<()> {
        let file: u32 = writer.pragma_query_value(None, "page_count", |row| row.get(0))?;
        let pages = copy_from(file);
        self.copy_from = pages.into();
        // A negative value counts kibibytes, a positive one pages.
        writer.pragma_update(None, "cache_size", -i64::from(pages) * CACHE)?;
        writer.pragma_update(None, "journal_size_limit", i64::from(pages) * KEPT)
    }

    /// Resets the lengths at which the log is checkpointed and truncated, for a log that has restarted.
    const fn begin_log(&mut self) {
        (self.copy_at, self.cut_at) = (self.copy_from, self.copy_from * BOUND);
    }

    /// Maintains the log between two groups.
    pub fn maintain_log(&mut self, writer: &Engine) {
        let pages = self.pages.load(Ordering::Relaxed);
        if self.copying {
            // A writer that outpaces the disk waits here; otherwise it only checks.
            let wait = if pages >= self.cut_at { BUSY } else { Duration::ZERO };
            if self.copied.recv_timeout(wait).is_ok() {
                self.copying = false;
                copy_log(writer, &self.shared);
                // If the size cannot be read, the previous threshold is kept.
                self.fit_to_file(&writer.handle).ok();
            }
        } else if pages < self.copy_from {
            self.begin_log();
        } else if pages >= self.copy_at {
            self.copy_at = pages + COPY_AGAIN;
            self.copying = self.copier.try_send(()).is_ok();
        }
        if pages >= self.cut_at {
            self.cut_at = pages + self.copy_from * BOUND;
            truncate_log(writer, &self.shared);
        }
    }
}

/// Returns the checkpoint threshold for a file of this many pages.
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
            let copied = copy_log(engine, shared);
            // Otherwise the writer would have to wait for all of it when it syncs its own part.
            let synced = {
                let _inside = engine.pulse.enter_engine(COPYING);
                engine.file.as_ref().map(|file| file.sync_data())
            };
            if let Some(Err(error)) = synced {
                fail_stop(&error.to_string());
            }
            if pages.load(Ordering::Relaxed).saturating_sub(copied) <= LITTLE {
                break;
            }
        }
        done.try_send(()).ok();
    }
}

/// Copies what can be copied without waiting; returns how many pages of the log are in the file.
fn copy_log(engine: &Engine, shared: &Shared) -> u64 {
    run_checkpoint(engine, "PRAGMA wal_checkpoint(PASSIVE)", shared).map_or(0, |done| done.copied)
}

fn truncate_log(engine: &Engine, shared: &Shared) {
    engine.handle.busy_timeout(PATIENCE).ok();
    if run_checkpoint(engine, "PRAGMA wal_checkpoint(TRUNCATE)", shared).is_none_or(|done| done.hindered) {
        tracing::warn!(
            "the log exceeds its bound and could not be truncated yet: a reader still uses an old snapshot"
        );
    }
    engine.handle.busy_timeout(BUSY).ok();
}

/// The result of a checkpoint.
struct Copied {
    /// whether a reader or writer kept it from finishing
    hindered: bool,
    /// pages of the log that are in the file
    copied: u64,
}

fn run_checkpoint(engine: &Engine, how: &str, shared: &Shared) -> Option<Copied> {
    // The engine returns -1 if it did not count pages.
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Copied { hindered: row.get(0)?, copied: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0) })
    };
    let ended = {
        let _inside = engine.pulse.enter_engine(COPYING);
        engine.handle.query_row(how, [], read).map_err(|error| engine.explain_fault(error))
    };
    match ended {
        Ok(done) => Some(done),
        // The pages that were not copied are still in the log, but only a restart reads them from there again.
        Err(Fault::Io(reason)) => fail_stop(&reason),
        // The process stays up: recovery at a restart would stop at the damaged frame and silently drop later commits.
        Err(Fault::Damaged(what)) => {
            shared.record_damage(&what);
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
