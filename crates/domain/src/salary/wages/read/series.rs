//! The flat files of the time series: `oe.data.*` has one value per line, `oe.area` and others the meaning of its codes.
//!
//! The id of a series consists of `OE`, adjustment `U`, kind of area (`N`, `S`, `M`), area (7 digits), industry (6), occupation (6) and
//! kind of figure (2): 01 people employed, 03 and 04 mean hourly and yearly wage, 06 to 10 hourly and 11 to 15 yearly wage at the
//! percentiles. Footnote 5 says that a wage is at least the highest one published, and its text which one that is.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read};

use rules::salary::AreaKind;

use super::super::release::{Area, Figure, Release, Row};
use super::cell::{parse_cents, parse_code, parse_figure, parse_whole};
use super::known::{Before, FLOOR, check_row_limit, floor_in};
use crate::platform::reference::Faults;
use crate::platform::reference::source::{Files, Input};

/// Maximum bytes of a line.
const LONGEST: usize = 10_000;
/// All industries together.
const ALL_INDUSTRIES: &str = "000000";
/// The footnote of a wage that is published only as a lower bound.
const FLOOR_NOTE: &str = "5";

/// Whether a file contains values of the series.
pub fn is_one(name: &str) -> bool {
    name.starts_with("oe.data.")
}

/// The release of the newest year of the files.
///
/// # Errors
/// If a file cannot be read at all; errors of lines are collected.
pub fn read_newest_year(
    files: &mut Files<'_>,
    before: Before<'_>,
    faults: &mut Faults,
) -> Result<(Option<String>, Release), Faults> {
    let wanted = |name: &str| is_one(name) || matches!(name, "oe.area" | "oe.footnote");
    let mut release = Release {
        floor: before.map_or(FLOOR, |before| before.floor()),
        areas: before.map(|before| before.all_areas().collect()).unwrap_or_default(),
        rows: Vec::new(),
    };
    let mut values = Values::default();
    for (name, input) in files.open_matching(wanted)? {
        match name.as_str() {
            "oe.area" => release.areas = read_areas(input, &release.areas, faults)?,
            "oe.footnote" => release.floor = read_wage_floor(input)?.unwrap_or(release.floor),
            _ => values.read_values(&name, input, faults)?,
        }
    }
    release.rows = values.rows.into_values().collect();
    // The statistics are for May.
    Ok((Some(format!("{:04}-05", values.year)), release))
}

/// Processes a line: its number, the indices of columns by name, and its fields.
type EachLine<'f> = &'f mut dyn FnMut(u64, &HashMap<String, usize>, &[&str]);

/// Passes each line after the header to `each`, with its number, split at tabs.
fn for_each_line(name: &str, input: Input<'_>, each: EachLine<'_>) -> Result<(), String> {
    let mut reader = BufReader::with_capacity(1 << 16, input);
    let (mut line, mut columns) = (Vec::new(), HashMap::new());
    for number in 1.. {
        line.clear();
        let read = reader.by_ref().take(LONGEST as u64).read_until(b'\n', &mut line);
        match read {
            Ok(0) => break,
            Ok(LONGEST) => {
                return Err(format!("{name} line {number}: the line is longer than {LONGEST} bytes"));
            }
            Ok(_) => {}
            Err(error) => return Err(format!("{name} line {number}: {error}")),
        }
        let text = std::str::from_utf8(&line).map_err(|_| format!("{name} line {number}: not text"))?;
        let mut cells = [""; 16];
        let mut count = 0;
        for (cell, text) in cells.iter_mut().zip(text.split('\t')) {
            *cell = text.trim();
            count += 1;
        }
        let cells = &cells[..count];
        if number == 1 {
            columns = cells.iter().enumerate().map(|(place, name)| (name.to_lowercase(), place)).collect();
        } else if !text.trim().is_empty() {
            each(number, &columns, cells);
        }
    }
    Ok(())
}

fn cell_in_column<'c>(columns: &HashMap<String, usize>, cells: &[&'c str], name: &str) -> Option<&'c str> {
    cells.get(*columns.get(name)?).copied()
}

