//! `stipend data import` and `stipend data status`.

use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::path::Path;

use rules::payroll::garnishment::Agencies;
use store::Store;

use super::{Dataset, LARGEST, Packed, Request, Vintage, checksum, rows};
use crate::error::Error;
use crate::minimum_wages::Table as MinimumWages;
use crate::occupations::data::Occupations;
use crate::wages::statistics::Statistics;
use crate::wages::zip_areas::ZipAreas;

/// A kind of reference data, as commands see it.
pub struct Kind {
    /// its name
    pub name: &'static str,
    built_in: &'static str,
    read: fn(&Request<'_>, &Before) -> Result<Prepared, String>,
    describe: fn() -> (usize, String),
}

/// Percent of the rows of the vintage before that a new one has at the least: files that were cut off, or of which one was
/// forgotten, have fewer. Releases differ by a few percent from year to year.
const LEAST_KEPT: usize = 90;

/// The imported vintage that a new one would replace, if any was.
type Before = Option<(String, Vec<u8>)>;

/// A vintage that is ready to be stored.
struct Prepared {
    packed: Packed,
    checksum: String,
    rows: usize,
    changes: Vec<String>,
}

impl Kind {
    /// The kind `D`.
    pub const fn of<D: Dataset>() -> Self {
        Self { name: D::KIND, built_in: D::BUILT_IN.vintage, read: prepare::<D>, describe: describe::<D> }
    }
}

/// Every kind.
pub const KINDS: &[Kind] = &[
    Kind::of::<Agencies>(),
    Kind::of::<MinimumWages>(),
    Kind::of::<Occupations>(),
    Kind::of::<Statistics>(),
    Kind::of::<ZipAreas>(),
];

/// The names of all kinds.
fn names() -> String {
    KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}

fn describe<D: Dataset>() -> (usize, String) {
    let built_in = Vintage::<D>::built_in();
    (built_in.data.rows(), built_in.checksum.clone())
}

/// Reads and checks the file, and opens what came of it, as the service will.
fn prepare<D: Dataset>(request: &Request<'_>, before: &Before) -> Result<Prepared, String> {
    let built_in = Vintage::<D>::built_in();
    let imported = match before {
        Some((vintage, bytes)) if vintage.as_str() >= D::BUILT_IN.vintage => {
            // Whatever is wrong with the vintage before must not keep a better one out.
            Vintage::<D>::open(vintage, bytes).ok()
        }
        _ => None,
    };
    let before = imported.as_ref().unwrap_or(&built_in);
    let packed = D::read(request, Some(&before.data)).map_err(|faults| {
        format!(
            "{}: nothing was imported, because of {} fault(s):\n  {faults}",
            request.path.display(),
            faults.count()
        )
    })?;
    if packed.bytes.len() > LARGEST {
        return Err(format!("nothing was imported: the data are larger than {} MB", LARGEST >> 20));
    }
    if packed.vintage < before.name {
        return Err(format!(
            "nothing was imported: these data are of {}, and those in use of {}",
            packed.vintage, before.name
        ));
    }
    let checksum = checksum(&packed.bytes);
    let opened = D::open(&packed.bytes).map_err(|why| format!("nothing was imported: {why}"))?;
    let (held, found) = (before.data.rows(), opened.rows());
    if !request.fewer && found * 100 < held * LEAST_KEPT {
        return Err(format!(
            "nothing was imported: there are {found} rows, and {held} in the data in use, so that this is hardly all of \
             it; --fewer-rows takes it all the same"
        ));
    }
    let mut changes = vec![format!("{} {} -> {}", D::KIND, before.name, packed.vintage)];
    changes.extend(opened.changes(&before.data));
    Ok(Prepared { rows: opened.rows(), changes, checksum, packed })
}

/// Imports a file as the newest vintage of a kind, and says what changed. With `fewer`, also one that lacks much of what
/// the vintage before held.
///
/// # Errors
/// What is wrong, for the operator; nothing has changed then.
pub async fn import(
    store: &Store,
    kind: &str,
    path: &Path,
    vintage: Option<&str>,
    fewer: bool,
) -> Result<String, String> {
    let kind = KINDS.iter().find(|known| known.name == kind);
    let Some(kind) = kind else {
        return Err(format!("there is no such kind of data; there are: {}", names()));
    };
    let name = kind.name;
    let before = store.read(move |tx| {
        let Some(pointer) = rows::current(tx, name)? else { return Ok(None) };
        Ok(rows::bytes(tx, name, &pointer.checksum)?.map(|bytes| (pointer.vintage, bytes)))
    });
    let before = before.await.map_err(|error: Error| format!("{error:?}"))?;
    let read = || {
        let bar = Bar::new();
        let request = Request { path, vintage, fewer, progress: &|done, of| bar.show(done, of) };
        let prepared = (kind.read)(&request, &before);
        bar.clear();
        prepared
    };
    let Prepared { packed, checksum, rows, changes } = tokio::task::block_in_place(read)?;
    let (size, count) = (packed.bytes.len(), i64::try_from(rows).unwrap_or(i64::MAX));
    let switched =
        store.write(move |tx| rows::switch(tx, name, (&packed.vintage, &checksum), count, &packed.bytes));
    if !switched.await.map_err(|error: Error| format!("{error:?}"))? {
        return Err("nothing was imported: newer data came into use meanwhile".to_owned());
    }
    Ok(format!("{}\n{rows} rows, {} KB; in use on every node within seconds", changes.join("\n"), size >> 10))
}

/// A table of the kinds with the vintage that counts.
///
/// # Errors
/// A store error.
pub async fn status(store: &Store) -> Result<String, String> {
    let mut lines =
        vec![format!("{:<16} {:<12} {:>8}  {:<16} {}", "kind", "vintage", "rows", "sha256", "from")];
    for kind in KINDS {
        let (name, built_in) = (kind.name, kind.built_in);
        let stored = store.read(move |tx| {
            let Some(pointer) =
                rows::current(tx, name)?.filter(|pointer| pointer.vintage.as_str() >= built_in)
            else {
                return Ok(None);
            };
            let count = rows::count(tx, name, &pointer.checksum)?.unwrap_or(0);
            Ok(Some((pointer, count)))
        });
        let line = match stored.await.map_err(|error: Error| format!("{error:?}"))? {
            Some((pointer, count)) => {
                let at = pointer.updated_at.strftime("%Y-%m-%d %H:%M UTC");
                format!(
                    "{name:<16} {:<12} {count:>8}  {:.16} imported {at}",
                    pointer.vintage, pointer.checksum
                )
            }
            None => {
                let (count, checksum) = (kind.describe)();
                format!("{name:<16} {built_in:<12} {count:>8}  {checksum:.16} built in")
            }
        };
        lines.push(line);
    }
    Ok(lines.join("\n"))
}

/// How far the reading is, on standard error, where somebody looks at it.
struct Bar {
    shown: Cell<u64>,
    watched: bool,
}

impl Bar {
    fn new() -> Self {
        Self { shown: Cell::new(u64::MAX), watched: std::io::stderr().is_terminal() }
    }

    fn show(&self, done: u64, of: u64) {
        let percent = (done.min(of) * 100).checked_div(of).unwrap_or(100);
        if self.watched && self.shown.replace(percent) != percent {
            let full = usize::try_from(percent / 4).unwrap_or(25);
            eprint!("\r[{}{}] {percent:>3} %", "=".repeat(full), " ".repeat(25 - full));
            std::io::stderr().flush().ok();
        }
    }

    fn clear(&self) {
        if self.watched && self.shown.get() != u64::MAX {
            eprint!("\r{}\r", " ".repeat(40));
        }
    }
}
