//! The narrow set of values that statements take and rows give back.
//!
//! Eight kinds are enough for payroll, and few enough that both engines store and return each of them
//! unchanged: `uuid`, `bigint`, `boolean`, `text`, `date`, `instant`, `bytes`, `json`. Money and percentages are
//! `bigint` (scaled integers); nothing here is a float.
//!
//! A [`Row`] reads columns by position and type. A column that does not hold the type asked for is a mistake in
//! the statement beside it, never in the data, so reading panics: the unit is rolled back and answered 500.

use jiff::{Timestamp, civil::Date};
use uuid::Uuid;

/// One bound parameter. Borrowed, because inputs outlive the statement.
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// Marks text as JSON for a `json` column.
#[derive(Debug, Clone, Copy)]
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
    bool => |v| Value::Bool(v),
    &'a str => |v| Value::Text(v),
    &'a String => |v| Value::Text(v),
    Date => |v| Value::Date(v),
    Timestamp => |v| Value::Instant(v),
    &'a [u8] => |v| Value::Bytes(v),
    &'a Vec<u8> => |v| Value::Bytes(v),
    &'a [u8; 32] => |v| Value::Bytes(v),
    Json<'a> => |v| Value::Json(v.0),
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

/// What an engine's row can be asked for. Columns count from 0; `None` is NULL.
pub(crate) trait Columns {
    fn int(&self, column: usize) -> Option<i64>;
    fn bool(&self, column: usize) -> Option<bool>;
    fn text(&self, column: usize) -> Option<&str>;
    fn json(&self, column: usize) -> Option<&str>;
    fn bytes(&self, column: usize) -> Option<&[u8]>;
    fn uuid(&self, column: usize) -> Option<Uuid>;
    fn date(&self, column: usize) -> Option<Date>;
    fn instant(&self, column: usize) -> Option<Timestamp>;
}

/// One row of an answer, readable while the statement stands on it.
pub struct Row<'r>(pub(crate) &'r dyn Columns);

impl<'r> Row<'r> {
    /// The value of a column that may be NULL when `T` is an `Option`.
    ///
    /// # Panics
    /// When the column is NULL and `T` is not an `Option`, or holds another type.
    pub fn get<T: FromColumn<'r>>(&self, column: usize) -> T {
        T::from_column(self, column)
    }

    /// JSON text of a `json` column, byte for byte as it was stored.
    pub fn json(&self, column: usize) -> Option<&'r str> {
        self.0.json(column)
    }
}

/// A type that a column can be read as.
pub trait FromColumn<'r>: Sized {
    /// Reads `column` of `row`.
    fn from_column(row: &Row<'r>, column: usize) -> Self;
}

macro_rules! from_column {
    ($($made:ty => $method:ident $(. $then:ident())?),+ $(,)?) => {
        $(
            impl<'r> FromColumn<'r> for Option<$made> {
                fn from_column(row: &Row<'r>, column: usize) -> Self {
                    row.0.$method(column)$(.map(|v| v.$then()))?
                }
            }
            impl<'r> FromColumn<'r> for $made {
                fn from_column(row: &Row<'r>, column: usize) -> Self {
                    match <Option<$made>>::from_column(row, column) {
                        Some(value) => value,
                        None => panic!("column {column} is NULL, but the row's reader asks for a value"),
                    }
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
