//! The municipality of an address in Pennsylvania, and its school district where it lies in several.

use super::{Choice, Found, Look, NONE, PHILADELPHIA, PlaceKind, Question, Side, certain_place};
use crate::places::CERTAIN;
use crate::places::address::{AddressPlace, Certificate, OUTSIDE_PENNSYLVANIA, Told};
use crate::places::counties::counties_in_state;
use crate::places::pennsylvania::{
    self, MunicipalityShare, all_municipalities, certain_municipality, municipalities_of_zip, parts_of,
};

impl Look<'_> {
    /// Adds the municipality of an address in Pennsylvania outside Philadelphia.
    pub(super) fn add_municipality(&self, found: &mut Found, certificate: &Certificate) {
        let here = municipalities_of_zip(self.address.zip);
        let by_table = certain_municipality(&here);
        let answer = self.answers.get(PlaceKind::Municipality);
        let of_side = if self.side == Side::Home { &certificate.home_psd } else { &certificate.work_psd };
        if let Some(psd) = of_side.as_ref().filter(|_| answer.is_none()) {
            found.places.push(certain_place(
                format!("PA-{psd}"),
                Told::Certificate,
                "the residency certificate",
            ));
            return;
        }
        let id = answer.or(by_table);
        if id == Some(pennsylvania::PHILADELPHIA) {
            return found.places.push(certain_place(
                PHILADELPHIA.to_owned(),
                Told::Answer,
                "the answer to its question",
            ));
        }
        if by_table.is_none() || answer.is_some() {
            found.questions.push(self.municipality_question(&here, answer));
        }
        let Some(id) = id else { return };
        if id == NONE {
            let reason = "the answer that the address lies outside Pennsylvania";
            return found.places.push(certain_place(
                format!("PA-{OUTSIDE_PENNSYLVANIA}"),
                Told::Answer,
                reason,
            ));
        }
        let parts = parts_of(id);
        let told = if answer.is_some() { Told::Answer } else { Told::Zip };
        let reason = match answer {
            Some(_) => "the answer to the question for the municipality".to_owned(),
            None => format!("ZIP code {} lies in no other municipality", self.zip()),
        };
        let Some(largest) = parts.first() else { return };
        let district = self.answers.get(PlaceKind::SchoolDistrict);
        let district = district.and_then(|code| parts.iter().find(|part| part.district == code));
        if largest.share >= CERTAIN {
            return found.places.push(certain_place(format!("PA-{id}"), told, reason));
        }
        let choices = parts.iter().map(|part| Choice {
            code: part.district.to_owned(),
            name: part.school_district.to_owned(),
            share: Some(part.share),
        });
        found.questions.push(Question {
            kind: PlaceKind::SchoolDistrict,
            choices: choices.collect(),
            others: Vec::new(),
            answer: district.map(|part| part.district.to_owned()),
            default: None,
        });
        let place = district.map_or_else(|| format!("PA-{id}"), |part| format!("PA-{id}-{}", part.district));
        let is_certain = district.is_some();
        found.places.push(AddressPlace { place, told, certain: is_certain, taxed: true, reason });
    }

    fn municipality_question(&self, here: &[MunicipalityShare], answer: Option<&str>) -> Question {
        let choice =
            |id: &str, name: &str, share| Choice { code: id.to_owned(), name: name.to_owned(), share };
        let name = |id: &str| parts_of(id).first().map_or("", |part| part.name);
        let choices = here.iter().map(|at| choice(at.id, name(at.id), Some(at.share))).collect();
        let none =
            self.with_others.then(|| Choice { code: NONE.to_owned(), name: String::new(), share: None });
        let shares = counties_in_state(self.address.zip, self.address.state);
        let mut others: Vec<Choice> = Vec::new();
        for known in all_municipalities().filter(|_| self.with_others) {
            let of_county = shares.is_empty() || shares.iter().any(|at| at.county == known.county());
            let listed =
                here.iter().any(|at| at.id == known.id) || others.iter().any(|one| one.code == known.id);
            if of_county && !listed {
                others.push(choice(known.id, known.name, None));
            }
        }
        others.sort_by(|one, other| one.name.cmp(&other.name));
        others.extend(none);
        Question {
            kind: PlaceKind::Municipality,
            choices,
            others,
            answer: answer.map(str::to_owned),
            default: None,
        }
    }
}
