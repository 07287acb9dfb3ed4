//! The files in which new hire directories accept an employer's reports: fixed-width lines, one of them per hire.
//!
//! Most are in the layout that several state directories publish under the name "Newhire Record", version 1.00
//! (`new_hire_files.csv` lists them, with sources): the elements of 42 USC 653a(b)(1)(A), and the state of hire, which
//! distinguishes the hires of an employer that reports all of them to one state (42 USC 653a(b)(1)(B)). Massachusetts has a layout of its
//! own. Optional columns stay blank. A directory whose layout was read in part has a row that says what is missing.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::dated::Undated;
use crate::named::serde_by_name;
use crate::taxes::Confidence;
use crate::violation::Violation;
use crate::withholding::{TableError, csv_rows};

/// Number of columns in a line.
pub const COLUMNS: usize = 801;
/// The version of the layout.
const VERSION: &str = "1.00";

/// The layout of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum FileLayout {
    /// "Newhire Record", version 1.00: a line of 801 columns for each hire
    #[default]
    #[strum(serialize = "newhire_record")]
    NewhireRecord,
    /// that of Massachusetts: record A of the employer, and a record B for each hire, of 96 columns
    #[strum(serialize = "massachusetts")]
    Massachusetts,
}

serde_by_name!(FileLayout);

/// A state whose directory takes a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NewHireFileRule {
    /// Two-letter code.
    pub state: String,
    /// Source in which the layout was read.
    pub source: String,
    /// Confidence in the row.
    pub confidence: Confidence,
    /// Its layout; tables of before the column have only states that take the "Newhire Record".
    pub layout: Option<FileLayout>,
    /// Why no file is written; `None` if one is.
    pub without_file: Option<String>,
}

impl NewHireFileRule {
    /// Returns the layout of the file.
    pub fn layout(&self) -> FileLayout {
        self.layout.unwrap_or_default()
    }
}

