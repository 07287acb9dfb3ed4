//! The localities of the tax tables that contain an address: `data/taxes/places.csv`.
//!
//! A place is found by the ZIP code's county, by the city name ([`city::comparison_key`]), or by an answer on the state's certificate.
//! Other names of a city, and names that several cities share, are in `data/taxes/place_names.csv` with their counties. The address
//! is not enough, and the locality has to be entered, if a county or city only overlaps a district, if the county is not that of any
//! city of the name (suburbs often use a city's name), or if names agree except for a word such as `City`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::read::{self, Fault};
use crate::city;
use crate::places::{AddressPlace, Told};

static BUILT_IN: LazyLock<PlaceTable> = LazyLock::new(|| {
    let mut table =
        read::built_in("places.csv", PlaceTable::parse(include_str!("../../../../data/taxes/places.csv")));
    let names = include_str!("../../../../data/taxes/place_names.csv");
    read::built_in("place_names.csv", table.add_names(names));
    table
});

/// The key that finds a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    Answer,
    City,
    /// the city name without a word such as `City`
    CityWithoutKind,
    County,
}

/// A locality that contains, or may contain, an address.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    place: String,
    certain: bool,
    /// FIPS codes of the counties that a city lies in; empty if they do not matter
    counties: Vec<String>,
}

/// The localities of the tables, by parts of addresses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaceTable(BTreeMap<(String, By, String), Vec<Found>>);

