//! Merging the rows of a file into an existing table: what the file does not name is kept.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use crate::platform::reference::refuse_unknown_columns;

/// The layout of a table's files.
#[derive(Debug, Clone, Copy)]
pub enum Layout {
    /// JSON: an object with its `year`, or a list of such objects; a year replaces the same year
    Years,
    /// the same with `states`; a state of a year replaces the same state in the same year
    States,
    /// CSV
    Rows {
        /// columns that select the replaced rows: those with the same values in them
        replaced_by: &'static [&'static str],
        /// columns that identify a row, in a template
        names: &'static [&'static str],
    },
}

/// Member of a JSON template that has to be removed before the import.
const TEMPLATE: &str = "template";

/// The text with the rows of a file, and the existing rows that it does not replace. The rows of a CSV file come first, so that line
/// numbers are the same in both. It must have the columns of the built-in table: a column that is missing, or whose name is misspelt, would
/// lose its figures in every row.
///
/// # Errors
/// What is wrong with the layout of the file.
pub fn merge_file(built_in: &str, before: &str, file: &str, layout: Layout) -> Result<String, String> {
    match layout {
        Layout::Years => merged_years(before, file, |_, after| after),
        Layout::States => merged_years(before, file, with_states),
        Layout::Rows { replaced_by, .. } => {
            let (columns, given) = (Rows::read_rows(built_in)?.header, Rows::read_rows(file)?);
            refuse_unknown_columns(file, built_in, replaced_by)?;
            if let Some(missing) = columns.iter().find(|column| !given.header.contains(column)) {
                return Err(format!(
                    "line 1: the column {missing} is missing; the columns are {}",
                    columns.join(", ")
                ));
            }
            if given.rows.is_empty() {
                return Err("the file has no rows".to_owned());
            }
            merged_rows(before, &given, replaced_by)
        }
    }
}

/// Refuses a template that still has the figures of the previous year.
///
/// # Errors
/// A sentence saying so.
pub fn refuse_template(file: &str, layout: Layout) -> Result<(), String> {
    if matches!(layout, Layout::Rows { .. }) {
        return Ok(());
    }
    if editions_by_year(file)?.values().any(|edition| edition.get(TEMPLATE).is_some()) {
        return Err(format!(
            "this is a template with the figures of the previous year: enter the new ones, and remove the member \
             {TEMPLATE}"
        ));
    }
    Ok(())
}

/// A file to be filled in for the year after the last one in the text.
///
/// # Panics
/// If the text does not have the layout: it is built in.
pub fn year_template(text: &str, layout: Layout) -> String {
    let made = match layout {
        Layout::Years | Layout::States => template_of_years(text),
        Layout::Rows { replaced_by, names } => template_of_rows(text, replaced_by, names),
    };
    made.unwrap_or_else(|why| panic!("a built-in table does not have its layout: {why}"))
}

/// Columns with the year of a row, or the day on which it begins.
const BEGINS: [&str; 4] = ["year", "from", "effective_from", "effective_since"];

/// Whether a text has an edition of a year, or rows that begin in it.
pub fn has_edition(text: &str, layout: Layout, year: i16) -> bool {
    if !matches!(layout, Layout::Rows { .. }) {
        return editions_by_year(text).is_ok_and(|editions| editions.contains_key(&i64::from(year)));
    }
    let Ok(table) = Rows::read_rows(text) else { return false };
    let year = year.to_string();
    let begins = |row: &csv::StringRecord| {
        BEGINS.iter().any(|column| table.cell(row, column).split('-').next() == Some(year.as_str()))
    };
    table.rows.iter().any(begins)
}

type Edition = Map<String, Value>;

/// The editions of a file by year.
fn editions_by_year(file: &str) -> Result<BTreeMap<i64, Edition>, String> {
    let file: Value = serde_json::from_str(file).map_err(|error| format!("this is not JSON: {error}"))?;
    let list = match file {
        Value::Array(list) => list,
        one => vec![one],
    };
    let mut found = BTreeMap::new();
    for edition in list {
        let Value::Object(edition) = edition else { return Err("an edition must be an object".to_owned()) };
        let Some(year) = edition.get("year").and_then(Value::as_i64) else {
            return Err("year is missing".to_owned());
        };
        if found.insert(year, edition).is_some() {
            return Err(format!("{year} is listed twice"));
        }
    }
    Ok(found)
}

fn merged_years(
    before: &str,
    file: &str,
    with: impl Fn(Edition, Edition) -> Edition,
) -> Result<String, String> {
    let mut held = editions_by_year(before)?;
    for (year, edition) in editions_by_year(file)? {
        let edition = match held.remove(&year) {
            Some(before) => with(before, edition),
            None => edition,
        };
        held.insert(year, edition);
    }
    let editions = held.into_values().map(Value::Object).collect();
    Ok(Value::Array(editions).to_string())
}

