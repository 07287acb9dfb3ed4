//! What addresses tell of the questions on states' certificates, so that nobody is asked for it.

use jiff::civil::Date;

use super::address::{AddressPlace, psd_of};
use super::find::Found;
use super::ohio::NO_DISTRICT;
use super::question::PlaceKind;
use crate::amount::Amount;
use crate::taxes::{Method, PennsylvaniaTable, PlaceTable, TaxTable};
use crate::withholding::state::Answer;

/// Maryland's rate for those who live outside the state.
pub const MARYLAND_NONRESIDENT: Amount = Amount::from_millionths(2_250_000);
/// Philadelphia's code in Pennsylvania's register.
pub const PHILADELPHIA_CODE: &str = "510101";
/// The code for a home or place of work outside Pennsylvania.
const OUTSIDE: &str = super::address::OUTSIDE_PENNSYLVANIA;

/// The answer to a question on a state's certificate, which the address gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Two-letter code of the state that asks.
    pub state: &'static str,
    /// Key of the question.
    pub key: &'static str,
    /// The answer.
    pub answer: Answer,
}

fn known_answer(state: &'static str, key: &'static str, answer: Answer) -> Told {
    Told { state, key, answer }
}

fn text_answer(text: impl Into<String>) -> Answer {
    Answer::Text(text.into())
}

/// Returns the answers that a home gives. Nothing is told of what is not certain.
pub fn told_by_home(state: &str, found: &Found, register: &PennsylvaniaTable, day: Date) -> Vec<Told> {
    let is_open = |kind| found.open_questions().any(|question| question.kind == kind);
    let certain = |begins: &str| found.places.iter().find(|at| at.certain && at.place.starts_with(begins));
    let mut all = Vec::new();
    if !is_open(PlaceKind::County) {
        let lives_there = certain("NY-NEW_YORK_CITY").is_some();
        all.push(known_answer("NY", "nyc_resident", Answer::Bool(lives_there)));
    }
    if !is_open(PlaceKind::City) {
        let lives_there = certain("NY-YONKERS").is_some();
        all.push(known_answer("NY", "yonkers_resident", Answer::Bool(lives_there)));
    }
    match (state, certain("OH-SD-")) {
        ("OH", Some(at)) if at.place == NO_DISTRICT => {
            all.push(known_answer("OH", "school_district", text_answer("none")))
        }
        ("OH", Some(at)) => {
            all.push(known_answer("OH", "school_district", text_answer(&at.place["OH-SD-".len()..])))
        }
        ("OH", None) => {}
        _ => all.push(known_answer("OH", "school_district", text_answer("none"))),
    }
    all.extend(code_of(state, found, register).map(|code| known_answer("PA", "psd_code", text_answer(code))));
    match state {
        "MD" => {
            let rate = certain("MD-").and_then(|at| maryland_rate(at, day));
            all.extend(rate.map(|rate| known_answer("MD", "local_rate", Answer::Number(rate))));
        }
        _ => all.push(known_answer("MD", "local_rate", Answer::Number(MARYLAND_NONRESIDENT))),
    }
    all
}

/// Returns the answers that a place of work gives.
pub fn told_by_work(state: &str, found: &Found, register: &PennsylvaniaTable) -> Vec<Told> {
    code_of(state, found, register)
        .map(|code| known_answer("PA", "work_psd_code", text_answer(code)))
        .into_iter()
        .collect()
}

/// Returns the answer to Indiana's question for the county on 1 January, by the home and the place of work on that day, each with its
/// state.
pub fn told_on_first_of_january(home: (&str, &Found), work: Option<(&str, &Found)>) -> Option<Told> {
    let county = |(state, found): (&str, &Found)| {
        if state != "IN" {
            return Some(None);
        }
        let at = found.places.iter().find(|at| at.certain && at.place.starts_with("IN-"))?;
        PlaceTable::built_in().answer_of("IN", &at.place).map(Some)
    };
    let county = match (county(home)?, work) {
        (None, Some(work)) => county(work)?,
        (home, _) => home,
    };
    Some(known_answer("IN", "county", text_answer(county.unwrap_or("none"))))
}

/// Returns the rate of a county of Maryland that does not depend on income.
pub fn maryland_rate(at: &AddressPlace, day: Date) -> Option<Amount> {
    let row = TaxTable::built_in_local().of_place(&at.place).iter().find(|tax| tax.is_in_force(day))?;
    match row.method {
        Method::Rate(percent) => Some(percent),
        _ => None,
    }
}

