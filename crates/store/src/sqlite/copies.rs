//! Copies of a file store: made while it is in use, and put back in its place.
//!
//! Both arrive whole or not at all: the copy is written beside its place under another name, synced, and renamed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rustix::fs::{FlockOperation, fcntl_lock};

use super::care::read_all;
use super::checksums::RESERVED;
use super::files::Restored;
use super::{BUSY, Engine, OpenFlags, private_file, reader};
use crate::dialect::Dialect;
use crate::tx::Fault;
use crate::{Error, Options, migrate, seal};

/// What the engine keeps beside a file.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Copies the store at `path`, of which others may make use, into a new file.
pub(super) fn backup(path: &str, to: &Path) -> Result<(), Error> {
    let failed = |e: &dyn std::fmt::Display| Error::Open(format!("the backup was not made: {e}"));
    if to.exists() {
        return Err(failed(&format!("{} exists already", to.display())));
    }
    let part = Part::new(to, ".part");
    fill(path, &part).map_err(|e| failed(&e))?;
    part.put(to).map_err(|e| failed(&e))
}

/// Writes one committed state of the store at `path` into a new file with checksums.
fn fill(path: &str, part: &Part) -> Result<(), Error> {
    let from = reader(path, Duration::ZERO)?;
    from.handle.busy_timeout(BUSY).map_err(|e| from.fault(e).into_error())?;
    // What is missing in a damaged store would be missing in the copy, which may replace a better one.
    if let Some(wrong) = whole(&from)? {
        return Err(Error::Damaged(wrong));
    }
    part.clear();
    let text = part.text()?;
    private_file(&text)?;
    // The copy gets checksums even if the store has none.
    let name = format!("file:{}?reserve={RESERVED}", utf8_percent_encode(&text, NON_ALPHANUMERIC));
    let copied = from.handle.execute("VACUUM INTO ?1", [name]);
    copied.map(drop).map_err(|e| from.fault(e).into_error())
}

/// Puts a copy in the place of `path`; with `replace` what is there is set aside.
pub(super) fn restore(path: &str, from: &Path, replace: bool, options: &Options) -> Result<Restored, Error> {
    let failed = |e: &dyn std::fmt::Display| Error::Open(format!("nothing was restored: {e}"));
    let place = Path::new(path);
    if beside(from, "-wal").metadata().is_ok_and(|log| log.len() > 0) {
        let file = from.display();
        return Err(failed(&format!(
            "{file}-wal lies beside {file}: that is a store in use, or a copy of one, and no backup"
        )));
    }
    if let (Some(first), false) = (all_of(place).first(), replace) {
        return Err(failed(&format!("{} is there already; --replace sets it aside", first.display())));
    }
    free(place).map_err(|e| failed(&e))?;
    let part = Part::new(place, ".restoring");
    part.clear();
    copy(from, &part.0).map_err(|e| failed(&format!("{}: {e}", from.display())))?;
    replace_by(part, place, options).map_err(|e| failed(&e))
}

/// Replaces a store without checksums by a copy that has them.
pub(super) fn add_checksums(path: &str, options: &Options) -> Result<Option<Restored>, Error> {
    let failed = |e: &dyn std::fmt::Display| Error::Open(format!("no checksums were added: {e}"));
    let place = Path::new(path);
    if reader(path, Duration::ZERO)?.has_checksums()? {
        return Ok(None);
    }
    free(place).map_err(|e| failed(&e))?;
    let before = states(place);
    let part = Part::new(place, ".checksums");
    fill(path, &part).map_err(|e| failed(&e))?;
    // Another process may have opened, changed and closed it.
    free(place).map_err(|e| failed(&e))?;
    if states(place) != before {
        return Err(failed(&format!("{path} was changed meanwhile; stop whatever uses it, and try again")));
    }
    replace_by(part, place, options).map(Some).map_err(|e| failed(&e))
}

/// Verifies a copy and moves it into place; what is there is set aside.
fn replace_by(part: Part, place: &Path, options: &Options) -> Result<Restored, Error> {
    let failed = |e: io::Error| Error::Open(e.to_string());
    let schema = judge(&part, options)?;
    let bytes = part.0.metadata().map_err(failed)?.len();
    give_to_owner(&part.0, place).map_err(failed)?;
    let mut set_aside = Vec::new();
    for file in &all_of(place) {
        let aside = beside(file, &format!(".before-{}", options.clock.now().as_second()));
        fs::rename(file, &aside).map_err(failed)?;
        set_aside.push(aside);
    }
    part.put(place).map_err(failed)?;
    Ok(Restored { bytes, schema, set_aside })
}

