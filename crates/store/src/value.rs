//! The narrow set of values that statements take and rows return.
//!
//! Eight kinds are enough for payroll, and few enough that both engines store and return each of them
//! unchanged: `uuid`, `bigint`, `boolean`, `text`, `date`, `instant`, `bytes`, `json`. Money and percentages are
//! `bigint` (scaled integers); nothing here is a float.
//!
//! A [`Row`] reads columns by position and type. [`Row::try_get`] returns an error for a column that does not have the
//! requested type; records are read that way. [`Row::get`] panics, which suits a query whose result is not stored data,
//! such as a count: the bug is then in the statement beside it. Either way the unit is rolled back.

use jiff::{Timestamp, civil::Date};
use uuid::Uuid;

use crate::Error;

/// One bound parameter. Borrowed, because inputs outlive the statement.
#[derive(Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// SQL NULL of any type
    Null,
    /// a record identifier
    Uuid(Uuid),
    /// a whole number or a scaled integer
    Int(i64),
    /// true or false
    Bool(bool),
    /// text without NUL
    Text(&'a str),
    /// a day without a zone
    Date(Date),
    /// a moment, to the microsecond
    Instant(Timestamp),
    /// bytes as they are
    Bytes(&'a [u8]),
    /// JSON text, kept byte for byte
    Json(&'a str),
}

// Only the kind: the value may be personal data, and a message may end up in a log.
impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Value::Null => "Null",
            Value::Uuid(_) => "Uuid(…)",
            Value::Int(_) => "Int(…)",
            Value::Bool(_) => "Bool(…)",
            Value::Text(_) => "Text(…)",
            Value::Date(_) => "Date(…)",
            Value::Instant(_) => "Instant(…)",
            Value::Bytes(_) => "Bytes(…)",
            Value::Json(_) => "Json(…)",
        })
    }
}

/// Marks text as JSON for a `json` column.
#[derive(Clone, Copy)]
pub struct Json<'a>(pub &'a str);

macro_rules! from_value {
    ($($source:ty => |$value:ident| $made:expr),+ $(,)?) => {
        $(impl<'a> From<$source> for Value<'a> {
            fn from($value: $source) -> Self { $made }
        })+
    };
}

from_value! {
    Uuid => |v| Value::Uuid(v),
    &'a Uuid => |v| Value::Uuid(*v),
    i64 => |v| Value::Int(v),
    &'a i64 => |v| Value::Int(*v),
    bool => |v| Value::Bool(v),
    &'a bool => |v| Value::Bool(*v),
    &'a str => |v| Value::Text(v),
    &'a String => |v| Value::Text(v),
    Date => |v| Value::Date(v),
    &'a Date => |v| Value::Date(*v),
    Timestamp => |v| Value::Instant(v),
    &'a Timestamp => |v| Value::Instant(*v),
    &'a [u8] => |v| Value::Bytes(v),
    &'a Vec<u8> => |v| Value::Bytes(v),
    &'a [u8; 32] => |v| Value::Bytes(v),
    Json<'a> => |v| Value::Json(v.0),
    &'a Option<Uuid> => |v| v.map_or(Value::Null, Value::Uuid),
    &'a Option<i64> => |v| v.map_or(Value::Null, Value::Int),
    &'a Option<bool> => |v| v.map_or(Value::Null, Value::Bool),
    &'a Option<Date> => |v| v.map_or(Value::Null, Value::Date),
    &'a Option<Timestamp> => |v| v.map_or(Value::Null, Value::Instant),
    &'a Option<String> => |v| v.as_deref().map_or(Value::Null, Value::Text),
    &'a Option<Vec<u8>> => |v| v.as_deref().map_or(Value::Null, Value::Bytes),
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// Builds the parameter list of a statement: `params![company, id, name]`.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Value::from($value)),*] as &[$crate::Value<'_>] };
}

/// Why a column cannot be read as requested. It never contains the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unread {
    why: Box<str>,
    newer: bool,
}

impl Unread {
    /// Creates a reason that completes the sentence "the column …": `holds text, but is read as a date`.
    #[cold]
    pub fn new(why: impl Into<String>) -> Self {
        Self { why: why.into().into_boxed_str(), newer: false }
    }

