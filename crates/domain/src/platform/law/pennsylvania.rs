//! Pennsylvania's register as the state publishes it: a workbook (`.xls`), or the same report as CSV.

use std::io::Cursor;

use calamine::{Data, Reader as _, Xls, Xlsx};
use rules::taxes::pennsylvania_register_from_state;

use crate::platform::reference::source::text_file;
use crate::platform::reference::{Faults, Request};

/// Maximum bytes of a file of law; the largest built-in one has 84 KB.
pub(super) const LARGEST: u64 = 8 << 20;

/// How the first bytes of a workbook of each kind look.
const XLS: [u8; 4] = [0xD0, 0xCF, 0x11, 0xE0];
const XLSX: [u8; 4] = *b"PK\x03\x04";
/// Maximum cells of a sheet.
const MOST_CELLS: usize = 1_000_000;

/// Returns the text of the file in the columns of the project's own table, converted if it is the state's.
///
/// # Errors
/// What cannot be read, with its line.
pub(super) fn convert_file(request: &Request<'_>) -> Result<String, Faults> {
    let name = request.path.display();
    let unreadable = |error: &dyn std::fmt::Display| format!("{name} cannot be read: {error}");
    let is_workbook = request
        .path
        .extension()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("xls") || kind.eq_ignore_ascii_case("xlsx"));
    let rows = if is_workbook {
        let size = std::fs::metadata(request.path).map_err(|error| unreadable(&error))?.len();
        if size > LARGEST {
            return Err(format!("{name} is larger than {} MB", LARGEST >> 20).into());
        }
        let bytes = std::fs::read(request.path).map_err(|error| unreadable(&error))?;
        of_workbook(bytes).map_err(|error| unreadable(&error))?
    } else {
        let text = text_file(request, LARGEST)?;
        let text = text.trim_start_matches('\u{feff}');
        if text.starts_with("psd,") {
            return Ok(text.to_owned());
        }
        of_csv(text).map_err(|error| unreadable(&error))?
    };
    pennsylvania_register_from_state(&rows).map_err(|faults| {
        let all: Vec<String> = faults.iter().map(ToString::to_string).collect();
        all.join("; ").into()
    })
}

fn of_csv(text: &str) -> Result<Vec<Vec<String>>, csv::Error> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    reader.records().map(|row| Ok(row?.iter().map(str::to_owned).collect())).collect()
}

/// The cells of a workbook's first sheet, as text.
fn of_workbook(bytes: Vec<u8>) -> Result<Vec<Vec<String>>, String> {
    let error = |error: &dyn std::fmt::Display| error.to_string();
    let start: Option<[u8; 4]> = bytes.first_chunk().copied();
    let sheet = match start {
        Some(XLS) => {
            let mut book = Xls::new(Cursor::new(bytes)).map_err(|why| error(&why))?;
            book.worksheet_range_at(0).ok_or("it has no sheet")?.map_err(|why| error(&why))?
        }
        Some(XLSX) => {
            let mut book = Xlsx::new(Cursor::new(bytes)).map_err(|why| error(&why))?;
            book.worksheet_range_at(0).ok_or("it has no sheet")?.map_err(|why| error(&why))?
        }
        _ => return Err("it is no workbook: save the report as .xls or .csv".to_owned()),
    };
    let (height, width) = sheet.get_size();
    if height.saturating_mul(width) > MOST_CELLS {
        return Err(format!("its first sheet has more than {MOST_CELLS} cells"));
    }
    let text = |cell: &Data| match cell {
        Data::Empty => String::new(),
        other => other.to_string(),
    };
    // The rows before the first used cell count as lines.
    let above = sheet.start().map_or(0, |(row, _)| row as usize);
    let rows = sheet.rows().map(|row| row.iter().map(text).collect());
    Ok(std::iter::repeat_n(Vec::new(), above.min(10)).chain(rows).collect())
}
