//! Tables from external sources that are renewed from time to time, such as wage statistics.
//!
//! Each kind is a [`Dataset`]: it is built in, and a newer vintage can be imported into the store while the service runs (`stipend data
//! import`). A vintage is immutable: its bytes, in a format of the kind, and their SHA-256. The newer of the built-in and the imported one
//! is in use, so neither an import nor an upgrade of the program can bring back old data.
//!
//! [`Live`] is the service's access to a kind: the opened vintage that is currently in use. It asks the store at most once a second, when
//! the data is needed, so every node follows an import without notification. Data that cannot be opened is reported and ignored: the
//! previous data stays in use.
//!
//! `rows` holds the statements, `names` tells vintages of one day apart, `source` reads an operator's files, `live` the opened data of large kinds and `current`
//! that of small ones as a unit of work sees them, `columns` a form of bytes for large tables. A new kind is an implementation of [`Dataset`] and a line in [`datasets::KINDS`](crate::datasets::KINDS).

pub mod columns;
mod current;
mod live;
pub mod names;
pub mod rows;
pub mod source;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use jiff::tz::TimeZone;
use rules::Named as _;
use rules::taxes::Confidence;
use sha2::{Digest, Sha256};
use store::{Clock, Tx};

use crate::error::Error;

pub use current::{InForce, announce_current, current_vintage, find_vintage};
pub use live::Live;

/// Maximum bytes of a vintage.
pub(crate) const LARGEST: usize = 64 << 20;
/// Errors of a file that are listed individually.
pub const MOST_REPORTED_FAULTS: usize = 20;

/// A kind of reference data.
pub trait Dataset: Sized + Send + Sync + 'static {
    /// Its name on the command line and in the store.
    const KIND: &'static str;
    /// The built-in vintage.
    const BUILT_IN: Bundle;
    /// Whether old vintages are kept, because results calculated from them are explained by them.
    const KEPT: bool = false;
    /// Says whether a vintage has an edition of a year, or rows that begin in it; `None` for kinds that have no editions by year.
    const HAS_EDITION: Option<fn(&[u8], i16) -> bool> = None;

    /// Cache of the opened built-in vintage: it is shared by all stores of a process.
    fn built_in() -> &'static OnceLock<Arc<Vintage<Self>>>;

    /// Opens the bytes of a vintage.
    ///
    /// # Errors
    /// A sentence saying what is wrong with them.
    fn open(bytes: &[u8]) -> Result<Self, String>;

    /// Reads an operator's file (or folder), checks every cell of it, and returns the bytes of the new vintage. What the file does not
    /// contain is taken from the previous vintage.
    ///
    /// # Errors
    /// What is wrong, with its location: nothing is imported then.
    fn read(request: &Request<'_>, before: Option<&Self>) -> Result<Packed, Faults>;

    /// Number of rows, for display.
    fn rows(&self) -> usize;

    /// The changes from the previous vintage, one sentence per line, for display.
    fn changes(&self, before: &Self) -> Vec<String>;

    /// A template of the files that [`Dataset::read`] takes.
    fn template() -> String;

    /// How many rows of a vintage have each degree of confidence; empty if its rows have none.
    fn confidence(_bytes: &[u8]) -> ByConfidence {
        ByConfidence::new()
    }
}

/// Numbers of rows by their degree of confidence, the most certain first.
pub type ByConfidence = BTreeMap<Confidence, usize>;

/// Counts the rows of a CSV table by the columns that state a degree of confidence, whose names end with that word. A row with several
/// counts as its least certain one.
pub fn confidence_of_rows(bytes: &[u8]) -> ByConfidence {
    let mut found = ByConfidence::new();
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let Ok(header) = reader.headers().cloned() else { return found };
    for row in reader.records().flatten() {
        let stated = header.iter().zip(&row).filter(|(column, _)| column.ends_with("confidence"));
        if let Some(least) = stated.filter_map(|(_, cell)| Confidence::parse(cell)).max() {
            *found.entry(least).or_default() += 1;
        }
    }
    found
}

/// The imported vintage in use; `None` if nothing was imported, or the built-in vintage is newer.
pub fn imported_vintage<D: Dataset>(tx: &mut Tx<'_>) -> Result<Option<rows::Pointer>, Error> {
    Ok(rows::current_pointer(tx, D::KIND)?.filter(is_in_use::<D>))
}

/// Whether an imported vintage counts: unless the built-in one is newer.
fn is_in_use<D: Dataset>(imported: &rows::Pointer) -> bool {
    imported.vintage.as_str() >= D::BUILT_IN.vintage
}

/// The name of the vintage in force.
pub fn vintage_in_force<D: Dataset>(tx: &mut Tx<'_>) -> Result<String, Error> {
    let imported = imported_vintage::<D>(tx)?;
    Ok(imported.map_or_else(|| D::BUILT_IN.vintage.to_owned(), |pointer| pointer.vintage))
}

/// A built-in vintage.
#[derive(Debug, Clone, Copy)]
pub struct Bundle {
    /// its name; names of one kind sort by time (`2025-05`, `2026-07-01`)
    pub vintage: &'static str,
    /// its bytes
    pub bytes: &'static [u8],
}

