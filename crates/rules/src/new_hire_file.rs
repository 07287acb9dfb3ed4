//! The files in which new hire directories accept an employer's reports: one line per hire, mostly of fixed width.
//!
//! Most are in the layout that several state directories publish under the name "Newhire Record", version 1.00
//! (`new_hire_files.csv` lists them, with sources): the elements of 42 USC 653a(b)(1)(A), and the state of hire, which
//! distinguishes the hires of an employer that reports all of them to one state (42 USC 653a(b)(1)(B)). Massachusetts and Pennsylvania have
//! layouts of their own, and Nebraska takes a table. Optional columns stay blank. A directory whose layout was read in part has a row that says
//! what is missing, and a row in doubt has no file until an operator has compared it with the directory's specification.

mod layouts;

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

/// Number of columns in a line of the "Newhire Record".
pub const COLUMNS: usize = 801;

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
    /// that of Pennsylvania: record 01 of the file, and a record 02 for each hire, whose fields are separated by tabs
    #[strum(serialize = "pennsylvania")]
    Pennsylvania,
    /// the table of Nebraska: a line for each hire, whose fields are separated by commas
    #[strum(serialize = "nebraska")]
    Nebraska,
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

    /// Returns the key under which an operator confirms the row.
    pub fn key(&self) -> String {
        format!("{}_NEW_HIRE_FILE", self.state)
    }

    /// Whether a file is written only once the row is confirmed.
    pub fn is_doubtful(&self) -> bool {
        self.without_file.is_none() && !self.confidence.is_enough()
    }
}

/// The states whose directories take a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHireFileTable(BTreeMap<String, NewHireFileRule>);

