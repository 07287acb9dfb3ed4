//! Warnings about certificate answers that contradict the home address, such as after a move: the answer is used, so a local tax
//! continues for a former resident, or is not withheld for a new one.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::places::{Certificate, GivenFor, PlaceNames, describe_place, maryland_rate};
use rules::withholding::state::Answer;

use crate::pay::payrolls::facts::circumstances::workplaces::home_places;
use crate::pay::payrolls::record::texts::{
    CERTIFICATE_SAYS_NONRESIDENT, CERTIFICATE_SAYS_RESIDENT, LOCAL_RATE_OF_OTHER_COUNTY, Text,
};
use crate::pay::payrolls::record::warning::Warning;
use crate::people::addresses::rows::HomeAddress;

/// Returns warnings about the home; `answers` are those to the questions of state certificates, by state. A home whose jurisdictions were
/// set manually is skipped, because somebody has reviewed it.
pub(in crate::pay::payrolls) fn residency_warnings(
    home: Option<&HomeAddress>,
    (answers, given_for): (&BTreeMap<String, BTreeMap<String, Answer>>, &GivenFor),
    day: Date,
) -> Vec<Warning> {
    let Some(home) = home.filter(|home| home.jurisdiction_codes.is_none()) else {
        return Vec::new();
    };
    match home.state.as_str() {
        "NY" => {}
        "MD" => return of_maryland(home, (answers, given_for), day).into_iter().collect(),
        _ => return Vec::new(),
    }
    let certificate =
        Certificate::read_answers(|state, key| answers.get(state)?.get(key).cloned(), given_for);
    let certificate = certificate.answers_about(home.postal().address());
    let places = home_places(home, &Certificate::default());
    let asked = [
        ("nyc_resident", "NY-NEW_YORK_CITY", "New York City", certificate.new_york_city),
        ("yonkers_resident", "NY-YONKERS", "Yonkers", certificate.yonkers),
    ];
    let contradicted = asked.into_iter().filter_map(|(question, key, city, answer)| {
        let place = places.iter().find(|at| at.place == key);
        match answer? {
            true if place.is_none() => Some((CERTIFICATE_SAYS_RESIDENT, question, city)),
            false if place.is_some_and(|at| at.certain) => {
                Some((CERTIFICATE_SAYS_NONRESIDENT, question, city))
            }
            _ => None,
        }
    });
    let at = format!("{} {}", home.city, home.zip);
    let warning = |(text, question, city): (Text, &str, &str)| {
        text.to_warning(&[("question", &question), ("city", &city), ("home", &at)])
    };
    contradicted.map(warning).collect()
}

/// Returns a warning if the answered local rate is not that of the county in which the home certainly lies.
fn of_maryland(
    home: &HomeAddress,
    (answers, given_for): (&BTreeMap<String, BTreeMap<String, Answer>>, &GivenFor),
    day: Date,
) -> Option<Warning> {
    let Some(Answer::Number(answered)) = answers.get("MD")?.get("local_rate") else { return None };
    if !given_for.is_for("local_rate", home.postal().address()) {
        return None;
    }
    let places = home_places(home, &Certificate::default());
    let county = places.iter().find(|at| at.certain && at.place.starts_with("MD-"))?;
    let rate = maryland_rate(county, day).filter(|rate| rate != answered)?;
    let (_, name) = describe_place(&county.place, PlaceNames::built_in())?;
    let at = format!("{} {}", home.city, home.zip);
    let (answered, rate) = (answered.to_text(0), rate.to_text(0));
    Some(LOCAL_RATE_OF_OTHER_COUNTY.to_warning(&[
        ("answered", &answered),
        ("rate", &rate),
        ("county", &name),
        ("home", &at),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Date = jiff::civil::date(2026, 6, 12);

    #[test]
    fn a_local_rate_of_maryland_that_is_not_that_of_the_county_is_reported() {
        let home = |city: &str, zip: &str| HomeAddress {
            city: city.to_owned(),
            state: "MD".to_owned(),
            zip: zip.to_owned(),
            ..HomeAddress::default()
        };
        let told = |home: &HomeAddress, rate: &str| {
            let rate = Answer::Number(rules::Amount::parse(rate).unwrap());
            let of_state = BTreeMap::from([("local_rate".to_owned(), rate)]);
            let answers = BTreeMap::from([("MD".to_owned(), of_state)]);
            residency_warnings(Some(home), (&answers, &GivenFor::default()), DAY)
        };
        let baltimore = told(&home("Baltimore", "21201"), "2.25");
        assert!(baltimore.len() == 1 && baltimore[0].message.contains("3.2"), "{baltimore:?}");
        assert_eq!(told(&home("Baltimore", "21201"), "3.2"), []);
        assert_eq!(told(&home("Mount Airy", "21771"), "2.25"), [], "the county is not certain");
    }

    fn told(city: &str, zip: &str, answers: [(&str, bool); 2]) -> Vec<String> {
        let home = HomeAddress {
            city: city.to_owned(),
            state: "NY".to_owned(),
            zip: zip.to_owned(),
            ..HomeAddress::default()
        };
        let answers = answers.map(|(key, value)| (key.to_owned(), Answer::Bool(value)));
        let answers = BTreeMap::from([("NY".to_owned(), BTreeMap::from(answers))]);
        residency_warnings(Some(&home), (&answers, &GivenFor::default()), DAY)
            .into_iter()
            .map(|warning| warning.message)
            .collect()
    }

    fn both(city: bool, yonkers: bool) -> [(&'static str, bool); 2] {
        [("nyc_resident", city), ("yonkers_resident", yonkers)]
    }

    #[test]
    fn an_answer_that_contradicts_the_address_is_reported() {
        assert_eq!(told("New York", "10001", both(true, false)), [""; 0]);
        assert_eq!(told("Albany", "12207", both(false, false)), [""; 0]);
        let moved_away = told("Albany", "12207", both(true, false));
        let said =
            "nyc_resident says that the home is in New York City, but the address in Albany 12207 is not";
        assert!(moved_away.len() == 1 && moved_away[0].starts_with(said), "{moved_away:?}");
        let moved_in = told("New York", "10001", both(false, true));
        assert!(moved_in.len() == 2 && moved_in[0].contains("is not in New York City"), "{moved_in:?}");
        assert!(moved_in[1].contains("is in Yonkers"), "{moved_in:?}");
    }

    #[test]
    fn what_was_not_answered_is_not_told() {
        let home =
            HomeAddress { city: "Albany".to_owned(), state: "NY".to_owned(), ..HomeAddress::default() };
        assert_eq!(residency_warnings(Some(&home), (&BTreeMap::new(), &GivenFor::default()), DAY), []);
        assert_eq!(residency_warnings(None, (&BTreeMap::new(), &GivenFor::default()), DAY), []);
    }
}
