//! The file format in which new hire directories accept an employer's reports: one fixed-width line per hire.
//!
//! The layout is the one that several state directories publish under the name "Newhire Record", version 1.00
//! (`new_hire_files.csv` lists them, with sources): the elements of 42 USC 653a(b)(1)(A), and the state of hire, which
//! distinguishes the hires of an employer that reports all of them to one state (42 USC 653a(b)(1)(B)). Optional columns stay blank.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::Deserialize;

use crate::dated::Undated;
use crate::taxes::Confidence;
use crate::violation::Violation;
use crate::withholding::{TableError, csv_rows};

/// Number of columns in a line.
pub const COLUMNS: usize = 801;
/// The version of the layout.
const VERSION: &str = "1.00";

/// A state whose directory accepts the layout.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NewHireFileRule {
    /// Two-letter code.
    pub state: String,
    /// Source in which the layout was read.
    pub source: String,
    /// Confidence in the row.
    pub confidence: Confidence,
}

/// The states whose directories accept the layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHireFileTable(BTreeMap<String, NewHireFileRule>);

impl Undated for NewHireFileTable {
    const FILE: &'static str = include_str!("../../../data/new_hire_files.csv");
    const KEY: &'static [&'static str] = &["state"];

    fn read(csv: &str) -> Result<Self, TableError> {
        Self::parse(csv)
    }
}

impl NewHireFileTable {
    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<NewHireFileTable> = LazyLock::new(|| {
            NewHireFileTable::read(NewHireFileTable::FILE)
                .unwrap_or_else(|error| panic!("new_hire_files.csv: {error}"))
        });
        &TABLE
    }

    /// Parses the layout of `new_hire_files.csv`.
    ///
    /// # Errors
    /// A row is malformed.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let rows = csv_rows::<NewHireFileRule>(csv)?;
        Ok(Self(rows.into_iter().map(|row| (row.state.clone(), row)).collect()))
    }

    /// Returns the row of a state, given its two-letter code.
    ///
    /// # Errors
    /// A violation that lists the states with a row.
    pub fn of(&self, key: &str, state: &str) -> Result<&NewHireFileRule, Violation> {
        self.0.get(state).ok_or_else(|| {
            let known: Vec<&str> = self.0.keys().map(String::as_str).collect();
            let message = format!(
                "{key} must be a state whose directory is known to take the file: {}",
                known.join(", ")
            );
            Violation::invalid(key, message)
        })
    }
}

/// An address in a line.
#[derive(Debug, Clone, Copy)]
pub struct FileAddress<'a> {
    /// House number and street.
    pub street_1: &'a str,
    /// Second line.
    pub street_2: Option<&'a str>,
    /// City.
    pub city: &'a str,
    /// Two-letter code.
    pub state: &'a str,
    /// ZIP code of five digits, or nine digits with a hyphen.
    pub zip: &'a str,
}

/// The employer in a line.
#[derive(Debug, Clone, Copy)]
pub struct FileEmployer<'a> {
    /// Nine digits.
    pub ein: &'a str,
    /// Legal name.
    pub name: &'a str,
    /// Contact address.
    pub address: FileAddress<'a>,
}

/// The new hire in a line. Names are written in unaccented Latin letters; other letters are omitted.
#[derive(Clone, Copy)]
pub struct FileHire<'a> {
    /// First name.
    pub first: &'a str,
    /// Middle name or initial.
    pub middle: Option<&'a str>,
    /// Last name.
    pub last: &'a str,
    /// Nine digits.
    pub ssn: &'a str,
    /// Home address.
    pub home: FileAddress<'a>,
    /// First day of work.
    pub hired: Date,
    /// Two-letter code of the state of work.
    pub state: &'a str,
}

/// Returns a line for a state's directory, without a line break.
pub fn line(directory: &str, employer: &FileEmployer<'_>, hire: &FileHire<'_>) -> String {
    let mut line = Line(String::with_capacity(COLUMNS));
    line.put(17, &format!("{directory} Newhire Record"));
    line.put(4, VERSION);
    line.put(16, &letters(hire.first));
    line.put(16, &letters(hire.middle.unwrap_or_default()));
    line.put(30, &letters(hire.last));
    line.put(9, &digits(hire.ssn));
    line.address(&hire.home);
    // Date of birth is optional.
    line.put(8, "");
    let (month, day, year) = (hire.hired.month(), hire.hired.day(), hire.hired.year());
    line.put(8, &format!("{month:02}{day:02}{year:04}"));
    line.put(2, hire.state);
    line.put(2, "");
    line.put(9, &digits(employer.ein));
    line.put(12, "");
    line.put(45, &letters(employer.name));
    line.address(&employer.address);
    line.put(COLUMNS - line.0.len(), "");
    line.0
}

