//! Copies of a file store: backups made while it is in use, and restored in its place.
//!
//! Both either complete or leave nothing behind: the copy is written beside its destination under another name, synced,
//! and renamed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rustix::fs::{FlockOperation, fcntl_lock};

use super::care::read_all;
use super::checksums::RESERVED;
use super::files::Restored;
use super::part::{BESIDE, Part, path_beside, rename_to_nothing};
use super::{BUSY, Engine, OpenFlags, open_reader};
use crate::dialect::Dialect;
use crate::tx::Fault;
use crate::{Error, Options, migrate, seal};

/// Copies the store at `path`, which may be in use, into a new file.
pub(super) fn backup_store(path: &str, to: &Path) -> Result<(), Error> {
    let failed = |e: &dyn std::fmt::Display| Error::Open(format!("the backup was not made: {e}"));
    if to.exists() {
        return Err(failed(&format!("{} exists already", to.display())));
    }
    let part = Part::new(to, ".part").map_err(|e| failed(&e))?;
    fill_part(path, &part).map_err(|e| failed(&no_room(e, to)))?;
    part.move_to(to).map_err(|e| failed(&format!("{}: {e}", to.display())))
}

/// Returns the error for a copy that ran out of room, which concerns the target's disk and not the store's.
fn no_room(error: Error, to: &Path) -> Error {
    match error {
        Error::Full => Error::Open(format!("there is no room for {}", to.display())),
        other => other,
    }
}

/// Writes one committed state of the store at `path` into a new file with checksums.
fn fill_part(path: &str, part: &Part) -> Result<(), Error> {
    let mut from = open_reader(path, Duration::ZERO)?;
    from.handle.busy_timeout(BUSY).map_err(|e| from.explain_fault(e).into_error())?;
    if !migrate::is_store(&mut from, Dialect::Sqlite).map_err(Fault::into_error)? {
        return Err(migrate::no_store(path));
    }
    // Rows missing from a damaged store would be missing from the copy, which may replace an intact one.
    if let Some(wrong) = check_whole(&from)? {
        return Err(Error::Damaged(wrong));
    }
    let text = part.path_text()?;
    // The copy gets checksums even if the store has none.
    let name = format!("file:{}?reserve={RESERVED}", utf8_percent_encode(&text, NON_ALPHANUMERIC));
    let copied = from.handle.execute("VACUUM INTO ?1", [name]);
    copied.map(drop).map_err(|e| from.explain_fault(e).into_error())
}

/// Moves a copy to `path`; with `replace` an existing store is set aside.
pub(super) fn restore_store(
    path: &str,
    from: &Path,
    replace: bool,
    options: &Options,
) -> Result<Restored, Error> {
    let failed = |e: &dyn std::fmt::Display| Error::Open(format!("nothing was restored: {e}"));
    let place = Path::new(path);
    if path_beside(from, "-wal").metadata().is_ok_and(|log| log.len() > 0) {
        let file = from.display();
        return Err(failed(&format!(
            "{file}-wal exists beside {file}: this is a live store or a copy of one, not a backup"
        )));
    }
    if let (Some(first), false) = (all_of(place).first(), replace) {
        return Err(failed(&format!("{} is there already; --replace sets it aside", first.display())));
    }
    require_unused(place).map_err(|e| failed(&e))?;
    let before = file_states(place);
    let source = File::open(from).map_err(|e| failed(&format!("{}: {e}", from.display())))?;
    let part = Part::new(place, ".restoring").map_err(|e| failed(&e))?;
    copy_file(&source, &part)
        .map_err(|e| failed(&format!("{} to {}: {e}", from.display(), part.path().display())))?;
    replace_by(part, (place, before), options).map_err(|e| failed(&e))
}

/// Replaces a store without checksums with a copy that has them.
pub(super) fn add_checksums(path: &str, options: &Options) -> Result<Option<Restored>, Error> {
    let failed = |e: &dyn std::fmt::Display| Error::Open(format!("no checksums were added: {e}"));
    let place = Path::new(path);
    if open_reader(path, Duration::ZERO)?.has_checksums()? {
        return Ok(None);
    }
    require_unused(place).map_err(|e| failed(&e))?;
    let before = file_states(place);
    let part = Part::new(place, ".checksums").map_err(|e| failed(&e))?;
    fill_part(path, &part).map_err(|e| failed(&no_room(e, part.path())))?;
    replace_by(part, (place, before), options).map(Some).map_err(|e| failed(&e))
}