/// The relevant parts of an address.
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
    /// All errors in the table, with line and field.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let mut table = Self::default();
        let rows = read::read_rows(csv, &["state", "by", "value", "place", "certain", "counties"], |row| {
            let by = match row.required_text("by").as_str() {
                "answer" => By::Answer,
                "city" => By::City,
                "county" => By::County,
                _ => {
                    row.record_fault("by", "must be one of answer, city, county");
                    return None;
                }
            };
            let certain = match row.required_text("certain").as_str() {
                "yes" => true,
                "no" => false,
                _ => {
                    row.record_fault("certain", "must be yes or no");
                    return None;
                }
            };
            let (state, value) = (row.required_text("state"), row.required_text("value"));
            let counties = row.column_text("counties");
            let counties =
                counties.split(';').filter(|county| !county.is_empty()).map(str::to_owned).collect();
            Some((state, by, value, Found { place: row.required_text("place"), certain, counties }))
        })?;
        for (state, by, value, found) in rows {
            table.add_place(state, by, value, found);
        }
        Ok(table)
    }

    /// Adds `place_names.csv`: other names of cities, and names that several cities share, by county.
    ///
    /// # Errors
    /// All errors in the table, with line and field.
    fn add_names(&mut self, csv: &str) -> Result<(), Vec<Fault>> {
        let rows = read::read_rows(csv, &["state", "name", "county", "place", "source"], |row| {
            let (state, name, place) =
                (row.required_text("state"), row.required_text("name"), row.required_text("place"));
            let county = row.required_text("county");
            row.required_text("source");
            Some((state, name, Found { place, certain: true, counties: vec![county] }))
        })?;
        for (state, name, found) in rows {
            self.add_place(state, By::City, name, found);
        }
        Ok(())
    }

    fn add_place(&mut self, state: String, by: By, value: String, found: Found) {
        let value = if by == By::City {
            let without = city::key_without_kind(&value);
            let may_be = Found { certain: false, ..found.clone() };
            self.0.entry((state.clone(), By::CityWithoutKind, without)).or_default().push(may_be);
            city::comparison_key(&value)
        } else {
            value
        };
        self.0.entry((state, by, value)).or_default().push(found);
    }

    /// Returns the places of an address, in order of their keys. For each place, a certain match by county or city takes
    /// precedence over an uncertain one by the other.
    pub fn places_of_address(&self, address: Address<'_>) -> Vec<AddressPlace> {
        let mut places = self.all_of(address);
        places.sort_by(|one, other| (&one.place, !one.certain).cmp(&(&other.place, !other.certain)));
        places.dedup_by(|one, other| one.place == other.place);
        places
    }

    /// Returns the places of an address, those by the name of its city first; one that the county tells as well twice.
    pub fn all_of(&self, address: Address<'_>) -> Vec<AddressPlace> {
        let Address { state, city, county } = address;
        let at = |found: &Found, told, certain| AddressPlace {
            place: found.place.clone(),
            told,
            certain,
            taxed: certain,
            reason: String::new(),
        };
        let mut places = Vec::new();
        let cities = self.cities(state, city);
        let lies_in = |found: &Found, county: &str| found.counties.iter().any(|known| known == county);
        let here = |found: &Found| match county {
            _ if found.counties.is_empty() => true,
            Some(county) => lies_in(found, county),
            // If the ZIP code does not decide, the name alone does, unless several cities share it.
            None => cities.len() == 1,
        };
        for found in cities {
            // Among several cities with the name, take those in the county; if none is in it, any may be meant.
            let told = match here(found) {
                true => Some(found.certain),
                false if cities.iter().any(here) => None,
                false => Some(false),
            };
            places.extend(told.map(|certain| at(found, Told::City, certain)));
        }
        let by_county = county.map_or(&[] as &[Found], |county| self.get(state, By::County, county));
        // Denver is a city and a county: its ZIP codes extend into cities that it surrounds, which lie in other counties.
        let surrounded = state == "CO" && places.iter().any(|at| at.certain);
        let by_county = by_county.iter().filter(|_| !surrounded);
        places.extend(by_county.map(|found| at(found, Told::Zip, found.certain)));
        places
    }

    /// Returns the cities with a name; if there are none, those that match except for a word such as `City`.
    fn cities(&self, state: &str, name: &str) -> &[Found] {
        let exact = self.get(state, By::City, &city::comparison_key(name));
        if exact.is_empty() {
            self.get(state, By::CityWithoutKind, &city::key_without_kind(name))
        } else {
            exact
        }
    }

    /// Returns the cities of a state, each with the counties it lies in (empty if they do not matter) and its place.
    pub fn cities_of_state(&self, state: &str) -> impl Iterator<Item = (&[String], &str)> {
        let (from, to) = (
            (state.to_owned(), By::City, String::new()),
            (state.to_owned(), By::CityWithoutKind, String::new()),
        );
        let found = self.0.range(from..to).flat_map(|(_, found)| found);
        found.map(|found| (found.counties.as_slice(), found.place.as_str()))
    }

    /// Whether a county of a state leads to a place.
    pub fn has_county(&self, state: &str, county: &str) -> bool {
        !self.get(state, By::County, county).is_empty()
    }

    /// Returns the answer on a state's certificate for a place.
    pub fn answer_of(&self, state: &str, place: &str) -> Option<&str> {
        let from = (state.to_owned(), By::Answer, String::new());
        let answers = self.0.range(from..).take_while(|((of, by, _), _)| of == state && *by == By::Answer);
        answers
            .filter(|(_, found)| found.iter().any(|one| one.place == place))
            .map(|((_, _, word), _)| word.as_str())
            .next()
    }

    /// Returns the place for an answer on a state's certificate.
    pub fn of_answer(&self, state: &str, answer: &str) -> Option<&str> {
        self.get(state, By::Answer, answer).first().map(|found| found.place.as_str())
    }

    fn get(&self, state: &str, by: By, value: &str) -> &[Found] {
        self.0.get(&(state.to_owned(), by, value.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Returns every locality that an address or answer can lead to.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.values().flatten().map(|found| found.place.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::TaxTable;
    use super::*;

    fn of(state: &str, city: &str, county: &str, certain: bool) -> Vec<String> {
        let places = PlaceTable::built_in().places_of_address(Address { state, city, county: Some(county) });
        places.into_iter().filter(|at| at.certain == certain).map(|at| at.place).collect()
    }

    #[test]
    fn every_place_has_rows_in_the_table_of_local_taxes() {
        for place in PlaceTable::built_in().iter() {
            assert!(!TaxTable::built_in_local().of_place(place).is_empty(), "{place}");
        }
    }

    #[test]
    fn an_address_tells_city_county_and_districts() {
        assert_eq!(of("OH", " columbus ", "39049", true), ["OH-18000"]);
        assert_eq!(of("NY", "Brooklyn", "36047", true), ["NY-MCTD_ZONE_1", "NY-NEW_YORK_CITY"]);
        assert_eq!(of("NY", "Yonkers", "36119", true), ["NY-MCTD_ZONE_2", "NY-YONKERS"]);
        assert_eq!(of("IN", "Indianapolis", "18097", true), ["IN-49"]);
        assert_eq!(of("PA", "Philadelphia", "42101", true), ["PA-PHILADELPHIA"]);
        assert_eq!(of("CO", "Denver", "08031", true), ["CO-DENVER"]);
        assert_eq!(of("CO", "Glendale", "08031", true), ["CO-GLENDALE"]);
        assert_eq!(of("TX", "Austin", "48453", true), [""; 0]);
        assert_eq!(PlaceTable::built_in().of_answer("IN", "marion"), Some("IN-49"));
        assert_eq!(PlaceTable::built_in().of_answer("IN", "none"), None);
    }

    /// Ways to write a name: as is, in capitals, without punctuation, and with each word that has an abbreviation in both forms.
    fn spellings(name: &str) -> Vec<String> {
        let pairs = [
            ("saint ", "st. "),
            ("mount ", "mt. "),
            ("fort ", "ft. "),
            ("west ", "w. "),
            ("north ", "n. "),
            ("east ", "e. "),
            ("south ", "s. "),
            (" heights", " hts"),
            (" springs", " spgs"),
            (" village", " vlg"),
        ];
        let name = name.to_lowercase();
        let mut found = vec![name.clone(), name.to_uppercase(), format!(" City of {name} ")];
        for (long, short) in pairs {
            let at_the_beginning = long.ends_with(' ');
            for (one, other) in [(long, short), (short, long)] {
                let has = if at_the_beginning { name.starts_with(one) } else { name.ends_with(one) };
                if has {
                    found.push(name.replace(one, other));
                }
            }
        }
        let plain: Vec<String> =
            found.iter().map(|one| one.replace(['.', '\''], "").replace('-', " ")).collect();
        found.extend(plain);
        found
    }

    fn rows_of(csv: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
        csv.lines().skip(1).map(|line| line.split(',').take(5).collect())
    }

    #[test]
    fn every_place_is_met_by_the_address_of_whoever_lives_there() {
        let (table, mut met) = (PlaceTable::built_in(), 0);
        let meets = |state: &str, city: &str, county: Option<&str>, place: &str| {
            let found = table.places_of_address(Address { state, city, county });
            found.into_iter().find(|at| at.place == place).map(|at| at.certain)
        };
        let mut check = |state: &str, name: &str, county: Option<&str>, place: &str, certain: bool| {
            assert!(!name.contains('(') && !name.is_empty(), "no address says {name}");
            for spelling in spellings(name) {
                assert_eq!(
                    meets(state, &spelling, county, place),
                    Some(certain),
                    "{state} {spelling} {place}"
                );
                met += 1;
            }
        };
        for row in rows_of(include_str!("../../../../data/taxes/places.csv")) {
            let [state, by, value, place, certain] = row[..] else { panic!("{row:?}") };
            match by {
                "city" => check(state, value, None, place, certain == "yes"),
                "county" => {
                    let expected = certain == "yes";
                    assert!(meets(state, "Anytown", Some(value), place) >= Some(expected), "{row:?}");
                }
                _ => {}
            }
        }
        for row in rows_of(include_str!("../../../../data/taxes/place_names.csv")) {
            let [state, name, county, place, _] = row[..] else { panic!("{row:?}") };
            check(state, name, Some(county), place, true);
        }
        assert!(met > 3_000, "{met}");
    }

    #[test]
    fn no_two_cities_of_a_state_have_the_same_name_without_counties_that_tell_them_apart() {
        for ((state, by, name), found) in &PlaceTable::built_in().0 {
            let mut counties: Vec<_> = found.iter().map(|one| &one.counties).collect();
            counties.sort_unstable();
            counties.dedup();
            assert!(*by != By::City || counties.len() == found.len(), "{state} {name}");
        }
    }

    #[test]
    fn louisville_is_all_of_jefferson_county_whatever_the_address_calls_it() {
        for city in ["Louisville", "LOUISVILLE", "Anchorage", "Saint Matthews", "Louisville Metro"] {
            assert_eq!(of("KY", city, "21111", true), ["KY-LOUISVILLE_METRO"], "{city}");
        }
        assert_eq!(of("KY", "Shively", "21111", true), ["KY-LOUISVILLE_METRO", "KY-SHIVELY"]);
        // The ZIP code puts the address in the neighboring county, which does not decide.
        assert_eq!(of("KY", "Louisville", "21029", false), ["KY-LOUISVILLE_METRO"]);
    }

    #[test]
    fn a_city_is_not_told_by_a_name_that_addresses_in_another_county_have_as_well() {
        // Suburbs of Birmingham in Shelby County, of Lansing in Eaton, of Dayton in Greene.
        for (state, city, within, beside, place) in [
            ("AL", "Birmingham", "01073", "01117", "AL-BIRMINGHAM"),
            ("MI", "Lansing", "26065", "26045", "MI-LANSING"),
            ("OH", "Dayton", "39113", "39057", "OH-21000"),
            ("KY", "Covington", "21117", "21015", "KY-COVINGTON"),
        ] {
            assert!(of(state, city, within, true).contains(&place.to_owned()), "{city}");
            assert!(of(state, city, beside, false).contains(&place.to_owned()), "{city}");
        }
        // Kansas City lies in several counties.
        for county in ["29095", "29047", "29165"] {
            assert_eq!(of("MO", "Kansas City", county, true), ["MO-KANSAS_CITY"], "{county}");
        }
        let unknown = PlaceTable::built_in().places_of_address(Address {
            state: "AL",
            city: "Birmingham",
            county: None,
        });
        assert!(unknown[0].certain, "the name alone tells where the ZIP code tells nothing");
    }

    #[test]
    fn one_name_of_several_cities_is_told_by_the_county_and_otherwise_left_open() {
        assert_eq!(of("OH", "Oakwood", "39113", true), ["OH-57764"]);
        assert_eq!(of("OH", "Oakwood", "39035", true), ["OH-57750"]);
        assert_eq!(of("OH", "Oakwood Village", "39035", true), ["OH-57750"]);
        assert_eq!(of("OH", "Oakwood", "39049", false), ["OH-57750", "OH-57764", "OH-57792"]);
        assert_eq!(of("OH", "Shawnee Hills", "39041", true), ["OH-71976"]);
    }

    #[test]
    fn a_name_that_agrees_but_for_a_word_such_as_city_is_left_open() {
        assert_eq!(of("OH", "Tipp", "39109", false), ["OH-76876"]);
        assert_eq!(of("OH", "Tipp", "39109", true), [""; 0]);
        assert_eq!(of("OH", "Amberley Village", "39061", false), ["OH-01672"]);
        // Both are cities; each is found by its own name.
        assert_eq!(of("OH", "Union City", "39037", true), ["OH-78624"]);
        assert_eq!(of("OH", "Union Township", "39025", false), [""; 0], "a township takes no income tax");
    }

    #[test]
    fn a_county_that_only_touches_a_district_does_not_tell() {
        assert_eq!(of("OR", "Portland", "41051", true), ["OR-MULTNOMAH"]);
        assert_eq!(of("OR", "Portland", "41051", false), ["OR-METRO", "OR-TRIMET_DISTRICT"]);
    }
}
