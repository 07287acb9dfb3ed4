//! Warnings about certificate answers that contradict the home address, such as after a move: the answer is used, so a local tax
//! continues for a former resident, or is not withheld for a new one.

use std::collections::BTreeMap;

use rules::taxes::Certificate;
use rules::withholding::state::Answer;

use crate::pay::payrolls::calculation::circumstances::workplaces::home_places;
use crate::pay::payrolls::paid::Warning;
use crate::pay::payrolls::warnings::texts::{CERTIFICATE_SAYS_NONRESIDENT, CERTIFICATE_SAYS_RESIDENT, Text};
use crate::people::addresses::rows::HomeAddress;

/// Returns warnings about the home; `answers` are those to the questions of state certificates, by state. A home whose jurisdictions were
/// set manually is skipped, because somebody has reviewed it.
pub(in crate::pay::payrolls) fn warnings(
    home: Option<&HomeAddress>,
    answers: &BTreeMap<String, BTreeMap<String, Answer>>,
) -> Vec<Warning> {
    let Some(home) = home.filter(|home| home.state == "NY" && home.jurisdiction_codes.is_none()) else {
        return Vec::new();
    };
    let certificate = Certificate::read(|state, key| answers.get(state)?.get(key).cloned());
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
        text.warning(&[("question", &question), ("city", &city), ("home", &at)])
    };
    contradicted.map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(city: &str, zip: &str, answers: [(&str, bool); 2]) -> Vec<String> {
        let home = HomeAddress {
            city: city.to_owned(),
            state: "NY".to_owned(),
            zip: zip.to_owned(),
            ..HomeAddress::default()
        };
        let answers = answers.map(|(key, value)| (key.to_owned(), Answer::Bool(value)));
        let answers = BTreeMap::from([("NY".to_owned(), BTreeMap::from(answers))]);
        warnings(Some(&home), &answers).into_iter().map(|warning| warning.message).collect()
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
        assert_eq!(warnings(Some(&home), &BTreeMap::new()), []);
        assert_eq!(warnings(None, &BTreeMap::new()), []);
    }
}
