//! A table, and its CSV, JSON and PDF formats.

use rules::Amount;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::terms::FileType;
use crate::error::Error;
use crate::language::Language;
use crate::people::forms::document::{Document, DocumentLine, Section, Signature};
use crate::people::forms::pdf;
use crate::spreadsheet;

/// The value of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// empty cell
    Empty,
    /// text, a date or a rate
    Text(String),
    /// dollars or hours
    Amount(Amount),
    /// a count
    Count(i64),
}

impl Cell {
    /// Creates a text cell; `Empty` for empty text.
    pub fn from_text(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::Empty } else { Self::Text(text) }
    }

    /// Creates a text cell; `Empty` for `None` or empty text.
    pub fn from_optional_text(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Empty, |text| Self::from_text(text))
    }

    /// Creates an amount from cents.
    pub fn from_cents(cents: i64) -> Self {
        Self::Amount(Amount::from_cents(cents))
    }

    /// Formats the value for display.
    pub fn display_text(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => text.clone(),
            Self::Amount(amount) => amount.to_text(2),
            Self::Count(count) => count.to_string(),
        }
    }

    /// Adds the cell of another row: amounts and counts are added up, text is kept if it is the same, and other cells become empty.
    pub fn add_cell(&mut self, more: &Self) {
        match (&mut *self, more) {
            (Self::Amount(sum), Self::Amount(more)) => *sum += *more,
            (Self::Count(sum), Self::Count(more)) => *sum += more,
            (same, more) if same == more => {}
            (other, _) => *other = Self::Empty,
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Empty => Value::Null,
            Self::Count(count) => json!(count),
            shown => shown.display_text().into(),
        }
    }

    /// Formats the value for spreadsheets: text that they would read as a formula is prefixed with an apostrophe.
    fn spreadsheet_text(&self) -> String {
        match self {
            Self::Text(text) => spreadsheet::escape_formula(text),
            shown => shown.display_text(),
        }
    }
}

/// A table.
#[derive(Debug, Clone)]
pub struct Table {
    /// its title
    pub title: String,
    /// names of its columns
    pub columns: Vec<String>,
    /// its rows, each with a cell for every column
    pub rows: Vec<Vec<Cell>>,
    /// totals, if requested
    pub totals: Option<Vec<Cell>>,
}

impl Table {
    /// Creates a table without rows.
    pub fn new(title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { title: title.into(), columns, rows: Vec::new(), totals: None }
    }

    /// Adds a row with the totals of all rows.
    pub fn add_totals(&mut self) {
        let mut sums = self.rows.iter();
        let blank = |cell: &Cell| match cell {
            Cell::Text(_) => Cell::Empty,
            other => other.clone(),
        };
        let mut totals: Vec<Cell> = match sums.next() {
            Some(first) => first.iter().map(blank).collect(),
            None => vec![Cell::Empty; self.columns.len()],
        };
        for row in sums {
            for (sum, cell) in totals.iter_mut().zip(row) {
                match (&*sum, cell) {
                    (Cell::Empty, Cell::Amount(_) | Cell::Count(_)) => *sum = cell.clone(),
                    (_, Cell::Amount(_) | Cell::Count(_)) => sum.add_cell(cell),
                    _ => {}
                }
            }
        }
        if let Some(first @ Cell::Empty) = totals.first_mut() {
            *first = Cell::Text("Total".to_owned());
        }
        self.totals = Some(totals);
    }

    /// Formats the table as a file of a type.
    ///
    /// # Errors
    /// An internal error.
    pub fn to_file(&self, file_type: FileType, id: Uuid, about: &[String]) -> Result<Vec<u8>, Error> {
        match file_type {
            FileType::Csv => self.to_csv(),
            FileType::Json => Ok(self.to_json().to_string().into_bytes()),
            FileType::Pdf => Ok(self.to_pdf(id, about)),
        }
    }

    /// Formats the table as CSV, with a header row.
    ///
    /// # Errors
    /// An internal error.
    pub fn to_csv(&self) -> Result<Vec<u8>, Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let failed = "a line of a report could not be written";
        writer.write_record(&self.columns).map_err(Error::failed_operation(failed))?;
        for row in self.rows.iter().chain(&self.totals) {
            writer
                .write_record(row.iter().map(Cell::spreadsheet_text))
                .map_err(Error::failed_operation(failed))?;
        }
        writer.into_inner().map_err(Error::failed_operation(failed))
    }

    fn to_json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let cells = self.columns.iter().zip(row);
            Value::Object(cells.map(|(column, cell)| (column.clone(), cell.to_json())).collect::<Map<_, _>>())
        };
        json!({
            "title": self.title,
            "columns": self.columns,
            "rows": self.rows.iter().map(object).collect::<Vec<_>>(),
            "totals": self.totals.as_ref().map(object),
        })
    }

    /// Formats the table as PDF. Each row is a section, so that any number of columns fits on a page.
    fn to_pdf(&self, id: Uuid, about: &[String]) -> Vec<u8> {
        let section = |heading: String, row: &Vec<Cell>| Section {
            heading,
            lines: (self.columns.iter().zip(row))
                .filter(|(_, cell)| **cell != Cell::Empty)
                .map(|(column, cell)| DocumentLine::new("", column_in_words(column), cell.display_text()))
                .collect(),
        };
        let rows = (1..).zip(&self.rows).map(|(place, row)| section(format!("{place}"), row));
        let totals = self.totals.iter().map(|row| section("Total".to_owned(), row));
        pdf::render_pdf(&Document {
            id,
            language: Language::English,
            title: "Report",
            code: self.title.clone(),
            intro: "Amounts are dollars, hours are decimal.",
            signer: "Company",
            signed_by: about.to_vec(),
            on_behalf_of: ("Rows", vec![self.rows.len().to_string()]),
            sections: rows.chain(totals).collect(),
            statement: &[],
            signature: Signature::NotAsked,
            preparers: Vec::new(),
            shares: Vec::new(),
        })
    }
}

/// Returns the name of a column in words.
pub fn column_in_words(column: &str) -> String {
    let spaced = column.replace('_', " ");
    let mut letters = spaced.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("Pay", &["name", "pay", "people"]);
        table.rows.push(vec![Cell::from_text("=Ana"), Cell::from_cents(1_050), Cell::Count(1)]);
        table.rows.push(vec![Cell::from_text("Max, \"M\""), Cell::from_cents(-50), Cell::Count(2)]);
        table.add_totals();
        table
    }

    #[test]
    fn amounts_add_up_to_a_last_line_and_text_is_never_a_formula() {
        let text = String::from_utf8(table().to_csv().unwrap()).unwrap();
        assert_eq!(text, "name,pay,people\n'=Ana,10.50,1\n\"Max, \"\"M\"\"\",-0.50,2\nTotal,10.00,3\n");
    }

    #[test]
    fn json_has_amounts_as_text_and_counts_as_numbers() {
        let table = table().to_json();
        assert_eq!(table["rows"][0], json!({ "name": "=Ana", "pay": "10.50", "people": 1 }));
        assert_eq!(table["totals"]["pay"], "10.00");
    }

    #[test]
    fn grouped_rows_keep_text_that_is_the_same_in_all() {
        let mut cell = Cell::from_text("Kitchen");
        cell.add_cell(&Cell::from_text("Kitchen"));
        assert_eq!(cell, Cell::from_text("Kitchen"));
        cell.add_cell(&Cell::from_text("Bar"));
        assert_eq!(cell, Cell::Empty);
    }
}
