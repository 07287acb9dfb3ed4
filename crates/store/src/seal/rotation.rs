//! Data key rotation: every owner gets a new key, every sealed field is resealed under it, every digest that fields are
//! found by is recomputed, and the old keys are deleted.
//!
//! A rotation has three steps, each in small units, and each resumable: it creates new keys for all owners, waits until
//! every node has looked up the newest keys again, and then reseals all fields, owner by owner. [`Sealed`] lists where sealed
//! fields and their digests are. Old keys are deleted later ([`RETIRE`]), when sealed values that are kept for only a day and
//! are not resealed have expired. An owner's first key is kept for digests that cannot be recomputed: afterwards no field is sealed under
//! it, and none can be found by it.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::{DataKey, FIRST_KEY, KEY_ID, NEWEST_FOR, associated_with};
use crate::{Error, Sql, Store, Tx, params};

crate::statements! {
    UNFINISHED = "SELECT begun_at, keys_made_at FROM data_key_rotations WHERE finished_at IS NULL ORDER BY begun_at LIMIT 1";
    BEGIN = "INSERT INTO data_key_rotations (begun_at) VALUES ($1) ON CONFLICT (begun_at) DO NOTHING";
    KEYS_MADE = "UPDATE data_key_rotations SET keys_made_at = $1 WHERE begun_at = $2";
    FINISH = "UPDATE data_key_rotations SET finished_at = $1 WHERE begun_at = $2";
    // Across companies: this is the service's own work.
    WITHOUT_NEW_KEY = "SELECT owner_id, max(key_id) FROM data_keys WHERE owner_id > $1 GROUP BY owner_id \
                       HAVING max(created_at) <= $2 ORDER BY owner_id LIMIT $3";
    OWNERS = "SELECT DISTINCT owner_id FROM data_keys WHERE owner_id > $1 AND key_id > $2 ORDER BY owner_id LIMIT $3";
    /// Deletes at most `$2` keys that were replaced by a rotation which ended before `$1`, except each owner's first
    /// one.
    pub RETIRE = "DELETE FROM data_keys WHERE (owner_id, key_id) IN (SELECT k.owner_id, k.key_id FROM data_key_rotations r \
                  JOIN data_keys k ON k.created_at < r.begun_at WHERE r.finished_at < $1 AND k.key_id > 1 \
                  AND EXISTS (SELECT 1 FROM data_keys n WHERE n.owner_id = k.owner_id AND n.key_id > k.key_id) LIMIT $2)";
}

/// Maximum number of owners, or fields, per unit.
const AT_ONCE: i64 = 100;
/// Maximum number of a column's fields per unit, unless each field is large.
pub const SEALED_AT_ONCE: i64 = AT_ONCE;
/// How long after the last new key a node may still seal under an old one; generous, to allow for long units.
const WAIT: SignedDuration = SignedDuration::from_secs(2 * NEWEST_FOR.as_secs() as i64);

/// A column of sealed fields; declared with [`sealed_columns!`](crate::sealed_columns).
#[derive(Debug, Clone, Copy)]
pub struct SealedColumn {
    /// the table, as named in [`Place`](crate::Place)s
    pub table: &'static str,
    /// the column that holds the sealed bytes
    pub column: &'static str,
    /// selects row, column name of the place, and sealed bytes of the owner `$1` that do not begin with the key `$2`;
    /// at most `$3`
    pub stale: Sql,
    /// sets the bytes `$1` for the owner `$2` and the row `$3`, if the previous bytes are `$4`
    pub update: Sql,
    /// maximum number of its fields that one unit reseals: few if each is large
    pub at_once: i64,
}

/// A column of digests by which a sealed field is found ([`Tx::lookup_digest`]).
#[derive(Debug, Clone, Copy)]
pub struct DigestColumn {
    /// the table, as named in [`Place`](crate::Place)s
    pub table: &'static str,
    /// what the digests are made for
    pub context: &'static str,
    /// selects row, column name of the place, sealed bytes and digest of the owner `$1` whose digest does not begin with the key
    /// `$2`; at most `$3`
    pub stale: Sql,
    /// sets the digest `$1` for the owner `$2` and the row `$3`, if the previous one is `$4`
    pub update: Sql,
}

