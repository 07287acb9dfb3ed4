//! The minimum wages as reference data: what comes with the program, and newer files that an operator imports.
//!
//! A vintage is named by the day on which it was put together, which is that of the import where nobody names it. Its
//! bytes are the file as it was given, which the service reads anew; uuids follow from the rules, so that choices stay
//! what they were.

use std::collections::{HashMap, VecDeque};
use std::io::Read;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use jiff::tz::TimeZone;
use store::{Clock, Tx};

use super::table::{BUILT_IN_TEXT, Table};
use crate::error::Error;
use crate::platform::reference::source::Files;
use crate::platform::reference::{Bundle, Dataset, Faults, Packed, Request, Vintage, imported, rows};

/// Most bytes of a file; the built-in one has 40 KB.
const LARGEST: u64 = 16 << 20;
/// Most imported vintages kept in memory; a process with one store needs one.
const KEPT: usize = 8;
/// Most changed figures that are listed.
const LISTED: usize = 20;

impl Dataset for Table {
    const KIND: &'static str = "minimum-wages";
    const BUILT_IN: Bundle = Bundle { vintage: "2026-11-21", bytes: BUILT_IN_TEXT.as_bytes() };

    fn built_in() -> &'static OnceLock<Arc<Vintage<Self>>> {
        static CELL: OnceLock<Arc<Vintage<Table>>> = OnceLock::new();
        &CELL
    }

    fn open(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())?;
        Self::parse(text)
    }

    fn read(request: &Request<'_>, _: Option<&Self>) -> Result<Packed, Faults> {
        let mut files = Files::at(request.path, request.progress)?.open(|_| true)?;
        let (1, Some((_, file))) = (files.len(), files.pop()) else {
            return Err("name one file".to_owned().into());
        };
        let mut bytes = Vec::new();
        let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("the file cannot be read: {error}"))?;
        if bytes.len() as u64 > LARGEST {
            return Err(format!("the file is larger than {} MB", LARGEST >> 20).into());
        }
        Self::open(&bytes)?;
        // Files have figures of future days, so that no day in a file is the day of the file.
        let today = Clock::system().now().to_zoned(TimeZone::UTC).date().to_string();
        let today = today.max(Self::BUILT_IN.vintage.to_owned());
        let vintage = request.vintage.map_or(today, str::to_owned);
        Ok(Packed { vintage, bytes })
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn changes(&self, before: &Self) -> Vec<String> {
        let mut changes = self.against(before);
        let more = changes.len().saturating_sub(LISTED);
        changes.truncate(LISTED);
        if more > 0 {
            changes.push(format!("and {more} more figures"));
        }
        changes
    }
}

/// Vintages opened in this process, by checksum, and their checksums in the order of opening.
type Opened = (HashMap<String, Arc<Table>>, VecDeque<String>);

static OPENED: LazyLock<Mutex<Opened>> = LazyLock::new(Mutex::default);

/// The data set in force: the imported one, unless the built-in one is newer. It is read once in a unit, so that all of
/// its decisions use one vintage. An imported one that cannot be opened is logged, and the built-in one used instead.
///
/// # Errors
/// A store error.
pub fn current(tx: &mut Tx<'_>) -> Result<Arc<Table>, Error> {
    let Some(pointer) = imported::<Table>(tx)? else { return Ok(Arc::clone(Table::built_in())) };
    let known = |opened: &Opened| opened.0.get(&pointer.checksum).cloned();
    if let Some(table) = known(&OPENED.lock().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(table);
    }
    let bytes = rows::bytes(tx, Table::KIND, &pointer.checksum)?.unwrap_or_default();
    let table = match <Table as Dataset>::open(&bytes) {
        Ok(table) => Arc::new(table),
        Err(why) => {
            tracing::error!(vintage = pointer.vintage, why, "imported minimum wages cannot be opened");
            Arc::clone(Table::built_in())
        }
    };
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if opened.0.insert(pointer.checksum.clone(), Arc::clone(&table)).is_none() {
        opened.1.push_back(pointer.checksum);
    }
    if opened.1.len() > KEPT
        && let Some(oldest) = opened.1.pop_front()
    {
        opened.0.remove(&oldest);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_an_import_are_listed_by_rule() {
        let newer = BUILT_IN_TEXT.to_owned() + "State,TX,,,,,Regular,,9.00,,2026-10-01,,,,,\n";
        let newer = Table::parse(&newer).unwrap();
        assert_eq!(newer.changes(Table::built_in()), ["State TX Regular from 2026-10-01: 9.00"]);
        let changes = Table::built_in().changes(&newer);
        assert_eq!(changes, ["State TX Regular from 2026-10-01: no longer there, was 9.00"]);
    }
}
