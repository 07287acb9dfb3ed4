//! A release of the wage statistics as published: every area, and for every occupation in it employment, and the mean
//! and five percentiles of the yearly and of the hourly wage; and its packed format.

use std::collections::{BTreeMap, BTreeSet};

use rules::Named;
use rules::full_time::HOURS_PER_YEAR;
use rules::salary::AreaKind;

use crate::platform::reference::Faults;
use crate::platform::reference::columns::{Reader, Writer};

const FORM: [u8; 8] = *b"wages  1";

/// The nation's area.
pub const NATION: u32 = 0;
/// All occupations together.
const ALL_OCCUPATIONS: u32 = 0;
/// Dollars per year that no wage exceeds, except by a typing error.
const LARGEST_YEARLY: u32 = 20_000_000;
/// Hours by which a yearly wage is divided into that of an hour.
const HOURS: u32 = HOURS_PER_YEAR as u32;
/// Rows at most, many times those of a release: what claims more is none.
pub const MOST_ROWS: usize = 2_000_000;

/// A cell of the statistics: not published, only a lower bound, or a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figure(u32);

impl Figure {
    /// Nothing is published.
    pub const MISSING: Self = Self(0);
    /// At least the highest wage that is published.
    pub const AT_LEAST: Self = Self(1);

    /// A figure, in the column's unit.
    pub const fn of_value(value: u32) -> Self {
        Self(value.saturating_add(2))
    }

    /// The figure, if there is one.
    pub const fn value(self) -> Option<u32> {
        self.0.checked_sub(2)
    }
}

/// An area.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Area {
    /// its kind
    pub kind: AreaKind,
    /// postal abbreviation of its first state; empty for the nation
    pub state: String,
    /// its name
    pub name: String,
}

/// An occupation in an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Row {
    /// seven digits
    pub area: u32,
    /// six digits
    pub occupation: u32,
    /// people employed
    pub employment: Figure,
    /// mean wage: dollars a year, cents an hour
    pub mean: [Figure; 2],
    /// dollars a year at the 10th, 25th, 50th, 75th and 90th percentile
    pub yearly: [Figure; 5],
    /// cents an hour at the same
    pub hourly: [Figure; 5],
}

/// A whole release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// dollars per year that "at least" stands for
    pub floor: u32,
    /// by code
    pub areas: BTreeMap<u32, Area>,
    /// by area and occupation, after [`Release::check`]
    pub rows: Vec<Row>,
}

impl Release {
    /// Sorts the rows, and finds errors that a complete and correct release cannot have.
    pub fn check(&mut self, faults: &mut Faults) {
        self.rows.sort_unstable_by_key(|row| (row.area, row.occupation));
        let key = |row: &Row| (row.area, row.occupation);
        for pair in self.rows.windows(2).filter(|pair| key(&pair[0]) == key(&pair[1])) {
            faults.push(|| format!("{} is listed twice", row_name(&pair[0])));
        }
        for row in &self.rows {
            check_row(row, faults);
        }
        let named: BTreeSet<u32> = self.rows.iter().map(|row| row.area).collect();
        for area in named.iter().filter(|area| !self.areas.contains_key(area)) {
            faults.push(|| format!("area {area:07} has wages and no name"));
        }
        self.areas.retain(|code, _| named.contains(code));
        for (code, _) in self.state_areas().filter(|(_, area)| area.state.len() != 2) {
            faults.push(|| format!("area {code:07}, a state, has no postal abbreviation"));
        }
        if self.rows.first().is_none_or(|row| key(row) != (NATION, ALL_OCCUPATIONS)) {
            faults.push(|| "the national wages of all occupations together are missing".to_owned());
        }
    }

    /// The areas that are states and territories.
    pub fn state_areas(&self) -> impl Iterator<Item = (u32, &Area)> {
        self.areas.iter().filter(|(_, area)| area.kind == AreaKind::State).map(|(code, area)| (*code, area))
    }