/// An operator's request to read a file.
pub struct Request<'r> {
    /// a file, or a folder of files that belong together
    pub path: &'r Path,
    /// the name of the vintage, if the file does not contain it
    pub vintage: Option<&'r str>,
    /// whether much of the previous vintage may be missing
    pub fewer: bool,
    /// called from time to time with the number of bytes read and the total
    pub progress: &'r dyn Fn(u64, u64),
}

/// A vintage that was read from a file.
#[derive(Debug, Clone)]
pub struct Packed {
    /// its name
    pub vintage: String,
    /// its bytes
    pub bytes: Vec<u8>,
}

/// The errors of a file: the first ones individually, and their number.
#[derive(Debug, Default)]
pub struct Faults {
    reported: Vec<String>,
    count: usize,
}

impl Faults {
    /// Adds an error; the sentence is generated only if it will be shown.
    pub fn push(&mut self, fault: impl FnOnce() -> String) {
        if self.reported.len() < MOST_REPORTED_FAULTS {
            self.reported.push(fault());
        }
        self.count += 1;
    }

    /// Number of errors.
    pub fn count(&self) -> usize {
        self.count
    }

    /// `Ok` if there are none.
    ///
    /// # Errors
    /// The errors.
    pub fn finish(self) -> Result<(), Self> {
        if self.count == 0 { Ok(()) } else { Err(self) }
    }
}

impl From<String> for Faults {
    fn from(fault: String) -> Self {
        Self { reported: vec![fault], count: 1 }
    }
}

impl std::fmt::Display for Faults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reported.join("\n  "))?;
        match self.count - self.reported.len() {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

/// An opened vintage.
#[derive(Debug)]
pub struct Vintage<D> {
    /// its name
    pub name: String,
    /// SHA-256 of its bytes, as hexadecimal
    pub checksum: String,
    /// its contents
    pub data: D,
}

impl<D> std::ops::Deref for Vintage<D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.data
    }
}

impl<D: Dataset> Vintage<D> {
    /// Opens the bytes of a vintage with this name.
    ///
    /// # Errors
    /// A sentence saying what is wrong with them.
    pub(crate) fn open(name: &str, bytes: &[u8]) -> Result<Self, String> {
        Ok(Self { name: name.to_owned(), checksum: vintage_checksum(bytes), data: D::open(bytes)? })
    }

    /// The built-in vintage, opened once.
    ///
    /// # Panics
    /// If it cannot be opened: a bug in the program, which a test would find.
    pub fn built_in() -> Arc<Self> {
        let Bundle { vintage, bytes } = D::BUILT_IN;
        let open = || match Self::open(vintage, bytes) {
            Ok(opened) => Arc::new(opened),
            Err(why) => panic!("the built-in {} cannot be opened: {why}", D::KIND),
        };
        Arc::clone(D::built_in().get_or_init(open))
    }
}

/// The name of a vintage whose file contains no date: the one that the operator gave, or the day of the import, which is no older than the
/// built-in one. An import numbers those of a day that has a vintage already.
pub fn named_by_day<D: Dataset>(request: &Request<'_>) -> String {
    let today = Clock::from_system().now().to_zoned(TimeZone::UTC).date().to_string();
    request.vintage.map_or_else(|| today.max(D::BUILT_IN.vintage.to_owned()), str::to_owned)
}

/// The first changes; the rest are only counted.
pub fn first_changes(mut changes: Vec<String>, most: usize, what: &str) -> Vec<String> {
    let more = changes.len().saturating_sub(most);
    changes.truncate(most);
    if more > 0 {
        changes.push(format!("and {more} more{what}"));
    }
    changes
}

/// Refuses a CSV file with unknown columns: those that the built-in table `like` does not have and that are not optional.
///
/// # Errors
/// A sentence that names the column, and the known ones; an error of the reader.
pub fn refuse_unknown_columns(file: &str, like: &str, optional: &[&str]) -> Result<(), String> {
    let header = |text: &str| {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        reader.headers().cloned().map_err(|error| error.to_string())
    };
    let (given, known) = (header(file)?, header(like)?);
    let is_known = |column: &str| optional.contains(&column) || known.iter().any(|name| name == column);
    given.iter().find(|column| !is_known(column)).map_or(Ok(()), |unknown| {
        let columns = known.iter().collect::<Vec<_>>().join(", ");
        Err(format!("line 1: the column {unknown:?} is unknown; the columns are {columns}"))
    })
}

/// The header of a CSV table and its first rows, which show how to fill it in.
pub fn first_lines(text: &str) -> String {
    text.lines().take(4).fold(String::new(), |lines, line| lines + line + "\n")
}

/// SHA-256 of the bytes of a vintage.
pub fn vintage_checksum(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_by_the_least_certain_of_their_figures() {
        let rows = "state,days_confidence,confidence\nTX,primary,memory\nCA,secondary,primary\nNY,secondary,secondary\n";
        let counted = BTreeMap::from([(Confidence::Secondary, 2), (Confidence::Memory, 1)]);
        assert_eq!(confidence_of_rows(rows.as_bytes()), counted);
        assert_eq!(confidence_of_rows(b"state,days\nTX,20\n"), BTreeMap::new());
    }
}
