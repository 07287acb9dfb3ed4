//! Reading the tables of `data/returns`.

use rules::taxes::Confidence;
use rules::withholding::{TableError, csv_rows};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};

/// Reads a built-in table.
///
/// # Panics
/// Never: tests read each of them.
pub fn built_in<T>(name: &str, read: Result<T, TableError>) -> T {
    read.unwrap_or_else(|error| panic!("data/returns/{name}: {error}"))
}

/// A row of a table of lines, such as `form_941.csv`.
#[derive(Debug, Clone, Deserialize)]
pub struct LineRow {
    /// number
    pub line: String,
    /// name of the element in the electronic return, if it is known
    pub element: Option<String>,
    /// title
    pub title: String,
    /// how far the row can be trusted
    #[serde(rename = "confidence")]
    pub _confidence: Confidence,
}

/// Reads a table of rows.
pub fn read_rows<T: DeserializeOwned>(csv: &str) -> Result<Vec<T>, TableError> {
    csv_rows(csv)
}

/// Reads `yes` or `no`.
pub fn deserialize_yes_no<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "yes" => Ok(true),
        "no" => Ok(false),
        other => Err(D::Error::custom(format!("{other:?} must be yes or no"))),
    }
}

/// Reads words that are separated by blanks.
pub fn deserialize_words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(String::deserialize(deserializer)?.split_whitespace().map(str::to_owned).collect())
}

/// Reads a word of a closed set.
pub fn deserialize_word<'de, D: Deserializer<'de>, T: rules::Named>(deserializer: D) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    T::parse(&text)
        .ok_or_else(|| D::Error::custom(format!("{text:?} must be one of {}", T::names().join(", "))))
}