/// The file of a store, its WAL, shared memory and journal, as far as they exist.
fn all_of(place: &Path) -> Vec<PathBuf> {
    let files = std::iter::once(place.to_owned()).chain(BESIDE.map(|end| beside(place, end)));
    files.filter(|file| file.exists()).collect()
}

/// Size and modification time of a file and its WAL; reading changes neither.
fn states(place: &Path) -> [Option<(u64, i64, i64)>; 2] {
    let state = |file: fs::Metadata| (file.len(), file.mtime(), file.mtime_nsec());
    [place.to_owned(), beside(place, "-wal")].map(|file| file.metadata().ok().map(state))
}

/// Fails if a process has the store open.
fn free(place: &Path) -> Result<(), Error> {
    match place.exists().then(|| is_in_use(place)).transpose() {
        Ok(None | Some(false)) => Ok(()),
        Ok(Some(true)) => {
            Err(Error::Open(format!("{} is in use by another process; stop it first", place.display())))
        }
        Err(error) => Err(Error::Open(error.to_string())),
    }
}

/// Whether a copy is a whole store that this program and these keys can open; the name of its newest migration.
fn judge(part: &Part, options: &Options) -> Result<Option<String>, Error> {
    let path = part.text()?;
    let mut engine = Engine::open(&path, OpenFlags::default(), Duration::ZERO)?;
    if let Some(wrong) = whole(&engine)? {
        return Err(Error::Damaged(wrong));
    }
    let schema = migrate::newest(&mut engine, Dialect::Sqlite, options.migrations)?;
    // An older schema may lack what the keys are known by; it is brought up to date, and asked, at the next start.
    if schema.as_deref() == options.migrations.last().map(|newest| newest.name) {
        seal::check(&mut engine, &options.keys, &options.clock)?;
    }
    Ok(schema)
}

fn whole(engine: &Engine) -> Result<Option<String>, Error> {
    read_all(engine, || true).map_err(Fault::into_error)
}

/// Gives a file to whom the store at `place` belongs, or its folder where there is none: whoever puts a store back is often another user
/// than the one who serves it, and would keep him out.
fn give_to_owner(file: &Path, place: &Path) -> io::Result<()> {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (owner, present) = (place.metadata().or_else(|_| folder.metadata())?, file.metadata()?);
    if (owner.uid(), owner.gid()) == (present.uid(), present.gid()) {
        return Ok(());
    }
    match chown(file, Some(owner.uid()), Some(owner.gid())) {
        // Only the administrator of the machine can give files away; anybody else can read what he made.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        given => given,
    }
}

/// A file beside another, whose name goes on where the other's ends.
fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut target = OpenOptions::new().create_new(true).write(true).mode(0o600).open(to)?;
    io::copy(&mut File::open(from)?, &mut target)?;
    Ok(())
}

/// Whether a process has the store open: the engine keeps a lock on a part of the file as long as it has.
fn is_in_use(path: &Path) -> io::Result<bool> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(false),
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// A file that is not whole yet. What is left of it when it is given up is removed.
struct Part(PathBuf);

impl Part {
    fn new(of: &Path, end: &str) -> Self {
        Self(beside(of, end))
    }

    fn text(&self) -> Result<String, Error> {
        let text = self.0.to_str().map(str::to_owned);
        text.ok_or_else(|| Error::Open("the file name is not UTF-8".to_owned()))
    }

    /// Removes what an earlier run left, and what the engine keeps beside it.
    fn clear(&self) {
        for file in std::iter::once(self.0.clone()).chain(BESIDE.map(|end| beside(&self.0, end))) {
            fs::remove_file(file).ok();
        }
    }

    /// Gives the file its name, once it is on the disk.
    fn put(self, place: &Path) -> io::Result<()> {
        File::open(&self.0)?.sync_all()?;
        fs::rename(&self.0, place)?;
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.clear();
    }
}
