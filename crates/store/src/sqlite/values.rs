//! Conversion of parameters and columns.

use jiff::{Timestamp, civil::Date};
use rusqlite::{Statement, types::ValueRef};
use uuid::Uuid;

use crate::Sql;
use crate::value::{Columns, Held, Unread, Value};

/// Binds by the number in `$N`: SQLite numbers named parameters by first appearance.
pub(super) fn bind_params(
    statement: &mut Statement<'_>,
    sql: Sql,
    params: &[Value<'_>],
) -> rusqlite::Result<()> {
    for position in 1..=statement.parameter_count() {
        // Reading a parameter's name from the engine costs more than binding, and nearly all statements number their
        // parameters in order.
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

/// Returns the `N` of the parameter `$N` at a position.
fn number_of(statement: &Statement<'_>, position: usize) -> Option<usize> {
    statement.parameter_name(position)?.strip_prefix('$')?.parse().ok()
}

/// Returns the reason for a column whose type is not the requested one.
#[cold]
fn wrong_type(wanted: &str, found: ValueRef<'_>) -> Unread {
    Unread::new(format!("holds {}, but is read as {wanted}", found.data_type()))
}

fn column_value<'r>(row: &'r rusqlite::Row<'_>, column: usize) -> Result<ValueRef<'r>, Unread> {
    row.get_ref(column).map_err(|_| Unread::new("is not in the answer"))
}

impl Columns for rusqlite::Row<'_> {
    fn int(&self, column: usize) -> Held<i64> {
        match column_value(self, column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(v) => Ok(Some(v)),
            other => Err(wrong_type("a whole number", other)),
        }
    }

    fn bool(&self, column: usize) -> Held<bool> {
        Ok(self.int(column)?.map(|v| v != 0))
    }

    fn text(&self, column: usize) -> Held<&str> {
        match column_value(self, column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(v) => std::str::from_utf8(v).map(Some).map_err(|_| Unread::new("is no UTF-8")),
            other => Err(wrong_type("text", other)),
        }
    }

    fn json(&self, column: usize) -> Held<&str> {
        self.text(column)
    }

    fn bytes(&self, column: usize) -> Held<&[u8]> {
        match column_value(self, column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Blob(v) => Ok(Some(v)),
            other => Err(wrong_type("bytes", other)),
        }
    }

    fn uuid(&self, column: usize) -> Held<Uuid> {
        let Some(bytes) = self.bytes(column)? else { return Ok(None) };
        Uuid::from_slice(bytes).map(Some).map_err(|_| Unread::new("holds bytes, but no uuid"))
    }

    fn date(&self, column: usize) -> Held<Date> {
        let Some(text) = self.text(column)? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| Unread::new("holds text, but no date"))
    }

    fn instant(&self, column: usize) -> Held<Timestamp> {
        let Some(micros) = self.int(column)? else { return Ok(None) };
        Timestamp::from_microsecond(micros).map(Some).map_err(|_| Unread::new("is not a valid timestamp"))
    }
}