/// Verifies a copy and moves it into place; the existing store is set aside, provided it has not changed since
/// `before`.
fn replace_by(part: Part, (place, before): (&Path, States), options: &Options) -> Result<Restored, Error> {
    let failed = |e: io::Error| Error::Open(e.to_string());
    let schema = judge_copy(&part, options)?;
    let bytes = part.file().metadata().map_err(failed)?.len();
    give_to_owner(part.path(), place).map_err(failed)?;
    // Another process may have opened, changed and closed the store in the meantime.
    require_unused(place)?;
    if file_states(place) != before {
        return Err(Error::Open(format!(
            "{} was changed meanwhile; stop whatever uses it, and try again",
            place.display()
        )));
    }
    let mut set_aside = Vec::new();
    for file in &all_of(place) {
        set_aside.push(put_aside(file, options.clock.now().as_second()).map_err(failed)?);
    }
    part.move_to(place).map_err(failed)?;
    Ok(Restored { bytes, schema, set_aside })
}

/// Renames a file to an unused name: files that were set aside earlier are kept.
fn put_aside(file: &Path, second: i64) -> io::Result<PathBuf> {
    let mut aside = path_beside(file, &format!(".before-{second}"));
    for next in 2.. {
        match rename_to_nothing(file, &aside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                aside = path_beside(file, &format!(".before-{second}-{next}"));
            }
            done => return done.map(|()| aside),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Returns the file of a store, its WAL, shared memory and journal, if they exist.
fn all_of(place: &Path) -> Vec<PathBuf> {
    let files = std::iter::once(place.to_owned()).chain(BESIDE.map(|end| path_beside(place, end)));
    files.filter(|file| file.exists()).collect()
}

/// Size and modification time of a file and its WAL; reading changes neither.
type States = [Option<(u64, i64, i64)>; 2];

fn file_states(place: &Path) -> States {
    let state = |file: fs::Metadata| (file.len(), file.mtime(), file.mtime_nsec());
    [place.to_owned(), path_beside(place, "-wal")].map(|file| file.metadata().ok().map(state))
}

/// Fails if a process has the store open.
fn require_unused(place: &Path) -> Result<(), Error> {
    match place.exists().then(|| is_in_use(place)).transpose() {
        Ok(None | Some(false)) => Ok(()),
        Ok(Some(true)) => {
            Err(Error::Open(format!("{} is in use by another process; stop it first", place.display())))
        }
        Err(error) => Err(Error::Open(error.to_string())),
    }
}

/// Verifies that a copy is a complete store that this program and these keys can open; returns the name of its newest
/// migration.
fn judge_copy(part: &Part, options: &Options) -> Result<Option<String>, Error> {
    let path = part.path_text()?;
    let mut engine = Engine::open_engine(&path, OpenFlags::default(), Duration::ZERO)?;
    if let Some(wrong) = check_whole(&engine)? {
        return Err(Error::Damaged(wrong));
    }
    let schema = migrate::newest_migration(&mut engine, Dialect::Sqlite, options.migrations)?;
    // An older schema may lack the sealed known values; the next start migrates it and checks the keys.
    if schema.as_deref() == options.migrations.last().map(|newest| newest.name) {
        seal::verify_master_keys(&mut engine, &options.keys, &options.clock)?;
    }
    Ok(schema)
}

fn check_whole(engine: &Engine) -> Result<Option<String>, Error> {
    read_all(engine, || true).map_err(Fault::into_error)
}

/// Gives a file to the owner of the store at `place`, or of its folder if there is none: a restore is often run by a
/// different user from the service's, which could then not open the file.
fn give_to_owner(file: &Path, place: &Path) -> io::Result<()> {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (owner, present) = (place.metadata().or_else(|_| folder.metadata())?, file.metadata()?);
    if (owner.uid(), owner.gid()) == (present.uid(), present.gid()) {
        return Ok(());
    }
    match chown(file, Some(owner.uid()), Some(owner.gid())) {
        // Only root can change the owner of a file; for other users the file keeps its owner.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        given => given,
    }
}

fn copy_file(mut from: &File, part: &Part) -> io::Result<()> {
    let mut target = part.file();
    io::copy(&mut from, &mut target).map(drop)
}

/// Whether a process has the store open: the engine then holds a lock on part of the file.
fn is_in_use(path: &Path) -> io::Result<bool> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(false),
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => Ok(true),
        Err(error) => Err(error.into()),
    }
}
