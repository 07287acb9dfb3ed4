//! Reading, writing and showing the fields of a record.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::value::is_null;
use crate::{Error, FromColumn, Row, Unread, Value};

/// A way of storing a `T` in a column, other than as its own type, text or JSON. Implemented on a marker type, so that
/// `T` may belong to another crate; a field names the marker type after `as`.
///
/// ```
/// use store::{Row, Stored, Unread, Value};
///
/// pub struct Seconds;
///
/// impl Stored<std::time::Duration> for Seconds {
///     fn value(field: &std::time::Duration) -> Value<'_> {
///         Value::Int(i64::try_from(field.as_secs()).unwrap_or(i64::MAX))
///     }
///
///     fn read_column(row: &Row<'_>, column: usize) -> Result<Option<std::time::Duration>, Unread> {
///         let Some(seconds) = row.try_get::<Option<i64>>(column)? else { return Ok(None) };
///         let seconds = u64::try_from(seconds).map_err(|_| Unread::new("holds a negative time"))?;
///         Ok(Some(std::time::Duration::from_secs(seconds)))
///     }
/// }
/// ```
pub trait Stored<T> {
    /// Returns the parameter that stores the field.
    fn value(field: &T) -> Value<'_>;

    /// Reads the value of a column; `None` for NULL.
    ///
    /// # Errors
    /// [`Unread`] when the column holds something else. It must not repeat the value.
    fn read_column(row: &Row<'_>, column: usize) -> Result<Option<T>, Unread>;

    /// Returns the field as a list of changes shows it; by default, the stored value.
    fn shown_value(field: &T) -> serde_json::Value {
        shown_json(Self::value(field))
    }
}

/// JSON that is kept as text, byte for byte.
#[derive(Debug, Clone, Copy)]
pub struct JsonText;

impl Stored<String> for JsonText {
    fn value(field: &String) -> Value<'_> {
        Value::Json(field)
    }

    fn read_column(row: &Row<'_>, column: usize) -> Result<Option<String>, Unread> {
        Ok(row.try_json(column)?.map(str::to_owned))
    }
}

/// A field that an update changes: its name, its old value and its new value.
pub type Change = (&'static str, serde_json::Value, serde_json::Value);

/// Reads the columns of a row one after the other.
pub struct Cursor<'a, 'r> {
    row: &'a Row<'r>,
    table: &'static str,
    next: usize,
}

impl<'a, 'r> Cursor<'a, 'r> {
    /// Begins at the column `first`.
    pub fn new(row: &'a Row<'r>, table: &'static str, first: usize) -> Self {
        Self { row, table, next: first }
    }

    #[inline]
    fn next<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&'a Row<'r>, usize) -> Result<T, Unread>,
    ) -> Result<T, Error> {
        let column = self.next;
        self.next += 1;
        read(self.row, column).map_err(|why| why.into_error(self.table, field))
    }

    /// Reads a value from a column of its own type.
    ///
    /// # Errors
    /// [`Error::Unreadable`].
    #[inline]
    pub fn read_plain<T: FromColumn<'r>>(&mut self, field: &'static str) -> Result<T, Error> {
        self.next(field, Row::try_get)
    }

    /// Reads a value that is stored by its name.
    ///
    /// # Errors
    /// [`Error::Unreadable`]; [`Error::Newer`] for an unknown name.
    pub fn read_text<T>(
        &mut self,
        field: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Error> {
        self.next(field, |row, column| parse(row.try_get(column)?).ok_or_else(unknown_name))
    }

    /// As [`Cursor::read_text`], for a column that may be NULL.
    ///
    /// # Errors
    /// As for [`Cursor::read_text`].
    pub fn text_or_null<T>(
        &mut self,
        field: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        self.next(field, |row, column| match row.try_get::<Option<&str>>(column)? {
            Some(text) => parse(text).map(Some).ok_or_else(unknown_name),
            None => Ok(None),
        })
    }

    /// Deserializes a value from stored JSON.
    ///
    /// # Errors
    /// [`Error::Unreadable`]; [`Error::Newer`] for JSON of another shape.
    pub fn read_json<T: DeserializeOwned>(&mut self, field: &'static str) -> Result<T, Error> {
        self.next(field, |row, column| parse_json(row.try_json(column)?.ok_or_else(is_null)?))
    }

    /// As [`Cursor::read_json`], for a column that may be NULL.
    ///
    /// # Errors
    /// As for [`Cursor::read_json`].
    pub fn json_or_null<T: DeserializeOwned>(&mut self, field: &'static str) -> Result<Option<T>, Error> {
        self.next(field, |row, column| row.try_json(column)?.map(parse_json).transpose())
    }

    /// Reads a value stored by `W`.
    ///
    /// # Errors
    /// [`Error::Unreadable`] or [`Error::Newer`].
    pub fn read_stored<W: Stored<T>, T>(&mut self, field: &'static str) -> Result<T, Error> {
        self.next(field, |row, column| W::read_column(row, column)?.ok_or_else(is_null))
    }

    /// As [`Cursor::read_stored`], for a column that may be NULL.
    ///
    /// # Errors
    /// As for [`Cursor::read_stored`].
    pub fn stored_or_null<W: Stored<T>, T>(&mut self, field: &'static str) -> Result<Option<T>, Error> {
        self.next(field, W::read_column)
    }
}