impl Undated for NewHireFileTable {
    const FILE: &'static str = include_str!("../../../data/new_hire_files.csv");
    const KEY: &'static [&'static str] = &["state"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
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
            NewHireFileTable::read_edition(NewHireFileTable::FILE)
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

    /// Returns all rows, by state.
    pub fn iter(&self) -> impl Iterator<Item = &NewHireFileRule> {
        self.0.values()
    }

    /// Returns the row of a state, given its two-letter code.
    ///
    /// # Errors
    /// A violation that lists the states for whose directories a file is written, and says what is missing for this one.
    pub fn rule_of_state(&self, key: &str, state: &str) -> Result<&NewHireFileRule, Violation> {
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

/// Returns the lines of a file before those of the hires, without line breaks: in some layouts the employer, or the file, has a record of its
/// own. `made_on` is the day of the file.
pub fn header_lines(
    rule: &NewHireFileRule,
    employer: &FileEmployer<'_>,
    hires: usize,
    made_on: Date,
) -> Vec<String> {
    match rule.layout() {
        FileLayout::NewhireRecord | FileLayout::Nebraska => Vec::new(),
        FileLayout::Massachusetts => vec![layouts::massachusetts::employer(employer, hires, made_on.year())],
        FileLayout::Pennsylvania => vec![layouts::pennsylvania::file(hires, made_on)],
    }
}

/// Returns the line of a hire, without a line break.
pub fn hire_line(rule: &NewHireFileRule, employer: &FileEmployer<'_>, hire: &FileHire<'_>) -> String {
    match rule.layout() {
        FileLayout::NewhireRecord => layouts::newhire_record(&rule.state, employer, hire),
        FileLayout::Massachusetts => layouts::massachusetts::hire(hire),
        FileLayout::Pennsylvania => layouts::pennsylvania::hire(employer, hire),
        FileLayout::Nebraska => layouts::nebraska::hire(employer, hire),
    }
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
        NewHireFileTable::built_in().rule_of_state("state", state).unwrap()
    }

    fn employer_record() -> FileEmployer<'static> {
        FileEmployer {
            ein: "74-1852097",
            name: "Harbor Lane Books, LLC",
            address: FileAddress { street_2: None, city: "Tampa", state: "FL", zip: "33602", ..HOME },
        }
    }

    fn hire_record() -> FileHire<'static> {
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
        hire_line(rule("FL"), &employer_record(), &hire_record())
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
        let line = hire_line(rule("FL"), &employer, &hire);
        assert_eq!((line.len(), line.is_ascii()), (COLUMNS, true));
        assert_eq!(columns(&line, 84, 92), "412552001");
    }

    #[test]
    fn a_state_that_is_not_known_to_take_the_file_is_refused_with_those_that_do() {
        let table = NewHireFileTable::built_in();
        assert!(table.rule_of_state("state", "FL").unwrap().confidence.is_enough());
        let refused = table.rule_of_state("state", "CA").unwrap_err();
        assert!(refused.message.ends_with("AR, DC, FL, MA, MN, NE, NM, PA, VA, WY"), "{}", refused.message);
    }

    #[test]
    fn a_state_whose_layout_was_read_in_part_is_refused_with_what_is_missing() {
        let refused = NewHireFileTable::built_in().rule_of_state("state", "MI").unwrap_err().message;
        assert!(
            refused.ends_with("of the file of MI, the columns of the date of hire were not read"),
            "{refused}"
        );
        let both = "state,source,confidence,layout,without_file\nCA,x,secondary,newhire_record,not read\n";
        assert!(NewHireFileTable::parse(both).is_err());
        let before = NewHireFileTable::parse("state,source,confidence\nCA,x,secondary\n").unwrap();
        assert_eq!(before.rule_of_state("state", "CA").unwrap().layout(), FileLayout::NewhireRecord);
    }

    #[test]
    fn massachusetts_has_a_record_of_the_employer_and_one_of_each_hire() {
        let rule = rule("MA");
        let heads = header_lines(rule, &employer_record(), 1, date(2026, 3, 9));
        let [head] = heads.as_slice() else { panic!("{heads:?}") };
        let hire = hire_line(rule, &employer_record(), &hire_record());
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

    #[test]
    fn pennsylvania_has_a_record_with_the_count_and_fields_between_tabs_for_each_hire_once_it_is_confirmed() {
        let rule = rule("PA");
        assert!(rule.is_doubtful() && rule.key() == "PA_NEW_HIRE_FILE");
        assert_eq!(header_lines(rule, &employer_record(), 2, date(2026, 3, 9)), ["01\t20260309\t2"]);
        let line = hire_line(rule, &employer_record(), &hire_record());
        let fields: Vec<&str> = line.split('\t').collect();
        let of_employer =
            ["02", "741852097", "HARBOR LANE BOOKS LLC", "12 DEPOT STREET", "", "", "TAMPA", "FL"];
        assert_eq!(fields[..8], of_employer);
        assert_eq!(fields[8..14], ["33602", "", "", "", "", ""]);
        assert_eq!(fields[14..18], ["412552001", "MARY JO", "Q", "ONEIL-LOPEZ"]);
        assert_eq!(fields[18..21], ["", "MN", "20260302"]);
        assert_eq!(fields[21..], ["12 DEPOT STREET", "APT. 4", "", "ST PAUL", "MN", "55101", "1234"]);
    }
    #[test]
    fn nebraska_has_a_line_of_fields_between_commas_for_each_hire_once_it_is_confirmed() {
        let rule = rule("NE");
        assert!(rule.is_doubtful() && rule.key() == "NE_NEW_HIRE_FILE");
        assert!(header_lines(rule, &employer_record(), 1, date(2026, 3, 9)).is_empty());
        let home = FileAddress { street_1: "12 Depot Street, rear", ..HOME };
        let line = hire_line(rule, &employer_record(), &FileHire { home, ..hire_record() });
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[..4], ["MARY JO", "Q", "ONEIL-LOPEZ", "412552001"]);
        assert_eq!(fields[4..10], ["12 DEPOT STREET REAR", "APT. 4", "", "ST PAUL", "MN", "55101"]);
        assert_eq!(fields[10..16], ["", "03022026", "MN", "N", "", ""]);
        assert_eq!(fields[16..18], ["741852097", "HARBOR LANE BOOKS LLC"]);
        assert_eq!(fields[18..], ["12 DEPOT STREET", "", "", "TAMPA", "FL", "33602", "", ""]);
    }
}
