//! The area of the wage statistics and the state of each ZIP code.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::platform::reference::columns::{Reader, Writer};
use crate::platform::reference::source::Files;
use crate::platform::reference::{Bundle, Dataset, Faults, Packed, Request, Vintage};

const FORM: [u8; 8] = *b"zipareas";

/// Minimum number of ZIP codes of the country: a file with fewer is incomplete.
const FEWEST: usize = 30_000;
/// Five digits.
const ZIP_LIMIT: u32 = 100_000;
/// Seven digits.
const AREA_LIMIT: u32 = 10_000_000;

/// The area of each ZIP code.
#[derive(Debug)]
pub struct ZipAreas {
    /// ascending
    zips: Vec<u32>,
    /// two letters, packed by [`state_number`]
    states: Vec<u32>,
    /// seven digits; 0 if the ZIP code is in no area
    areas: Vec<u32>,
}

/// The location of a ZIP code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// postal abbreviation of the state or territory
    pub state: [u8; 2],
    /// seven digits of the area, if it is in one
    pub area: Option<u32>,
}

impl ZipAreas {
    /// The location of a ZIP code; `None` if it is unknown.
    pub fn find_place(&self, zip: &str) -> Option<Place> {
        let zip = parse_number(zip, 5, ZIP_LIMIT)?;
        let at = self.zips.binary_search(&zip).ok()?;
        let area = Some(self.areas[at]).filter(|area| *area != 0);
        let [high, low] = [self.states[at] / 256, self.states[at] % 256];
        let letter = |value| u8::try_from(value).unwrap_or(b'?');
        Some(Place { state: [letter(high), letter(low)], area })
    }

    /// Every area that contains a ZIP code, ascending.
    pub fn areas_with_zips(&self) -> Vec<u32> {
        let mut areas: Vec<u32> = self.areas.iter().copied().filter(|area| *area != 0).collect();
        areas.sort_unstable();
        areas.dedup();
        areas
    }
}

/// A number with an exact number of digits.
fn parse_number(text: &str, digits: usize, limit: u32) -> Option<u32> {
    let right = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if right { text.parse().ok().filter(|number| *number < limit) } else { None }
}

fn state_number(state: &str) -> Option<u32> {
    match state.as_bytes() {
        [high @ b'A'..=b'Z', low @ b'A'..=b'Z'] => Some(u32::from(*high) * 256 + u32::from(*low)),
        _ => None,
    }
}

/// A line of the file.
#[derive(serde::Deserialize)]
struct ZipAreaLine {
    zip: String,
    state: String,
    oews_area: String,
}

impl Dataset for ZipAreas {
    const KIND: &'static str = "zip-areas";
    const BUILT_IN: Bundle =
        Bundle { vintage: "2025", bytes: include_bytes!("../../../../../data/packed/zip_areas.bin") };

    fn built_in() -> &'static OnceLock<Arc<Vintage<Self>>> {
        static CELL: OnceLock<Arc<Vintage<ZipAreas>>> = OnceLock::new();
        &CELL
    }

    fn open(bytes: &[u8]) -> Result<Self, String> {
        let mut reader = Reader::new(FORM, bytes)?;
        let opened = Self {
            zips: reader.take_numbers()?,
            states: reader.take_numbers()?,
            areas: reader.take_numbers()?,
        };
        reader.finish()?;
        let sorted = opened.zips.is_sorted_by(|a, b| a < b);
        let even = opened.zips.len() == opened.states.len() && opened.zips.len() == opened.areas.len();
        if sorted && even { Ok(opened) } else { Err("its columns do not fit together".to_owned()) }
    }

    fn read(request: &Request<'_>, _: Option<&Self>) -> Result<Packed, Faults> {
        let Some(vintage) = request.vintage else {
            return Err("the vintage must be given: the file does not state it".to_owned().into());
        };
        let mut faults = Faults::default();
        let mut found = BTreeMap::new();
        for (name, input) in Files::at_path(request.path, request.progress)?.open_matching(|_| true)? {
            let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(input);
            for (line, place) in reader.deserialize::<ZipAreaLine>().zip(2_u32..) {
                let read = line.map_err(|error| error.to_string()).and_then(|line| read_line(&line));
                match read {
                    Ok((zip, state, area)) if !found.contains_key(&zip) => {
                        found.insert(zip, (state, area));
                    }
                    Ok((zip, ..)) => faults.push(|| format!("{name} line {place}: {zip:05} is listed twice")),
                    Err(why) => faults.push(|| format!("{name} line {place}: {why}")),
                }
            }
        }
        if found.len() < FEWEST {
            faults.push(|| format!("only {} ZIP codes: the file is incomplete", found.len()));
        }
        faults.finish()?;
        let mut writer = Writer::new(FORM);
        writer.put_numbers(&found.keys().copied().collect::<Vec<_>>());
        writer.put_numbers(&found.values().map(|(state, _)| *state).collect::<Vec<_>>());
        writer.put_numbers(&found.values().map(|(_, area)| *area).collect::<Vec<_>>());
        Ok(Packed { vintage: vintage.to_owned(), bytes: writer.finish() })
    }

    fn rows(&self) -> usize {
        self.zips.len()
    }

    fn changes(&self, before: &Self) -> Vec<String> {
        let place = |table: &Self, zip: u32| table.find_place(&format!("{zip:05}"));
        let new = self.zips.iter().filter(|zip| place(before, **zip).is_none()).count();
        let gone = before.zips.iter().filter(|zip| place(self, **zip).is_none()).count();
        let moved = self.zips.iter().filter(|zip| {
            place(before, **zip).is_some_and(|old| place(self, **zip).is_some_and(|new| new != old))
        });
        vec![format!("{new} ZIP codes are new, {gone} are gone, {} are in another area", moved.count())]
    }

    fn template() -> String {
        "zip,state,oews_area\n".to_owned()
    }
}

fn read_line(line: &ZipAreaLine) -> Result<(u32, u32, u32), String> {
    let zip = parse_number(&line.zip, 5, ZIP_LIMIT)
        .ok_or_else(|| format!("zip {:?} is not five digits", line.zip))?;
    let state =
        state_number(&line.state).ok_or_else(|| format!("state {:?} is not two letters", line.state))?;
    let area = match line.oews_area.as_str() {
        "" => 0,
        text => parse_number(text, 7, AREA_LIMIT)
            .filter(|area| *area != 0)
            .ok_or_else(|| format!("oews_area {text:?} is not seven digits"))?,
    };
    Ok((zip, state, area))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(zip: &str) -> Option<(String, Option<u32>)> {
        let place = Vintage::<ZipAreas>::built_in().data.find_place(zip)?;
        Some((String::from_utf8(place.state.to_vec()).unwrap(), place.area))
    }

    #[test]
    fn a_zip_code_is_in_its_metropolitan_or_nonmetropolitan_area() {
        assert_eq!(place("11201"), Some(("NY".to_owned(), Some(35_620))), "Brooklyn: New York-Newark");
        assert_eq!(place("78205"), Some(("TX".to_owned(), Some(41_700))), "San Antonio");
        assert_eq!(place("96799"), Some(("AS".to_owned(), None)), "American Samoa has no area");
    }

    #[test]
    fn five_digits_that_are_not_a_zip_code_have_no_location() {
        for wrong in ["00000", "99999", "1120", "112011", "1120x", "١١٢٠١", ""] {
            assert_eq!(place(wrong), None, "{wrong}");
        }
    }
}