#[cold]
fn unknown_name() -> Unread {
    Unread::unknown("holds text that names none of the values there are")
}

fn parse_json<T: DeserializeOwned>(text: &str) -> Result<T, Unread> {
    // The parser's message may repeat part of the value.
    serde_json::from_str(text).map_err(|error| {
        let place = format!("(line {}, column {})", error.line(), error.column());
        match error.is_data() {
            // Well-formed JSON of a shape unknown to this version: as with an unknown name, a newer version may
            // have written it.
            true => Unread::unknown(format!("holds JSON of another shape {place}")),
            false => Unread::new(format!("holds no JSON {place}")),
        }
    })
}

/// Serializes a field as JSON text.
///
/// # Errors
/// [`Error::Engine`] when it cannot be written as JSON: a bug in its type.
pub fn serialize_json<T: Serialize>(
    table: &'static str,
    column: &'static str,
    field: &T,
) -> Result<String, Error> {
    serde_json::to_string(field)
        .map_err(|why| Error::Engine(format!("{table}.{column} cannot be written as JSON: {why}")))
}

/// As [`read_json`], for a field that may be NULL.
///
/// # Errors
/// As for [`read_json`].
pub fn json_or_null<T: Serialize>(
    table: &'static str,
    column: &'static str,
    field: &Option<T>,
) -> Result<Option<String>, Error> {
    field.as_ref().map(|field| serialize_json(table, column, field)).transpose()
}

/// Returns a stored value as a list of changes shows it.
pub fn shown_json(value: Value<'_>) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Uuid(v) => v.to_string().into(),
        Value::Int(v) => v.into(),
        Value::Bool(v) => v.into(),
        Value::Text(v) => v.into(),
        Value::Date(v) => v.to_string().into(),
        Value::Instant(v) => v.to_string().into(),
        Value::Bytes(v) => hex::encode(v).into(),
        Value::Json(v) => serde_json::from_str(v).unwrap_or_else(|_| v.into()),
    }
}

/// Records a field whose stored value differs.
pub fn note_change(changes: &mut Vec<Change>, field: &'static str, before: Value<'_>, after: Value<'_>) {
    if before != after {
        changes.push((field, shown_json(before), shown_json(after)));
    }
}

/// Records that a field differs, without its value.
pub fn note_secret(changes: &mut Vec<Change>, field: &'static str, before: Value<'_>, after: Value<'_>) {
    if before != after {
        changes.push((field, "***".into(), "***".into()));
    }
}

/// Records a JSON field that differs.
pub fn note_json<T: PartialEq + Serialize>(
    changes: &mut Vec<Change>,
    field: &'static str,
    before: &T,
    after: &T,
) {
    if before != after {
        // A value that cannot be written as JSON is refused when it is stored.
        let shown = |value: &T| serde_json::to_value(value).unwrap_or_default();
        changes.push((field, shown(before), shown(after)));
    }
}

/// Records a field stored by `W` that differs.
pub fn note_stored<W: Stored<T>, T>(
    changes: &mut Vec<Change>,
    field: &'static str,
    before: Option<&T>,
    after: Option<&T>,
) {
    if before.map(W::value) != after.map(W::value) {
        let shown = |value: Option<&T>| value.map_or(serde_json::Value::Null, W::shown_value);
        changes.push((field, shown(before), shown(after)));
    }
}
