//! Table parsing: reports all errors at once, each with its line and field.

use std::fmt;

use csv::StringRecord;
use jiff::civil::Date;

use crate::Named;
use crate::amount::Amount;
use crate::withholding::TableError;

/// Maximum rows in a table.
const MAX_ROWS: usize = 100_000;
/// Maximum errors reported at once.
const MAX_FAULTS: usize = 100;
/// Maximum field length, in bytes.
const MAX_FIELD: usize = 2_000;

/// An error in a table. `Display` shows line, field and message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Line of the file, from 1; the header is line 1.
    pub line: u64,
    /// Name of the column; empty if the error concerns the whole line.
    pub field: String,
    /// What is wrong, and what would be valid.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, field, message } = self;
        if field.is_empty() {
            write!(f, "line {line}: {message}")
        } else {
            write!(f, "line {line}, {field}: {message}")
        }
    }
}

impl From<Vec<Fault>> for TableError {
    fn from(faults: Vec<Fault>) -> Self {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        Self::new(faults.join("; "))
    }
}

/// A line being read. A value that cannot be read is reported as an error and returned as `None`.
pub(super) struct Row<'a> {
    header: &'a StringRecord,
    record: &'a StringRecord,
    line: u64,
    faults: &'a mut Vec<Fault>,
}

impl Row<'_> {
    /// Records an error.
    pub(super) fn record_fault(&mut self, field: &str, message: impl Into<String>) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Fault { line: self.line, field: field.to_owned(), message: message.into() });
        }
    }

    /// Returns the text of a column; empty if it has none.
    pub(super) fn column_text(&mut self, field: &str) -> String {
        let place = self.header.iter().position(|name| name == field);
        let text = place.and_then(|place| self.record.get(place)).unwrap_or_default();
        if text.len() > MAX_FIELD {
            self.record_fault(field, format!("must not have more than {MAX_FIELD} characters"));
        }
        text.to_owned()
    }

    /// Returns the text of a column that must not be empty.
    pub(super) fn required_text(&mut self, field: &str) -> String {
        let text = self.column_text(field);
        if text.is_empty() {
            self.record_fault(field, "must not be empty");
        }
        text
    }

    /// Parses a column with `read`; `None` if it is empty.
    pub(super) fn parse_optional<T>(
        &mut self,
        field: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.column_text(field);
        if text.is_empty() {
            return None;
        }
        read(&text).map_err(|message| self.record_fault(field, message)).ok()
    }

    /// Reads a non-negative figure.
    pub(super) fn read_amount(&mut self, field: &str) -> Option<Amount> {
        self.parse_optional(field, |text| {
            let amount = Amount::parse(text).map_err(|error| format!("{text:?}: {error}"))?;
            if amount < Amount::ZERO { Err(format!("{text:?} must not be negative")) } else { Ok(amount) }
        })
    }

    /// Reads a percentage from 0 to 100.
    pub(super) fn read_percent(&mut self, field: &str) -> Option<Amount> {
        let percent = self.read_amount(field)?;
        if percent > Amount::from_cents(10_000) {
            self.record_fault(field, "must be a percentage from 0 to 100");
            return None;
        }
        Some(percent)
    }

    /// Reads a date.
    pub(super) fn read_date(&mut self, field: &str) -> Option<Date> {
        self.parse_optional(field, |text| {
            text.parse().map_err(|_| format!("{text:?} must be a day such as 2026-01-31"))
        })
    }

    /// Reads a whole number.
    pub(super) fn read_whole_number(&mut self, field: &str) -> Option<u32> {
        self.parse_optional(field, |text| {
            text.parse().map_err(|_| format!("{text:?} must be a whole number"))
        })
    }

    /// Reads a member of a closed set; `None` if the column is empty.
    pub(super) fn read_named<T: Named>(&mut self, field: &str) -> Option<T> {
        self.parse_optional(field, |text| {
            T::parse(text).ok_or_else(|| format!("{text:?} must be one of {}", T::names().join(", ")))
        })
    }

    /// Reads a member of a closed set that must not be empty.
    pub(super) fn one_of<T: Named>(&mut self, field: &str) -> Option<T> {
        if self.required_text(field).is_empty() { None } else { self.read_named(field) }
    }

    /// Reads `yes` or `no`.
    pub(super) fn read_yes_no(&mut self, field: &str) -> bool {
        match self.required_text(field).as_str() {
            "yes" => true,
            "no" | "" => false,
            other => {
                self.record_fault(field, format!("{other:?} must be yes or no"));
                false
            }
        }
    }
}

/// Reads the rows of a table with these columns. `read` returns `None` for a row whose errors it recorded.
pub(super) fn read_rows<T>(
    csv: &str,
    columns: &[&str],
    mut read: impl FnMut(&mut Row<'_>) -> Option<T>,
) -> Result<Vec<T>, Vec<Fault>> {
    let whole_line = |line, message: String| vec![Fault { line, field: String::new(), message }];
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(csv.as_bytes());
    let header = reader.headers().map_err(|error| whole_line(1, error.to_string()))?.clone();
    let missing = columns.iter().filter(|column| !header.iter().any(|name| name == **column));
    let mut faults: Vec<Fault> = missing
        .map(|column| Fault {
            line: 1,
            field: (*column).to_owned(),
            message: "this column is missing".into(),
        })
        .collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut found = Vec::new();
    for (count, record) in reader.records().enumerate() {
        if count == MAX_ROWS {
            return Err(whole_line(count as u64 + 2, format!("a table has at most {MAX_ROWS} rows")));
        }
        match record {
            Ok(record) => {
                let line = record.position().map_or(0, csv::Position::line);
                let mut row = Row { header: &header, record: &record, line, faults: &mut faults };
                found.extend(read(&mut row));
            }
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                faults.extend(whole_line(line, error.to_string()));
            }
        }
        if faults.len() >= MAX_FAULTS {
            break;
        }
    }
    if faults.is_empty() { Ok(found) } else { Err(faults) }
}

/// Returns a built-in table.
///
/// # Panics
/// Panics if the file cannot be parsed, which tests rule out.
pub(super) fn built_in<T>(file: &str, table: Result<T, Vec<Fault>>) -> T {
    table.unwrap_or_else(|faults| panic!("{file} is not a table: {}", faults[0]))
}