/// The edition, with those states of the previous one that it does not name.
fn with_states(before: Edition, mut after: Edition) -> Edition {
    if let (Some(Value::Object(old)), Some(Value::Object(new))) =
        (before.get("states"), after.get_mut("states"))
    {
        for (code, state) in old {
            new.entry(code.clone()).or_insert_with(|| state.clone());
        }
    }
    after
}

/// A CSV table.
struct Rows {
    header: Vec<String>,
    rows: Vec<csv::StringRecord>,
}

impl Rows {
    fn read_rows(text: &str) -> Result<Self, String> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| error.to_string())?;
        let header = header.iter().map(str::to_owned).collect();
        let rows = reader.records().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        Ok(Self { header, rows })
    }

    /// The cell of a column; empty if the table has no such column.
    fn cell<'r>(&self, row: &'r csv::StringRecord, column: &str) -> &'r str {
        let place = self.header.iter().position(|name| name == column);
        place.and_then(|place| row.get(place)).unwrap_or_default()
    }

    fn row_key(&self, row: &csv::StringRecord, columns: &[&str]) -> Vec<String> {
        columns.iter().map(|column| self.cell(row, column).to_owned()).collect()
    }

    fn rows_in_columns(&self, header: &[String]) -> impl Iterator<Item = Vec<String>> {
        self.rows.iter().map(|row| header.iter().map(|column| self.cell(row, column).to_owned()).collect())
    }
}

fn merged_rows(before: &str, new: &Rows, replaced_by: &[&str]) -> Result<String, String> {
    let mut held = Rows::read_rows(before)?;
    let replaced: HashSet<Vec<String>> = new.rows.iter().map(|row| new.row_key(row, replaced_by)).collect();
    let rows = std::mem::take(&mut held.rows);
    held.rows = rows.into_iter().filter(|row| !replaced.contains(&held.row_key(row, replaced_by))).collect();
    let mut header = held.header.clone();
    header.extend(new.header.iter().filter(|column| !held.header.contains(column)).cloned());
    write_csv(&header, new.rows_in_columns(&header).chain(held.rows_in_columns(&header)))
}

fn write_csv(header: &[String], rows: impl Iterator<Item = Vec<String>>) -> Result<String, String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |row: &[String]| writer.write_record(row).map_err(|error| error.to_string());
    write(header)?;
    for row in rows {
        write(&row)?;
    }
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

fn template_of_years(text: &str) -> Result<String, String> {
    let Some((year, mut edition)) = editions_by_year(text)?.pop_last() else {
        return Err("no year".to_owned());
    };
    let what = format!("the figures of {year}: enter those of {}, then remove this line", year + 1);
    edition.insert("year".to_owned(), (year + 1).into());
    edition.insert(TEMPLATE.to_owned(), what.into());
    Ok(pretty_json(&Value::Object(edition), 0) + "\n")
}

/// Readable JSON: a list of figures, such as the row of a schedule, is on one line.
fn pretty_json(value: &Value, depth: usize) -> String {
    let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    let lines = |parts: Vec<String>, [open, close]: [&str; 2]| {
        format!("{open}\n{inner}{}\n{outer}{close}", parts.join(&format!(",\n{inner}")))
    };
    match value {
        Value::Array(items) if items.iter().any(|item| item.is_array() || item.is_object()) => {
            lines(items.iter().map(|item| pretty_json(item, depth + 1)).collect(), ["[", "]"])
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) if !members.is_empty() => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), pretty_json(value, depth + 1))
            };
            lines(members.iter().map(member).collect(), ["{", "}"])
        }
        other => other.to_string(),
    }
}