/// Returns the code of Pennsylvania's register, where it is certain.
fn code_of(state: &str, found: &Found, register: &PennsylvaniaTable) -> Option<String> {
    if state != "PA" {
        return Some(OUTSIDE.to_owned());
    }
    let mut places = found.places.iter().filter(|at| at.certain);
    places.find_map(|at| match psd_of(&at.place) {
        None => (at.place == "PA-PHILADELPHIA").then(|| PHILADELPHIA_CODE.to_owned()),
        Some(code) if code == OUTSIDE => Some(code.to_owned()),
        Some(code) => register
            .psd(code)
            .map(str::to_owned)
            .filter(|code| code.len() == 6 && code.as_bytes()[0].is_ascii_digit()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::{Address, Answers, Facts, Side, find_places};

    const DAY: Date = jiff::civil::date(2026, 6, 12);

    fn home(
        state: &str,
        city: &str,
        zip: &str,
        answers: &[(PlaceKind, &str)],
    ) -> Vec<(&'static str, String)> {
        let given = Answers(answers.iter().map(|(kind, code)| (*kind, (*code).to_owned())).collect());
        let facts = Facts { answers: Some(&given), ..Facts::default() };
        let found = find_places(Side::Home, Address { state, city, zip }, facts);
        let all = told_by_home(state, &found, PennsylvaniaTable::built_in(), DAY);
        all.into_iter().map(|one| (one.key, one.answer.to_json().to_string())).collect()
    }

    fn answer(of: &[(&'static str, String)], key: &str) -> Option<String> {
        of.iter().find(|one| one.0 == key).map(|one| one.1.clone())
    }

    #[test]
    fn an_address_answers_what_the_tables_tell_and_nothing_else() {
        let manhattan = home("NY", "New York", "10001", &[]);
        assert_eq!(answer(&manhattan, "nyc_resident").unwrap(), "true");
        assert_eq!(answer(&manhattan, "yonkers_resident").unwrap(), "false");
        assert_eq!(
            answer(&home("NY", "Yonkers", "10701", &[]), "yonkers_resident"),
            None,
            "some of it lies outside"
        );
        assert_eq!(answer(&home("NY", "Yonkers", "10703", &[]), "yonkers_resident").unwrap(), "true");
        assert_eq!(answer(&home("NJ", "Newark", "07102", &[]), "nyc_resident").unwrap(), "false");
        assert_eq!(answer(&home("OH", "Columbus", "43215", &[]), "school_district").unwrap(), "\"none\"");
        assert_eq!(answer(&home("OH", "Alexandria", "43001", &[]), "school_district"), None);
        let granville = [(PlaceKind::SchoolDistrict, "3904539")];
        let granville = home("OH", "Alexandria", "43001", &granville);
        assert_eq!(answer(&granville, "school_district").unwrap(), "\"4501\"");
        assert_eq!(answer(&home("MD", "Baltimore", "21201", &[]), "local_rate").unwrap(), "3.2");
        assert_eq!(answer(&home("MD", "Mount Airy", "21771", &[]), "local_rate"), None);
        let carroll = home("MD", "Mount Airy", "21771", &[(PlaceKind::County, "24013")]);
        assert_eq!(answer(&carroll, "local_rate").unwrap(), "3.03");
        assert_eq!(answer(&home("VA", "Arlington", "22201", &[]), "local_rate").unwrap(), "2.25");
        let pittsburgh = [(PlaceKind::Municipality, "4200361000"), (PlaceKind::SchoolDistrict, "4219170")];
        assert_eq!(
            answer(&home("PA", "Pittsburgh", "15222", &pittsburgh), "psd_code").unwrap(),
            "\"700102\""
        );
        assert_eq!(answer(&home("PA", "Pittsburgh", "15222", &[]), "psd_code"), None);
        assert_eq!(answer(&home("OH", "Columbus", "43215", &[]), "psd_code").unwrap(), "\"880000\"");
        // A row of the register whose code is not known gives none.
        let scranton = home("PA", "Scranton", "18503", &[(PlaceKind::Municipality, "4206969000")]);
        assert_eq!(answer(&scranton, "psd_code"), None);
    }

    #[test]
    fn indianas_county_is_that_of_the_home_or_else_of_work() {
        let at = |side, state, city, zip| find_places(side, Address { state, city, zip }, Facts::default());
        let (marion, chicago) =
            (at(Side::Home, "IN", "Indianapolis", "46204"), at(Side::Home, "IL", "Chicago", "60601"));
        let work = at(Side::Work, "IN", "Indianapolis", "46204");
        let answer = |home, work| told_on_first_of_january(home, work).map(|told| told.answer);
        assert_eq!(answer(("IN", &marion), None), Some(text_answer("marion")));
        assert_eq!(answer(("IL", &chicago), Some(("IN", &work))), Some(text_answer("marion")));
        assert_eq!(answer(("IL", &chicago), None), Some(text_answer("none")));
        let fortville = at(Side::Home, "IN", "Fortville", "46040");
        assert_eq!(answer(("IN", &fortville), Some(("IN", &work))), None, "the county is not certain");
    }
}
