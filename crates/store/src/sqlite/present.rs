//! The files of an open store are one: the store, its log and the index of the log (`-wal`, `-shm`).
//!
//! A file that was removed or replaced keeps accepting writes until the process ends, and then they are lost. Without
//! its index, a log is read anew by the next process that opens the store: two processes then write it without knowing
//! of each other, and each overwrites what the other acknowledged. A file that was cut short lost what was behind the
//! cut. The engine's locks prevent none of this. So the files are looked at periodically and after every commit, before
//! it is acknowledged. A service that finds one of them gone ends at once, a command acknowledges nothing; and no process
//! opens a store whose log or index is missing while another one uses it.

use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Flock, FlockType, fcntl_getlk};

use super::part::path_beside;
use super::{cannot_open, stop_process};
use crate::{Clock, Error};

/// The first bytes of a log; the last bit differs by the byte order of its checksums.
const LOG_MAGIC: u32 = 0x377f_0682;
const LOG_HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;
/// How long another process may take to create the log and its index, or to remove them when it closes the store.
const SHARED_TIME: Duration = Duration::from_secs(2);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// The identity of a file: its device and inode number.
type Identity = (u64, u64);

fn file_identity(file: &Metadata) -> Identity {
    (file.dev(), file.ino())
}

/// The files as they were when the store was opened.
pub(super) struct Present {
    store: (PathBuf, Identity),
    log: (PathBuf, Identity),
    index: (PathBuf, Identity),
    /// to read the log's header with
    open_log: File,
    /// bytes of a frame
    frame: u64,
    /// the largest size of the store's file that was seen: it never shrinks while the store is open
    store_size: AtomicU64,
    /// frames in the log after a commit of this process that was not looked at yet; 0 if it wrote none
    frames: AtomicU64,
    /// the log after the last commit of this process
    written: Mutex<Option<Written>>,
}

/// A log that begins with this salt has at least this many bytes.
#[derive(Clone, Copy)]
struct Written {
    salt: [u8; 8],
    bytes: u64,
}

impl Present {
    /// The files of a store that this process has opened and read from.
    ///
    /// # Errors
    /// One of them is missing.
    pub(super) fn open_files(path: &str, page_size: u64) -> Result<Self, Error> {
        let known = |path: PathBuf| match path.metadata() {
            Ok(file) => Ok((path, file_identity(&file))),
            Err(error) => Err(cannot_open(&path.display().to_string(), &error)),
        };
        let path = Path::new(path);
        let (store, log, index) =
            (known(path.to_owned())?, known(path_beside(path, "-wal"))?, known(path_beside(path, "-shm"))?);
        // No locks of the engine are on this one, so it may be closed at any time.
        let open_log =
            File::open(&log.0).map_err(|error| cannot_open(&log.0.display().to_string(), &error))?;
        let opened = Self {
            store,
            log,
            index,
            open_log,
            frame: FRAME_HEADER + page_size,
            store_size: AtomicU64::new(0),
            frames: AtomicU64::new(0),
            written: Mutex::default(),
        };
        Ok(opened)
    }

    /// Notes how many frames the log has after a commit of this process.
    pub(super) fn note_frames(&self, frames: u64) {
        self.frames.store(frames, Ordering::Relaxed);
    }

    /// What happened to one of the files, if anything did: it was removed, replaced or cut short.
    pub(super) fn find_loss(&self) -> Option<String> {
        for (path, known) in [&self.store, &self.log, &self.index] {
            match path.metadata() {
                Ok(now) if file_identity(&now) == *known => {
                    if *path == self.store.0
                        && now.len() < self.store_size.fetch_max(now.len(), Ordering::Relaxed)
                    {
                        return Some(format!("{} was cut short", path.display()));
                    }
                }
                Ok(_) => return Some(format!("{} was replaced", path.display())),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Some(format!("{} was removed", path.display()));
                }
                // It cannot be determined.
                Err(_) => {}
            }
        }
        let written = *self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let is_short = |written: Written| {
            let salt = self.header().map(|(_, salt)| salt);
            // A log that began anew, or that a checkpoint has emptied, has another salt or none.
            salt == Some(written.salt) && self.open_log.metadata().is_ok_and(|log| log.len() < written.bytes)
        };
        written.is_some_and(is_short).then(|| format!("{} was cut short", self.log.0.display()))
    }

    /// As [`Present::find_loss`], after a commit of this process and before it is acknowledged.
    pub(super) fn loss_after_commit(&self) -> Option<String> {
        if let Some(loss) = self.find_loss() {
            return Some(loss);
        }
        let frames = self.frames.swap(0, Ordering::Relaxed);
        // A commit that changed nothing wrote no frame.
        if frames == 0 {
            return None;
        }
        let bytes = LOG_HEADER + frames * self.frame;
        match (self.header(), self.open_log.metadata()) {
            (Some((magic, salt)), Ok(log)) if magic & !1 == LOG_MAGIC && log.len() >= bytes => {
                *self.written.lock().unwrap_or_else(PoisonError::into_inner) = Some(Written { salt, bytes });
                None
            }
            (_, Err(_)) => None,
            _ => Some(format!("{} was cut short", self.log.0.display())),
        }
    }

    /// The magic number and the salt of the log, if it is not empty.
    fn header(&self) -> Option<(u32, [u8; 8])> {
        let mut header = [0; 24];
        self.open_log.read_exact_at(&mut header, 0).ok()?;
        let (magic, salt) = (header.first_chunk()?, header.last_chunk()?);
        Some((u32::from_be_bytes(*magic), *salt))
    }
}

/// Ends the process because of what happened to a file of its store.
pub(super) fn stop_for(loss: &str) -> ! {
    const MESSAGE: &str = "a file of the store was removed, replaced or cut short; stopping, so that nothing is acknowledged that is lost";
    stop_process(MESSAGE, loss)
}

/// Waits until the log and its index are there, or nobody else uses the store: then the engine makes them anew.
///
/// # Errors
/// Another process uses the store, and the log or the index that it shares with others was removed.
pub(super) fn wait_for_shared_files(path: &str, file: &File) -> Result<(), Error> {
    let shared = ["-wal", "-shm"].map(|end| path_beside(Path::new(path), end));
    let until = Clock::monotonic() + SHARED_TIME;
    loop {
        let Some(missing) = shared.iter().find(|file| !file.exists()) else { return Ok(()) };
        if !is_used_by_another(file) {
            return Ok(());
        }
        if Clock::monotonic() > until {
            return Err(Error::Open(format!(
                "another process uses {path}, and {} was removed, which it shares with others: what both write would be lost; \
                 stop that process first",
                missing.display()
            )));
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

/// As [`wait_for_shared_files`], for a store that this process only reads.
pub(super) fn wait_for_shared_files_of(path: &str) -> Result<(), Error> {
    let file = File::open(path).map_err(|error| cannot_open(path, &error))?;
    let waited = wait_for_shared_files(path, &file);
    // Closing any descriptor of a file releases the locks that the process holds on it, and this process may have the
    // store open elsewhere. So the descriptor is kept; a command opens one or two.
    std::mem::forget(file);
    waited
}

/// Whether a process other than this one has the file open: the engine then holds a lock on a part of it.
fn is_used_by_another(file: &File) -> bool {
    let whole = Flock::from(FlockType::WriteLock);
    fcntl_getlk(file, &whole).is_ok_and(|lock| lock.is_some())
}
