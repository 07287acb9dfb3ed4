//! Answers to the questions about an address: its county, city, school district or municipality, where the tables cannot tell.
//!
//! They are part of the location (answered by the employer) or of the home address (by the employee), and apply only as long as state,
//! city and ZIP code are unchanged: after a correction of the address, the questions are open again.

use std::collections::BTreeMap;

use rules::places::{Address, Answers, PlaceKind, Side, check_answer};
use rules::{Checks, Named as _, Violation};
use serde::{Deserialize, Serialize};

use crate::patch::Patch;

/// Name of the input field.
const KEY: &str = "place_answers";

/// The parts of an address that determine its localities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Postal<'a> {
    /// two-letter state
    pub state: &'a str,
    /// city
    pub city: &'a str,
    /// ZIP code
    pub zip: &'a str,
}

impl<'a> Postal<'a> {
    /// Returns it as the rules look it up.
    pub fn address(self) -> Address<'a> {
        Address { state: self.state, city: self.city, zip: self.zip }
    }
}

/// Answers as sent: codes by the names of the questions; null removes an answer.
pub type SentAnswers = BTreeMap<String, Option<String>>;

/// Answers to the questions about an address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceAnswers {
    /// codes by question
    answers: Answers,
    /// state of the address
    state: String,
    /// city of the address
    city: String,
    /// ZIP code of the address
    zip: String,
}

impl PlaceAnswers {
    /// Returns the answers, if they were given for this address.
    pub fn for_address(&self, at: Postal<'_>) -> Option<&Answers> {
        (Postal { state: &self.state, city: &self.city, zip: &self.zip } == at).then_some(&self.answers)
    }
}

/// Applies the answers sent about an address: those that are named, one by one; null removes all of them. Stored answers about another
/// address are dropped.
///
/// Violations are added to `checks`.
pub fn apply_place_answers(
    sent: &Patch<SentAnswers>,
    (side, at): (Side, Postal<'_>),
    held: &mut Option<PlaceAnswers>,
    checks: &mut Checks,
) {
    if held.as_ref().is_some_and(|held| held.for_address(at).is_none()) {
        *held = None;
    }
    let before = held.as_ref().map(|held| held.answers.clone()).unwrap_or_default();
    let answered = |answers: Answers| {
        let Postal { state, city, zip } = at;
        let stored =
            PlaceAnswers { answers, state: state.to_owned(), city: city.to_owned(), zip: zip.to_owned() };
        Some(stored).filter(|stored| !stored.answers.0.is_empty())
    };
    sent.update_or_clear(KEY, checks, |_, sent| merge_answers(before, sent, (side, at)).map(answered), held);
}

fn merge_answers(
    mut answers: Answers,
    sent: &SentAnswers,
    (side, at): (Side, Postal<'_>),
) -> Result<Answers, Violation> {
    let wrong = |key: &str, why: &str| Violation::invalid(KEY, format!("{KEY}.{key} {why}"));
    let mut named: Vec<PlaceKind> = Vec::new();
    for (key, code) in sent {
        let Some(kind) = PlaceKind::parse(key) else {
            let names = PlaceKind::names().join(", ");
            return Err(Violation::invalid(
                KEY,
                format!("{KEY} must be named by {names}; {key:?} is not among them"),
            ));
        };
        named.push(kind);
        match code {
            Some(code) => answers.0.insert(kind, code.trim().to_owned()),
            None => answers.0.remove(&kind),
        };
    }
    for kind in named {
        let Some(code) = answers.get(kind) else { continue };
        let known = check_answer(kind, code, (side, at.address()), &answers);
        known.map_err(|why| wrong(kind.as_str(), &why))?;
    }
    // The district of another municipality is no answer any more.
    let district = answers.get(PlaceKind::SchoolDistrict).map(str::to_owned);
    if let Some(code) = district
        && check_answer(PlaceKind::SchoolDistrict, &code, (side, at.address()), &answers).is_err()
    {
        answers.0.remove(&PlaceKind::SchoolDistrict);
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PITTSBURGH: Postal<'_> = Postal { state: "PA", city: "Pittsburgh", zip: "15222" };

    fn sent(answers: &[(&str, Option<&str>)]) -> Patch<SentAnswers> {
        let each = answers.iter().map(|(key, code)| ((*key).to_owned(), code.map(str::to_owned)));
        Patch::Value(each.collect())
    }

    fn applied(held: &mut Option<PlaceAnswers>, sent: &Patch<SentAnswers>, at: Postal<'_>) -> Vec<String> {
        let mut checks = Checks::new();
        apply_place_answers(sent, (Side::Home, at), held, &mut checks);
        checks.finish().err().unwrap_or_default().into_iter().map(|one| one.message).collect()
    }

    #[test]
    fn answers_are_kept_one_by_one_until_the_address_is_another_one() {
        let mut held = None;
        let both = sent(&[("municipality", Some("4200361000")), ("school_district", Some("4219170"))]);
        assert_eq!(applied(&mut held, &both, PITTSBURGH), [""; 0]);
        let answers = held.as_ref().unwrap().for_address(PITTSBURGH).unwrap().clone();
        assert_eq!(answers.get(PlaceKind::SchoolDistrict), Some("4219170"));
        applied(&mut held, &Patch::Absent, PITTSBURGH);
        assert!(held.is_some(), "what is not sent is kept");
        // Another municipality has other school districts.
        assert_eq!(applied(&mut held, &sent(&[("municipality", Some("4200700820"))]), PITTSBURGH), [""; 0]);
        assert_eq!(
            held.as_ref().unwrap().for_address(PITTSBURGH).unwrap().get(PlaceKind::SchoolDistrict),
            None
        );
        let moved = Postal { zip: "15001", ..PITTSBURGH };
        applied(&mut held, &Patch::Absent, moved);
        assert_eq!(held, None, "the questions about another address are open again");
        applied(&mut held, &both, moved);
        applied(&mut held, &sent(&[("municipality", None), ("school_district", None)]), moved);
        assert_eq!(held, None);
    }

    #[test]
    fn an_answer_that_is_none_is_refused_by_its_name_and_changes_nothing() {
        let mut held = None;
        let refused = applied(&mut held, &sent(&[("municipality", Some("999"))]), PITTSBURGH);
        assert!(refused[0].starts_with("place_answers.municipality must be none or"), "{refused:?}");
        let refused = applied(&mut held, &sent(&[("town", Some("999"))]), PITTSBURGH);
        assert!(refused[0].contains("county, city, municipality, school_district"), "{refused:?}");
        assert_eq!(held, None);
    }
}
