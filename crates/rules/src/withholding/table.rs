//! Parsing tables from JSON and CSV, with located errors.

use crate::amount::Amount;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Why a table cannot be parsed. `Display` shows the path to the error, such as "CA: questions: allowances:
/// type is missing".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError(String);

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TableError {}

impl TableError {
    /// Creates an error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Prefixes the path with `part`.
    pub(super) fn within_part(self, part: &str) -> Self {
        Self(format!("{part}: {}", self.0))
    }
}

/// Parses the rows of a CSV table by column name. Columns that `T` does not have are ignored.
///
/// # Errors
/// A column is missing, or a value cannot be parsed; the message names the line.
pub fn csv_rows<T: DeserializeOwned>(csv: &str) -> Result<Vec<T>, TableError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(csv.as_bytes());
    let rows = reader.deserialize().map(|row| row.map_err(|error| TableError::new(error.to_string())));
    rows.collect()
}

/// Parses JSON.
pub(super) fn parse_json(text: &str) -> Result<Value, TableError> {
    serde_json::from_str(text).map_err(|error| TableError::new(format!("this is no JSON: {error}")))
}

/// Reads the editions of a file by year: one object with its `year`, or a list of such objects.
pub(super) fn read_editions<T>(
    file: &str,
    read: impl Fn(i16, &Value) -> Result<T, TableError>,
) -> Result<BTreeMap<i16, T>, TableError> {
    let file = parse_json(file)?;
    let list = file.as_array().map_or(std::slice::from_ref(&file), Vec::as_slice);
    let mut found = BTreeMap::new();
    for edition in list {
        let of = required_field(edition, "year", read_year)?;
        let table = read(of, edition).map_err(|error| error.within_part(&of.to_string()))?;
        if found.insert(of, table).is_some() {
            return Err(TableError::new(format!("{of} is there twice")));
        }
    }
    if found.is_empty() { Err(TableError::new("the table has no year")) } else { Ok(found) }
}

fn read_year(value: &Value) -> Result<i16, TableError> {
    let year = i16::try_from(read_whole_number(value)?).ok().filter(|year| (1900..=2200).contains(year));
    year.ok_or_else(|| TableError::new("this must be a year"))
}

/// Returns the member `key`; `None` if absent or null.
pub(super) fn optional_member<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    value.get(key).filter(|found| !found.is_null())
}

/// Reads the required member `key`.
pub(super) fn required_field<'v, T>(
    value: &'v Value,
    key: &str,
    read: impl FnOnce(&'v Value) -> Result<T, TableError>,
) -> Result<T, TableError> {
    let found = optional_member(value, key).ok_or_else(|| TableError::new(format!("{key} is missing")))?;
    read(found).map_err(|error| error.within_part(key))
}

pub(super) fn read_text(value: &Value) -> Result<String, TableError> {
    value.as_str().map(str::to_owned).ok_or_else(|| TableError::new("this must be a text"))
}

pub(super) fn read_boolean(value: &Value) -> Result<bool, TableError> {
    value.as_bool().ok_or_else(|| TableError::new("this must be true or false"))
}

pub(super) fn read_whole_number(value: &Value) -> Result<i32, TableError> {
    value
        .as_i64()
        .and_then(|number| i32::try_from(number).ok())
        .ok_or_else(|| TableError::new("this must be a whole number"))
}

/// Reads a non-negative decimal number from text.
pub(super) fn read_amount(value: &Value) -> Result<Amount, TableError> {
    let wrong = |error: &dyn fmt::Display| TableError::new(format!("this figure {error}"));
    let amount = Amount::parse(value.as_str().unwrap_or_default()).map_err(|error| wrong(&error))?;
    if amount < Amount::ZERO { Err(wrong(&"must not be negative")) } else { Ok(amount) }
}

pub(super) fn read_list<T>(
    value: &Value,
    read: impl FnMut(&Value) -> Result<T, TableError>,
) -> Result<Vec<T>, TableError> {
    let items = value.as_array().ok_or_else(|| TableError::new("this must be a list"))?;
    items.iter().map(read).collect()
}

/// Returns a built-in table.
///
/// # Panics
/// Panics if the file cannot be parsed, which tests rule out.
pub(super) fn built_in<T>(file: &str, table: Result<T, TableError>) -> T {
    table.unwrap_or_else(|error| panic!("{file} is not a table: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_faulty_figure_is_found_by_its_place() {
        let table = json!({"base": "12,5", "rate": "-1", "none": null});
        let error =
            |key| required_field(&table, key, read_amount).unwrap_err().within_part("single").to_string();
        assert_eq!(error("base"), "single: base: this figure must be a decimal number such as 40.00");
        assert_eq!(error("rate"), "single: rate: this figure must not be negative");
        assert_eq!(error("none"), "single: none is missing");
    }
}
