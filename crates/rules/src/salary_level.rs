//! The salary level of the Fair Labor Standards Act: the minimum that an Exempt employee must be paid on a salary basis
//! (29 CFR 541.600), and the higher ones of states, by place of work and effective date.

use std::sync::LazyLock;

use jiff::civil::Date;
use serde::Deserialize;

use crate::amount::{Amount, Rounding};
use crate::full_time::WEEKS_PER_YEAR;
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// A salary level.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SalaryLevel {
    /// Two-letter code of the state of work; `US` for the federal level.
    pub state: String,
    /// Five-digit codes of the counties to which it is limited; empty for the whole state.
    #[serde(deserialize_with = "deserialize_codes")]
    pub counties: Vec<String>,
    /// First day on which it applies.
    pub from: Date,
    /// Dollars per week.
    pub weekly: Amount,
    /// Source of the level.
    pub source: String,
    /// Confidence in the source. A level applies regardless of it; otherwise, an employee might wrongly be Exempt.
    pub confidence: Confidence,
}

/// Reads codes separated by spaces.
fn deserialize_codes<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let text = String::deserialize(from)?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// The place of work that decides which state's level applies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkPlace<'a> {
    /// Two-letter code of the state; empty if it is not known.
    pub state: &'a str,
    /// Five-digit code of the county, if it is known.
    pub county: Option<&'a str>,
}

impl SalaryLevel {
    fn covers_place(&self, place: WorkPlace<'_>) -> bool {
        let here = self.counties.is_empty()
            || place.county.is_some_and(|county| self.counties.iter().any(|code| code == county));
        self.state == FEDERAL || (self.state == place.state && here)
    }

    /// Returns the section that sets it, without what the source says besides.
    pub fn law(&self) -> &str {
        if self.state == FEDERAL {
            return "29 CFR 541.600";
        }
        self.source
            .split([':', ';'])
            .next()
            .unwrap_or_default()
            .split(" for ")
            .next()
            .unwrap_or_default()
            .trim()
    }

    /// Returns dollars per year: 52 weeks. `None` on overflow.
    pub fn dollars_per_year(&self) -> Option<Amount> {
        self.weekly.mul_ratio(WEEKS_PER_YEAR, 1, Rounding::Down)
    }
}

/// The state of the federal level.
const FEDERAL: &str = "US";

/// The salary levels, by state and effective date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SalaryLevels(Vec<SalaryLevel>);

impl SalaryLevels {
    /// The built-in table, as text.
    pub const FILE: &'static str = include_str!("../../../data/salary_levels.csv");

    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<SalaryLevels> = LazyLock::new(|| {
            SalaryLevels::parse(SalaryLevels::FILE)
                .unwrap_or_else(|error| panic!("salary_levels.csv: {error}"))
        });
        &TABLE
    }

    /// Parses the layout of `salary_levels.csv`.
    ///
    /// # Errors
    /// A row is malformed, a level is not above zero, or a place has two rows of one day.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let mut levels = csv_rows::<SalaryLevel>(csv)?;
        let of = |level: &SalaryLevel| (level.state.clone(), level.counties.clone(), level.from);
        levels.sort_by_key(of);
        if let Some(pair) = levels.windows(2).find(|pair| of(&pair[0]) == of(&pair[1])) {
            return Err(TableError::new(format!("{} {}: two rows", pair[0].state, pair[0].from)));
        }
        if let Some(level) = levels.iter().find(|level| level.weekly <= Amount::ZERO) {
            return Err(TableError::new(format!("{}: weekly must be more than 0.00", level.from)));
        }
        Ok(Self(levels))
    }

    /// Returns every level, by place and day.
    pub fn iter(&self) -> impl Iterator<Item = &SalaryLevel> {
        self.0.iter()
    }

    /// Returns the level that applies at a place of work on a day: the highest of those in force there; `None` before the first.
    pub fn level_on(&self, place: WorkPlace<'_>, day: Date) -> Option<&SalaryLevel> {
        let begun = |level: &&SalaryLevel| level.from <= day && level.covers_place(place);
        let is_newest = |level: &&SalaryLevel| {
            !self.0.iter().any(|other| {
                (&other.state, &other.counties) == (&level.state, &level.counties)
                    && level.from < other.from
                    && other.from <= day
            })
        };
        self.0.iter().filter(begun).filter(is_newest).max_by_key(|level| level.weekly)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_level_went_up_in_july_2024_and_back_when_the_rule_was_vacated() {
        let weekly = |day| {
            SalaryLevels::built_in().level_on(WorkPlace::default(), day).map(|level| level.weekly.to_text(2))
        };
        let golden = [
            (date(2004, 8, 22), None),
            (date(2019, 12, 31), Some("455.00")),
            (date(2020, 1, 1), Some("684.00")),
            (date(2024, 6, 30), Some("684.00")),
            (date(2024, 7, 1), Some("844.00")),
            (date(2024, 11, 14), Some("844.00")),
            (date(2024, 11, 15), Some("684.00")),
            (date(2026, 11, 27), Some("684.00")),
        ];
        for (day, expected) in golden {
            assert_eq!(weekly(day).as_deref(), expected, "{day}");
        }
    }

    #[test]
    fn the_levels_of_states_count_where_they_are_higher() {
        let yearly = |state: &str, county: Option<&str>, day| {
            let level = SalaryLevels::built_in().level_on(WorkPlace { state, county }, day).unwrap();
            level.dollars_per_year().unwrap().to_text(2)
        };
        for (state, county, day, expected) in [
            ("TX", None, date(2026, 8, 3), "35568.00"),
            ("CA", None, date(2026, 8, 3), "70304.00"),
            ("WA", None, date(2026, 12, 31), "80168.40"),
            ("WA", None, date(2027, 1, 1), "82976.40"),
            ("AK", None, date(2027, 7, 1), "62400.00"),
            ("CA", None, date(2027, 1, 15), "72384.00"),
            ("NY", None, date(2026, 8, 3), "62353.20"),
            ("NY", Some("36061"), date(2026, 8, 3), "66300.00"),
            ("NY", Some("36055"), date(2026, 8, 3), "62353.20"),
            ("WA", None, date(2026, 8, 3), "80168.40"),
            ("CO", None, date(2026, 8, 3), "57783.96"),
            ("ME", None, date(2026, 8, 3), "45300.32"),
            ("AK", None, date(2026, 6, 30), "54080.00"),
            ("AK", None, date(2026, 8, 3), "58240.00"),
        ] {
            assert_eq!(yearly(state, county, day), expected, "{state} {county:?} {day}");
        }
    }

    #[test]
    fn a_table_with_two_levels_of_a_day_or_without_one_is_refused_whatever_its_order() {
        let of = |rows: &str| {
            SalaryLevels::parse(&format!("state,counties,from,weekly,source,confidence\n{rows}"))
        };
        assert!(of("US,,2020-01-01,684,x,secondary\nUS,,2024-07-01,844,x,secondary").is_ok());
        let turned = of("US,,2024-07-01,844,x,secondary\nUS,,2020-01-01,684,x,secondary").unwrap();
        assert_eq!(turned, of("US,,2020-01-01,684,x,secondary\nUS,,2024-07-01,844,x,secondary").unwrap());
        assert!(of("US,,2020-01-01,684,x,secondary\nUS,,2020-01-01,844,x,secondary").is_err());
        assert!(of("US,,2020-01-01,0,x,secondary").is_err());
        assert!(of("US,,2020-01-01,684,x,sure").is_err());
    }
}