fn read_areas(
    input: Input<'_>,
    before: &BTreeMap<u32, Area>,
    faults: &mut Faults,
) -> Result<BTreeMap<u32, Area>, String> {
    // Postal abbreviations are not in these files; the number of a state never changes.
    let postal: HashMap<u32, &str> = before
        .iter()
        .filter(|(_, area)| area.kind == AreaKind::State)
        .map(|(code, area)| (code / 100_000, area.state.as_str()))
        .collect();
    let mut areas = BTreeMap::new();
    for_each_line("oe.area", input, &mut |number, columns, cells| {
        let at = |name| cell_in_column(columns, cells, name).unwrap_or_default();
        let name = at("area_name");
        let kind = match at("areatype_code") {
            "N" => Some(AreaKind::National),
            "S" => Some(AreaKind::State),
            "M" if name.contains("nonmetropolitan") => Some(AreaKind::Nonmetropolitan),
            "M" => Some(AreaKind::Metropolitan),
            _ => None,
        };
        match (parse_code(at("area_code"), 7), kind) {
            (Some(area), Some(kind)) => {
                let state = at("state_code").parse().ok().and_then(|state: u32| postal.get(&state));
                let state = state.copied().unwrap_or_default().to_owned();
                areas.insert(area, Area { kind, state, name: name.to_owned() });
            }
            _ => faults.push(|| format!("oe.area line {number}: the area is of an unknown kind")),
        }
    })?;
    Ok(areas)
}

/// The yearly wage in the text of the footnote: "… $115.00 per hour or $239,200 per year".
fn read_wage_floor(input: Input<'_>) -> Result<Option<u32>, String> {
    let mut found = None;
    for_each_line("oe.footnote", input, &mut |_, columns, cells| {
        if cell_in_column(columns, cells, "footnote_code") == Some(FLOOR_NOTE) {
            found = cell_in_column(columns, cells, "footnote_text").and_then(floor_in);
        }
    })?;
    Ok(found)
}

/// Values of the newest year so far.
#[derive(Default)]
struct Values {
    year: u32,
    rows: HashMap<(u32, u32), Row>,
}

impl Values {
    fn read_values(&mut self, name: &str, input: Input<'_>, faults: &mut Faults) -> Result<(), String> {
        for_each_line(name, input, &mut |number, columns, cells| {
            let at = |name| cell_in_column(columns, cells, name).unwrap_or_default();
            let taken = self.take_value(at("series_id"), at("year"), at("value"), at("footnote_codes"));
            if let Err(why) = taken {
                faults.push(|| format!("{name} line {number}: {why}"));
            }
        })
    }

    fn take_value(&mut self, series: &str, year: &str, value: &str, notes: &str) -> Result<(), String> {
        let wrong =
            || format!("series_id {series:?} does not have the form OEU, area, industry, occupation, figure");
        if series.len() != 25 || !series.is_ascii() || !series.starts_with("OEU") {
            return Err(wrong());
        }
        if &series[11..17] != ALL_INDUSTRIES {
            return Ok(());
        }
        let year = parse_code(year, 4).ok_or_else(|| format!("year {year:?} is not four digits"))?;
        if year < self.year {
            return Ok(());
        }
        if year > self.year {
            self.rows.clear();
            self.year = year;
        }
        let area = parse_code(&series[4..11], 7).ok_or_else(wrong)?;
        let occupation = parse_code(&series[17..23], 6).ok_or_else(wrong)?;
        let kind: usize = series[23..].parse().map_err(|_| wrong())?;
        if !self.rows.contains_key(&(area, occupation)) {
            check_row_limit(self.rows.len())?;
        }
        let row = self.rows.entry((area, occupation)).or_insert(Row { area, occupation, ..Row::default() });
        let (place, unit): (&mut Figure, fn(&str) -> Option<u32>) = match kind {
            1 => (&mut row.employment, parse_whole),
            3 => (&mut row.mean[1], parse_cents),
            4 => (&mut row.mean[0], parse_whole),
            6..=10 => (&mut row.hourly[kind - 6], parse_cents),
            11..=15 => (&mut row.yearly[kind - 11], parse_whole),
            2 | 5 | 16 | 17 => return Ok(()),
            _ => return Err(wrong()),
        };
        let capped = notes.split(',').any(|note| note.trim() == FLOOR_NOTE);
        *place = match parse_figure(value, unit)? {
            Figure::MISSING if capped => Figure::AT_LEAST,
            figure => figure,
        };
        Ok(())
    }
}
