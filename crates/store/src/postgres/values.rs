//! Values and rows in wire form: each kind in the server's binary format.

use jiff::civil::{Date, date};
use jiff::{Span, Timestamp, Unit as TimeUnit};
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::copy::Kind;
use crate::tx::Fault;
use crate::value::{Columns, Held, Unread, Value};

/// The object identifier of a type.
pub(super) type Oid = u32;

/// On the wire, days and microseconds are counted from this day.
const WIRE_EPOCH: Date = date(2000, 1, 1);
const WIRE_EPOCH_MICROS: i64 = 946_684_800_000_000;

pub(super) fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::Uuid => Type::UUID,
        Kind::Int => Type::INT8,
        Kind::Bool => Type::BOOL,
        Kind::Text => Type::TEXT,
        Kind::Date => Type::DATE,
        Kind::Instant => Type::TIMESTAMPTZ,
        Kind::Bytes => Type::BYTEA,
        Kind::Json => Type::JSON,
    }
}

fn type_name(oid: Oid) -> String {
    Type::from_oid(oid).map_or_else(|| format!("the type {oid}"), |known| known.to_string())
}

/// The name of a type in a cast, of those that values have.
pub(super) fn cast_name(oid: Oid) -> Option<&'static str> {
    let words = [
        (Type::UUID, "uuid"),
        (Type::INT8, "bigint"),
        (Type::BOOL, "boolean"),
        (Type::TEXT, "text"),
        (Type::DATE, "date"),
        (Type::TIMESTAMPTZ, "timestamptz"),
        (Type::BYTEA, "bytea"),
        (Type::JSON, "json"),
    ];
    words.into_iter().find(|(of, _)| of.oid() == oid).map(|(_, word)| word)
}

/// Appends a value: its length, or -1 for NULL, and its bytes.
pub(super) fn put_value(value: &Value<'_>, wanted: Oid, out: &mut Vec<u8>) -> Result<(), Fault> {
    let of = match value {
        Value::Null => {
            out.extend_from_slice(&(-1_i32).to_be_bytes());
            return Ok(());
        }
        Value::Uuid(_) => Type::UUID,
        Value::Int(_) => Type::INT8,
        Value::Bool(_) => Type::BOOL,
        Value::Text(_) => Type::TEXT,
        Value::Date(_) => Type::DATE,
        Value::Instant(_) => Type::TIMESTAMPTZ,
        Value::Bytes(_) => Type::BYTEA,
        Value::Json(_) => Type::JSON,
    };
    if of.oid() != wanted {
        return Err(Fault::Other(format!("a parameter of type {} was given {value:?}", type_name(wanted))));
    }
    match value {
        Value::Null => Ok(()),
        Value::Uuid(v) => put_sized(v.as_bytes(), out),
        Value::Int(v) => put_sized(&v.to_be_bytes(), out),
        Value::Bool(v) => put_sized(&[u8::from(*v)], out),
        Value::Text(v) | Value::Json(v) => put_sized(v.as_bytes(), out),
        Value::Bytes(v) => put_sized(v, out),
        Value::Date(v) => {
            let days = WIRE_EPOCH.until((TimeUnit::Day, *v));
            let days = days.map_err(|e| Fault::Other(format!("a day cannot be sent: {e}")))?.get_days();
            put_sized(&days.to_be_bytes(), out)
        }
        Value::Instant(v) => put_sized(&(v.as_microsecond() - WIRE_EPOCH_MICROS).to_be_bytes(), out),
    }
}

fn put_sized(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    let length = i32::try_from(bytes.len())
        .map_err(|_| Fault::Other("a value of more than 2 GB cannot be sent".to_owned()))?;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

/// The position of a value in the bytes of its row; `None` for NULL.
pub(super) type Place = Option<(usize, usize)>;

/// One row, in the receive buffer.
pub(super) struct Cells<'a> {
    pub bytes: &'a [u8],
    pub spans: &'a [Place],
    pub types: &'a [Oid],
}

impl Cells<'_> {
    fn cell_bytes(&self, column: usize, wanted: &Type) -> Held<&[u8]> {
        let (Some(span), Some(found)) = (self.spans.get(column), self.types.get(column)) else {
            return Err(Unread::new("is not in the answer"));
        };
        let Some((from, to)) = *span else { return Ok(None) };
        if *found == wanted.oid() {
            return self.bytes.get(from..to).map(Some).ok_or_else(|| Unread::new("is not in the answer"));
        }
        Err(Unread::new(format!("holds {}, but is read as {wanted}", type_name(*found))))
    }

    fn fixed_bytes<const N: usize>(&self, column: usize, wanted: &Type) -> Held<[u8; N]> {
        let Some(bytes) = self.cell_bytes(column, wanted)? else { return Ok(None) };
        bytes.try_into().map(Some).map_err(|_| Unread::new("has a wrong length"))
    }
}

fn utf8_text(bytes: Option<&[u8]>) -> Held<&str> {
    // The server refuses text that is not valid in the database's encoding, which is UTF-8.
    bytes.map(std::str::from_utf8).transpose().map_err(|_| Unread::new("is no UTF-8"))
}

impl Columns for Cells<'_> {
    fn int(&self, column: usize) -> Held<i64> {
        Ok(self.fixed_bytes(column, &Type::INT8)?.map(i64::from_be_bytes))
    }

    fn bool(&self, column: usize) -> Held<bool> {
        Ok(self.fixed_bytes::<1>(column, &Type::BOOL)?.map(|v| v != [0]))
    }

    fn text(&self, column: usize) -> Held<&str> {
        utf8_text(self.cell_bytes(column, &Type::TEXT)?)
    }

    fn json(&self, column: usize) -> Held<&str> {
        utf8_text(self.cell_bytes(column, &Type::JSON)?)
    }

    fn bytes(&self, column: usize) -> Held<&[u8]> {
        self.cell_bytes(column, &Type::BYTEA)
    }

    fn uuid(&self, column: usize) -> Held<Uuid> {
        Ok(self.fixed_bytes(column, &Type::UUID)?.map(Uuid::from_bytes))
    }

    fn date(&self, column: usize) -> Held<Date> {
        let Some(days) = self.fixed_bytes(column, &Type::DATE)?.map(i32::from_be_bytes) else {
            return Ok(None);
        };
        let day = Span::new().try_days(days).and_then(|span| WIRE_EPOCH.checked_add(span));
        day.map(Some).map_err(|_| Unread::new("is not a calendar date"))
    }

    fn instant(&self, column: usize) -> Held<Timestamp> {
        let Some(micros) = self.fixed_bytes(column, &Type::TIMESTAMPTZ)?.map(i64::from_be_bytes) else {
            return Ok(None);
        };
        let at = micros.checked_add(WIRE_EPOCH_MICROS).and_then(|v| Timestamp::from_microsecond(v).ok());
        at.map(Some).ok_or_else(|| Unread::new("is not a valid timestamp"))
    }
}
