//! Which code of Pennsylvania's register belongs to which municipality and school district of the Census Bureau.
//!
//! The register names municipalities (`HOPEWELL TWP`), counties and school districts; addresses lead to codes of the Census Bureau
//! ([`crate::places`]). A row belongs to the municipality of its county with the same name and kind, or the same name where the row
//! has no kind: then a city comes before a borough, and that before a township.

use std::collections::BTreeMap;

use super::pennsylvania::PennsylvaniaPlace;
use crate::places::{Municipality, Share, all_municipalities, county_name, parts_of};

/// Kinds of municipalities, as they are written, in the order in which a name without one means them.
const KINDS: [(&[&str], u8); 4] =
    [(&["city"], 0), (&["borough", "boro"], 1), (&["town"], 2), (&["township", "twp", "twnshp"], 3)];

/// PSD codes by municipality (ten digits) and school district (NCES).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Codes(BTreeMap<&'static str, BTreeMap<&'static str, String>>);

impl Codes {
    /// Finds the municipality and school district of each row. A row that fits none is left out: its code can still be used.
    pub(super) fn from_rows<'a>(rows: impl Iterator<Item = &'a PennsylvaniaPlace>) -> Self {
        let mut by_name: BTreeMap<String, Vec<(Municipality, Option<u8>)>> = BTreeMap::new();
        for known in all_municipalities() {
            let (name, kind) = name_and_kind(known.name);
            by_name.entry(name).or_default().push((known, kind));
        }
        let mut codes: BTreeMap<&'static str, BTreeMap<&'static str, String>> = BTreeMap::new();
        for row in rows {
            let (name, kind) = name_and_kind(&row.municipality);
            let named = by_name.get(&name).map_or(&[] as &[_], Vec::as_slice);
            let of_county = |known: &Municipality| {
                row.county.is_empty()
                    || county_name(known.county()).is_some_and(|county| is_county(county, &row.county))
            };
            let mut fitting: Vec<&(Municipality, Option<u8>)> =
                named.iter().filter(|(known, _)| of_county(known)).collect();
            let best = match kind {
                Some(kind) => Some(kind),
                None => fitting.iter().filter_map(|(_, kind)| *kind).min(),
            };
            fitting.retain(|(_, kind)| *kind == best);
            let in_district = |known: &Municipality| {
                district_key(known.school_district) == district_key(&row.school_district)
            };
            let exact = fitting.iter().any(|(known, _)| in_district(known));
            for (known, _) in fitting {
                let alone = known.share == Share::ALL;
                if in_district(known) || (alone && !exact) || row.school_district.is_empty() {
                    let of_municipality = codes.entry(known.id).or_default();
                    of_municipality.entry(known.district).or_insert_with(|| row.psd.clone());
                }
            }
        }
        Self(codes)
    }

    /// Returns the code of a municipality, with or without its school district as in `4200361000-4219170`. A municipality in several
    /// districts has a code by itself only where they have the same one.
    pub(super) fn find<'a>(&'a self, place: &str) -> Option<&'a str> {
        let (id, district) =
            place.split_once('-').map_or((place, None), |(id, district)| (id, Some(district)));
        let of_place = self.0.get(id)?;
        match district {
            Some(district) => of_place.get(district).map(String::as_str),
            None => {
                let first = of_place.values().next()?;
                let agree = of_place.values().all(|psd| psd == first) && of_place.len() == parts_of(id).len();
                agree.then_some(first.as_str())
            }
        }
    }

    /// Returns how many municipalities have a code.
    pub(super) fn municipalities(&self) -> usize {
        self.0.len()
    }
}

/// Returns a name without its kind, for comparison, and the kind.
fn name_and_kind(name: &str) -> (String, Option<u8>) {
    let lower = name.trim().to_lowercase();
    let (bare, kind) = match lower.rsplit_once(' ') {
        Some((bare, last)) => match KINDS.iter().find(|(words, _)| words.contains(&last)) {
            Some((_, kind)) => (bare, Some(*kind)),
            None => (lower.as_str(), None),
        },
        None => (lower.as_str(), None),
    };
    (crate::city::comparison_key(bare), kind)
}

/// Returns a name of a school district for comparison: without a final `Area`, `City` or `SD`.
fn district_key(district: &str) -> String {
    let lower = district.trim().to_lowercase();
    let mut words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    while words.len() > 1
        && matches!(words.last(), Some(&("area" | "city" | "sd" | "s" | "d" | "school" | "district")))
    {
        words.pop();
    }
    words.concat()
}

fn is_county(name: &str, of_row: &str) -> bool {
    let bare =
        |text: &str| crate::city::comparison_key(text.trim().to_lowercase().trim_end_matches(" county"));
    bare(name) == bare(of_row)
}

#[cfg(test)]
mod tests {
    use super::super::PennsylvaniaTable;

    #[test]
    fn every_built_in_row_is_reached_from_its_municipality() {
        let table = PennsylvaniaTable::built_in();
        for (place, psd) in [
            ("4200700820", "040101"),
            ("4207702000-4202280", "390101"),
            ("4207702000-4218510", "390699"),
            ("4201302184", "070101"),
            ("4207706088", "BETHLEHEM"),
            ("4209506088", "BETHLEHEM"),
            ("4204111272", "CARLISLE"),
            ("4204924000", "ERIE"),
            ("4204332800", "HARRISBURG"),
            ("4207141216", "LANCASTER"),
            ("4200361000-4219170", "700102"),
            ("4201163624", "READING"),
            ("4206969000", "SCRANTON"),
            ("4213387048-4226820", "671401"),
        ] {
            assert_eq!(table.psd(place), Some(psd), "{place}");
        }
        // A township of the same name, and the part of a city in another school district, have no row.
        for none in
            ["4200163616", "4209506096", "4200361000", "4200361000-4202970", "4213387048", "4299999999"]
        {
            assert_eq!(table.psd(none), None, "{none}");
        }
    }
}
