//! Reserves a store for one process, with a lock on a file beside a file store, or an advisory lock of a server.
//!
//! It excludes only processes that ask for it: a second `stipend dev` on the same store, and a second process that
//! would run the background work of one file store.

use std::fs;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a held lock is tried again, and the pause between: two seconds in total.
const TRIES: usize = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// The reservation of a store, until it is dropped or the process ends.
pub enum Held {
    /// a locked file
    File(fs::File),
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
pub fn hold(url: &str) -> Result<Option<Held>, String> {
    if let Some(store) = file_of(url) {
        return hold_file(&beside(&store, "lock"));
    }
    if url.starts_with("sqlite:") {
        return Ok(Some(Held::Alone));
    }
    again(|| store::hold(url).map(|held| held.map(Held::Server)).map_err(|error| error.to_string()))
}

/// The path of a file store.
pub fn file_of(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("sqlite:").filter(|path| *path != ":memory:").map(PathBuf::from)?;
    // For a symbolic link, the file to which it leads is reserved.
    Some(fs::canonicalize(&path).unwrap_or(path))
}

/// The file beside a store that has the store's name followed by `.` and `ending`.
pub fn beside(store: &Path, ending: &str) -> PathBuf {
    let mut name = store.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    store.with_file_name(name)
}

fn hold_file(file: &Path) -> Result<Option<Held>, String> {
    let open = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(file);
    let lock = open.map_err(|error| format!("{} cannot be opened: {error}", file.display()))?;
    let locked = again(|| match lock.try_lock() {
        Ok(()) => Ok(Some(())),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(format!("{} cannot be locked: {error}", file.display())),
    })?;
    Ok(locked.map(|()| Held::File(lock)))
}

/// Tries until there is a result, or the last try has failed.
fn again<T>(mut attempt: impl FnMut() -> Result<Option<T>, String>) -> Result<Option<T>, String> {
    for _ in 0..TRIES {
        if let Some(found) = attempt()? {
            return Ok(Some(found));
        }
        std::thread::sleep(BETWEEN_TRIES);
    }
    attempt()
}
