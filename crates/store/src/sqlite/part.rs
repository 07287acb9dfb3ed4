//! An incomplete file: filled under another name, and renamed once it is complete.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::Error;

/// Suffixes of the files that the engine keeps beside a database.
pub(super) const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// An incomplete file, locked for this process. It is removed if it is abandoned.
pub(crate) struct Part {
    path: PathBuf,
    /// held until the file is renamed or removed
    lock: File,
    /// whether it was renamed: any file that has its old name afterwards belongs to another process
    is_put: bool,
}

impl Part {
    /// Creates the partial file of `of` with the suffix `end`, empty: the leftovers of a killed run are discarded.
    ///
    /// # Errors
    /// Another process is filling it, or it cannot be created.
    pub(crate) fn new(of: &Path, end: &str) -> Result<Self, Error> {
        let path = path_beside(of, end);
        let failed = |error: &io::Error| Error::Open(format!("{}: {error}", path.display()));
        let lock = OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
        let lock = lock.map_err(|error| failed(&error))?;
        let busy = || Error::Open(format!("another process is writing {}", path.display()));
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
        // Another process may have completed and renamed the file since it was opened here.
        let same = lock.metadata().and_then(|own| Ok((own, path.metadata()?)));
        if !same.is_ok_and(|(own, there)| (own.dev(), own.ino()) == (there.dev(), there.ino())) {
            return Err(busy());
        }
        lock.set_len(0).map_err(|error| failed(&error))?;
        for file in BESIDE.map(|end| path_beside(&path, end)) {
            fs::remove_file(file).ok();
        }
        Ok(Self { path, lock, is_put: false })
    }

    /// Returns its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path as text, for the engine.
    ///
    /// # Errors
    /// The name is not UTF-8.
    pub(crate) fn path_text(&self) -> Result<String, Error> {
        let text = self.path.to_str().map(str::to_owned);
        text.ok_or_else(|| Error::Open("the file name is not UTF-8".to_owned()))
    }

    /// Returns the open file.
    pub(super) fn file(&self) -> &File {
        &self.lock
    }

    /// Syncs the file and renames it to its final name, provided that is unused.
    ///
    /// # Errors
    /// It cannot be synced, or the name is taken.
    pub(crate) fn move_to(mut self, place: &Path) -> io::Result<()> {
        self.lock.sync_all()?;
        rename_to_nothing(&self.path, place)?;
        self.is_put = true;
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if self.is_put {
            return;
        }
        for file in std::iter::once(self.path.clone()).chain(BESIDE.map(|end| path_beside(&self.path, end))) {
            fs::remove_file(file).ok();
        }
    }
}

/// Renames a file to a name that is unused.
pub(super) fn rename_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not every file system supports renaming without replacement.
        Err(Errno::INVAL | Errno::NOSYS) if !to.exists() => fs::rename(from, to),
        Err(Errno::INVAL | Errno::NOSYS) => Err(Errno::EXIST.into()),
        done => Ok(done?),
    }
}

/// Returns the path of a file beside another: its name with a suffix.
pub(super) fn path_beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_filled_by_one_process_and_replaces_none() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("b.db");
        let left = folder.path().join("b.db.part");
        fs::write(&left, "what a run left that was killed").unwrap();
        let first = Part::new(&place, ".part").unwrap();
        assert_eq!(fs::read(&left).unwrap(), b"");
        let Err(second) = Part::new(&place, ".part") else { panic!("two fill the same file") };
        assert!(second.to_string().contains("another process is writing"), "{second}");
        assert!(left.exists(), "who came second removes nothing");
        first.move_to(&place).unwrap();
        assert!(place.exists() && !left.exists());

        let third = Part::new(&place, ".part").unwrap();
        assert_eq!(third.move_to(&place).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert!(!left.exists());
    }
}
