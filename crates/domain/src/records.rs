//! Common to all records: the version that callers see, and the changed fields of an update.

use rules::{Amount, Violation};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{Row, Sql, Stored, Tx, Unread};
use uuid::Uuid;

use crate::error::{Error, Stale};

/// The opaque version of a record: the first 16 bytes of SHA-256 over table, id and counter, as hexadecimal.
pub fn version_text(table: &str, id: Uuid, number: i64) -> String {
    let mut hash = Sha256::new();
    hash.update(table.as_bytes());
    hash.update(id.as_bytes());
    hash.update(number.to_be_bytes());
    // Uuid's digits are written several at a time, hex's one by one; every record has a version.
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    Uuid::from_bytes(bytes).simple().to_string()
}

/// Parses a UUID in its usual form of 36 characters.
pub fn parse_id(text: &str) -> Option<Uuid> {
    if text.len() == 36 { text.parse().ok() } else { None }
}

/// As [`parse_id`]; malformed ids become the nil UUID, which finds no record.
pub fn id_of(text: &str) -> Uuid {
    parse_id(text).unwrap_or(Uuid::nil())
}

/// The ids from one to another, both included. Rows that are kept in the order of ids are read by it in one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdRange {
    /// the lowest
    pub first: Uuid,
    /// the highest
    pub last: Uuid,
}

impl IdRange {
    /// Every id.
    pub const ALL: Self = Self { first: Uuid::nil(), last: Uuid::max() };

    /// The range of one id.
    pub fn only(id: Uuid) -> Self {
        Self { first: id, last: id }
    }

    /// The range from the lowest of the ids to the highest; `None` without any.
    pub fn spanning(ids: impl Iterator<Item = Uuid>) -> Option<Self> {
        ids.fold(None, |range: Option<Self>, id| {
            let held = range.unwrap_or(Self::only(id));
            Some(Self { first: held.first.min(id), last: held.last.max(id) })
        })
    }
}

/// Refuses another record if its owner has reached the limit: lists that are read whole stay short.
///
/// # Errors
/// 422 with the limit.
pub fn room_for(what: &str, held: usize, most: usize) -> Result<(), Error> {
    if held < most {
        return Ok(());
    }
    Err(Error::from(Violation::invalid_operation(format!("The limit of {most} {what} has been reached."))))
}

/// Records that are read together where all of them are needed, and no figure bounds their number: far more than there are.
pub const MOST_TOGETHER: i64 = 10_000;

/// Places for identifiers in a statement of [`rows_of`].
const PLACES: usize = 16;

/// Reads the rows of some records, a few at a time. The statement has parameters for `before`, and then sixteen for ids.
pub fn rows_of<T>(
    tx: &mut Tx<'_>,
    sql: Sql,
    before: &[store::Value<'_>],
    ids: &[Uuid],
    one: impl Fn(&Row<'_>) -> Result<T, store::Error>,
) -> Result<Vec<T>, Error> {
    let mut found = Vec::with_capacity(ids.len());
    for some in ids.chunks(PLACES) {
        // Unused parameters repeat the last id.
        let filled = some.iter().chain(std::iter::repeat(&some[some.len() - 1])).take(PLACES);
        let mut parameters = before.to_vec();
        parameters.extend(filled.map(|id| store::Value::from(*id)));
        found.extend(tx.try_query(sql, &parameters, &one)?);
    }
    Ok(found)
}

/// Stores an amount as an integer in millionths.
pub struct Millionths;

impl Stored<Amount> for Millionths {
    fn value(amount: &Amount) -> store::Value<'_> {
        store::Value::Int(amount.millionths())
    }

    fn read_column(row: &Row<'_>, column: usize) -> Result<Option<Amount>, Unread> {
        Ok(row.try_get::<Option<i64>>(column)?.map(Amount::from_millionths))
    }

    /// Decimal text, as in responses.
    fn shown_value(amount: &Amount) -> Value {
        json!(amount.to_text(2))
    }
}

/// The fields that an update changes, for the response to a stale version, for the audit entry, and to see whether anything changes at all.
#[derive(Debug, Default, Clone)]
pub struct Changes(Vec<(&'static str, Value, Value)>);

impl From<Vec<store::record::Change>> for Changes {
    fn from(changes: Vec<store::record::Change>) -> Self {
        Self(changes)
    }
}

impl Changes {
    /// No changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records a field if its value differs.
    pub fn record_difference<T: PartialEq + serde::Serialize>(
        &mut self,
        field: &'static str,
        before: &T,
        after: &T,
    ) {
        if before != after {
            self.0.push((field, json!(before), json!(after)));
        }
    }

    /// Records that a secret field changed, never its value.
    pub fn note_secret(&mut self, field: &'static str, changed: bool) {
        if changed {
            self.0.push((field, json!("***"), json!("***")));
        }
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `field` differs.
    pub fn has_change(&self, field: &str) -> bool {
        self.0.iter().any(|(name, ..)| *name == field)
    }

    /// The old and new value of each field, for the audit entry.
    pub fn to_json(&self) -> Value {
        self.0.iter().map(|(name, before, after)| ((*name).to_owned(), json!([before, after]))).collect()
    }

    /// Refuses an update whose version is not the record's.
    ///
    /// # Errors
    /// 409 with the current version and the fields that differ from what was sent.
    pub fn expect_version(&self, sent: &str, current: String) -> Result<(), Error> {
        if sent == current {
            return Ok(());
        }
        Err(Error::Stale(Stale { current, differing: self.0.iter().map(|(name, ..)| *name).collect() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_32_hexadecimal_digits_that_change_with_every_update() {
        let id = Uuid::from_u128(7);
        let versions =
            [version_text("employees", id, 1), version_text("employees", id, 2), version_text("jobs", id, 1)];
        assert!(versions.iter().all(|v| v.len() == 32 && v.bytes().all(|b| b.is_ascii_hexdigit())));
        assert!(versions[0] != versions[1] && versions[0] != versions[2]);
    }

    #[test]
    fn a_changed_secret_is_recorded_without_its_value() {
        let mut changes = Changes::new();
        changes.record_difference("first_name", &"Ann", &"Anna");
        changes.note_secret("ssn", true);
        assert_eq!(changes.to_json().to_string(), r#"{"first_name":["Ann","Anna"],"ssn":["***","***"]}"#);
    }
}
