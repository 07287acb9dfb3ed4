use super::*;
use crate::places::{GivenAddress, GivenFor, check_answer};

fn address<'a>(state: &'a str, city: &'a str, zip: &'a str) -> Address<'a> {
    Address { state, city, zip }
}

/// The places of an address: `?` marks those that are not certain, `-` those whose taxes are not withheld.
fn marked(found: &Found) -> Vec<String> {
    let mark = |at: &AddressPlace| match (at.certain, at.taxed) {
        (true, _) => "",
        (false, true) => "?",
        (false, false) => "-",
    };
    found.places.iter().map(|at| format!("{}{}", at.place, mark(at))).collect()
}

fn work(state: &str, city: &str, zip: &str) -> Found {
    find_places(Side::Work, address(state, city, zip), Facts { with_others: true, ..Facts::default() })
}

fn home(state: &str, city: &str, zip: &str) -> Found {
    find_places(Side::Home, address(state, city, zip), Facts { with_others: true, ..Facts::default() })
}

fn asked(found: &Found) -> Vec<(PlaceKind, Vec<String>)> {
    let names = |question: &Question| question.choices.iter().map(|choice| choice.name.clone()).collect();
    found.open_questions().map(|question| (question.kind, names(question))).collect()
}

fn answers(given: &[(PlaceKind, &str)]) -> Answers {
    Answers(given.iter().map(|(kind, code)| (*kind, (*code).to_owned())).collect())
}

#[test]
fn an_address_with_a_postal_city_it_does_not_lie_in_is_not_taxed_by_it_and_asked_for_its_city() {
    let found = work("OH", "Dayton", "45458");
    assert_eq!(marked(&found), [""; 0]);
    let question = found.open_questions().next().unwrap();
    assert_eq!(question.kind, PlaceKind::City);
    assert!(question.others.iter().any(|choice| choice.name == "Centerville"), "{question:?}");
    assert!(question.choices.iter().chain(&question.others).all(|choice| choice.name != "Dayton"));
    assert_eq!(question.choices[0].code, NONE);
}

#[test]
fn a_city_that_a_zip_code_only_partly_lies_in_is_asked_for_and_counts_if_it_is_likely() {
    let found = work("OH", "Columbus", "43215");
    assert_eq!(marked(&found), ["OH-18000?"]);
    assert_eq!(asked(&found)[0].1, ["Columbus", ""]);
    assert!(found.places[0].reason.starts_with("9.8 % to 96.6 % of the land of ZIP code 43215"));
    for (answer, expected) in
        [("OH-18000", &["OH-18000"][..]), (NONE, &[][..]), ("OH-06278", &["OH-06278"][..])]
    {
        let given = answers(&[(PlaceKind::City, answer)]);
        let facts = Facts { answers: Some(&given), with_others: true, ..Facts::default() };
        let found = find_places(Side::Work, address("OH", "Columbus", "43215"), facts);
        assert_eq!(marked(&found), expected, "{answer}");
        assert_eq!(found.open_questions().count(), 0);
        assert_eq!(found.questions[0].answer.as_deref(), Some(answer), "it stays among the questions");
    }
}

#[test]
fn an_ohio_city_matters_to_its_residents_only_where_the_employer_withholds_for_it() {
    let home = |courtesy| {
        find_places(Side::Home, address("OH", "Columbus", "43215"), Facts { courtesy, ..Facts::default() })
    };
    assert!(asked(&home(false)).is_empty());
    assert_eq!(marked(&home(false)), ["OH-18000?", "OH-SD-NONE"]);
    assert_eq!(asked(&home(true))[0].0, PlaceKind::City);
}

#[test]
fn a_zip_code_in_several_counties_is_asked_for_its_county_by_name() {
    let found = home("MD", "Mount Airy", "21771");
    assert_eq!(marked(&found), ["MD-07?"]);
    let names = ["Carroll County", "Frederick County", "Howard County", "Montgomery County"];
    assert_eq!(asked(&found), [(PlaceKind::County, names.map(str::to_owned).to_vec())]);
    let given = answers(&[(PlaceKind::County, "24021")]);
    let facts = Facts { answers: Some(&given), with_others: true, ..Facts::default() };
    let found = find_places(Side::Home, address("MD", "Mount Airy", "21771"), facts);
    assert_eq!((marked(&found), found.places[0].told), (vec!["MD-11".to_owned()], Told::Answer));
    assert_eq!(marked(&home("MD", "Brooklyn", "21225")), ["MD-04?"], "53 % of the homes: Baltimore City");
    assert_eq!(marked(&home("IN", "Fortville", "46040")), ["IN-29?"], "52 % of the homes: Hamilton County");
    assert_eq!(
        marked(&work("IN", "Fortville", "46040")),
        ["IN-30?"],
        "86 % of the businesses: Hancock County"
    );
    assert_eq!(asked(&work("MD", "Mount Airy", "21771")), [], "no county of Maryland taxes work");
}

