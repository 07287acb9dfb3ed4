//! Tables in the layout of `data/wages`: the header names the columns, and `areas.csv` the areas.

use std::collections::BTreeMap;

use rules::Named;
use rules::salary::AreaKind;
use serde::Deserialize;

use super::super::release::{Area, Figure, Release, Row};
use super::cell::{parse_cents, parse_code, parse_figure, parse_occupation_code, parse_whole};
use super::known::{Before, FLOOR, check_row_limit};
use crate::platform::reference::Faults;
use crate::platform::reference::source::{Files, Input};

/// Whether a file is such a table.
pub fn is_one(name: &str) -> bool {
    name.ends_with(".csv")
}

#[derive(Deserialize)]
struct AreaLine {
    area_code: String,
    kind: String,
    primary_state: String,
    name: String,
}

#[derive(Deserialize)]
struct AreaWageLine<'l> {
    area_code: &'l str,
    occ_code: &'l str,
    employment: &'l str,
    h_mean: &'l str,
    h_p10: &'l str,
    h_p25: &'l str,
    h_p50: &'l str,
    h_p75: &'l str,
    h_p90: &'l str,
    a_mean: &'l str,
    a_p10: &'l str,
    a_p25: &'l str,
    a_p50: &'l str,
    a_p75: &'l str,
    a_p90: &'l str,
    topcoded: &'l str,
}

/// Reads every table of the files.
///
/// # Errors
/// If a file cannot be read at all; errors of lines are collected.
pub fn read_tables(
    files: &mut Files<'_>,
    before: Before<'_>,
    faults: &mut Faults,
) -> Result<Release, Faults> {
    let mut release = Release {
        floor: before.map_or(FLOOR, |before| before.floor()),
        areas: before.map(|before| before.all_areas().collect()).unwrap_or_default(),
        rows: Vec::new(),
    };
    for (name, input) in files.open_matching(is_one)? {
        if name == "areas.csv" {
            release.areas = read_areas(&name, input, faults);
        } else {
            read_rows(&name, input, &mut release.rows, faults);
        }
    }
    Ok(release)
}

fn csv_reader<'i>(input: Input<'i>) -> csv::Reader<Input<'i>> {
    csv::ReaderBuilder::new().trim(csv::Trim::All).buffer_capacity(1 << 16).from_reader(input)
}

fn read_areas(name: &str, input: Input<'_>, faults: &mut Faults) -> BTreeMap<u32, Area> {
    let mut areas = BTreeMap::new();
    for (line, place) in csv_reader(input).deserialize::<AreaLine>().zip(2_u32..) {
        let area = line.map_err(|error| error.to_string()).and_then(|line| {
            let code = parse_code(&line.area_code, 7).ok_or("area_code is not seven digits")?;
            let kind = match line.kind.as_str() {
                "metro" => AreaKind::Metropolitan,
                "nonmetro" => AreaKind::Nonmetropolitan,
                other => AreaKind::parse(other).ok_or("kind is not national, state, metro or nonmetro")?,
            };
            Ok((code, Area { kind, state: line.primary_state, name: line.name }))
        });
        match area {
            Ok((code, area)) => {
                areas.insert(code, area);
            }
            Err(why) => faults.push(|| format!("{name} line {place}: {why}")),
        }
    }
    areas
}

fn read_rows(name: &str, input: Input<'_>, rows: &mut Vec<Row>, faults: &mut Faults) {
    let mut reader = csv_reader(input);
    let headers = match reader.headers() {
        Ok(headers) => headers.clone(),
        Err(error) => return faults.push(|| format!("{name}: {error}")),
    };
    let mut record = csv::StringRecord::new();
    for place in 2_u32.. {
        match reader.read_record(&mut record) {
            Ok(false) => return,
            Ok(true) => match record.deserialize::<AreaWageLine<'_>>(Some(&headers)) {
                Ok(line) => {
                    if let Err(why) = check_row_limit(rows.len()) {
                        return faults.push(|| format!("{name} line {place}: {why}"));
                    }
                    rows.extend(read_row(&line, &mut |why| {
                        faults.push(|| format!("{name} line {place}: {why}"))
                    }))
                }
                Err(error) => faults.push(|| format!("{name} line {place}: {error}")),
            },
            // After a line that cannot be split into fields, the rest cannot be read either.
            Err(error) => return faults.push(|| format!("{name} line {place}: {error}")),
        }
    }
}

fn read_row(line: &AreaWageLine<'_>, fault: &mut dyn FnMut(String)) -> Option<Row> {
    let capped = match line.topcoded {
        "" | "0" => false,
        "1" => true,
        other => {
            fault(format!("topcoded: {other:?} is neither empty nor 1"));
            false
        }
    };
    let mut read = |column: &str, text: &str, unit: fn(&str) -> Option<u32>| {
        parse_figure(text, unit).unwrap_or_else(|why| {
            fault(format!("{column}: {why}"));
            Figure::MISSING
        })
    };
    let employment = read("employment", line.employment, parse_whole);
    let mean = [read("a_mean", line.a_mean, parse_whole), read("h_mean", line.h_mean, parse_cents)];
    let yearly = [
        ("a_p10", line.a_p10),
        ("a_p25", line.a_p25),
        ("a_p50", line.a_p50),
        ("a_p75", line.a_p75),
        ("a_p90", line.a_p90),
    ];
    let mut yearly = yearly.map(|(column, text)| read(column, text, parse_whole));
    let hourly = [
        ("h_p10", line.h_p10),
        ("h_p25", line.h_p25),
        ("h_p50", line.h_p50),
        ("h_p75", line.h_p75),
        ("h_p90", line.h_p90),
    ];
    let hourly = hourly.map(|(column, text)| read(column, text, parse_cents));
    if capped {
        // The mark is for the whole row: where it has no figure, the wage is at least the floor.
        for wage in yearly.iter_mut().filter(|wage| **wage == Figure::MISSING) {
            *wage = Figure::AT_LEAST;
        }
    }
    match (parse_code(line.area_code, 7), parse_occupation_code(line.occ_code)) {
        (Some(area), Some(occupation)) => Some(Row { area, occupation, employment, mean, yearly, hourly }),
        (area, _) => {
            fault(
                if area.is_none() { "area_code is not seven digits" } else { "occ_code is not six digits" }
                    .to_owned(),
            );
            None
        }
    }
}
