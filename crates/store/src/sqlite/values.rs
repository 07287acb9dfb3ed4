//! Values on their way into statements and out of rows.

use jiff::{Timestamp, civil::Date};
use rusqlite::{CachedStatement, types::ValueRef};
use uuid::Uuid;

use crate::Sql;
use crate::value::{Columns, Value};

/// Binds by the number in `$N`: this engine numbers named parameters by where they first appear.
pub(super) fn bind(
    statement: &mut CachedStatement<'_>,
    sql: Sql,
    params: &[Value<'_>],
) -> rusqlite::Result<()> {
    for position in 1..=statement.parameter_count() {
        // Asking the engine for a name costs more than binding, and nearly all statements are in order.
        let number = if sql.parameters_in_order() { Some(position) } else { number_of(statement, position) };
        let value = number.and_then(|number| params.get(number.wrapping_sub(1)));
        let Some(value) = value else {
            return Err(rusqlite::Error::InvalidParameterCount(params.len(), position));
        };
        match value {
            Value::Null => statement.raw_bind_parameter(position, rusqlite::types::Null)?,
            Value::Uuid(v) => statement.raw_bind_parameter(position, &v.as_bytes()[..])?,
            Value::Int(v) => statement.raw_bind_parameter(position, v)?,
            Value::Bool(v) => statement.raw_bind_parameter(position, i64::from(*v))?,
            Value::Text(v) | Value::Json(v) => statement.raw_bind_parameter(position, v)?,
            Value::Date(v) => statement.raw_bind_parameter(position, v.to_string())?,
            Value::Instant(v) => statement.raw_bind_parameter(position, v.as_microsecond())?,
            Value::Bytes(v) => statement.raw_bind_parameter(position, v)?,
        }
    }
    Ok(())
}

/// The `N` of the parameter `$N` at a position.
fn number_of(statement: &CachedStatement<'_>, position: usize) -> Option<usize> {
    statement.parameter_name(position)?.strip_prefix('$')?.parse().ok()
}

/// What a wrongly read column is told; see `Row`.
fn wrong(column: usize, wanted: &str, found: ValueRef<'_>) -> ! {
    panic!("column {column} holds {}, but is read as {wanted}", found.data_type())
}

impl Columns for rusqlite::Row<'_> {
    fn int(&self, column: usize) -> Option<i64> {
        match self.get_ref_unwrap(column) {
            ValueRef::Null => None,
            ValueRef::Integer(v) => Some(v),
            other => wrong(column, "a whole number", other),
        }
    }

    fn bool(&self, column: usize) -> Option<bool> {
        self.int(column).map(|v| v != 0)
    }

    fn text(&self, column: usize) -> Option<&str> {
        match self.get_ref_unwrap(column) {
            ValueRef::Null => None,
            ValueRef::Text(v) => {
                Some(std::str::from_utf8(v).unwrap_or_else(|_| panic!("column {column} is no UTF-8")))
            }
            other => wrong(column, "text", other),
        }
    }

    fn json(&self, column: usize) -> Option<&str> {
        self.text(column)
    }

    fn bytes(&self, column: usize) -> Option<&[u8]> {
        match self.get_ref_unwrap(column) {
            ValueRef::Null => None,
            ValueRef::Blob(v) => Some(v),
            other => wrong(column, "bytes", other),
        }
    }

    fn uuid(&self, column: usize) -> Option<Uuid> {
        self.bytes(column).map(|v| {
            Uuid::from_slice(v).unwrap_or_else(|_| panic!("column {column} holds bytes, but no uuid"))
        })
    }

    fn date(&self, column: usize) -> Option<Date> {
        self.text(column)
            .map(|v| v.parse().unwrap_or_else(|_| panic!("column {column} holds text, but no date")))
    }

    fn instant(&self, column: usize) -> Option<Timestamp> {
        self.int(column).map(|v| {
            Timestamp::from_microsecond(v).unwrap_or_else(|_| panic!("column {column} is no moment of time"))
        })
    }
}
