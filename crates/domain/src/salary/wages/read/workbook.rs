//! The workbook with all data, `all_data_M_2025.xlsx`: one sheet with a row for each area, industry and occupation.
//!
//! Its cells are read one by one while the sheet is decompressed: as a whole it would take a gigabyte. Columns are
//! found by name, which differs slightly from year to year (`OCC_CODE`, `occ code`).

use std::collections::HashMap;
use std::io::{BufReader, Read as _, Seek as _};

use calamine::{DataRef, Reader as _, Xlsx};
use rules::salary::AreaKind;
use zip::ZipArchive;

use super::super::release::{Area, Figure, NATION, Release, Row};
use super::cell::{parse_cents, parse_figure, parse_occupation_code, parse_whole};
use super::known::{Before, FLOOR, check_row_limit, floor_in};
use crate::platform::reference::Faults;
use crate::platform::reference::source::{Counted, Files, Input};

type Workbook<'p> = Xlsx<BufReader<Counted<'p>>>;

/// Maximum rows of all explanation sheets that are searched.
const EXPLAINED: u32 = 500;
/// Path of the sheets in the file.
const SHEETS: &str = "xl/worksheets/";
/// Maximum uncompressed bytes of any other part; the texts of a whole release are a few megabytes.
const LARGEST_PART: u64 = 64 << 20;

/// The columns used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Area,
    AreaTitle,
    AreaType,
    State,
    Industry,
    Occupation,
    Employment,
    Mean(usize),
    Yearly(usize),
    Hourly(usize),
}

/// Their names in capitals without blanks, as used since 2010, and whether each is required.
const COLUMNS: [(&str, Column); 23] = [
    ("AREA", Column::Area),
    ("AREA_TITLE", Column::AreaTitle),
    ("AREA_TYPE", Column::AreaType),
    ("PRIM_STATE", Column::State),
    ("NAICS", Column::Industry),
    ("OCC_CODE", Column::Occupation),
    ("TOT_EMP", Column::Employment),
    ("A_MEAN", Column::Mean(0)),
    ("H_MEAN", Column::Mean(1)),
    ("A_PCT10", Column::Yearly(0)),
    ("A_PCT25", Column::Yearly(1)),
    ("A_MEDIAN", Column::Yearly(2)),
    ("A_PCT50", Column::Yearly(2)),
    ("A_PCT75", Column::Yearly(3)),
    ("A_PCT90", Column::Yearly(4)),
    ("H_PCT10", Column::Hourly(0)),
    ("H_PCT25", Column::Hourly(1)),
    ("H_MEDIAN", Column::Hourly(2)),
    ("H_PCT50", Column::Hourly(2)),
    ("H_PCT75", Column::Hourly(3)),
    ("H_PCT90", Column::Hourly(4)),
    ("AREA_NAME", Column::AreaTitle),
    ("OCCCODE", Column::Occupation),
];

/// Whether a file is such a workbook.
pub fn is_one(name: &str) -> bool {
    name.ends_with(".xlsx")
}

/// Reads the workbook; its vintage is that of the year in the names of sheet and file.
///
/// # Errors
/// If it cannot be read at all; errors of cells are collected.
pub fn read_workbook(
    files: &mut Files<'_>,
    before: Before<'_>,
    faults: &mut Faults,
) -> Result<(Option<String>, Release), Faults> {
    let mut opened = files.open_matching(is_one)?;
    let (name, input) = match (opened.pop(), opened.pop()) {
        (Some((name, Input::Plain(input))), None) => (name, input),
        _ => return Err("there must be exactly one workbook, compressed at most by zip".to_owned().into()),
    };
    let input = check_decompressed_size(&name, input)?;
    let broken = |error: calamine::XlsxError| format!("{name}: {error}");
    let mut workbook = Workbook::new(input).map_err(broken)?;
    let sheets = workbook.sheet_names();
    let Some(sheet) = sheets.first().cloned() else { return Err(format!("{name} has no sheet").into()) };
    let mut taken = Taken::default();
    let mut reader = workbook.worksheet_cells_reader(&sheet).map_err(broken)?;
    while let Some(cell) = reader.next_cell().map_err(broken)? {
        let (row, column) = cell.get_position();
        taken.take_cell(row, column as usize, cell.get_value(), faults)?;
    }
    taken.end_row(faults)?;
    drop(reader);
    let stated =
        sheets.get(1..).unwrap_or_default().iter().find_map(|sheet| read_wage_floor(&mut workbook, sheet));
    let release = Release {
        floor: stated.or(before.map(|before| before.floor())).unwrap_or(FLOOR),
        areas: taken.areas.into_iter().collect(),
        rows: taken.rows,
    };
    // The statistics are for May.
    let year = year_in(&sheet).or_else(|| year_in(&name));
    Ok((year.map(|year| format!("{year}-05")), release))
}