/// Everything that is made with data keys and kept.
#[derive(Debug, Clone, Copy)]
pub struct Sealed {
    /// sealed fields
    pub columns: &'static [&'static [SealedColumn]],
    /// digests by which sealed fields are found
    pub digests: &'static [DigestColumn],
}

/// Declares the columns of sealed fields: for each its table, the columns of owner and row, and the column itself.
///
/// ```
/// store::sealed_columns! {
///     /// all of them
///     pub SEALED = "people": "company_id", "id", "ssn"; "people": "company_id", "id", "birthday";
/// }
/// assert_eq!(SEALED[1].column, "birthday");
/// ```
#[macro_export]
macro_rules! sealed_columns {
    ($(#[$note:meta])* $visibility:vis $name:ident = $($table:literal: $owner:literal, $row:literal, $column:literal);+ $(;)?) => {
        $(#[$note])*
        $visibility const $name: &[$crate::SealedColumn] =
            &[$($crate::sealed_columns!(@one $table, $owner, $row, $column, concat!("'", $column, "'"))),+];
    };
    (@one $table:literal, $owner:literal, $row:literal, $column:literal, $place:expr) => {
        $crate::SealedColumn {
            table: $table,
            column: $column,
            stale: $crate::Sql::from_macro(concat!(
                "SELECT ", $row, ", ", $place, ", ", $column, " FROM ", $table, " WHERE ", $owner, " = $1 AND ", $column,
                " IS NOT NULL AND substr(", $column, ", 1, 8) <> $2 LIMIT $3"
            )),
            update: $crate::Sql::from_macro(concat!(
                "UPDATE ", $table, " SET ", $column, " = $1 WHERE ", $owner, " = $2 AND ", $row, " = $3 AND ", $column, " = $4"
            )),
            at_once: $crate::SEALED_AT_ONCE,
        }
    };
}

/// The progress of a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// every owner has a new key; until then some node may still seal under an old one
    Waiting(Timestamp),
    /// all fields are sealed under the new keys
    Done {
        /// owners with a new key
        owners: u64,
        /// fields that were resealed, and digests that were recomputed
        fields: u64,
    },
}

impl Store {
    /// Starts a rotation of all data keys, or continues one that was begun. After [`Rotation::Waiting`] call it again
    /// from that moment on. `kept` must list all sealed fields: the keys of any others are deleted.
    ///
    /// # Errors
    /// A store error; [`Error::Sealed`] for a field that does not open. Completed units are kept.
    pub async fn rotate_data_keys(&self, kept: &'static Sealed) -> Result<Rotation, Error> {
        let (begun, made) = self.write(begin_rotation).await?;
        let made = match made {
            Some(made) => made,
            None => self.make_keys(begun).await?,
        };
        let until = made + WAIT;
        if self.clock().now() < until {
            return Ok(Rotation::Waiting(until));
        }
        let (mut owners, mut fields, mut last) = (0, 0, Uuid::nil());
        loop {
            let some = self.read(move |tx| owners_after(tx, last)).await?;
            let Some(end) = some.last() else { break };
            last = *end;
            for owner in some {
                owners += 1;
                loop {
                    let sealed = self.write(move |tx| renew_some(tx, owner, kept)).await?;
                    fields += sealed;
                    if sealed == 0 {
                        break;
                    }
                }
            }
        }
        self.write(move |tx| {
            let now = tx.now();
            tx.change_rows(FINISH, params![now, begun]).map(|changed| changed.rows())
        })
        .await?;
        Ok(Rotation::Done { owners, fields })
    }

    async fn make_keys(&self, begun: Timestamp) -> Result<Timestamp, Error> {
        let mut last = Some(Uuid::nil());
        while let Some(after) = last {
            last = self.write(move |tx| make_some(tx, begun, after)).await?;
        }
        self.write(move |tx| {
            let now = tx.now();
            tx.change_rows(KEYS_MADE, params![now, begun])?.rows();
            Ok(now)
        })
        .await
    }
}

/// Returns when the current rotation was begun, and since when every owner has a new key; begins one if there is none.
fn begin_rotation(tx: &mut Tx<'_>) -> Result<(Timestamp, Option<Timestamp>), Error> {
    if let Some(found) = tx.find_row(UNFINISHED, params![], |row| (row.get(0), row.get(1)))? {
        return Ok(found);
    }
    let now = tx.now();
    tx.change_rows(BEGIN, params![now])?.rows();
    Ok((now, None))
}

/// Creates new keys for some owners; returns the last of these owners, if there were any.
fn make_some(tx: &mut Tx<'_>, begun: Timestamp, after: Uuid) -> Result<Option<Uuid>, Error> {
    let owners = tx.query_rows(WITHOUT_NEW_KEY, params![after, begun, AT_ONCE], |row| {
        (row.get::<Uuid>(0), row.get::<i64>(1))
    })?;
    for (owner, newest) in &owners {
        tx.make_key(*owner, newest + 1)?;
    }
    Ok(owners.last().map(|(owner, _)| *owner))
}

fn owners_after(tx: &mut Tx<'_>, last: Uuid) -> Result<Vec<Uuid>, Error> {
    tx.query_rows(OWNERS, params![last, FIRST_KEY, AT_ONCE], |row| row.get(0))
}

/// Renews some fields and digests of an owner under its newest key; returns their number.
fn renew_some(tx: &mut Tx<'_>, owner: Uuid, kept: &Sealed) -> Result<u64, Error> {
    let newest = tx.read_newest_key(owner)?;
    // The statements compare a prefix of this length.
    let current: [u8; KEY_ID] = newest.id.to_be_bytes();
    let (current, mut left) = (current.to_vec(), AT_ONCE);
    for column in kept.columns.iter().copied().flatten() {
        let stale =
            tx.query_rows(column.stale, params![owner, &current, left.min(column.at_once)], |row| {
                (row.get::<Uuid>(0), row.get::<String>(1), row.get::<Vec<u8>>(2))
            })?;
        left -= stale.len() as i64;
        for (row, name, sealed) in stale {
            let place = |key| associated_with(owner, column.table, row, &name, key);
            let plain = tx.unseal_at(owner, place, &sealed)?;
            let again = tx.seal_under(&newest, place, &plain)?;
            // A concurrent write has already sealed the field under the newest key.
            let _changed_meanwhile =
                tx.change_rows(column.update, params![&again, owner, row, &sealed])?.rows();
        }
        if left <= 0 {
            break;
        }
    }
    for column in kept.digests {
        if left <= 0 {
            break;
        }
        left -= renew_digests(tx, &newest, owner, (column, left))?;
    }
    Ok(u64::try_from(AT_ONCE - left).unwrap_or(0))
}

/// Recomputes at most so many digests of a column under the owner's newest key; returns their number.
fn renew_digests(
    tx: &mut Tx<'_>,
    newest: &DataKey,
    owner: Uuid,
    (column, most): (&DigestColumn, i64),
) -> Result<i64, Error> {
    let current = newest.id.to_be_bytes().to_vec();
    let stale = tx.query_rows(column.stale, params![owner, &current, most], |row| {
        (row.get::<Uuid>(0), row.get::<String>(1), row.get::<Vec<u8>>(2), row.get::<Vec<u8>>(3))
    })?;
    let number = stale.len() as i64;
    for (row, name, sealed, digest) in stale {
        let place = |key| associated_with(owner, column.table, row, &name, key);
        let plain = tx.unseal_at(owner, place, &sealed)?;
        let again = newest.lookup_digest(column.context, &plain);
        // A concurrent write has already stored one by the newest key.
        let _changed_meanwhile = tx.change_rows(column.update, params![&again, owner, row, &digest])?.rows();
    }
    Ok(number)
}
