//! Values that are stored as JSON.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Parses stored JSON.
pub(in crate::pay::payrolls) fn from_json<T: DeserializeOwned>(
    table: &'static str,
    field: &'static str,
    stored: &str,
) -> Result<T, store::Error> {
    // The parser's message may repeat a part of the value.
    serde_json::from_str(stored).map_err(|error| {
        let place =
            format!("holds JSON that cannot be read (line {}, column {})", error.line(), error.column());
        let unread = if error.is_data() { store::Unread::unknown(place) } else { store::Unread::new(place) };
        unread.into_error(table, field)
    })
}

/// Serializes a value to the JSON to store.
pub(in crate::pay::payrolls) fn to_json<T: Serialize>(
    table: &'static str,
    field: &'static str,
    value: &T,
) -> Result<String, store::Error> {
    store::record::serialize_json(table, field, value)
}

/// Whether a number is omitted from stored JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "has the shape that serde asks for")]
pub(in crate::pay::payrolls) fn is_zero(number: &i64) -> bool {
    *number == 0
}