/// The workbook, if only its sheets are large when decompressed: the sheets are read cell by cell, and the rest as a
/// whole.
fn check_decompressed_size<'p>(
    name: &str,
    mut input: BufReader<Counted<'p>>,
) -> Result<BufReader<Counted<'p>>, String> {
    let broken = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    let mut archive = ZipArchive::new(&mut input).map_err(|error| broken(&error))?;
    for place in 0..archive.len() {
        let entry = archive.by_index(place).map_err(|error| broken(&error))?;
        if entry.name().map_err(|error| broken(&error))?.starts_with(SHEETS) {
            continue;
        }
        let unpacked = std::io::copy(&mut entry.take(LARGEST_PART + 1), &mut std::io::sink());
        if unpacked.map_err(|error| broken(&error))? > LARGEST_PART {
            return Err(format!("{name}: a part is larger than {} MB", LARGEST_PART >> 20));
        }
    }
    input.rewind().map_err(|error| broken(&error))?;
    Ok(input)
}

/// Four digits that are not part of a longer number and are a year of this century.
fn year_in(text: &str) -> Option<&str> {
    text.split(|c: char| !c.is_ascii_digit()).find(|digits| digits.len() == 4 && digits.starts_with("20"))
}

/// The floor given in the explanation of the mark `#` on a sheet.
fn read_wage_floor(workbook: &mut Workbook<'_>, sheet: &str) -> Option<u32> {
    let mut cells = workbook.worksheet_cells_reader(sheet).ok()?;
    while let Some(cell) = cells.next_cell().ok()?.filter(|cell| cell.get_position().0 < EXPLAINED) {
        if let Some(floor) = floor_in(&cell_text(cell.get_value())) {
            return Some(floor);
        }
    }
    None
}

/// What has been read from the sheet so far.
#[derive(Default)]
struct Taken {
    /// the meaning of each column
    columns: Vec<Option<Column>>,
    row: u32,
    now: Now,
    areas: HashMap<u32, Area>,
    rows: Vec<Row>,
}

/// The row being read.
#[derive(Default)]
struct Now {
    area: String,
    title: String,
    kind: String,
    state: String,
    all_industries: bool,
    occupation: Option<u32>,
    figures: Row,
    faults: Vec<String>,
    seen: bool,
}

impl Taken {
    fn take_cell(
        &mut self,
        row: u32,
        column: usize,
        value: &DataRef<'_>,
        faults: &mut Faults,
    ) -> Result<(), String> {
        if row == 0 {
            return self.take_header(column, &cell_text(value));
        }
        if row != self.row {
            self.end_row(faults)?;
            self.row = row;
        }
        if let Some(Some(column)) = self.columns.get(column) {
            self.now.take_value(*column, value);
        }
        Ok(())
    }

    fn take_header(&mut self, place: usize, title: &str) -> Result<(), String> {
        if place > 1_000 {
            return Err("the sheet has more than 1,000 columns".to_owned());
        }
        let title = title.trim().to_uppercase().replace(' ', "_");
        let known = COLUMNS.iter().find(|(name, _)| *name == title).map(|(_, column)| *column);
        if self.columns.len() <= place {
            self.columns.resize(place + 1, None);
        }
        self.columns[place] = known;
        Ok(())
    }

    /// Ends the row being read.
    fn end_row(&mut self, faults: &mut Faults) -> Result<(), String> {
        let missing = COLUMNS.iter().find(|(_, column)| {
            !matches!(column, Column::State | Column::Mean(_)) && !self.columns.contains(&Some(*column))
        });
        let now = std::mem::take(&mut self.now);
        if let Some((name, _)) = missing {
            if self.row <= 1 {
                faults.push(|| format!("the first row does not contain the column {name}"));
            }
            return Ok(());
        }
        if !now.seen || !now.all_industries {
            return Ok(());
        }
        let number = self.row + 1;
        for fault in &now.faults {
            faults.push(|| format!("row {number}: {fault}"));
        }
        match (parse_area(&now.area, &now.kind, &now.title), now.occupation) {
            (Some((code, kind)), Some(occupation)) => {
                check_row_limit(self.rows.len())?;
                self.rows.push(Row { area: code, occupation, ..now.figures });
                let state = if code == NATION { String::new() } else { now.state };
                self.areas.entry(code).or_insert(Area { kind, state, name: now.title });
            }
            (None, _) => faults.push(|| {
                format!("row {number}: AREA {:?} of AREA_TYPE {:?} is not an area", now.area, now.kind)
            }),
            (_, None) => faults.push(|| format!("row {number}: OCC_CODE is not the code of an occupation")),
        }
        Ok(())
    }
}

