//! The wage statistics in memory: an area's occupations are adjacent and ascending, so that a wage is found by two binary searches.

use std::collections::BTreeMap;

use rules::salary::{AreaKind, Wage, Wages};

use super::release::{Area, Figure, NATION, Release, Row};

/// Flag of an hourly wage.
const HOURLY: u32 = 1 << 31;

/// The wages of all occupations in all areas.
#[derive(Debug)]
pub struct Statistics {
    floor: u32,
    areas: BTreeMap<u32, (Area, std::ops::Range<usize>)>,
    occupations: Box<[u32]>,
    /// 0 not published, 1 "at least", dollars per year plus 2, or [`HOURLY`] and cents per hour
    points: Box<[[u32; 5]]>,
}

impl Statistics {
    /// Dollars per year that "at least" stands for.
    pub fn floor(&self) -> u32 {
        self.floor
    }

    /// The area with this code.
    pub fn find_area(&self, code: u32) -> Option<&Area> {
        self.areas.get(&code).map(|(area, _)| area)
    }

    /// Every area with its code.
    pub fn all_areas(&self) -> impl Iterator<Item = (u32, Area)> {
        self.areas.iter().map(|(code, (area, _))| (*code, area.clone()))
    }

    /// The area of a whole state or territory, by its postal abbreviation.
    pub fn area_of_state(&self, state: &str) -> Option<u32> {
        let mut areas = self.areas.iter();
        areas
            .find(|(_, (area, _))| area.kind == AreaKind::State && area.state == state)
            .map(|(code, _)| *code)
    }

    /// The wages of an occupation in an area; `None` if the area does not list it.
    pub fn wages_in_area(&self, area: u32, occupation: u32) -> Option<Wages> {
        let (_, rows) = self.areas.get(&area)?;
        let at = self.occupations[rows.clone()].binary_search(&occupation).ok()?;
        Some(self.points[rows.start + at].map(wage_of_point))
    }

    /// Every occupation of the nation, ascending.
    pub fn occupations(&self) -> &[u32] {
        self.areas.get(&NATION).map_or(&[], |(_, rows)| &self.occupations[rows.clone()])
    }
}

fn wage_of_point(point: u32) -> Option<Wage> {
    match point {
        0 => None,
        1 => Some(Wage::AtLeast),
        hourly if hourly & HOURLY != 0 => Some(Wage::Hourly(hourly & !HOURLY)),
        yearly => Some(Wage::Yearly(yearly - 2)),
    }
}

/// The yearly wage, or the hourly one if no yearly wage is published.
fn encode_point(yearly: Figure, hourly: Figure) -> u32 {
    match (yearly.value(), hourly.value()) {
        (Some(dollars), _) => dollars + 2,
        (None, Some(cents)) if yearly == Figure::MISSING => HOURLY | cents,
        (None, _) if yearly == Figure::AT_LEAST || hourly == Figure::AT_LEAST => 1,
        (None, _) => 0,
    }
}

fn encode_points(row: &Row) -> [u32; 5] {
    std::array::from_fn(|place| encode_point(row.yearly[place], row.hourly[place]))
}

impl Statistics {
    /// Opens a packed release. The employment and means that follow in the bytes are not needed here; the checksum covers them.
    ///
    /// # Errors
    /// A sentence saying what is wrong with them.
    pub(super) fn from_packed(bytes: &[u8]) -> Result<Self, String> {
        let (Release { floor, areas, .. }, rows) = Release::unpack_wages(&mut Release::reader(bytes)?)?;
        let mut placed = BTreeMap::new();
        for (code, area) in areas {
            let start = rows.partition_point(|row| row.area < code);
            let end = rows.partition_point(|row| row.area <= code);
            if !rows[start..end].is_sorted_by(|a, b| a.occupation < b.occupation) {
                return Err("its rows are not in order".to_owned());
            }
            placed.insert(code, (area, start..end));
        }
        let occupations = rows.iter().map(|row| row.occupation).collect();
        Ok(Self { floor, areas: placed, occupations, points: rows.iter().map(encode_points).collect() })
    }

    /// Returns the number of wages.
    pub(super) fn len(&self) -> usize {
        self.occupations.len()
    }

