//! Which places of the tables an address lies in: `data/taxes/places.csv`.
//!
//! A place is found by the county of the ZIP code, by the name of the city, or by an answer of the state's certificate.
//! Where a county or a city only touches a district, the address does not tell, and somebody has to.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::address::{AddressPlace, Told};
use super::read::{self, Fault};

static BUILT_IN: LazyLock<PlaceTable> = LazyLock::new(|| {
    read::built_in("places.csv", PlaceTable::parse(include_str!("../../../../data/taxes/places.csv")))
});

/// By what a place is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    Answer,
    City,
    County,
}

/// A place that an address lies in, or may lie in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    place: String,
    certain: bool,
}

/// The places of the tables by what addresses tell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaceTable(BTreeMap<(String, By, String), Vec<Found>>);

/// What an address tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'a> {
    /// Two-letter code of the state.
    pub state: &'a str,
    /// City.
    pub city: &'a str,
    /// FIPS code of the county, from the ZIP code.
    pub county: Option<&'a str>,
}

impl PlaceTable {
    /// Returns the built-in table.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses `places.csv`.
    ///
    /// # Errors
    /// Every fault of the table, with line and field.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let mut table = Self::default();
        let rows = read::rows(csv, &["state", "by", "value", "place", "certain"], |row| {
            let by = match row.required("by").as_str() {
                "answer" => By::Answer,
                "city" => By::City,
                "county" => By::County,
                _ => {
                    row.fault("by", "must be one of answer, city, county");
                    return None;
                }
            };
            let certain = match row.required("certain").as_str() {
                "yes" => true,
                "no" => false,
                _ => {
                    row.fault("certain", "must be yes or no");
                    return None;
                }
            };
            let key = (row.required("state"), by, row.required("value"));
            Some((key, Found { place: row.required("place"), certain }))
        })?;
        for (key, found) in rows {
            table.0.entry(key).or_default().push(found);
        }
        Ok(table)
    }

    /// Returns the places of an address, in order of their keys. What county or city tell for certain counts before what
    /// the other leaves open.
    pub fn of(&self, address: Address<'_>) -> Vec<AddressPlace> {
        let Address { state, city, county } = address;
        let city = city.trim().to_ascii_lowercase();
        let by_city = self.get(state, By::City, &city).iter().map(|found| (found, Told::City));
        let by_county = county.map_or(&[] as &[Found], |county| self.get(state, By::County, county));
        let found = by_city.chain(by_county.iter().map(|found| (found, Told::Zip)));
        let mut places: Vec<AddressPlace> = found
            .map(|(found, told)| AddressPlace { place: found.place.clone(), told, certain: found.certain })
            .collect();
        places.sort_by(|one, other| (&one.place, !one.certain).cmp(&(&other.place, !other.certain)));
        places.dedup_by(|one, other| one.place == other.place);
        places
    }

    /// Returns the place of an answer to a state's certificate.
    pub fn of_answer(&self, state: &str, answer: &str) -> Option<&str> {
        self.get(state, By::Answer, answer).first().map(|found| found.place.as_str())
    }

    fn get(&self, state: &str, by: By, value: &str) -> &[Found] {
        self.0.get(&(state.to_owned(), by, value.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Returns every place that some address or answer tells.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.values().flatten().map(|found| found.place.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::TaxTable;
    use super::*;

    fn of(state: &str, city: &str, county: &str, certain: bool) -> Vec<String> {
        let places = PlaceTable::built_in().of(Address { state, city, county: Some(county) });
        places.into_iter().filter(|at| at.certain == certain).map(|at| at.place).collect()
    }

    #[test]
    fn every_place_has_rows_in_the_table_of_local_taxes() {
        for place in PlaceTable::built_in().iter() {
            assert!(!TaxTable::local().of_place(place).is_empty(), "{place}");
        }
    }

    #[test]
    fn an_address_tells_city_county_and_districts() {
        assert_eq!(of("OH", " columbus ", "39049", true), ["OH-18000"]);
        assert_eq!(of("NY", "Brooklyn", "36047", true), ["NY-MCTD_ZONE_1", "NY-NEW_YORK_CITY"]);
        assert_eq!(of("NY", "Yonkers", "36119", true), ["NY-MCTD_ZONE_2", "NY-YONKERS"]);
        assert_eq!(of("IN", "Indianapolis", "18097", true), ["IN-49"]);
        assert_eq!(of("PA", "Philadelphia", "42101", true), ["PA-PHILADELPHIA"]);
        assert_eq!(of("TX", "Austin", "48453", true), [""; 0]);
        assert_eq!(PlaceTable::built_in().of_answer("IN", "marion"), Some("IN-49"));
        assert_eq!(PlaceTable::built_in().of_answer("IN", "none"), None);
    }

    #[test]
    fn a_county_that_only_touches_a_district_does_not_tell() {
        assert_eq!(of("OR", "Portland", "41051", true), ["OR-MULTNOMAH"]);
        assert_eq!(of("OR", "Portland", "41051", false), ["OR-METRO", "OR-TRIMET_DISTRICT"]);
    }
}
