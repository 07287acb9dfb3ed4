use super::super::{Facts, find_places};
use super::*;
use crate::taxes::LocalTaxes;

const BROOKLYN: Address<'_> = Address { state: "NY", city: "Brooklyn", zip: "11201" };
const COLUMBUS: Address<'_> = Address { state: "OH", city: "Columbus", zip: "43215" };
const SILVER_SPRING: Address<'_> = Address { state: "MD", city: "Silver Spring", zip: "20910" };
const ALLENTOWN: Address<'_> = Address { state: "PA", city: "Allentown", zip: "18101" };
const PORTLAND: Address<'_> = Address { state: "OR", city: "Portland", zip: "97204" };

fn of(side: Side, address: Address<'_>, by_hand: Option<&[&str]>, certificate: &Certificate) -> Vec<String> {
    let by_hand: Option<Vec<String>> =
        by_hand.map(|codes| codes.iter().map(|code| (*code).to_owned()).collect());
    let facts = Facts { by_hand: by_hand.as_deref(), certificate: Some(certificate), ..Facts::default() };
    let found = find_places(side, address, facts);
    let open = |certain: bool| if certain { "" } else { "?" };
    found
        .places
        .iter()
        .map(|at| format!("{}{} {}", at.place, open(at.certain), crate::Named::as_str(at.told)))
        .collect()
}

#[test]
fn each_place_says_from_what_it_is_known() {
    let nothing = Certificate::default();
    assert_eq!(of(Side::Home, BROOKLYN, None, &nothing), ["NY-MCTD_ZONE_1 zip", "NY-NEW_YORK_CITY zip"]);
    assert_eq!(of(Side::Work, COLUMBUS, None, &nothing), ["OH-18000? city"]);
    let district = Certificate { school_district: Some("2501".into()), ..Certificate::default() };
    assert_eq!(of(Side::Home, COLUMBUS, None, &district), ["OH-18000? city", "OH-SD-2501 certificate"]);
    assert_eq!(of(Side::Work, COLUMBUS, None, &district), ["OH-18000? city"]);
    let upstate = Certificate { new_york_city: Some(false), ..Certificate::default() };
    assert_eq!(of(Side::Home, BROOKLYN, None, &upstate), ["NY-MCTD_ZONE_1 zip"]);
    assert_eq!(
        of(Side::Home, PORTLAND, None, &nothing),
        ["OR-METRO? zip", "OR-MULTNOMAH zip", "OR-TRIMET_DISTRICT zip"]
    );
}

#[test]
fn a_county_of_maryland_is_shown_and_never_taxes_wages_by_itself() {
    let nothing = Certificate::default();
    assert_eq!(of(Side::Home, SILVER_SPRING, None, &nothing), ["MD-16 zip"]);
    assert_eq!(of(Side::Work, SILVER_SPRING, None, &nothing), ["MD-16 zip"]);
    assert_eq!(of(Side::Home, SILVER_SPRING, Some(&["MD-17"]), &nothing), ["MD-17 correction"]);
    let names = PlaceNames::built_in();
    let called = |place| describe_place(place, names).unwrap();
    assert_eq!(called("MD-16"), (Level::County, "Montgomery".to_owned()));
    assert_eq!([called("MD-03").1, called("MD-04").1], ["Baltimore County", "Baltimore City"]);
    for tax in TaxTable::built_in_local().iter() {
        let place = tax.jurisdiction.place.as_str();
        assert_eq!(is_within_state_tax(place), tax.jurisdiction.state == "MD", "{place}");
    }
}

#[test]
fn a_list_set_by_hand_counts_before_zip_city_and_certificate() {
    let certificate = Certificate {
        new_york_city: Some(true),
        school_district: Some("2501".into()),
        home_psd: Some("390101".into()),
        work_psd: Some("671401".into()),
        ..Certificate::default()
    };
    assert_eq!(of(Side::Home, BROOKLYN, Some(&[]), &certificate), [""; 0]);
    let inside: &[&str] = &["OR-METRO", "OR-MULTNOMAH"];
    assert_eq!(
        of(Side::Work, PORTLAND, Some(inside), &certificate),
        ["OR-METRO correction", "OR-MULTNOMAH correction"]
    );
    // What no table provides stays as on the certificate, unless the list has its own.
    assert_eq!(of(Side::Home, COLUMBUS, Some(&[]), &certificate), ["OH-SD-2501 certificate"]);
    assert_eq!(of(Side::Home, COLUMBUS, Some(&["OH-SD-2301"]), &certificate), ["OH-SD-2301 correction"]);
    assert_eq!(of(Side::Home, ALLENTOWN, None, &certificate), ["PA-390101 certificate"]);
    assert_eq!(of(Side::Work, ALLENTOWN, None, &certificate), ["PA-671401 certificate"]);
    assert_eq!(of(Side::Home, ALLENTOWN, Some(&["PA-390699"]), &certificate), ["PA-390699 correction"]);
    // Philadelphia is outside the register.
    let philadelphia = Address { state: "PA", city: "Philadelphia", zip: "19103" };
    assert_eq!(of(Side::Home, philadelphia, None, &certificate), ["PA-PHILADELPHIA zip"]);
}

