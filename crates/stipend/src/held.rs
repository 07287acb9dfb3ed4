//! Reserves a store for one process, with a lock on a file beside a file store, or an advisory lock of a server.
//!
//! It excludes only processes that ask for it: a second `stipend dev` on the same store, and a second process that
//! would run the background work of one file store. The file is looked at twice a second: if it was removed or replaced,
//! another process may lock the new one, and this one ends.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often a held lock is tried again, and the pause between: two seconds in total.
const TRIES: usize = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// Interval of the check that the locked file is still the one at its path.
const LOOK: Duration = Duration::from_millis(500);
/// How long the last line of the log has to be written.
const LAST_LINE: Duration = Duration::from_millis(50);
/// The exit code of a process that lost a file of its store.
const LOST: i32 = 74;

/// The reservation of a store, until it is dropped or the process ends.
pub enum Held {
    /// a locked file, and what the thread that looks at it waits for: it ends when this is dropped
    File(Arc<fs::File>, Sender<()>),
    /// an advisory lock of the server
    Server(store::Hold),
    /// nothing: no other process can reach a store in memory
    Alone,
}

/// Reserves the store at `url` for this process; `None` if another process holds it. A process that was just killed may
/// still hold its lock for a moment, so the lock is tried for a while.
///
/// # Errors
/// One line if the lock file cannot be opened, or the server cannot be reached.
pub fn reserve_store(url: &str) -> Result<Option<Held>, String> {
    if let Some(store) = file_of(url) {
        return hold_file(&file_beside_store(&store, "lock"));
    }
    if url.starts_with("sqlite:") {
        return Ok(Some(Held::Alone));
    }
    retry_briefly(|| {
        store::hold_lock(url).map(|held| held.map(Held::Server)).map_err(|error| error.to_string())
    })
}

/// The path of a file store.
pub fn file_of(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("sqlite:").filter(|path| *path != ":memory:").map(PathBuf::from)?;
    // For a symbolic link, the file to which it leads is reserved.
    Some(fs::canonicalize(&path).unwrap_or(path))
}

/// The file beside a store that has the store's name followed by `.` and `ending`.
pub fn file_beside_store(store: &Path, ending: &str) -> PathBuf {
    let mut name = store.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    store.with_file_name(name)
}

fn hold_file(file: &Path) -> Result<Option<Held>, String> {
    let locked = retry_briefly(|| {
        let open = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(file);
        let lock = open.map_err(|error| format!("{} cannot be opened: {error}", file.display()))?;
        match lock.try_lock() {
            // It may have been replaced since it was opened; then the next try opens the new one.
            Ok(()) => Ok(is_at(file, &lock).then_some(lock)),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => {
                Err(format!("{} cannot be locked: {error}", file.display()))
            }
        }
    })?;
    locked.map(|lock| look_after(file.to_owned(), lock)).transpose()
}

/// Whether a path leads to this file. One that cannot be determined does.
fn is_at(path: &Path, file: &fs::File) -> bool {
    let same = |own: fs::Metadata, there: fs::Metadata| (own.dev(), own.ino()) == (there.dev(), there.ino());
    match (file.metadata(), path.metadata()) {
        (Ok(own), Ok(there)) => same(own, there),
        (_, Err(error)) => error.kind() != std::io::ErrorKind::NotFound,
        (Err(_), Ok(_)) => true,
    }
}

/// Starts the thread that ends the process when its lock is gone.
fn look_after(path: PathBuf, lock: fs::File) -> Result<Held, String> {
    let lock = Arc::new(lock);
    let (held, until) = channel::<()>();
    let looked_at = Arc::clone(&lock);
    let look = move || {
        while until.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if !is_at(&path, &looked_at) {
                end_without(&path);
            }
        }
    };
    let thread = std::thread::Builder::new().name("lock-looker".to_owned()).spawn(look);
    thread.map_err(|error| format!("a thread cannot be started: {error}"))?;
    Ok(Held::File(lock, held))
}

#[expect(clippy::exit, reason = "another process may do the same work by now")]
fn end_without(lock: &Path) -> ! {
    const MESSAGE: &str =
        "the lock of the store was removed or replaced; stopping, for another process may take it";
    tracing::error!(file = %lock.display(), "{MESSAGE}");
    // Another thread writes the line.
    std::thread::sleep(LAST_LINE);
    if !tracing::dispatcher::has_been_set() {
        writeln!(std::io::stderr(), "{}: {MESSAGE}", lock.display()).ok();
    }
    std::process::exit(LOST)
}

/// Tries until there is a result, or the last try has failed.
fn retry_briefly<T>(mut attempt: impl FnMut() -> Result<Option<T>, String>) -> Result<Option<T>, String> {
    for _ in 0..TRIES {
        if let Some(found) = attempt()? {
            return Ok(Some(found));
        }
        std::thread::sleep(BETWEEN_TRIES);
    }
    attempt()
}