    /// Returns what differs from an earlier release, for people.
    pub(super) fn changes_since(&self, before: &Self) -> Vec<String> {
        let gone = |a: &Self, b: &Self| a.areas.keys().filter(|code| !b.areas.contains_key(code)).count();
        let lost = |a: &Self, b: &Self| {
            let known = b.occupations();
            a.occupations().iter().filter(|code| known.binary_search(code).is_err()).count()
        };
        let median = |of: &Self| {
            of.wages_in_area(NATION, 0).and_then(|wages| wages[2]).map(|wage| wage.dollars_per_year(of.floor))
        };
        let mut same = 0_usize;
        let mut other = 0_usize;
        for (code, (_, rows)) in &self.areas {
            for at in rows.clone() {
                match before.wages_in_area(*code, self.occupations[at]) {
                    Some(wages) if wages == self.points[at].map(wage_of_point) => same += 1,
                    Some(_) => other += 1,
                    None => {}
                }
            }
        }
        let written =
            |amount: Option<rules::Amount>| amount.map_or("-".to_owned(), |amount| amount.to_text(0));
        vec![
            format!("areas: {}, {} new, {} gone", self.areas.len(), gone(self, before), gone(before, self)),
            format!(
                "occupations of the nation: {}, {} new, {} gone",
                self.occupations().len(),
                lost(self, before),
                lost(before, self)
            ),
            format!(
                "wages of an occupation in an area: {other} differ, {same} are the same, {} new, {} gone",
                self.len() - same - other,
                before.len() - same - other
            ),
            format!(
                "median of all occupations: {} -> {} a year",
                written(median(before)),
                written(median(self))
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::platform::reference::{Dataset as _, Vintage};

    fn built_in() -> Arc<Vintage<Statistics>> {
        Vintage::built_in()
    }

    #[test]
    fn the_whole_release_is_there() {
        let data = &built_in().data;
        assert_eq!(data.rows(), 236_799);
        let count = |kind| data.areas.values().filter(|(area, _)| area.kind == kind).count();
        assert_eq!(count(AreaKind::National), 1);
        assert_eq!(count(AreaKind::State), 54);
        assert_eq!(count(AreaKind::Metropolitan), 393);
        assert_eq!(count(AreaKind::Nonmetropolitan), 135);
        assert_eq!(data.occupations().len(), 1_104);
    }

    #[test]
    fn known_wages_match_the_published_ones() {
        let data = &built_in().data;
        let median = |area, occupation| data.wages_in_area(area, occupation).unwrap()[2];
        assert_eq!(median(NATION, 0), Some(Wage::Yearly(50_980)));
        assert_eq!(median(NATION, 151_252), Some(Wage::Yearly(135_980)), "software developers");
        assert_eq!(data.area_of_state("TX"), Some(4_800_000));
        assert_eq!(data.find_area(4_800_000).unwrap().name, "Texas");
        assert_eq!(data.wages_in_area(NATION, 111_031), None, "wages of legislators are not published");
    }

    #[test]
    fn lower_bounds_and_hourly_wages_are_distinguished() {
        let data = &built_in().data;
        let of = |kind: fn(&Wage) -> bool| {
            data.points
                .iter()
                .filter(|points| points.iter().any(|point| wage_of_point(*point).is_some_and(|w| kind(&w))))
                .count()
        };
        assert_eq!(of(|wage| matches!(wage, Wage::AtLeast)), 350);
        assert_eq!(of(|wage| matches!(wage, Wage::Hourly(_))), 315);
    }

    #[test]
    fn the_packed_format_keeps_every_column_of_the_release() {
        let release = Release::unpack(Statistics::BUILT_IN.bytes).unwrap();
        assert_eq!(release.rows.len(), 236_799);
        let nation = release.rows[0];
        assert_eq!(nation.employment, Figure::of_value(155_495_730));
        assert_eq!(nation.mean, [Figure::of_value(69_770), Figure::of_value(3_354)]);
        assert_eq!(nation.hourly, [1_500, 1_807, 2_451, 3_871, 6_181].map(Figure::of_value));
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let right = Statistics::BUILT_IN.bytes;
        for wrong in [&right[..right.len() / 3], b"", b"nonsense"] {
            Statistics::open(wrong).unwrap_err();
        }
    }
}
