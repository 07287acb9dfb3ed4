//! What holds for every ZIP code.

use proptest::prelude::*;

use super::counties::counties_in_state;
use super::*;
use crate::taxes::{PlaceTable, TaxTable};

/// The taxing cities of a state, by name and place.
fn cities() -> Vec<(&'static str, String, &'static str)> {
    let names =
        TaxTable::built_in_local().iter().filter(|tax| tax.jurisdiction.level == crate::taxes::Level::City);
    let all = names.map(|tax| {
        let name = describe_place(&tax.jurisdiction.place, crate::places::PlaceNames::built_in()).unwrap().1;
        (tax.jurisdiction.state.as_str(), name, tax.jurisdiction.place.as_str())
    });
    all.collect()
}

/// Whether a place is certain by an address with this county, name or answer.
fn zips_of(state: &'static str) -> Vec<&'static str> {
    let all = include_str!("../../../../data/places/zip_counties.csv").lines().skip(1);
    all.filter_map(|line| line.get(..5)).filter(|zip| !counties_in_state(zip, state).is_empty()).collect()
}

#[test]
fn no_county_is_certain_in_a_zip_code_below_99_5_percent() {
    for state in ["AL", "CA", "CO", "IN", "KY", "MD", "MO", "NY", "OR", "PA"] {
        for zip in zips_of(state) {
            for side in [Side::Home, Side::Work] {
                let shares = counties_in_state(zip, state);
                let most = shares.iter().map(|at| at.homes).max().unwrap();
                let found = find_places(side, Address { state, city: "Anytown", zip }, Facts::default());
                // A municipality of Pennsylvania and TriMet's district are told by tables of their own.
                let by_county = |at: &&AddressPlace| {
                    at.told == Told::Zip && !at.place.starts_with("PA-4") && at.place != super::oregon::TRIMET
                };
                for at in found.places.iter().filter(by_county).filter(|at| at.certain) {
                    let everywhere = shares.iter().all(|share| {
                        let named =
                            crate::taxes::Address { state, city: "Anytown", county: Some(share.county) };
                        PlaceTable::built_in()
                            .places_of_address(named)
                            .iter()
                            .any(|other| other.place == at.place)
                    });
                    assert!(
                        most >= CERTAIN && shares[0].known || everywhere && shares.len() > 1,
                        "{zip} {at:?}"
                    );
                }
                let open = found.open_questions().count();
                let certain = certain_county(&shares, side).is_some();
                assert!(
                    !certain || found.open_questions().all(|one| one.kind != PlaceKind::County),
                    "{zip} {open}"
                );
            }
        }
    }
}

#[test]
fn no_city_taxes_an_address_outside_its_limits_and_none_is_certain_but_inside() {
    let (mut outside, mut inside) = (0, 0);
    for line in include_str!("../../../../data/places/city_zips.csv").lines().skip(1) {
        let mut columns = line.split(',');
        let (zip, place) = (columns.next().unwrap(), columns.next().unwrap());
        let state = &place[..2];
        let name = describe_place(place, crate::places::PlaceNames::built_in()).unwrap().1;
        for side in [Side::Home, Side::Work] {
            let found = find_places(
                side,
                Address { state, city: &name, zip },
                Facts { courtesy: true, ..Facts::default() },
            );
            let at = found.places.iter().find(|at| at.place == place);
            match Bounds::bounds_in_zip(zip, place).unwrap().limits() {
                Limits::Outside => {
                    assert_eq!(at, None, "{zip} {name}");
                    outside += 1;
                }
                Limits::Inside => {
                    assert!(at.is_some_and(|at| at.certain && at.taxed), "{zip} {name}");
                    inside += 1;
                }
                // A county that is the city tells more than the borders of its land.
                Limits::Mixed => {
                    assert!(at.is_none_or(|at| !at.certain || at.told == Told::Zip), "{zip} {name}")
                }
            }
        }
    }
    assert_eq!((outside, inside), (70, 82), "35 and 41, as a home and as a place of work");
}

#[test]
fn no_transit_district_of_oregon_is_certain_in_a_zip_code_that_it_does_not_list_and_metro_nowhere() {
    let mut certain = 0;
    for zip in zips_of("OR") {
        for side in [Side::Home, Side::Work] {
            let found = find_places(side, Address { state: "OR", city: "Portland", zip }, Facts::default());
            for at in found.places.iter().filter(|at| super::oregon::kind_of(&at.place).is_some()) {
                let listed = super::oregon::zip_listing(zip) == Some(super::oregon::Listed::Inside);
                assert_eq!(at.certain, listed && at.place == super::oregon::TRIMET, "{zip} {at:?}");
                certain += usize::from(at.certain);
            }
        }
    }
    assert_eq!(certain, 132, "66 ZIP codes, as a home and as a place of work");
}

proptest! {
    #[test]
    fn every_choice_of_a_question_answers_it_and_no_question_comes_back(
        index in 0usize..41_000, work: bool, courtesy: bool, city in 0usize..800, choice in 0usize..1_000
    ) {
        let side = if work { Side::Work } else { Side::Home };
        let all = include_str!("../../../../data/places/zip_counties.csv");
        let zip = all.lines().nth(1 + index).unwrap().get(..5).unwrap();
        let Some(state) = state_of_zip(zip) else { return Ok(()) };
        let of_state: Vec<String> =
            cities().into_iter().filter(|known| known.0 == state).map(|known| known.1).collect();
        let city = of_state.get(city % of_state.len().max(1)).map_or("Anytown", String::as_str);
        let address = Address { state, city, zip };
        let mut answers = Answers::default();
        // A municipality in several school districts asks a second time, and a county may lead to a city.
        for _ in 0..4 {
            let found = find_places(side, address, Facts { answers: Some(&answers), courtesy, with_others: true, ..Facts::default() });
            let Some(question) = found.open_questions().next() else { break };
            let choices: Vec<&Choice> = question.choices.iter().chain(&question.others).collect();
            prop_assert!(!choices.is_empty(), "{zip} {question:?}");
            let code = choices[choice % choices.len()].code.clone();
            prop_assert_eq!(check_answer(question.kind, &code, (side, address), &answers), Ok(()));
            answers.0.insert(question.kind, code);
        }
        let found = find_places(side, address, Facts { answers: Some(&answers), courtesy, with_others: true, ..Facts::default() });
        prop_assert_eq!(found.open_questions().count(), 0);
        let matters = |at: &&AddressPlace| at.told == Told::Answer;
        prop_assert!(found.places.iter().filter(matters).all(|at| at.certain || at.place.starts_with("OR-")));
    }

    #[test]
    fn the_same_address_leads_to_the_same_places(zip in "[0-9]{5}", city in "[A-Za-z .]{0,12}", state in "[A-Z]{2}") {
        let address = Address { state: &state, city: &city, zip: &zip };
        prop_assert_eq!(find_places(Side::Home, address, Facts::default()), find_places(Side::Home, address, Facts::default()));
    }
}
