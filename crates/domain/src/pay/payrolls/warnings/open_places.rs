//! Warnings about addresses whose county, city, school district or municipality nobody has told yet: until then the likely one counts,
//! or no tax is withheld.

use rules::places::{AddressPlace, Certificate, Found, OHIO_DISTRICT, PlaceKind, Told};

use crate::pay::payrolls::facts::circumstances::workplaces::Worked;
use crate::pay::payrolls::record::texts::{
    CITY_ASSUMED, CITY_NOT_KNOWN, COUNTY_ASSUMED, COUNTY_NOT_KNOWN, DISTRICT_NOT_KNOWN, DISTRICT_SHORT,
    DISTRICT_UNKNOWN, METRO_ASSUMED, METRO_NOT_KNOWN, MUNICIPALITY_NOT_KNOWN, TRANSIT_NOT_KNOWN, Text,
};
use crate::pay::payrolls::record::warning::Warning;
use crate::people::addresses::rows::HomeAddress;

/// Returns warnings about the home and the place of work.
pub(in crate::pay::payrolls) fn open_place_warnings(
    home: Option<&HomeAddress>,
    work: Option<&Worked<'_>>,
    certificate: &Certificate,
) -> Vec<Warning> {
    let mut found = Vec::new();
    if let Some(home) = home {
        let at = format!("{}, {} {}", home.city, home.state, home.zip);
        found.extend(warnings_of_address("home", &at, &home.home_localities(certificate)));
    }
    if let Some(work) = work {
        let at = format!("{}, {} {}", work.place.city, work.place.state, work.place.zip);
        found.extend(warnings_of_address("place of work", &at, &work.find_localities(certificate)));
    }
    found
}

fn warnings_of_address(what: &str, at: &str, found: &Found) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = found
        .open_questions()
        .map(|question| {
            let assumed = question.default.as_deref().and_then(|code| {
                question.choices.iter().find(|choice| choice.code == code && !choice.name.is_empty())
            });
            let text: Text = match (question.kind, assumed.is_some()) {
                (PlaceKind::County, true) => COUNTY_ASSUMED,
                (PlaceKind::County, false) => COUNTY_NOT_KNOWN,
                (PlaceKind::City, true) => CITY_ASSUMED,
                (PlaceKind::City, false) => CITY_NOT_KNOWN,
                (PlaceKind::Municipality, _) => MUNICIPALITY_NOT_KNOWN,
                (PlaceKind::SchoolDistrict, _) => DISTRICT_NOT_KNOWN,
                (PlaceKind::TransitDistrict, _) => TRANSIT_NOT_KNOWN,
                (PlaceKind::Metro, true) => METRO_ASSUMED,
                (PlaceKind::Metro, false) => METRO_NOT_KNOWN,
            };
            let name = assumed.map_or("", |choice| choice.name.as_str());
            match assumed {
                Some(_) => text.to_warning(&[("what", &what), ("at", &at), ("name", &name)]),
                None => text.to_warning(&[("what", &what), ("at", &at)]),
            }
        })
        .collect();
    let of_certificate = |at: &&AddressPlace| {
        at.told == Told::Certificate && !at.certain && at.place.starts_with(OHIO_DISTRICT)
    };
    if let Some(answered) = found.places.iter().find(of_certificate) {
        let text = if answered.place == OHIO_DISTRICT { DISTRICT_UNKNOWN } else { DISTRICT_SHORT };
        warnings.push(text.to_warning(&[("at", &at)]));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pay::minimum_wages::Place;

    fn home(state: &str, city: &str, zip: &str) -> HomeAddress {
        HomeAddress {
            state: state.to_owned(),
            city: city.to_owned(),
            zip: zip.to_owned(),
            ..HomeAddress::default()
        }
    }

    fn told(home: &HomeAddress, certificate: &Certificate) -> Vec<String> {
        open_place_warnings(Some(home), None, certificate)
            .into_iter()
            .map(|warning| warning.message)
            .collect()
    }

    #[test]
    fn what_counts_until_the_question_is_answered_is_told_for_each_kind() {
        let nothing = Certificate::default();
        let county = told(&home("MD", "Mount Airy", "21771"), &nothing);
        assert!(county.len() == 1 && county[0].contains("Carroll County counts until"), "{county:?}");
        let district = told(&home("OH", "Alexandria", "43001"), &nothing);
        assert!(district.len() == 1 && district[0].contains("no school district tax"), "{district:?}");
        let municipality = told(&home("PA", "Beaver Falls", "15010"), &nothing);
        assert!(municipality[0].contains("no earned income tax"), "{municipality:?}");
        assert_eq!(told(&home("MD", "Baltimore", "21201"), &nothing), [""; 0]);
        let work = |city, zip| {
            let place = Place::from_address("OH", city, zip);
            let at = Worked::at_location(&place, None);
            open_place_warnings(None, Some(&at), &nothing)
                .into_iter()
                .map(|one| one.message)
                .collect::<Vec<_>>()
        };
        assert!(work("Columbus", "43215")[0].contains("the tax of Columbus is withheld until"));
        assert!(work("Dayton", "45458")[0].contains("no city tax is withheld until"));
        assert_eq!(work("Westlake", "44145"), [""; 0], "all of it lies in the city");
        let portland = told(&home("OR", "Portland", "97204"), &nothing);
        assert!(
            portland.len() == 1 && portland[0].contains("outside Metro: its tax is withheld"),
            "{portland:?}"
        );
        let happy_valley = told(&home("OR", "Happy Valley", "97086"), &nothing);
        assert!(happy_valley[0].contains("its tax is not withheld until"), "{happy_valley:?}");
    }

    #[test]
    fn a_short_name_of_a_school_district_is_reported_as_such() {
        let certificate =
            Certificate { school_district: Some("Columbus".to_owned()), ..Certificate::default() };
        let warned = told(&home("OH", "Columbus", "43215"), &certificate);
        assert!(warned.len() == 1 && warned[0].contains("no full name of a district"), "{warned:?}");
        // Answers from before such numbers were refused: no county has the number, and no county has as many districts.
        for none in ["8999", "9999", "2599"] {
            let certificate =
                Certificate { school_district: Some(none.to_owned()), ..Certificate::default() };
            let warned = told(&home("OH", "Columbus", "43215"), &certificate);
            assert!(warned.len() == 1 && warned[0].contains("is no district of Ohio"), "{none}: {warned:?}");
        }
    }
}