impl Now {
    fn take_value(&mut self, column: Column, value: &DataRef<'_>) {
        self.seen = true;
        match column {
            Column::Industry => self.all_industries = matches!(&*cell_text(value), "000000" | "0"),
            // Rows of single industries are skipped; the industry comes before the figures.
            Column::Employment | Column::Mean(_) | Column::Yearly(_) | Column::Hourly(_)
                if !self.all_industries => {}
            Column::Area => self.area = cell_text(value).into_owned(),
            Column::AreaTitle => self.title = cell_text(value).into_owned(),
            Column::AreaType => self.kind = cell_text(value).into_owned(),
            Column::State => self.state = cell_text(value).into_owned(),
            Column::Occupation => self.occupation = parse_occupation_code(cell_text(value).trim()),
            Column::Employment => self.figures.employment = self.read_figure("TOT_EMP", value, parse_whole),
            Column::Mean(0) => self.figures.mean[0] = self.read_figure("A_MEAN", value, parse_whole),
            Column::Mean(_) => self.figures.mean[1] = self.read_figure("H_MEAN", value, parse_cents),
            Column::Yearly(place) => {
                self.figures.yearly[place] = self.read_figure("a yearly wage", value, parse_whole)
            }
            Column::Hourly(place) => {
                self.figures.hourly[place] = self.read_figure("an hourly wage", value, parse_cents)
            }
        }
    }

    fn read_figure(&mut self, column: &str, value: &DataRef<'_>, unit: fn(&str) -> Option<u32>) -> Figure {
        parse_figure(&cell_text(value), unit).unwrap_or_else(|why| {
            self.faults.push(format!("{column}: {why}"));
            Figure::MISSING
        })
    }
}

/// A cell as text. Numbers are written with the fewest digits that denote them, which gives back what was entered.
fn cell_text<'c>(value: &'c DataRef<'_>) -> std::borrow::Cow<'c, str> {
    match value {
        DataRef::SharedString(text) => (*text).into(),
        DataRef::String(text) => text.as_str().into(),
        DataRef::Int(number) => number.to_string().into(),
        DataRef::Float(number) => number.to_string().into(),
        DataRef::Empty => "".into(),
        // A boolean, date or error does not belong in these columns; as text, it is reported as an error.
        other => format!("{other:?}").into(),
    }
}

/// The seven digits of an area. Here the nation is 99, states have their two digits, and the rest lack leading zeros.
fn parse_area(code: &str, kind: &str, title: &str) -> Option<(u32, AreaKind)> {
    let number: u32 = code.trim().parse().ok()?;
    match kind.trim() {
        "1" => Some((NATION, AreaKind::National)),
        "2" | "3" => Some((if number < 100 { number * 100_000 } else { number }, AreaKind::State)),
        "4" => Some((number, AreaKind::Metropolitan)),
        "6" => Some((number, AreaKind::Nonmetropolitan)),
        // Until 2010 the column did not distinguish the rest of a state from a metropolitan area.
        "5" if title.contains("nonmetropolitan") => Some((number, AreaKind::Nonmetropolitan)),
        _ => None,
    }
    .filter(|(code, _)| *code < 10_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_restored_to_seven_digits() {
        for (code, kind, expected) in [
            ("99", "1", Some(0)),
            ("48", "2", Some(4_800_000)),
            ("1", "2", Some(100_000)),
            ("72", "3", Some(7_200_000)),
            ("10180", "4", Some(10_180)),
            ("100001", "6", Some(100_001)),
            ("10180", "9", None),
            ("x", "4", None),
        ] {
            assert_eq!(parse_area(code, kind, "").map(|(code, _)| code), expected, "{code} {kind}");
        }
    }

    #[test]
    fn the_year_is_that_of_sheet_or_file() {
        assert_eq!(year_in("All May 2025 data"), Some("2025"));
        assert_eq!(year_in("all_data_m_2026.xlsx"), Some("2026"));
        assert_eq!(year_in("Sheet1"), None);
    }
}