fn template_of_rows(text: &str, replaced_by: &[&str], names: &[&str]) -> Result<String, String> {
    let table = Rows::read_rows(text)?;
    let year = |row: &csv::StringRecord| table.cell(row, "year").parse::<i64>().ok();
    let newest = table.rows.iter().filter_map(year).max();
    let cells = |row: &csv::StringRecord| {
        let cell = |column: &String| match newest {
            Some(newest) if column == "year" => (newest + 1).to_string(),
            _ if names.contains(&column.as_str()) => table.cell(row, column).to_owned(),
            _ => String::new(),
        };
        table.header.iter().map(cell).collect()
    };
    // Days on which rows begin or end may be in no row yet.
    let days = replaced_by.iter().filter(|column| !table.header.iter().any(|name| name == *column));
    let mut header = table.header.clone();
    header.extend(days.map(|column| (*column).to_owned()));
    let rows = table.rows.iter().filter(|row| year(row) == newest).map(cells);
    write_csv(
        &header,
        rows.map(|mut cells: Vec<String>| {
            cells.resize(header.len(), String::new());
            cells
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const BY_YEAR: Layout = Layout::Rows { replaced_by: &["year"], names: &["tax"] };

    #[test]
    fn a_table_has_an_edition_of_a_year_if_one_of_its_rows_begins_in_it() {
        for text in ["year,a\n2027,1\n", "a,effective_from\n1,2027-07-01\n,\n", "from,a\n2027-01-01,2027\n"] {
            assert!(has_edition(text, BY_YEAR, 2027), "{text}");
            assert!(!has_edition(text, BY_YEAR, 2026), "{text}");
        }
        assert!(!has_edition("until,a\n2027-12-31,2027\n", BY_YEAR, 2027));
        assert!(has_edition("[{\"year\": 2026}, {\"year\": 2027}]", Layout::Years, 2027));
        assert!(!has_edition("{\"year\": 2026}", Layout::States, 2027));
    }

    #[test]
    fn a_template_has_the_columns_of_days_that_no_row_has_yet() {
        let layout = Layout::Rows { replaced_by: &["state", "effective_from"], names: &["state"] };
        let made = year_template("state,days\nTX,20\nNY,10\n", layout);
        assert_eq!(made, "state,days,effective_from\nTX,,\nNY,,\n");
    }

    #[test]
    fn rows_of_a_year_replace_those_of_that_year_and_come_first() {
        let held = "year,tax,rate\n2025,a,1\n2026,a,2\n2026,b,3\n";
        // A table of an earlier version of the program may have had fewer columns.
        let built_in = "year,tax,rate,source\n";
        let file = "year,tax,rate,source\n2026,a,4,law\n2027,a,5,\n";
        let merged = merge_file(built_in, held, file, BY_YEAR).unwrap();
        assert_eq!(merged, "year,tax,rate,source\n2026,a,4,law\n2027,a,5,\n2025,a,1,\n");
    }

    #[test]
    fn a_file_without_one_of_the_columns_or_with_another_one_or_without_rows_is_refused() {
        let held = "state,daily,note\nCA,8,\n";
        let layout = Layout::Rows { replaced_by: &["state", "from"], names: &["state"] };
        let why = |file: &str| merge_file(held, held, file, layout).unwrap_err();
        assert_eq!(
            why("state,dayly,note\nCA,9,\n"),
            "line 1: the column \"dayly\" is unknown; the columns are state, daily, note"
        );
        assert_eq!(
            why("state,note\nCA,\n"),
            "line 1: the column daily is missing; the columns are state, daily, note"
        );
        assert!(why("x\n").contains("unknown"));
        assert!(why("").contains("the column state is missing"));
        assert_eq!(why("state,daily,note\n"), "the file has no rows");
        let dated = merge_file(held, held, "state,from,daily,note\nCA,2027-01-01,9,\n", layout).unwrap();
        assert_eq!(dated, "state,daily,note,from\nCA,9,,2027-01-01\nCA,8,,\n");
    }

    #[test]
    fn states_of_a_year_are_added_to_those_of_that_year() {
        let held = r#"{"year": 2026, "states": {"CA": 1, "NY": 2}}"#;
        let first = merge_file(held, held, r#"{"year": 2027, "states": {"CA": 3}}"#, Layout::States).unwrap();
        let both =
            merge_file(held, &first, r#"{"year": 2027, "note": "x", "states": {"NY": 4}}"#, Layout::States)
                .unwrap();
        let read: Value = serde_json::from_str(&both).unwrap();
        assert_eq!(read[0]["states"], serde_json::json!({"CA": 1, "NY": 2}));
        assert_eq!(read[1], serde_json::json!({"year": 2027, "note": "x", "states": {"CA": 3, "NY": 4}}));
        let whole =
            merge_file(held, &first, r#"{"year": 2027, "states": {"NY": 4}}"#, Layout::Years).unwrap();
        assert!(!whole.contains("\"CA\":3"), "{whole}");
    }

    #[test]
    fn a_template_is_for_the_next_year_and_refused_until_it_is_filled_in() {
        let rows = year_template("year,tax,rate\n2026,a,2\n2027,a,5\n2027,b,6\n", BY_YEAR);
        assert_eq!(rows, "year,tax,rate\n2028,a,\n2028,b,\n");
        let json = year_template(r#"{"year": 2026, "states": {"CA": [1, 2]}}"#, Layout::States);
        let expected = "{\n  \"year\": 2027,\n  \"states\": {\n    \"CA\": [1, 2]\n  },\n  \"template\"";
        assert!(json.starts_with(expected), "{json}");
        assert!(refuse_template(&json, Layout::States).unwrap_err().contains("template"));
        refuse_template(r#"{"year": 2027, "states": {}}"#, Layout::States).unwrap();
    }

    #[test]
    fn a_file_with_another_layout_is_refused() {
        for (file, expected) in [
            ("{", "not JSON"),
            ("[3]", "must be an object"),
            ("{}", "year is missing"),
            (r#"[{"year":1},{"year":1}]"#, "twice"),
        ] {
            let why = merge_file("[]", "[]", file, Layout::Years).unwrap_err();
            assert!(why.contains(expected), "{why}");
        }
        assert!(merge_file("year\n1\n", "year\n1\n", "year\n1,2\n", BY_YEAR).is_err());
    }
}