#[test]
fn every_place_of_the_tables_has_a_name_without_the_word_tax() {
    let names = PlaceNames::built_in();
    for tax in TaxTable::built_in_local().iter() {
        let (_, name) = describe_place(&tax.jurisdiction.place, names).unwrap();
        assert!(!name.is_empty() && !name.ends_with("tax"), "{}: {name}", tax.code);
    }
    let places = ["OH-18000", "IN-49", "PA-390101", "PA-PHILADELPHIA", "OR-MULTNOMAH", "NY-YONKERS"];
    let called = places.map(|place| describe_place(place, names).unwrap().1);
    assert_eq!(called, ["Columbus", "Marion", "Allentown", "Philadelphia", "Multnomah", "Yonkers"]);
    assert_eq!(describe_place("OH-99999", names), None);
    assert_eq!(describe_place("PA-123456", names), None);
}

#[test]
fn a_code_set_by_hand_must_be_a_place_of_the_state() {
    let names = PlaceNames::built_in();
    let check =
        |code: &str, address| check_place(code, address, names).map_or_else(|why| why, |()| "fine".into());
    let of_state = |state| Address { state, city: "", zip: "" };
    assert_eq!(check("OH-18000", COLUMBUS), "fine");
    assert_eq!(check("OH-JEDD-9156", COLUMBUS), "fine");
    assert_eq!(check("PA-390101", ALLENTOWN), "fine");
    assert_eq!(
        check("KY-LOUISVILLE_METRO", COLUMBUS),
        "must be the key of a taxing place of OH, for this address such as OH-18000"
    );
    assert_eq!(check("MO-JOPLIN", of_state("MO")), "must be one of MO-KANSAS_CITY, MO-ST_LOUIS");
    assert_eq!(check("TX-AUSTIN", of_state("TX")), "cannot be set in TX: no place there taxes wages");
    assert_eq!(check("MD-02", of_state("MD")), "fine");
    for none in ["MD-UNKNOWN", "MD-NONRESIDENT"] {
        assert!(check(none, of_state("MD")).starts_with("must be one of MD-01, MD-02"), "{none}");
    }
    assert!(check("PA-123456", ALLENTOWN).contains("a PSD code of the register"));
    assert_ne!(check(OHIO_DISTRICT, COLUMBUS), "fine");
}

#[test]
fn every_place_that_can_be_chosen_for_a_state_can_be_set() {
    let names = PlaceNames::built_in();
    for (state, some) in
        [("OH", "OH-18000"), ("PA", "PA-390101"), ("PA", "PA-PHILADELPHIA"), ("OR", "OR-METRO")]
    {
        let known = places_of_state(state, names);
        assert!(known.contains_key(some), "{some}");
        for (code, name) in &known {
            let address = Address { state, city: "", zip: "" };
            assert_eq!(check_place(code, address, names), Ok(()), "{code} {name}");
        }
    }
    assert!(places_of_state("TX", names).is_empty());
    assert_eq!(places_of_state("MD", names).len(), 24);
}

#[test]
fn a_place_whose_tax_was_imported_can_be_set_by_hand_and_has_its_name() {
    let (header, rows) = LocalTaxes::FILE.split_once('\n').unwrap();
    let charleston = rows.lines().find(|line| line.starts_with("WV_CHARLESTON,")).unwrap();
    let newtown = charleston.replace("CHARLESTON", "NEWTOWN").replace("Charleston", "Newtown");
    let local = LocalTaxes::parse(&format!("{header}\n{newtown}\n{rows}")).unwrap();
    let names = PlaceNames { local: &local, ..PlaceNames::built_in() };
    let address = Address { state: "WV", city: "Newtown", zip: "25301" };
    assert_eq!(check_place("WV-NEWTOWN", address, names), Ok(()));
    assert!(check_place("WV-NEWTOWN", address, PlaceNames::built_in()).is_err());
    assert_eq!(describe_place("WV-NEWTOWN", names), Some((Level::City, "Newtown".to_owned())));
    assert!(places_of_state("WV", names).contains_key("WV-NEWTOWN"));
}
