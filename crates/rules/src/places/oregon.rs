//! Oregon's districts that tax pay: those of public transport, and Metro, the regional government around Portland.
//!
//! Their borders are not those of counties or cities. TriMet lists the ZIP codes that lie completely and partly in its district
//! (`data/places/oregon_zips.csv`); ZIP codes that were made since are not on the list. What the list does not decide is asked. The towns
//! with a transit system of their own left TriMet's district, so an address is in one transit district at most.

use std::sync::LazyLock;

use super::lines::Lines;
use super::question::PlaceKind;

static ZIPS: LazyLock<Lines> =
    LazyLock::new(|| Lines::new(include_str!("../../../../data/places/oregon_zips.csv")));

/// TriMet's district.
pub(super) const TRIMET: &str = "OR-TRIMET_DISTRICT";
/// Metro.
pub(super) const METRO: &str = "OR-METRO";
/// The districts of public transport.
const TRANSIT: [&str; 6] =
    [TRIMET, "OR-CANBY", "OR-LANE_TRANSIT_DISTRICT", "OR-SANDY", "OR-SOUTH_CLACKAMAS", "OR-WILSONVILLE"];

/// How much of a ZIP code lies in a district, by the district's own list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    /// All of it.
    Inside,
    /// A part of it.
    Part,
}

/// Returns what asks for a district; `None` for any other place.
pub(super) fn kind_of(place: &str) -> Option<PlaceKind> {
    if TRANSIT.contains(&place) {
        Some(PlaceKind::TransitDistrict)
    } else {
        (place == METRO).then_some(PlaceKind::Metro)
    }
}

/// Returns the districts that a question can be answered with.
pub(super) fn districts_of(kind: PlaceKind) -> &'static [&'static str] {
    match kind {
        PlaceKind::TransitDistrict => &TRANSIT,
        PlaceKind::Metro => &[METRO],
        _ => &[],
    }
}

/// Returns how TriMet lists a ZIP code; `None` if it is not on the list.
pub(super) fn zip_listing(zip: &str) -> Option<Listed> {
    let line = ZIPS.rest_of_lines(zip.get(..5)?).next()?;
    match line.rsplit_once(',')?.1 {
        "inside" => Some(Listed::Inside),
        _ => Some(Listed::Part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::counties::counties_in_state;
    use crate::taxes::TaxTable;

    #[test]
    fn the_list_is_of_trimet_and_each_of_its_zip_codes_lies_in_one_of_its_counties() {
        let mut counts = [0, 0];
        for line in ZIPS.all_lines() {
            let [zip, place, limits] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
            assert_eq!(place, TRIMET);
            assert!(["inside", "part"].contains(&limits), "{line}");
            let counties = counties_in_state(zip, "OR");
            let known = ["41005", "41051", "41067"];
            assert!(counties.first().is_some_and(|at| known.contains(&at.county)), "{line}");
            counts[usize::from(zip_listing(zip) == Some(Listed::Part))] += 1;
        }
        assert_eq!(counts, [66, 20], "as TriMet lists them, with those of post office boxes");
    }

    #[test]
    fn every_special_district_of_oregon_is_one_that_is_asked_for() {
        let districts = TaxTable::built_in_local().iter().filter(|tax| {
            tax.jurisdiction.state == "OR" && tax.jurisdiction.level == crate::taxes::Level::SpecialDistrict
        });
        let mut count = 0;
        for tax in districts {
            assert!(kind_of(&tax.jurisdiction.place).is_some(), "{}", tax.code);
            count += 1;
        }
        assert!(count >= 7, "{count}");
        assert_eq!(kind_of("OR-EUGENE"), None);
        assert_eq!(
            (zip_listing("97204-1234"), zip_listing("97003"), zip_listing("")),
            (Some(Listed::Inside), None, None)
        );
    }
}