    /// The release as packed columns. A wage is stored as its difference from the percentile below, and an hourly one
    /// as its difference from a 2,080th of the yearly wage: most of these are small or zero.
    pub fn pack(&self) -> Vec<u8> {
        let mut writer = Writer::new(FORM);
        writer.put_numbers(&[self.floor]);
        writer.put_numbers(&self.areas.keys().copied().collect::<Vec<_>>());
        writer.put_texts(self.areas.values().map(|area| area.kind.as_str()));
        writer.put_texts(self.areas.values().map(|area| &area.state));
        writer.put_texts(self.areas.values().map(|area| &area.name));
        let mut lengths: BTreeMap<u32, u32> = self.areas.keys().map(|area| (*area, 0)).collect();
        for row in &self.rows {
            *lengths.entry(row.area).or_default() += 1;
        }
        writer.put_numbers(&lengths.into_values().collect::<Vec<_>>());
        let mut column =
            |of: &dyn Fn(&Row) -> u32| writer.put_numbers(&self.rows.iter().map(of).collect::<Vec<_>>());
        column(&|row| row.occupation);
        for place in 0..5 {
            column(&|row| difference_step(percentile_below(&row.yearly, place), row.yearly[place]));
        }
        for place in 0..5 {
            column(&|row| difference_step(hourly_of(row.yearly[place]), row.hourly[place]));
        }
        column(&|row| row.employment.0);
        column(&|row| difference_step(row.yearly[2], row.mean[0]));
        column(&|row| difference_step(hourly_of(row.mean[0]), row.mean[1]));
        writer.finish()
    }

    /// Reads [`Release::pack`].
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn unpack(bytes: &[u8]) -> Result<Self, String> {
        let mut reader = Reader::new(FORM, bytes)?;
        let (mut release, mut rows) = Self::unpack_wages(&mut reader)?;
        for row in reader.take_numbers()?.into_iter().zip(&mut rows) {
            row.1.employment = Figure(row.0);
        }
        for row in reader.take_numbers()?.into_iter().zip(&mut rows) {
            row.1.mean[0] = undo_step(row.1.yearly[2], row.0)?;
        }
        for row in reader.take_numbers()?.into_iter().zip(&mut rows) {
            row.1.mean[1] = undo_step(hourly_of(row.1.mean[0]), row.0)?;
        }
        reader.finish()?;
        release.rows = rows;
        Ok(release)
    }

    /// Areas, occupations and percentiles, which estimates need. Employment and means follow in the bytes.
    pub(super) fn unpack_wages(reader: &mut Reader<'_>) -> Result<(Self, Vec<Row>), String> {
        let uneven = || "its columns do not fit together".to_owned();
        let floor = *reader.take_numbers()?.first().ok_or_else(uneven)?;
        let codes = reader.take_numbers()?;
        let (kinds, states, names) = (reader.take_texts()?, reader.take_texts()?, reader.take_texts()?);
        if [kinds.len(), states.len(), names.len()] != [codes.len(); 3] {
            return Err(uneven());
        }
        let mut areas = BTreeMap::new();
        for (place, code) in codes.iter().enumerate() {
            let kind = AreaKind::parse(kinds.get(place)).ok_or_else(uneven)?;
            let area = Area { kind, state: states.get(place).to_owned(), name: names.get(place).to_owned() };
            areas.insert(*code, area);
        }
        let lengths = reader.take_numbers()?;
        let occupations = reader.take_numbers()?;
        let total: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        if lengths.len() != codes.len() || total != occupations.len() as u64 {
            return Err(uneven());
        }
        let areas_of = codes.iter().zip(lengths).flat_map(|(code, length)| (0..length).map(move |_| *code));
        let with_area = areas_of.zip(occupations);
        let mut rows: Vec<Row> =
            with_area.map(|(area, occupation)| Row { area, occupation, ..Row::default() }).collect();
        for place in 0..5 {
            let column = reader.take_numbers()?;
            for (step, row) in column.into_iter().zip(&mut rows) {
                row.yearly[place] = undo_step(percentile_below(&row.yearly, place), step)?;
            }
        }
        for place in 0..5 {
            let column = reader.take_numbers()?;
            for (step, row) in column.into_iter().zip(&mut rows) {
                row.hourly[place] = undo_step(hourly_of(row.yearly[place]), step)?;
            }
        }
        Ok((Self { floor, areas, rows: Vec::new() }, rows))
    }