#[test]
fn a_school_district_of_ohio_is_asked_for_only_where_districts_of_the_zip_code_tax_differently() {
    assert_eq!(marked(&home("OH", "Alexandria", "43001")).last().unwrap(), "OH-SD-");
    let names = &asked(&home("OH", "Alexandria", "43001"))[0].1;
    assert_eq!(names[0], "Northridge Local School District");
    let of = |facts: Facts<'_>| marked(&find_places(Side::Home, address("OH", "Alexandria", "43001"), facts));
    let given = answers(&[(PlaceKind::SchoolDistrict, "3904539")]);
    assert!(
        of(Facts { answers: Some(&given), with_others: true, ..Facts::default() })
            .contains(&"OH-SD-4501".to_owned())
    );
    let named = |text: &str| {
        let certificate = Certificate { school_district: Some(text.to_owned()), ..Certificate::default() };
        of(Facts { certificate: Some(&certificate), ..Facts::default() }).last().cloned().unwrap()
    };
    assert_eq!(named("Granville EVSD"), "OH-SD-4501");
    assert_eq!(named("Columbus"), "OH-SD-NONE-", "a short name leads to no other district's tax");
    assert_eq!(named("Granville"), "OH-SD-4501?", "a short name of the only such district still counts");
}

#[test]
fn a_municipality_of_pennsylvania_is_asked_for_with_the_names_of_the_zip_code_first() {
    let found = home("PA", "Beaver Falls", "15010");
    let question = found.open_questions().next().unwrap();
    assert_eq!(
        (question.kind, question.choices[0].name.as_str()),
        (PlaceKind::Municipality, "Chippewa Township")
    );
    assert!(question.others.iter().any(|choice| choice.name == "Ambridge Borough"), "the county's follow");
    assert_eq!(question.others.last().unwrap().code, NONE, "and at last: outside Pennsylvania");
    assert_eq!(marked(&found), [""; 0], "no rate is guessed");
    let of = |given: &[(PlaceKind, &str)]| {
        let given = answers(given);
        let facts = Facts { answers: Some(&given), with_others: true, ..Facts::default() };
        find_places(Side::Home, address("PA", "Pittsburgh", "15222"), facts)
    };
    let split = of(&[(PlaceKind::Municipality, "4200361000")]);
    assert_eq!(
        asked(&split),
        [(PlaceKind::SchoolDistrict, vec!["Pittsburgh".into(), "Baldwin-Whitehall".into()])]
    );
    let whole = of(&[(PlaceKind::Municipality, "4200361000"), (PlaceKind::SchoolDistrict, "4219170")]);
    assert_eq!((marked(&whole), asked(&whole)), (vec!["PA-4200361000-4219170".to_owned()], vec![]));
    assert_eq!(marked(&of(&[(PlaceKind::Municipality, NONE)])), ["PA-880000"]);
    assert_eq!(marked(&home("PA", "Philadelphia", "19103")), ["PA-PHILADELPHIA"]);
}

#[test]
fn an_answer_must_be_one_that_the_state_can_have() {
    let refused = |kind, code: &str, (state, city, zip)| {
        check_answer(kind, code, (Side::Home, address(state, city, zip)), &Answers::default()).unwrap_err()
    };
    let (ohio, maryland) = (("OH", "Dayton", "45458"), ("MD", "Mount Airy", "21771"));
    assert!(refused(PlaceKind::County, "39049", maryland).contains("a county of MD, such as 24001"));
    assert!(refused(PlaceKind::City, "MI-DETROIT", ohio).contains("taxing city of OH"));
    assert!(refused(PlaceKind::City, NONE, ("TX", "Austin", "78701")).contains("no city there taxes pay"));
    assert!(refused(PlaceKind::SchoolDistrict, "2503", ohio).contains("NCES code"));
    assert!(refused(PlaceKind::Municipality, "4200361000", ohio).contains("only in PA"));
    assert!(
        refused(PlaceKind::SchoolDistrict, "4219170", ("PA", "X", "15222"))
            .contains("together with municipality")
    );
    assert!(
        refused(PlaceKind::County, "48453", ("TX", "Austin", "78701")).contains("no county there taxes pay")
    );
    let portland = ("OR", "Portland", "97204");
    assert!(refused(PlaceKind::Metro, "OR-TRIMET_DISTRICT", portland).contains("none or one of OR-METRO"));
    assert!(refused(PlaceKind::Metro, NONE, ohio).contains("only in OR"));
    assert!(refused(PlaceKind::TransitDistrict, "OR-METRO", portland).contains("none or one of OR-TRIMET"));
    assert!(refused(PlaceKind::City, "OR-CANBY", portland).contains("such as OR-EUGENE"));
}

