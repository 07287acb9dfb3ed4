//! Keeping a store for one process: a lock on a file beside a store that is a file, or one of the server.
//!
//! Only those who ask for it are kept out: a `stipend dev` and another one on the same store, and two processes that would do the
//! background work of one file.

use std::fs;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a lock that is held is tried again, and after how long each time: two seconds in all.
const TRIES: usize = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// What keeps others out of a store until it is dropped, or the process ends.
pub enum Held {
    /// a locked file
    File(fs::File),
    /// a lock of the server
    Server(store::Hold),
    /// nothing: no other process can come to a store in memory
    Alone,
}

/// Keeps the store at `url` for this process; nothing where another one keeps it. A process that was killed a moment ago may still
/// hold its lock, so that another one is believed only after a while.
///
/// # Errors
/// One line when the lock's file cannot be opened, or the server not be reached.
pub fn hold(url: &str) -> Result<Option<Held>, String> {
    if let Some(store) = file_of(url) {
        return hold_file(&beside(&store, "lock"));
    }
    if url.starts_with("sqlite:") {
        return Ok(Some(Held::Alone));
    }
    again(|| store::hold(url).map(|held| held.map(Held::Server)).map_err(|error| error.to_string()))
}

/// The file of a store that is one.
pub fn file_of(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("sqlite:").filter(|path| *path != ":memory:").map(PathBuf::from)?;
    // Of a link it is the file to which it leads that is kept for one process.
    Some(fs::canonicalize(&path).unwrap_or(path))
}

/// The file beside a store whose name is the store's with `.` and `ending` behind it.
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

/// Tries until there is something, or the last try has passed.
fn again<T>(mut attempt: impl FnMut() -> Result<Option<T>, String>) -> Result<Option<T>, String> {
    for _ in 0..TRIES {
        if let Some(found) = attempt()? {
            return Ok(Some(found));
        }
        std::thread::sleep(BETWEEN_TRIES);
    }
    attempt()
}
