//! Operations on a file store as a whole, by its URL.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::care::read_all;
use super::present::wait_for_shared_files_of;
use super::{copies, open_reader};
use crate::dialect::Dialect;
use crate::tx::Fault;
use crate::{Error, Options, migrate};

/// Copies a file store while it is in use; the copy is one committed state, and its pages have checksums.
///
/// # Errors
/// [`Error::Open`] when the address is not a file store, or the copy cannot be written.
pub fn backup_file(url: &str, to: &Path) -> Result<(), Error> {
    copies::backup_store(existing_path(file_of(url, "copied by backup")?)?, to)
}

/// What [`restore_file`] or [`add_checksums`] did.
#[derive(Debug, Clone)]
pub struct Restored {
    /// the size of the file
    pub bytes: u64,
    /// the newest migration of the copy, if it has a record of them
    pub schema: Option<String>,
    /// where the previous files were moved
    pub set_aside: Vec<PathBuf>,
}

/// Restores a copy made by [`backup_file`] in place of a file store, after verifying that the copy is complete and opens with
/// the given keys. An existing store is set aside with `replace`, and is an error without it.
///
/// # Errors
/// [`Error::Open`] with one sentence: not a file store, something in its place, a store in use, a damaged copy, other keys.
pub fn restore_file(url: &str, from: &Path, replace: bool, options: &Options) -> Result<Restored, Error> {
    let path = file_of(url, "restored by this")?;
    // If the path is a symbolic link, its target is set aside and replaced.
    let place = std::fs::canonicalize(path).ok();
    let place = place.as_deref().and_then(Path::to_str).unwrap_or(path);
    copies::restore_store(place, from, replace, options)
}

/// Adds page checksums to a file store: a copy with checksums replaces it, and the old file is set aside. No-op if the
/// store already has checksums.
///
/// # Errors
/// [`Error::Open`] with one sentence: not a file store, a store in use, a damaged one, no room, other keys.
pub fn add_checksums(url: &str, options: &Options) -> Result<Option<Restored>, Error> {
    copies::add_checksums(existing_path(file_of(url, "given checksums by this")?)?, options)
}

/// What [`check_file`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// the first damage found
    pub damaged: Option<String>,
    /// whether pages have checksums
    pub checksums: bool,
    /// the size of the file
    pub bytes: u64,
}

/// Reads every page of a file store, which may be in use.
///
/// # Errors
/// [`Error::Open`] when the address is not a file store, or there is none.
pub fn check_file(url: &str) -> Result<Checked, Error> {
    let path = existing_path(file_of(url, "checked by this")?)?;
    let mut engine = open_reader(path, Duration::ZERO)?;
    let damaged = read_all(&engine, || true).map_err(Fault::into_error)?;
    // A truncated file, or one of another program, counts as intact here.
    if damaged.is_none() && !migrate::is_store(&mut engine, Dialect::Sqlite).map_err(Fault::into_error)? {
        return Err(migrate::no_store(path));
    }
    let bytes = std::fs::metadata(path).map_err(|e| super::cannot_open(path, &e))?.len();
    Ok(Checked { damaged, checksums: engine.has_checksums()?, bytes })
}

/// Returns the path if a file exists there.
fn existing_path(path: &str) -> Result<&str, Error> {
    match std::fs::metadata(path) {
        Ok(file) if file.is_file() => wait_for_shared_files_of(path).map(|()| path),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(super::cannot_open(path, &error)),
        _ => Err(migrate::no_store(path)),
    }
}

fn file_of<'u>(url: &'u str, what: &str) -> Result<&'u str, Error> {
    url.strip_prefix("sqlite:").filter(|path| *path != ":memory:").ok_or_else(|| {
        Error::Open(format!(
            "only a file store (sqlite:PATH) is {what}; use your database's own tool for PostgreSQL"
        ))
    })
}
