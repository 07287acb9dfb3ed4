//! Minimum wages as reference data: built-in ones, and newer files that an operator imports.
//!
//! A vintage is named after the day of its compilation, or of the import if no day is given. Its bytes are the file as given, which the
//! service parses again; uuids are derived from the rules, so choices remain valid.

use std::sync::{Arc, OnceLock};

use store::Tx;

use super::table::{BUILT_IN_TEXT, Table};
use crate::error::Error;
use crate::platform::reference;
use crate::platform::reference::source::text_file;
use crate::platform::reference::{
    Bundle, ByConfidence, Dataset, Faults, Packed, Request, Vintage, confidence_of_rows, first_changes,
    first_lines, named_by_day, refuse_unknown_columns,
};

/// Maximum size of a file, in bytes; the built-in one has 40 KB.
const LARGEST: u64 = 16 << 20;
/// Maximum number of changed figures that are listed.
const LISTED: usize = 20;

impl Dataset for Table {
    const KIND: &'static str = "minimum-wages";
    const BUILT_IN: Bundle = Bundle { vintage: "2026-12-01", bytes: BUILT_IN_TEXT.as_bytes() };

    fn built_in() -> &'static OnceLock<Arc<Vintage<Self>>> {
        static CELL: OnceLock<Arc<Vintage<Table>>> = OnceLock::new();
        &CELL
    }

    fn open(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())?;
        Self::parse(text)
    }

    fn read(request: &Request<'_>, _: Option<&Self>) -> Result<Packed, Faults> {
        let file = text_file(request, LARGEST)?;
        refuse_unknown_columns(&file, BUILT_IN_TEXT, &[])?;
        let bytes = file.into_bytes();
        Self::open(&bytes)?;
        // Files have figures of future days, so no day in a file can date the file.
        Ok(Packed { vintage: named_by_day::<Self>(request), bytes })
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn changes(&self, before: &Self) -> Vec<String> {
        first_changes(self.differences_from(before), LISTED, " figures")
    }

    fn template() -> String {
        first_lines(BUILT_IN_TEXT)
    }

    fn confidence(bytes: &[u8]) -> ByConfidence {
        confidence_of_rows(bytes)
    }
}

/// The minimum wages in force.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn current_table(tx: &mut Tx<'_>) -> Result<Arc<Vintage<Table>>, Error> {
    reference::current_vintage(tx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_an_import_are_listed_by_rule() {
        let newer = BUILT_IN_TEXT.to_owned() + "State,TX,,,,,Regular,,9.00,,,2026-10-01,,,,,\n";
        let newer = Table::parse(&newer).unwrap();
        assert_eq!(newer.changes(Table::built_in()), ["State TX Regular from 2026-10-01: 9.00"]);
        let changes = Table::built_in().changes(&newer);
        assert_eq!(changes, ["State TX Regular from 2026-10-01: no longer there, was 9.00"]);
    }
}
