//! The districts of Oregon that an address lies in, or may lie in: one of public transport, and Metro.

use super::{Candidate, Choice, Found, Look, NONE, PlaceKind, Question, certain_place, name_of};
use crate::places::address::{AddressPlace, Told};
use crate::places::oregon::{self, Listed, METRO, TRIMET};
use crate::taxes::{Address as NamedAddress, PlaceTable};

impl Look<'_> {
    /// Adds the districts that the counties and the name of the city lead to.
    pub(super) fn add_districts(&self, found: &mut Found, candidates: &[Candidate]) {
        if self.address.state != "OR" {
            return;
        }
        let mut near = self.districts_near(candidates);
        let listed = oregon::zip_listing(self.address.zip);
        if listed == Some(Listed::Inside) {
            let reason = format!("TriMet lists ZIP code {} as completely in its district", self.zip());
            found.places.push(certain_place(TRIMET.to_owned(), Told::Zip, reason));
            near.retain(|at| oregon::kind_of(&at.place) != Some(PlaceKind::TransitDistrict));
        }
        for kind in [PlaceKind::TransitDistrict, PlaceKind::Metro] {
            let of_kind = near.iter().filter(|at| oregon::kind_of(&at.place) == Some(kind));
            let of_kind: Vec<&AddressPlace> = of_kind.collect();
            if !of_kind.is_empty() {
                self.add_districts_of_kind(found, kind, &of_kind, listed);
            }
        }
    }

    /// Returns the districts of the counties and of the city's name, each once.
    fn districts_near(&self, candidates: &[Candidate]) -> Vec<AddressPlace> {
        let (state, city) = (self.address.state, self.address.city);
        let mut near: Vec<AddressPlace> = Vec::new();
        for one in candidates {
            for at in PlaceTable::built_in().all_of(NamedAddress { state, city, county: one.county }) {
                let known = near.iter().any(|other| other.place == at.place);
                if oregon::kind_of(&at.place).is_some() && !known {
                    near.push(at);
                }
            }
        }
        near
    }

    /// Adds the districts of a kind, and the question which of them it is, unless its answer decides nothing.
    fn add_districts_of_kind(
        &self,
        found: &mut Found,
        kind: PlaceKind,
        near: &[&AddressPlace],
        listed: Option<Listed>,
    ) {
        // TriMet's district is that of Portland's urban area, and so is Metro, whose border is in no table.
        let is_likely = |place: &str| place == METRO && listed == Some(Listed::Inside);
        let open = |at: &AddressPlace| AddressPlace {
            place: at.place.clone(),
            told: at.told,
            certain: false,
            taxed: is_likely(&at.place),
            reason: match (listed, at.place.as_str()) {
                (Some(Listed::Part), TRIMET) => {
                    format!("TriMet lists ZIP code {} as partly in its district", self.zip())
                }
                _ => "no table has the limits of the district".to_owned(),
            },
        };
        if !near.iter().any(|at| self.matters_here(&at.place)) {
            found.places.extend(near.iter().map(|at| open(at)));
            return;
        }
        let known = oregon::districts_of(kind);
        let answer = self.answers.get(kind).filter(|code| *code == NONE || known.contains(code));
        match answer {
            None => found.places.extend(near.iter().map(|at| open(at))),
            Some(NONE) => {}
            Some(code) => {
                let reason = "the answer that the address lies in it";
                found.places.push(certain_place(code.to_owned(), Told::Answer, reason));
            }
        }
        let choice = |place: &str| Choice { code: place.to_owned(), name: name_of(place), share: None };
        let mut choices: Vec<Choice> = near.iter().map(|at| choice(&at.place)).collect();
        choices.push(Choice { code: NONE.to_owned(), name: String::new(), share: None });
        let others =
            known.iter().filter(|place| self.with_others && near.iter().all(|at| at.place != **place));
        found.questions.push(Question {
            kind,
            others: others.map(|place| choice(place)).collect(),
            answer: answer.map(str::to_owned),
            default: near.iter().find(|at| is_likely(&at.place)).map(|at| at.place.clone()),
            choices,
        });
    }
}
