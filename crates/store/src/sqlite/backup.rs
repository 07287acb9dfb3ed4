//! Copies of a file store: made while it is in use, and put back in its place.
//!
//! Both arrive whole or not at all: the copy is written beside its place under another name, synced, and renamed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, fcntl_lock};

use super::care::check;
use super::{BUSY, Engine, OpenFlags, private_file, reader};
use crate::dialect::Dialect;
use crate::tx::Fault;
use crate::{Error, Options, Restored, migrate, seal};

/// What the engine keeps beside a file.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Copies the store at `path`, of which others may make use, into a new file.
pub(crate) fn backup(path: &str, to: &Path) -> Result<(), Error> {
    let failed = |e: &dyn std::fmt::Display| Error::Open(format!("the backup was not made: {e}"));
    if to.exists() {
        return Err(failed(&format!("{} exists already", to.display())));
    }
    let from = reader(path, Duration::ZERO)?;
    from.handle.busy_timeout(BUSY).map_err(|e| failed(&e))?;
    // What is missing in a damaged store would be missing in the copy, which may replace a better one.
    if let Some(wrong) = whole(&from)? {
        return Err(failed(&format!("the store is damaged: {wrong}")));
    }
    let part = Part::new(to, ".part");
    part.clear();
    private_file(&part.text()?)?;
    from.handle.execute("VACUUM INTO ?1", [part.text()?]).map_err(|e| failed(&e))?;
    part.put(to).map_err(|e| failed(&e))
}

/// Puts a copy in the place of `path`; with `replace` what is there is set aside.
pub(crate) fn restore(path: &str, from: &Path, replace: bool, options: &Options) -> Result<Restored, Error> {
    let failed = |e: &dyn std::fmt::Display| Error::Open(format!("nothing was restored: {e}"));
    let place = Path::new(path);
    if beside(from, "-wal").metadata().is_ok_and(|log| log.len() > 0) {
        let file = from.display();
        return Err(failed(&format!(
            "{file}-wal lies beside {file}: that is a store in use, or a copy of one, and no backup"
        )));
    }
    let there: Vec<_> = std::iter::once(place.to_owned())
        .chain(BESIDE.map(|end| beside(place, end)))
        .filter(|file| file.exists())
        .collect();
    if let (Some(first), false) = (there.first(), replace) {
        return Err(failed(&format!("{} is there already; --replace sets it aside", first.display())));
    }
    if place.exists() && is_in_use(place).map_err(|e| failed(&e))? {
        return Err(failed(&format!("{path} is in use by another process; stop it first")));
    }
    let part = Part::new(place, ".restoring");
    part.clear();
    copy(from, &part.0).map_err(|e| failed(&format!("{}: {e}", from.display())))?;
    let schema = judge(&part, options).map_err(|e| failed(&e))?;
    let bytes = part.0.metadata().map_err(|e| failed(&e))?.len();
    let mut set_aside = Vec::new();
    for file in &there {
        let aside = beside(file, &format!(".before-{}", options.clock.now().as_second()));
        fs::rename(file, &aside).map_err(|e| failed(&e))?;
        set_aside.push(aside);
    }
    part.put(place).map_err(|e| failed(&e))?;
    Ok(Restored { bytes, schema, set_aside })
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
    check(engine, || true).map_err(Fault::into_error)
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
