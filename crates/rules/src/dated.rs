//! Editions of tables whose rows have no days of their own.
//!
//! Such a table says what the law is, not from when on. A file of it may have a column `effective_from`: an edition consists of the rows that
//! are in force from a day on, each of them the newest of those with the same key. Rows without a day have always been in force.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use crate::withholding::TableError;

/// The column with the first day of a row.
pub const FROM: &str = "effective_from";
/// Maximum editions of a table.
const MOST: usize = 200;

/// A table whose rows have no days.
pub trait Undated: Sized {
    /// The built-in table, as text.
    const FILE: &'static str;
    /// Columns that tell its rows apart.
    const KEY: &'static [&'static str];

    /// Reads the rows of an edition.
    ///
    /// # Errors
    /// What is wrong, with its location.
    fn read_edition(csv: &str) -> Result<Self, TableError>;
}

/// A table by the day from which on its rows are in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dated<T> {
    first: T,
    later: BTreeMap<Date, T>,
    rows: BTreeMap<String, String>,
}

/// A row with its first day and its key.
struct Row {
    from: Option<Date>,
    key: Vec<String>,
    record: csv::StringRecord,
}

impl<T: Undated> Dated<T> {
    /// The built-in table, as text.
    pub const FILE: &'static str = T::FILE;

    /// Parses a table in the layout of the built-in one, with or without `effective_from`.
    ///
    /// # Errors
    /// A row, or an edition as a whole, that cannot be read; two rows of one day with the same key.
    pub fn parse_table(csv: &str) -> Result<Self, TableError> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(csv.as_bytes());
        let header = reader.headers().map_err(|error| TableError::new(error.to_string()))?.clone();
        let mut rows = Vec::new();
        for record in reader.records() {
            rows.push(read_row::<T>(&header, record.map_err(|error| TableError::new(error.to_string()))?)?);
        }
        let days: BTreeSet<Date> = rows.iter().filter_map(|row| row.from).collect();
        if days.len() > MOST {
            return Err(TableError::new(format!("a table has rows of at most {MOST} days")));
        }
        let mut named = BTreeMap::new();
        for row in &rows {
            let from = row.from.map_or_else(String::new, |day| format!(" from {day}"));
            let name = format!("{}{from}", row.key.join(" "));
            // An empty cell says what a missing column says, and the day is part of the name.
            let cells =
                header.iter().zip(&row.record).filter(|(column, cell)| *column != FROM && !cell.is_empty());
            let cells: Vec<String> = cells.map(|(column, cell)| format!("{column} {cell}")).collect();
            if named.insert(name.clone(), cells.join(", ")).is_some() {
                return Err(TableError::new(format!("{name}: two rows")));
            }
        }
        let later = days.into_iter().map(|day| Ok((day, edition_in_force(&header, &rows, Some(day))?)));
        Ok(Self {
            later: later.collect::<Result<_, TableError>>()?,
            first: edition_in_force(&header, &rows, None)?,
            rows: named,
        })
    }

    /// Returns the edition in force on a day.
    pub fn edition_on(&self, day: Date) -> &T {
        self.later.range(..=day).next_back().map_or(&self.first, |(_, edition)| edition)
    }

    /// Returns every edition, the oldest first.
    pub fn editions(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.first).chain(self.later.values())
    }

    /// Returns the rows by name, with all their contents.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rows.iter().map(|(name, cells)| (name.as_str(), cells.as_str()))
    }
}

fn read_row<T: Undated>(header: &csv::StringRecord, record: csv::StringRecord) -> Result<Row, TableError> {
    let cell = |column: &str| {
        let place = header.iter().position(|name| name == column);
        place.and_then(|place| record.get(place)).unwrap_or_default().to_owned()
    };
    let line = record.position().map_or(0, csv::Position::line);
    let from = match cell(FROM) {
        empty if empty.is_empty() => None,
        day => Some(day.parse().map_err(|_| {
            TableError::new(format!("line {line}, {FROM}: must be a day such as 2027-01-01, or empty"))
        })?),
    };
    Ok(Row { from, key: T::KEY.iter().map(|column| cell(column)).collect(), record })
}

