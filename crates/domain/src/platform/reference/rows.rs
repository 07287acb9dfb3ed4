//! Rows of imported vintages and of the pointer to the one in use.

use std::collections::BTreeMap;

use jiff::Timestamp;
use store::record::Cursor;
use store::{Tx, params};

use crate::error::Error;

store::statements! {
    CURRENT = "SELECT checksum, vintage, updated_at FROM reference_current WHERE kind = $1";
    ALL_CURRENT = "SELECT checksum, vintage, updated_at, kind FROM reference_current ORDER BY kind LIMIT 10000";
    CONTENT = "SELECT content FROM reference_data WHERE kind = $1 AND checksum = $2";
    NAMED = "SELECT checksum FROM reference_data WHERE kind = $1 AND vintage = $2 ORDER BY created_at DESC, checksum LIMIT 1";
    NAME_OF = "SELECT vintage FROM reference_data WHERE kind = $1 AND checksum = $2";
    NAMES = "SELECT kind, vintage FROM reference_data ORDER BY kind, vintage LIMIT 10000";
    COUNT = "SELECT row_count FROM reference_data WHERE kind = $1 AND checksum = $2";
    KEEP = "INSERT INTO reference_data (kind, checksum, vintage, row_count, content, created_at) \
            VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (kind, checksum) DO NOTHING";
    SWITCH = "INSERT INTO reference_current (kind, checksum, vintage, updated_at) VALUES ($1, $2, $3, $4) \
              ON CONFLICT (kind) DO UPDATE SET checksum = excluded.checksum, vintage = excluded.vintage, \
              updated_at = excluded.updated_at WHERE reference_current.vintage <= excluded.vintage";
    SWEEP = "DELETE FROM reference_data WHERE kind = $1 AND checksum <> $2 AND checksum <> $3";
}

/// The last imported vintage of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// SHA-256 of its bytes
    pub checksum: String,
    /// its name
    pub vintage: String,
    /// in use since
    pub updated_at: Timestamp,
}

impl Pointer {
    fn read(next: &mut Cursor<'_, '_>) -> Result<Self, store::Error> {
        Ok(Self {
            checksum: next.read_plain("checksum")?,
            vintage: next.read_plain("vintage")?,
            updated_at: next.read_plain("updated_at")?,
        })
    }
}

/// The imported vintage in use, if any was imported.
pub fn current_pointer(tx: &mut Tx<'_>, kind: &'static str) -> Result<Option<Pointer>, Error> {
    Ok(tx.try_find(CURRENT, params![kind], |row| {
        Pointer::read(&mut Cursor::new(row, "reference_current", 0))
    })?)
}

/// Announces the query of [`current_pointer`] (see [`Tx::announce`]).
pub fn announce_current(tx: &mut Tx<'_>, kind: &'static str) -> Result<(), Error> {
    Ok(tx.announce_query(CURRENT, params![kind])?)
}

/// The imported vintages in use, by kind.
pub fn all_current(tx: &mut Tx<'_>) -> Result<BTreeMap<String, Pointer>, Error> {
    let all = tx.try_query(ALL_CURRENT, params![], |row| {
        let mut next = Cursor::new(row, "reference_current", 0);
        let pointer = Pointer::read(&mut next)?;
        Ok::<_, store::Error>((next.read_plain("kind")?, pointer))
    })?;
    Ok(all.into_iter().collect())
}

/// The bytes of a vintage.
pub fn vintage_bytes(tx: &mut Tx<'_>, kind: &'static str, checksum: &str) -> Result<Option<Vec<u8>>, Error> {
    Ok(tx.find_row(CONTENT, params![kind, checksum], |row| row.get(0))?)
}

/// The checksum of the vintage with this name, if it exists. Earlier versions of the program gave one name to several imports of a day: the
/// last one.
pub fn checksum_of_vintage(
    tx: &mut Tx<'_>,
    kind: &'static str,
    vintage: &str,
) -> Result<Option<String>, Error> {
    Ok(tx.find_row(NAMED, params![kind, vintage], |row| row.get(0))?)
}

/// The name under which a vintage is stored; `None` if it is not.
pub fn name_of(tx: &mut Tx<'_>, kind: &'static str, checksum: &str) -> Result<Option<String>, Error> {
    Ok(tx.find_row(NAME_OF, params![kind, checksum], |row| row.get(0))?)
}

/// Kind and name of every stored vintage.
pub fn list_vintages(tx: &mut Tx<'_>) -> Result<Vec<(String, String)>, Error> {
    Ok(tx.query_rows(NAMES, params![], |row| (row.get(0), row.get(1)))?)
}

/// Stores a vintage, whether or not it is the one in use.
pub fn store_vintage(
    tx: &mut Tx<'_>,
    kind: &'static str,
    (vintage, checksum): (&str, &str),
    rows: i64,
    bytes: &[u8],
) -> Result<(), Error> {
    let now = tx.now();
    let _known_already = tx.change_rows(KEEP, params![kind, checksum, vintage, rows, bytes, now])?.rows();
    Ok(())
}

/// Number of rows of a vintage.
pub fn count_rows(tx: &mut Tx<'_>, kind: &'static str, checksum: &str) -> Result<Option<i64>, Error> {
    Ok(tx.find_row(COUNT, params![kind, checksum], |row| row.get(0))?)
}

/// Stores a vintage and makes it the one in use, unless a newer one is. The caller runs both in one unit.
///
/// The previous vintage is kept, for nodes that are just opening it; earlier ones are deleted, unless the kind keeps all of them. Nothing
/// else needs them: an estimate stores what it is based on.
pub fn switch_vintage(
    tx: &mut Tx<'_>,
    kind: &'static str,
    (vintage, checksum): (&str, &str),
    (rows, all_stay): (i64, bool),
    bytes: &[u8],
) -> Result<bool, Error> {
    let now = tx.now();
    let before = current_pointer(tx, kind)?.map_or_else(|| checksum.to_owned(), |pointer| pointer.checksum);
    store_vintage(tx, kind, (vintage, checksum), rows, bytes)?;
    let switched = tx.change_rows(SWITCH, params![kind, checksum, vintage, now])?.is_one();
    if switched && !all_stay {
        let _there_may_be_none = tx.change_rows(SWEEP, params![kind, checksum, &before])?.rows();
    }
    Ok(switched)
}