    /// As [`Unread::new`], for a value of a closed set that this version of the program does not know: a newer version may
    /// have written it.
    #[cold]
    pub fn unknown(why: impl Into<String>) -> Self {
        Self { newer: true, ..Self::new(why) }
    }

    /// Converts it into an error that names the table and column.
    #[cold]
    pub fn into_error(self, table: &'static str, field: &'static str) -> Error {
        let why = self.why.into_string();
        if self.newer { Error::Newer { table, field, why } } else { Error::Unreadable { table, field, why } }
    }
}

/// A column of an engine's row: `None` is NULL.
pub(crate) type Held<T> = Result<Option<T>, Unread>;

/// The columns of an engine's row, counted from 0.
pub(crate) trait Columns {
    fn int(&self, column: usize) -> Held<i64>;
    fn bool(&self, column: usize) -> Held<bool>;
    fn text(&self, column: usize) -> Held<&str>;
    fn json(&self, column: usize) -> Held<&str>;
    fn bytes(&self, column: usize) -> Held<&[u8]>;
    fn uuid(&self, column: usize) -> Held<Uuid>;
    fn date(&self, column: usize) -> Held<Date>;
    fn instant(&self, column: usize) -> Held<Timestamp>;
}

/// One row of a result, readable while the statement is positioned on it.
pub struct Row<'r>(pub(crate) &'r dyn Columns);

impl<'r> Row<'r> {
    /// Returns the value of a column, which may be NULL if `T` is an `Option`.
    ///
    /// # Panics
    /// When the column is NULL and `T` is not an `Option`, or holds another type.
    pub fn get<T: FromColumn<'r>>(&self, column: usize) -> T {
        self.try_get(column).unwrap_or_else(|why| wrong_column(column, &why))
    }

    /// As [`Row::get`], for a stored value that may not have the expected form.
    ///
    /// # Errors
    /// [`Unread`] when the column is NULL and `T` is not an `Option`, or holds another type.
    pub fn try_get<T: FromColumn<'r>>(&self, column: usize) -> Result<T, Unread> {
        T::from_column(self, column)
    }

    /// Returns the JSON text of a `json` column, byte for byte as it was stored.
    ///
    /// # Panics
    /// When the column holds another type.
    pub fn json(&self, column: usize) -> Option<&'r str> {
        self.try_json(column).unwrap_or_else(|why| wrong_column(column, &why))
    }

    /// As [`Row::json`], for a stored value that may not have the expected form.
    ///
    /// # Errors
    /// [`Unread`] when the column holds another type.
    pub fn try_json(&self, column: usize) -> Result<Option<&'r str>, Unread> {
        self.0.json(column)
    }
}

#[cold]
fn wrong_column(column: usize, why: &Unread) -> ! {
    panic!("column {column} {why}")
}

/// A type that can be read from a column.
pub trait FromColumn<'r>: Sized {
    /// Reads `column` of `row`.
    ///
    /// # Errors
    /// [`Unread`] when the column does not hold such a value.
    fn from_column(row: &Row<'r>, column: usize) -> Result<Self, Unread>;
}

/// Returns the reason for NULL in a column that must have a value.
#[cold]
pub(crate) fn is_null() -> Unread {
    Unread::new("is NULL, but is read as a value")
}

macro_rules! from_column {
    ($($made:ty => $method:ident $(. $then:ident())?),+ $(,)?) => {
        $(
            impl<'r> FromColumn<'r> for Option<$made> {
                #[inline]
                fn from_column(row: &Row<'r>, column: usize) -> Result<Self, Unread> {
                    row.0.$method(column)$(.map(|held| held.map(|v| v.$then())))?
                }
            }
            impl<'r> FromColumn<'r> for $made {
                #[inline]
                fn from_column(row: &Row<'r>, column: usize) -> Result<Self, Unread> {
                    row.0.$method(column)?$(.map(|v| v.$then()))?.ok_or_else(is_null)
                }
            }
        )+
    };
}

from_column! {
    i64 => int,
    bool => bool,
    &'r str => text,
    String => text.to_owned(),
    &'r [u8] => bytes,
    Vec<u8> => bytes.to_vec(),
    Uuid => uuid,
    Date => date,
    Timestamp => instant,
}