/// The rows in force on a day, in the order of the file, so that the first edition of a file has its line numbers.
fn edition_in_force<T: Undated>(
    header: &csv::StringRecord,
    rows: &[Row],
    day: Option<Date>,
) -> Result<T, TableError> {
    let mut newest: BTreeMap<&[String], Option<Date>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.from <= day) {
        let held = newest.entry(&row.key).or_default();
        *held = (*held).max(row.from);
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let in_force = rows.iter().filter(|row| newest.get(row.key.as_slice()) == Some(&row.from));
    for record in [header].into_iter().chain(in_force.map(|row| &row.record)) {
        writer.write_record(record).map_err(|error| TableError::new(error.to_string()))?;
    }
    let bytes = writer.into_inner().map_err(|error| TableError::new(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| TableError::new(error.to_string()))?;
    T::read_edition(&text).map_err(|why| match day {
        Some(day) => TableError::new(format!("the rows in force from {day}: {why}")),
        None => why,
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use serde::Deserialize;

    use super::*;
    use crate::final_pay::FinalPayTable;
    use crate::new_hire::NewHireTable;
    use crate::taxes::{BaseTable, NonresidentTable};
    use crate::time_off::SickLeaveTable;
    use crate::wage_hour::OvertimeRules;
    use crate::withholding::csv_rows;

    const DAY: Date = date(2026, 11, 27);

    #[derive(Debug, PartialEq)]
    struct Days(BTreeMap<String, i32>);

    #[derive(Deserialize)]
    struct OfState {
        state: String,
        days: i32,
    }

    impl Undated for Days {
        const FILE: &'static str = "state,days\nTX,20\nNY,20\n";
        const KEY: &'static [&'static str] = &["state"];

        fn read_edition(csv: &str) -> Result<Self, TableError> {
            let rows = csv_rows::<OfState>(csv)?.into_iter();
            Ok(Self(rows.map(|row| (row.state, row.days)).collect()))
        }
    }

    fn days(found: &Dated<Days>, day: Date) -> Vec<(&str, i32)> {
        found.edition_on(day).0.iter().map(|(state, days)| (state.as_str(), *days)).collect()
    }

    #[test]
    fn a_row_counts_from_its_day_on_and_leaves_those_of_other_keys() {
        let text = "effective_from,state,days\n2027-01-01,NY,10\n,TX,20\n,NY,20\n2027-07-01,NJ,5\n";
        let text = text.lines().map(|line| {
            let (from, rest) = line.split_once(',').unwrap();
            format!("{rest},{from}\n")
        });
        let found = Dated::<Days>::parse_table(&text.collect::<String>()).unwrap();
        assert_eq!(days(&found, date(2026, 12, 31)), [("NY", 20), ("TX", 20)]);
        assert_eq!(days(&found, date(2027, 1, 1)), [("NY", 10), ("TX", 20)]);
        assert_eq!(days(&found, date(2028, 1, 1)), [("NJ", 5), ("NY", 10), ("TX", 20)]);
        let names: Vec<&str> = found.rows().map(|(name, _)| name).collect();
        assert_eq!(names, ["NJ from 2027-07-01", "NY", "NY from 2027-01-01", "TX"]);
    }

    #[test]
    fn a_day_that_is_none_and_two_rows_of_one_day_are_named() {
        let why = |rows: &str| {
            Dated::<Days>::parse_table(&format!("state,days,effective_from\n{rows}")).unwrap_err().to_string()
        };
        assert_eq!(
            why("TX,20,\nNY,5,soon\n"),
            "line 3, effective_from: must be a day such as 2027-01-01, or empty"
        );
        assert_eq!(why("NY,5,2027-01-01\nNY,6,2027-01-01\n"), "NY from 2027-01-01: two rows");
        assert!(why("TX,20,\nNY,many,2027-01-01\n").starts_with("the rows in force from 2027-01-01: "));
    }

    #[test]
    fn the_built_in_tables_are_their_only_edition() {
        assert_eq!(
            Dated::<BaseTable>::parse_table(BaseTable::FILE).unwrap().edition_on(DAY),
            BaseTable::built_in()
        );
        let residents = Dated::<NonresidentTable>::parse_table(NonresidentTable::FILE).unwrap();
        assert_eq!(residents.edition_on(DAY), NonresidentTable::built_in());
        let overtime = Dated::<OvertimeRules>::parse_table(OvertimeRules::FILE).unwrap();
        assert_eq!(overtime.edition_on(DAY), OvertimeRules::built_in());
        let final_pay = Dated::<FinalPayTable>::parse_table(FinalPayTable::FILE).unwrap();
        assert_eq!(final_pay.edition_on(DAY), FinalPayTable::built_in());
        let sick_leave = Dated::<SickLeaveTable>::parse_table(SickLeaveTable::FILE).unwrap();
        assert_eq!(sick_leave.edition_on(DAY), SickLeaveTable::built_in());
        let new_hires = Dated::<NewHireTable>::parse_table(NewHireTable::FILE).unwrap();
        assert_eq!(new_hires.edition_on(DAY), NewHireTable::built_in());
    }

    #[test]
    fn the_law_of_a_state_changes_on_the_day_of_its_row() {
        let header = NonresidentTable::FILE.lines().next().unwrap();
        let before = NonresidentTable::FILE.lines().skip(1).map(|line| format!("{line},\n"));
        let row = "CO,yes,yes,10,,,no,secondary,excess,,secondary,no,,a statute of 2027,,2027-01-01\n";
        let text = format!("{header},effective_from\n{row}{}", before.collect::<String>());
        let found = Dated::<NonresidentTable>::parse_table(&text).unwrap();
        assert_eq!(found.edition_on(date(2027, 1, 1)).get("CO").unwrap().days, Some(10));
        assert_eq!(found.edition_on(DAY), NonresidentTable::built_in());
    }
}