/// A line under construction, filled from the left.
struct Line(String);

impl Line {
    /// Writes text into the next columns, truncated or padded with spaces.
    fn put(&mut self, columns: usize, text: &str) {
        let text: String = text.chars().filter(char::is_ascii).take(columns).collect();
        self.0.push_str(&text);
        self.0.extend(std::iter::repeat_n(' ', columns - text.len()));
    }

    /// Writes an address: three street lines, city, state, postal code and its extension, and a blank country.
    fn address(&mut self, address: &FileAddress<'_>) {
        self.put(40, &plain(address.street_1));
        self.put(40, &plain(address.street_2.unwrap_or_default()));
        self.put(40, "");
        self.put(25, &letters(address.city));
        self.put(2, address.state);
        let (zip, extension) = address.zip.split_once('-').unwrap_or((address.zip, ""));
        self.put(20, &digits(zip));
        self.put(4, &digits(extension));
        self.put(2, "");
    }
}

/// Reduces text to capital letters, digits, hyphens and single spaces.
fn letters(text: &str) -> String {
    let kept: String = text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | ' ')).collect();
    plain(&kept)
}

/// Converts text to capitals with single spaces.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_uppercase()
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const HOME: FileAddress<'_> = FileAddress {
        street_1: "12 Depot Street",
        street_2: Some("Apt. 4"),
        city: "St. Paul",
        state: "MN",
        zip: "55101-1234",
    };

    fn sample() -> String {
        let employer = FileEmployer {
            ein: "74-1852097",
            name: "Harbor Lane Books, LLC",
            address: FileAddress { street_2: None, city: "Tampa", state: "FL", zip: "33602", ..HOME },
        };
        let hire = FileHire {
            first: "Mary Jo",
            middle: Some("Q"),
            last: "O'Neil-Lopez",
            ssn: "412-55-2001",
            home: HOME,
            hired: date(2026, 3, 2),
            state: "MN",
        };
        line("FL", &employer, &hire)
    }

    /// Returns the text in a range of columns, 1-based, both ends included.
    fn columns(line: &str, first: usize, last: usize) -> &str {
        line[first - 1..last].trim_end()
    }

    #[test]
    fn each_element_stands_in_the_columns_that_the_directories_publish() {
        let line = sample();
        for (first, last, expected) in [
            (1, 17, "FL Newhire Record"),
            (18, 21, "1.00"),
            (22, 37, "MARY JO"),
            (38, 53, "Q"),
            (54, 83, "ONEIL-LOPEZ"),
            (84, 92, "412552001"),
            (93, 132, "12 DEPOT STREET"),
            (133, 172, "APT. 4"),
            (173, 212, ""),
            (213, 237, "ST PAUL"),
            (238, 239, "MN"),
            (240, 259, "55101"),
            (260, 263, "1234"),
            (264, 265, ""),
            (266, 273, ""),
            (274, 281, "03022026"),
            (282, 283, "MN"),
            (284, 285, ""),
            (286, 294, "741852097"),
            (295, 306, ""),
            (307, 351, "HARBOR LANE BOOKS LLC"),
            (352, 391, "12 DEPOT STREET"),
            (392, 431, ""),
            (472, 496, "TAMPA"),
            (497, 498, "FL"),
            (499, 518, "33602"),
            (519, 522, ""),
            (523, 801, ""),
        ] {
            assert_eq!(columns(&line, first, last), expected, "columns {first} to {last}");
        }
    }

    #[test]
    fn a_line_is_always_as_long_whatever_is_put_into_it() {
        assert_eq!(sample().len(), COLUMNS);
        let long = "Ü".repeat(50) + &"x".repeat(100);
        let place = FileAddress { street_1: &long, street_2: None, city: &long, state: "FL", zip: "33602" };
        let employer = FileEmployer { ein: "741852097", name: &long, address: place };
        let hire = FileHire {
            first: &long,
            middle: None,
            last: &long,
            ssn: "412552001",
            home: place,
            hired: date(2026, 3, 2),
            state: "FL",
        };
        let line = line("FL", &employer, &hire);
        assert_eq!((line.len(), line.is_ascii()), (COLUMNS, true));
        assert_eq!(columns(&line, 84, 92), "412552001");
    }

    #[test]
    fn a_state_that_is_not_known_to_take_the_file_is_refused_with_those_that_do() {
        let table = NewHireFileTable::built_in();
        assert!(table.of("state", "FL").unwrap().confidence.is_enough());
        let refused = table.of("state", "CA").unwrap_err();
        assert!(refused.message.contains("AR, DC, FL, MN, NM, VA, WY"), "{}", refused.message);
    }
}
