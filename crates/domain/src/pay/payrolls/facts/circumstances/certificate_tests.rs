//! Local taxes according to states' certificates.

use super::*;
use crate::pay::payrolls::facts::circumstances::tests::{
    NONE, NOTHING, PERIOD, START, by_hand, employer, lives, locations, of, payroll, single, works,
};

#[test]
fn answering_no_indiana_county_on_1_january_means_no_county_tax() {
    let none = [("IN", "county", Answer::Text("none".to_owned()))];
    let january = |homes: &[HomeAddress], answers: &[(&str, &str, Answer)]| {
        let found = of(&[works(4, START)], homes, answers).january.unwrap();
        (found.home, found.work)
    };
    let in_indiana = [lives("Indianapolis", "IN", "46204", START)];
    let in_kentucky = [lives("Louisville", "KY", "40202", START)];
    let marion = Some("IN-49".to_owned());
    assert_eq!(january(&in_indiana, &[]), (marion.clone(), marion.clone()));
    assert_eq!(january(&in_kentucky, &[]), (None, marion.clone()));
    assert_eq!(january(&in_indiana, &none), (None, None));
    assert_eq!(january(&in_kentucky, &none), (None, None));
    let by_hand = HomeAddress {
        jurisdiction_codes: by_hand(&["IN-49"], ("IN", "Indianapolis", "46204")),
        ..in_indiana[0].clone()
    };
    assert_eq!(january(&[by_hand], &none), (marion, None));
}

/// Returns the setting of New York City's tax for a resident with these answers to Form IT-2104.
fn new_york_city(answers: &[(&str, &str, Answer)], supplemental: bool) -> Setting {
    let answers = answers.iter().map(|(_, key, answer)| ((*key).to_owned(), answer.clone())).collect();
    let married = W4::Pre2020 {
        filing_status: FilingStatus::Married,
        allowances: 0,
        additional_withholding: Amount::ZERO,
    };
    let person = PersonFacts {
        works: &[works(3, START)],
        homes: &[lives("Brooklyn", "NY", "11201", START)],
        answers: &BTreeMap::from([("NY".to_owned(), answers)]),
        w4: &married,
        hours: &[],
        visited: &NOTHING,
        given_for: &GivenFor::default(),
        exempt: &NONE,
        employed: &PERIOD,
    };
    let payroll = Payroll { fixed_withholding_rate: supplemental, ..payroll() };
    let found = find_circumstances(&employer(&[]).unwrap(), &locations(), &payroll, &person);
    found.settings["NY_NEW_YORK_CITY"].clone()
}

#[test]
fn new_york_city_uses_its_states_certificate_and_not_form_w_4() {
    let status = |word: &str| ("NY", "filing_status", Answer::Text(word.to_owned()));
    let number = |count: i64| Answer::Number(Amount::from_cents(100 * count));
    assert_eq!(new_york_city(&[], false).filing, Some(Filing::Single));
    let married = new_york_city(&[status("married"), ("NY", "allowances", number(5))], false);
    assert_eq!((married.filing, married.exemptions, married.exempt), (Some(Filing::Joint), 5, false));
    assert_eq!(new_york_city(&[("NY", "allowances", number(5))], true).exemptions, 0);
    assert!(new_york_city(&[("NY", "exempt", Answer::Bool(true))], false).exempt);
    // An employee who neither lives nor works in the city has no setting for its tax.
    let upstate = of(&[works(1, START)], &[lives("Albany", "NY", "12207", START)], &[status("married")]);
    assert!(upstate.settings.is_empty(), "{upstate:?}");
}

#[test]
fn exemptions_of_the_states_certificate_count_in_localities_with_an_amount_for_each() {
    let mut places = locations();
    places.insert(Uuid::from_u128(9), Place::from_address("MI", "Detroit", "48226"));
    let settings = |(work, home): (u128, &HomeAddress), answers: &[(&str, Answer)]| {
        let answers = answers.iter().map(|(key, answer)| ((*key).to_owned(), answer.clone())).collect();
        let person = PersonFacts {
            works: &[works(work, START)],
            homes: std::slice::from_ref(home),
            answers: &BTreeMap::from([(home.state.clone(), answers)]),
            w4: &single(),
            hours: &[],
            visited: &NOTHING,
            given_for: &GivenFor::default(),
            exempt: &NONE,
            employed: &PERIOD,
        };
        find_circumstances(&employer(&[]).unwrap(), &places, &payroll(), &person).settings
    };
    let four = ("exemptions", Answer::Number(Amount::from_cents(400)));
    let exempt = ("exempt", Answer::Bool(true));
    let grand_rapids = lives("Grand Rapids", "MI", "49503", START);
    let of_michigan = settings((9, &grand_rapids), &[four.clone(), exempt.clone()]);
    let set: Vec<_> =
        of_michigan.iter().map(|(code, set)| (code.as_str(), set.exemptions, set.exempt)).collect();
    // A claim of exemption on Form MI-W4 does not apply to the cities, which have their own forms.
    assert_eq!(set, [("MI_DETROIT", 4, false), ("MI_GRAND_RAPIDS", 4, false)]);
    let columbus = lives("Columbus", "OH", "43215", START);
    let district = ("school_district", Answer::Text("3301".to_owned()));
    let of_ohio = settings((1, &columbus), &[four, exempt, district]);
    let set: Vec<_> = of_ohio.iter().map(|(code, set)| (code.as_str(), set.exemptions, set.exempt)).collect();
    assert_eq!(set, [("OH_SD_3301", 4, true)]);
}