#[test]
fn an_answer_on_a_certificate_ends_with_the_address_it_was_given_for() {
    let given = GivenAddress::from_address(address("OH", "Alexandria", "43001"));
    let certificate = Certificate {
        school_district: Some("4501".to_owned()),
        given_for: GivenFor([("school_district".to_owned(), given)].into()),
        ..Certificate::default()
    };
    let at = |city, zip| {
        let facts = Facts { certificate: Some(&certificate), ..Facts::default() };
        marked(&find_places(Side::Home, address("OH", city, zip), facts)).last().cloned().unwrap()
    };
    assert_eq!(at("Alexandria", "43001"), "OH-SD-4501");
    assert_eq!(at("Columbus", "43215"), "OH-SD-NONE", "after a move, the tables decide again");
    assert_eq!(at("Johnstown", "43031"), "OH-SD-", "or the question is open again");
}

#[test]
fn a_city_that_is_its_county_is_told_by_the_county() {
    assert_eq!(marked(&work("KY", "Louisville", "40202")), ["KY-LOUISVILLE_METRO"]);
    assert_eq!(marked(&work("CO", "Denver", "80202")), ["CO-DENVER"]);
    assert_eq!(marked(&work("PA", "Philadelphia", "19103")), ["PA-PHILADELPHIA"]);
    assert_eq!(asked(&work("KY", "Louisville", "40202")), []);
}

#[test]
fn the_middle_of_portland_lies_in_trimets_district_by_its_list_and_metro_is_one_question() {
    let at = |zip, given: &[(PlaceKind, &str)]| {
        let given = answers(given);
        let facts = Facts { answers: Some(&given), with_others: true, ..Facts::default() };
        find_places(Side::Work, address("OR", "Portland", zip), facts)
    };
    let middle = at("97204", &[]);
    assert_eq!(marked(&middle), ["OR-METRO?", "OR-MULTNOMAH", "OR-TRIMET_DISTRICT"]);
    assert_eq!(asked(&middle), [(PlaceKind::Metro, vec!["Metro".to_owned(), String::new()])]);
    assert_eq!(middle.questions[0].default.as_deref(), Some("OR-METRO"));
    let answered = at("97204", &[(PlaceKind::Metro, "OR-METRO")]);
    assert_eq!(marked(&answered), ["OR-METRO", "OR-MULTNOMAH", "OR-TRIMET_DISTRICT"]);
    assert_eq!(answered.open_questions().count(), 0);
    assert_eq!(marked(&at("97204", &[(PlaceKind::Metro, NONE)])), ["OR-MULTNOMAH", "OR-TRIMET_DISTRICT"]);
    // TriMet lists this one as partly in its district, and Wilsonville has a transit system of its own.
    let wilsonville = |given: &[(PlaceKind, &str)]| {
        let given = answers(given);
        let facts = Facts { answers: Some(&given), ..Facts::default() };
        find_places(Side::Work, address("OR", "Wilsonville", "97070"), facts)
    };
    let open = wilsonville(&[]);
    assert_eq!(marked(&open), ["OR-METRO-", "OR-TRIMET_DISTRICT-", "OR-WILSONVILLE-"]);
    let kinds: Vec<PlaceKind> = open.open_questions().map(|question| question.kind).collect();
    assert_eq!(kinds, [PlaceKind::TransitDistrict, PlaceKind::Metro]);
    let own = [(PlaceKind::TransitDistrict, "OR-WILSONVILLE"), (PlaceKind::Metro, "OR-METRO")];
    assert_eq!(marked(&wilsonville(&own)), ["OR-METRO", "OR-WILSONVILLE"]);
    // Transit districts tax work alone: nobody is asked about the home.
    let kinds: Vec<PlaceKind> =
        home("OR", "Wilsonville", "97070").open_questions().map(|question| question.kind).collect();
    assert_eq!(kinds, [PlaceKind::Metro]);
    assert_eq!(asked(&work("OR", "Eugene", "97401"))[1].0, PlaceKind::TransitDistrict);
    assert_eq!(asked(&work("OR", "Bend", "97701")), []);
}

#[test]
fn two_thousand_addresses_lead_to_what_an_independent_script_works_out() {
    let mut rows = csv::Reader::from_reader(include_str!("addresses_worked.csv").as_bytes());
    let (mut count, mut with_questions) = (0, 0);
    for row in rows.records() {
        let row = row.unwrap();
        let side = if &row[3] == "work" { Side::Work } else { Side::Home };
        let found = find_places(side, address(&row[0], &row[1], &row[2]), Facts::default());
        let open: Vec<String> = found
            .open_questions()
            .map(|question| format!("{}:{}", crate::Named::as_str(question.kind), question.choices.len()))
            .collect();
        assert_eq!(
            (marked(&found).join(";"), open.join(";")),
            (row[4].to_owned(), row[5].to_owned()),
            "{row:?}"
        );
        count += 1;
        with_questions += usize::from(!open.is_empty());
    }
    assert_eq!(count, 2_000);
    assert!(with_questions > 500, "{with_questions}");
}
