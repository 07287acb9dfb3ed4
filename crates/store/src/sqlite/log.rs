//! The write-ahead log, and who copies it back into the file.
//!
//! What is committed lies in the log until its pages are copied back, with a sync at the end. A writer that did this
//! itself would commit nothing for tens of milliseconds. So a thread of its own copies, over a connection of its own,
//! while the writer goes on, and syncs the file, which the engine leaves to whoever copies the last page; then the
//! writer copies the little that has come in since, and begins the log anew. Readers that hold on to an old state (a
//! backup) can keep the log from beginning anew; past a bound the writer waits for the copy, and for them a moment, and
//! tries again when the log has grown by as much again.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use rusqlite::{Connection as Handle, OpenFlags};

use super::{BUSY, Engine, cannot_open, fail_stop, fault, spawn};
use crate::Error;
use crate::tx::Fault;

/// Pages in the log from which on they are copied back: pages that change again and again are copied once for many
/// groups. 64 MB: with twice that a create costs a tenth less where there are many companies, but a start after a crash,
/// which reads all of the log, would take longer than 100 ms.
const COPY_FROM: u64 = 16_000;
/// How much more there must be before what could not be finished is tried again.
const COPY_AGAIN: u64 = 2_000;
/// Pages in the log at which it is cut even if the writer has to wait for a reader. 128 MB.
const BOUND: u64 = 32_000;
/// How long it waits then.
const PATIENCE: Duration = Duration::from_millis(250);

/// What the writer knows of the log.
pub(super) struct Log {
    /// in the log after the last commit
    pages: Arc<AtomicU64>,
    copier: Sender<()>,
    copied: Receiver<()>,
    copying: bool,
    copy_at: u64,
    cut_at: u64,
}

impl Log {
    /// Starts the thread that copies.
    pub fn open(
        path: &str,
        file: &Arc<File>,
        writer: &mut Engine,
        unit_limit: Duration,
    ) -> Result<(Self, JoinHandle<()>), Error> {
        let pages = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&pages);
        let count = move |_: &mut rusqlite::hooks::Wal, pages: i32| {
            seen.store(u64::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        };
        // In place of the engine's own, by which whoever commits copies.
        writer.handle.wal_hook(Some(count)).map_err(|e| cannot_open(path, &e))?;
        let mut engine = Engine::open(path, OpenFlags::default(), unit_limit)?;
        engine.file = Some(Arc::clone(file));
        engine.handle.pragma_update(None, "synchronous", "FULL").map_err(|e| cannot_open(path, &e))?;
        let (copier, asked) = bounded(1);
        let (told, copied) = bounded(1);
        let thread = spawn("store-copier", move || copy_when_asked(&engine, &asked, &told))?;
        let log = Self { pages, copier, copied, copying: false, copy_at: COPY_FROM, cut_at: BOUND };
        Ok((log, thread))
    }

    /// Looks after the log between two groups.
    pub fn keep(&mut self, writer: &Handle) {
        let pages = self.pages.load(Ordering::Relaxed);
        if self.copying {
            // A writer that is faster than the disk can copy waits here; else it only looks.
            let wait = if pages >= self.cut_at { BUSY } else { Duration::ZERO };
            if self.copied.recv_timeout(wait).is_ok() {
                self.copying = false;
                copy(writer);
            }
        } else if pages < COPY_FROM {
            (self.copy_at, self.cut_at) = (COPY_FROM, BOUND);
        } else if pages >= self.copy_at {
            self.copy_at = pages + COPY_AGAIN;
            self.copying = self.copier.try_send(()).is_ok();
        }
        if pages >= self.cut_at {
            self.cut_at = pages + BOUND;
            cut(writer);
        }
    }
}

fn copy_when_asked(engine: &Engine, asked: &Receiver<()>, told: &Sender<()>) {
    while asked.recv().is_ok() {
        copy(&engine.handle);
        // Else the writer would wait for all of it, when it syncs what it copies itself.
        if let Some(Err(error)) = engine.file.as_ref().map(|file| file.sync_data()) {
            fail_stop(&error.to_string());
        }
        told.try_send(()).ok();
    }
}

/// Copies what can be copied without waiting for anybody.
fn copy(handle: &Handle) {
    checkpoint(handle, "PRAGMA wal_checkpoint(PASSIVE)");
}

fn cut(handle: &Handle) {
    handle.busy_timeout(PATIENCE).ok();
    if checkpoint(handle, "PRAGMA wal_checkpoint(TRUNCATE)") != Some(0) {
        tracing::warn!("the log is over its bound and could not be cut yet: something reads an old state");
    }
    handle.busy_timeout(BUSY).ok();
}

/// Whether anybody was in the way (0 or 1), if it could be asked.
fn checkpoint(handle: &Handle, how: &str) -> Option<i64> {
    match handle.query_row(how, [], |row| row.get(0)).map_err(fault) {
        Ok(hindered) => Some(hindered),
        // What did not reach the file lies in the log still, but only a restart reads it from there again.
        Err(Fault::Io(reason)) => fail_stop(&reason),
        Err(fault) => {
            tracing::warn!(?fault, "the log could not be copied back; it is tried again as it grows");
            None
        }
    }
}