    /// A reader of packed bytes.
    pub(super) fn reader(bytes: &[u8]) -> Result<Reader<'_>, String> {
        Reader::new(FORM, bytes)
    }
}

/// The name of a row in error messages.
pub fn row_name(row: &Row) -> String {
    let Row { area, occupation, .. } = row;
    format!("area {area:07}, occupation {:02}-{:04}", occupation / 10_000, occupation % 10_000)
}

fn check_row(row: &Row, faults: &mut Faults) {
    for (what, wages, most) in
        [("yearly", &row.yearly, LARGEST_YEARLY), ("hourly", &row.hourly, LARGEST_YEARLY / HOURS * 100)]
    {
        let figures: Vec<u32> = wages.iter().filter_map(|wage| wage.value()).collect();
        if !figures.is_sorted() {
            faults.push(|| format!("{}: {what} wages fall from one percentile to the next", row_name(row)));
        }
        if figures.last().is_some_and(|highest| *highest > most) {
            faults.push(|| format!("{}: the {what} wages are implausible", row_name(row)));
        }
        let capped = wages.iter().position(|wage| *wage == Figure::AT_LEAST);
        if capped.is_some_and(|from| wages[from..].iter().any(|wage| wage.value().is_some())) {
            faults.push(|| {
                format!(
                    "{}: a {what} wage follows one that is published only as a lower bound",
                    row_name(row)
                )
            });
        }
    }
}

fn percentile_below(wages: &[Figure; 5], place: usize) -> Figure {
    if place == 0 { Figure::MISSING } else { wages[place - 1] }
}

/// The hourly wage in cents, rounded, that corresponds to a published yearly wage.
fn hourly_of(yearly: Figure) -> Figure {
    yearly.value().map_or(Figure::MISSING, |dollars| {
        let hours = u64::from(HOURS);
        let cents = (u64::from(dollars) * 100 + hours / 2) / hours;
        u32::try_from(cents).map_or(Figure::MISSING, Figure::of_value)
    })
}

/// A figure as its difference from another one: 0 and 1 unchanged, then differences above and below alternately.
fn difference_step(from: Figure, to: Figure) -> u32 {
    match (from.value(), to.value()) {
        (Some(from), Some(to)) if to >= from => (to - from) * 2 + 2,
        (Some(from), Some(to)) => (from - to) * 2 + 1,
        (None, Some(to)) => to * 2 + 2,
        (_, None) => to.0,
    }
}

fn undo_step(from: Figure, step: u32) -> Result<Figure, String> {
    let from = from.value().unwrap_or(0);
    let value = match step {
        0 | 1 => return Ok(Figure(step)),
        up if up % 2 == 0 => from.checked_add((up - 2) / 2),
        down => from.checked_sub((down - 1) / 2),
    };
    value.map(Figure::of_value).ok_or_else(|| "a wage is out of its range".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_round_trip_as_differences() {
        let figures = [
            Figure::MISSING,
            Figure::AT_LEAST,
            Figure::of_value(0),
            Figure::of_value(7),
            Figure::of_value(239_200),
        ];
        for from in figures {
            for to in figures {
                assert_eq!(undo_step(from, difference_step(from, to)), Ok(to), "{from:?} {to:?}");
            }
        }
        assert!(undo_step(Figure::of_value(3), 9).is_err());
    }
}