/// The states whose directories take a file.
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
        if let Some(both) = rows.iter().find(|row| row.layout.is_some() && row.without_file.is_some()) {
            let why = "layout and without_file exclude each other";
            return Err(TableError::new(format!("{}: {why}", both.state)));
        }
        Ok(Self(rows.into_iter().map(|row| (row.state.clone(), row)).collect()))
    }

    /// Returns the row of a state, given its two-letter code.
    ///
    /// # Errors
    /// A violation that lists the states for whose directories a file is written, and says what is missing for this one.
    pub fn of(&self, key: &str, state: &str) -> Result<&NewHireFileRule, Violation> {
        let held = self.0.get(state);
        let why = held.and_then(|rule| rule.without_file.as_deref());
        held.filter(|_| why.is_none()).ok_or_else(|| {
            let known = self.0.values().filter(|rule| rule.without_file.is_none());
            let known: Vec<&str> = known.map(|rule| rule.state.as_str()).collect();
            let why = why.map(|why| format!("; of the file of {state}, {why}")).unwrap_or_default();
            let message = format!(
                "{key} must be a state whose directory is known to take the file: {}{why}",
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

/// Returns the lines of a file before those of the hires, without line breaks: in some layouts the employer has a record of its own.
pub fn heads(rule: &NewHireFileRule, employer: &FileEmployer<'_>, hires: usize, year: i16) -> Vec<String> {
    match rule.layout() {
        FileLayout::NewhireRecord => Vec::new(),
        FileLayout::Massachusetts => vec![massachusetts::employer(employer, hires, year)],
    }
}

/// Returns the line of a hire, without a line break.
pub fn line(rule: &NewHireFileRule, employer: &FileEmployer<'_>, hire: &FileHire<'_>) -> String {
    match rule.layout() {
        FileLayout::NewhireRecord => newhire_record(&rule.state, employer, hire),
        FileLayout::Massachusetts => massachusetts::hire(hire),
    }
}

fn newhire_record(directory: &str, employer: &FileEmployer<'_>, hire: &FileHire<'_>) -> String {
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

/// The layout of Massachusetts. What kind of worker a record B is about is optional, and stays blank.
mod massachusetts {
    use super::{FileAddress, FileEmployer, FileHire, Line, digits, letters, plain};

    /// Columns of a record.
    const COLUMNS: usize = 96;

    pub(super) fn employer(employer: &FileEmployer<'_>, hires: usize, year: i16) -> String {
        let mut line = Line(String::with_capacity(COLUMNS));
        line.put(1, "A");
        line.put(9, &digits(employer.ein));
        line.put(30, &letters(employer.name));
        address(&mut line, &employer.address);
        line.put(2, &format!("{:02}", year % 100));
        line.put(6, &format!("{hires:06}"));
        line.put(1, "");
        line.0
    }

    pub(super) fn hire(hire: &FileHire<'_>) -> String {
        let mut line = Line(String::with_capacity(COLUMNS));
        line.put(1, "B");
        line.put(9, &digits(hire.ssn));
        let middle = hire.middle.unwrap_or_default();
        line.put(30, &letters(&format!("{} {} {middle}", hire.last, hire.first)));
        address(&mut line, &hire.home);
        let hired = hire.hired;
        line.put(6, &format!("{:02}{:02}{:02}", hired.month(), hired.day(), hired.year() % 100));
        line.put(3, "");
        line.0
    }

    fn address(line: &mut Line, address: &FileAddress<'_>) {
        let street = format!("{} {}", address.street_1, address.street_2.unwrap_or_default());
        line.put(18, &plain(&street));
        line.put(18, &letters(address.city));
        line.put(2, address.state);
        line.put(9, &digits(address.zip));
    }
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

    fn rule(state: &str) -> &'static NewHireFileRule {
        NewHireFileTable::built_in().of("state", state).unwrap()
    }

    fn employer() -> FileEmployer<'static> {
        FileEmployer {
            ein: "74-1852097",
            name: "Harbor Lane Books, LLC",
            address: FileAddress { street_2: None, city: "Tampa", state: "FL", zip: "33602", ..HOME },
        }
    }

    fn hire() -> FileHire<'static> {
        FileHire {
            first: "Mary Jo",
            middle: Some("Q"),
            last: "O'Neil-Lopez",
            ssn: "412-55-2001",
            home: HOME,
            hired: date(2026, 3, 2),
            state: "MN",
        }
    }

    fn sample() -> String {
        line(rule("FL"), &employer(), &hire())
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
        let line = line(rule("FL"), &employer, &hire);
        assert_eq!((line.len(), line.is_ascii()), (COLUMNS, true));
        assert_eq!(columns(&line, 84, 92), "412552001");
    }

    #[test]
    fn a_state_that_is_not_known_to_take_the_file_is_refused_with_those_that_do() {
        let table = NewHireFileTable::built_in();
        assert!(table.of("state", "FL").unwrap().confidence.is_enough());
        let refused = table.of("state", "CA").unwrap_err();
        assert!(refused.message.ends_with("AR, DC, FL, MA, MN, NM, VA, WY"), "{}", refused.message);
    }

    #[test]
    fn a_state_whose_layout_was_read_in_part_is_refused_with_what_is_missing() {
        let refused = NewHireFileTable::built_in().of("state", "MI").unwrap_err().message;
        assert!(
            refused.ends_with("of the file of MI, the columns of the date of hire were not read"),
            "{refused}"
        );
        let both = "state,source,confidence,layout,without_file\nCA,x,secondary,newhire_record,not read\n";
        assert!(NewHireFileTable::parse(both).is_err());
        let before = NewHireFileTable::parse("state,source,confidence\nCA,x,secondary\n").unwrap();
        assert_eq!(before.of("state", "CA").unwrap().layout(), FileLayout::NewhireRecord);
    }

    #[test]
    fn massachusetts_has_a_record_of_the_employer_and_one_of_each_hire() {
        let rule = rule("MA");
        let heads = heads(rule, &employer(), 1, 2026);
        let [head] = heads.as_slice() else { panic!("{heads:?}") };
        let hire = line(rule, &employer(), &hire());
        assert_eq!([head.len(), hire.len()], [96, 96]);
        for (first, last, expected) in [
            (1, 1, "A"),
            (2, 10, "741852097"),
            (11, 40, "HARBOR LANE BOOKS LLC"),
            (41, 58, "12 DEPOT STREET"),
            (59, 76, "TAMPA"),
            (77, 78, "FL"),
            (79, 87, "33602"),
            (88, 89, "26"),
            (90, 95, "000001"),
        ] {
            assert_eq!(columns(head, first, last), expected, "columns {first} to {last} of record A");
        }
        for (first, last, expected) in [
            (1, 1, "B"),
            (2, 10, "412552001"),
            (11, 40, "ONEIL-LOPEZ MARY JO Q"),
            (41, 58, "12 DEPOT STREET AP"),
            (59, 76, "ST PAUL"),
            (77, 78, "MN"),
            (79, 87, "551011234"),
            (88, 93, "030226"),
            (94, 96, ""),
        ] {
            assert_eq!(columns(&hire, first, last), expected, "columns {first} to {last} of record B");
        }
    }
}
