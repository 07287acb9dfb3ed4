//! The places of an address: from the tables, the answers about it, the certificates, and a list set by hand.

use super::address::{AddressPlace, Certificate, OHIO_DISTRICT, Side, Told, psd_of, short_name};
use super::cities::{Bounds, Limits};
use super::counties::{CountyShare, certain_county, counties_in_state, county_name};
use super::ohio::{self, NO_DISTRICT, districts_of_zip};
use super::question::{Answers, Choice, NONE, PlaceKind, Question};
use super::{Share, oregon};
use crate::taxes::{Address as NamedAddress, Applies, Method, PlaceTable, Tax, TaxTable};

mod districts;
mod pennsylvania;

const PHILADELPHIA: &str = "PA-PHILADELPHIA";

/// The parts of an address that determine its places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'a> {
    /// Two-letter code of the state.
    pub state: &'a str,
    /// City, as in the postal address.
    pub city: &'a str,
    /// ZIP code.
    pub zip: &'a str,
}

impl<'a> Address<'a> {
    /// Returns the address as [`PlaceTable`] looks it up, in the county with most addresses of the ZIP code.
    pub fn named_address(self) -> NamedAddress<'a> {
        let county = counties_in_state(self.zip, self.state).first().map(|at| at.county);
        NamedAddress { state: self.state, city: self.city, county }
    }
}

/// What is known about an address beside its parts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts<'a> {
    /// List set by hand, if any. It replaces what the ZIP code, the city and the answers say.
    pub by_hand: Option<&'a [String]>,
    /// What the employee's certificates say.
    pub certificate: Option<&'a Certificate>,
    /// Answers to the questions about the address.
    pub answers: Option<&'a Answers>,
    /// Whether the employer withholds the tax of an Ohio city for residents, by agreement.
    pub courtesy: bool,
    /// Whether questions list the other choices of the county or state as well, which takes longer.
    pub with_others: bool,
}

/// The places of an address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The places that it lies in, or may lie in, in order of their keys.
    pub places: Vec<AddressPlace>,
    /// What the tables cannot tell: asked once, answered with the address. Those that have been answered are among them.
    pub questions: Vec<Question>,
}

impl Found {
    /// Returns the questions without an answer.
    pub fn open_questions(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(|question| question.answer.is_none())
    }
}

/// Returns the places of a home or a place of work.
pub fn find_places(side: Side, address: Address<'_>, facts: Facts<'_>) -> Found {
    let (nothing, none) = (Answers::default(), Certificate::default());
    let answers = facts.answers.unwrap_or(&nothing);
    let certificate = &facts.certificate.unwrap_or(&none).answers_about(address);
    let Facts { courtesy, with_others, .. } = facts;
    let look = Look { side, address, answers, courtesy, with_others };
    let mut found = Found::default();
    match facts.by_hand {
        Some(codes) => {
            let reason = "set by hand for this address";
            found.places =
                codes.iter().map(|code| certain_place(code.clone(), Told::Correction, reason)).collect();
        }
        None => {
            look.counties_and_cities(&mut found);
            if side == Side::Home && address.state == "NY" {
                answer_new_york(&mut found, certificate);
            }
        }
    }
    let missing = |prefix: &str| !found.places.iter().any(|at| at.place.starts_with(prefix));
    let in_register = |at: &AddressPlace| at.place == PHILADELPHIA || psd_of(&at.place).is_some();
    match (address.state, side) {
        ("OH", Side::Home) if missing("OH-SD") => look.ohio_district(&mut found, certificate),
        ("PA", _) if !found.places.iter().any(in_register) => look.add_municipality(&mut found, certificate),
        _ => {}
    }
    found.places.sort();
    found.places.dedup_by(|one, other| one.place == other.place);
    found
}

fn certain_place(place: String, told: Told, reason: impl Into<String>) -> AddressPlace {
    AddressPlace { place, told, certain: true, taxed: true, reason: reason.into() }
}

/// Replaces what the county says about New York City and Yonkers by the answers on Form IT-2104.
fn answer_new_york(found: &mut Found, certificate: &Certificate) {
    let answers = [
        ("NY-NEW_YORK_CITY", "nyc_resident", certificate.new_york_city),
        ("NY-YONKERS", "yonkers_resident", certificate.yonkers),
    ];
    for (place, key, answer) in answers {
        let Some(lives_there) = answer else { continue };
        found.places.retain(|known| known.place != place);
        if lives_there {
            found.places.push(certain_place(
                place.to_owned(),
                Told::Certificate,
                format!("{key} of Form IT-2104"),
            ));
        }
        found.questions.retain(|question| {
            !(question.kind == PlaceKind::City && question.choices.iter().any(|choice| choice.code == place))
        });
    }
    if certificate.new_york_city.is_some() {
        found.questions.retain(|question| question.kind != PlaceKind::County);
    }
}

/// Whether a place's taxes can depend on a home, or on a place of work, lying in it.
fn place_matters(place: &str, side: Side, courtesy: bool) -> bool {
    let decides = |tax: &Tax| match (tax.applies, side) {
        (Applies::Residence, side) => side == Side::Home,
        (_, Side::Work) => true,
        (Applies::OhioCity, Side::Home) => courtesy,
        (Applies::Work | Applies::OhioZone, Side::Home) => {
            matches!(tax.method, Method::Rate(own) if tax.rate_nonresident.is_some_and(|other| other != own))
        }
        (_, Side::Home) => true,
    };
    TaxTable::built_in_local().of_place(place).iter().any(|tax| decides(tax))
}

/// An address that is looked up.
struct Look<'a> {
    side: Side,
    address: Address<'a>,
    answers: &'a Answers,
    courtesy: bool,
    with_others: bool,
}

/// A county that an address may lie in.
struct Candidate {
    county: Option<&'static str>,
    share: Option<Share>,
    places: Vec<AddressPlace>,
}

impl Look<'_> {
    fn matters_here(&self, place: &str) -> bool {
        place_matters(place, self.side, self.courtesy)
    }

    fn places_in(&self, county: Option<&str>) -> Vec<AddressPlace> {
        let Address { state, city, .. } = self.address;
        let mut places = PlaceTable::built_in().all_of(NamedAddress { state, city, county });
        places.retain(|at| oregon::kind_of(&at.place).is_none());
        places
    }

    /// Returns the counties of the ZIP code in the state, the likeliest first.
    fn shares(&self) -> Vec<CountyShare> {
        let mut shares = counties_in_state(self.address.zip, self.address.state);
        shares.sort_by_key(|at| std::cmp::Reverse((at.share_for_side(self.side), at.homes)));
        shares
    }

    /// Returns the counties that the address may lie in by its ZIP code, the likeliest first; one without a county, if the ZIP code is in
    /// no table.
    fn by_zip(&self) -> Vec<Candidate> {
        let shares = self.shares();
        let certain = certain_county(&shares, self.side);
        let candidate = |at: &CountyShare| {
            let share = at.known.then(|| at.share_for_side(self.side));
            Candidate { county: Some(at.county), share, places: self.places_in(Some(at.county)) }
        };
        let counts = |at: &&CountyShare| certain.is_none_or(|county| county == at.county);
        let mut found: Vec<Candidate> = shares.iter().filter(counts).map(candidate).collect();
        if found.is_empty() {
            found.push(Candidate { county: None, share: None, places: self.places_in(None) });
        }
        found
    }

    fn counties_and_cities(&self, found: &mut Found) {
        let by_zip = self.by_zip();
        let is_certain = certain_county(&self.shares(), self.side).is_some();
        let answer = self.answers.get(PlaceKind::County).and_then(|answer| {
            super::counties_of_state(self.address.state).find(|(county, _)| *county == answer)
        });
        let question =
            (!is_certain && self.candidates_differ(&by_zip)).then(|| self.county_question(&by_zip));
        let answered = answer.filter(|_| question.is_some()).map(|(county, _)| Candidate {
            county: Some(county),
            share: None,
            places: self.places_in(Some(county)),
        });
        let told = match (&answered, is_certain) {
            (Some(_), _) => Some(Told::Answer),
            (None, true) => Some(Told::Zip),
            (None, false) => None,
        };
        let answer = answered.as_ref().and_then(|one| one.county).map(str::to_owned);
        found.questions.extend(question.map(|question| Question { answer, ..question }));
        let candidates = answered.map_or(by_zip, |one| vec![one]);
        self.add_counties(found, &candidates, told);
        self.add_cities(found, &candidates);
        self.add_districts(found, &candidates);
        // Denver is a city and a county, and its ZIP codes extend into cities that it surrounds, which lie in other counties.
        if self.address.state == "CO" && found.places.iter().any(|at| at.told != Told::Zip && at.taxed) {
            found.places.retain(|at| at.place != "CO-DENVER");
        }
    }

    /// Whether counties lead to different taxes: not all of them to the same places, or the only one is not certain.
    fn candidates_differ(&self, candidates: &[Candidate]) -> bool {
        let of = |one: &Candidate| -> Vec<String> {
            let told = one.places.iter().filter(|at| at.told == Told::Zip && at.certain);
            told.map(|at| at.place.clone()).filter(|place| self.matters_here(place)).collect()
        };
        let all: Vec<Vec<String>> = candidates.iter().map(of).collect();
        match all.as_slice() {
            [_] if candidates[0].county.is_none() => {
                let table = PlaceTable::built_in();
                super::counties_of_state(self.address.state)
                    .any(|(county, _)| table.has_county(self.address.state, county))
            }
            [only] => !only.is_empty(),
            several => several.windows(2).any(|pair| pair[0] != pair[1]),
        }
    }

    /// Adds the places that a county tells: those of the likeliest one, and those that a county only touches.
    fn add_counties(&self, found: &mut Found, candidates: &[Candidate], decided: Option<Told>) {
        let by_county = |one: &Candidate| -> Vec<AddressPlace> {
            one.places.iter().filter(|at| at.told == Told::Zip).cloned().collect()
        };
        let all: Vec<AddressPlace> = candidates.iter().flat_map(by_county).collect();
        let mut seen: Vec<&str> = Vec::new();
        for at in &all {
            if seen.contains(&at.place.as_str()) {
                continue;
            }
            seen.push(&at.place);
            let told: Vec<bool> =
                all.iter().filter(|other| other.place == at.place).map(|other| other.certain).collect();
            let everywhere = told.len() == candidates.len() && told.iter().all(|certain| *certain);
            let in_first =
                |other: &AddressPlace| other.place == at.place && other.told == Told::Zip && other.certain;
            let taxed = candidates[0].places.iter().any(in_first);
            if !taxed && told.contains(&true) {
                continue;
            }
            found.places.push(AddressPlace {
                place: at.place.clone(),
                told: decided.unwrap_or(Told::Zip),
                certain: everywhere && (decided.is_some() || candidates.len() > 1),
                taxed,
                reason: self.why_county(candidates, &at.place, decided),
            });
        }
    }

    fn why_county(&self, candidates: &[Candidate], place: &str, decided: Option<Told>) -> String {
        let here = candidates.iter().find(|one| one.places.iter().any(|at| at.place == place));
        let county = here.and_then(|one| one.county).and_then(county_name).unwrap_or("the county");
        match (decided, here.and_then(|one| one.share)) {
            (Some(Told::Answer), _) => format!("the answer that the address lies in {county}"),
            (_, Some(share)) => {
                let what = if self.side == Side::Home { "homes" } else { "businesses" };
                format!("{} of the {what} of ZIP code {} lie in {county}", share.percent(), self.zip())
            }
            (_, None) => format!("an older list has ZIP code {} in {county}", self.zip()),
        }
    }

    fn zip(&self) -> &str {
        self.address.zip.get(..5).unwrap_or(self.address.zip)
    }

    fn county_question(&self, candidates: &[Candidate]) -> Question {
        let choice = |county: &str, share| Choice {
            code: county.to_owned(),
            name: county_name(county).unwrap_or(county).to_owned(),
            share,
        };
        let listed: Vec<&str> = candidates.iter().filter_map(|one| one.county).collect();
        let others = super::counties_of_state(self.address.state)
            .filter(|(county, _)| self.with_others && !listed.contains(county))
            .map(|(county, _)| choice(county, None));
        let choices = candidates.iter().filter_map(|one| Some(choice(one.county?, one.share)));
        Question {
            kind: PlaceKind::County,
            choices: choices.collect(),
            others: others.collect(),
            answer: None,
            default: listed.first().map(|county| (*county).to_owned()),
        }
    }

    /// Adds the cities that the address may lie in, by its name and the ZIP code, or by an answer.
    fn add_cities(&self, found: &mut Found, candidates: &[Candidate]) {
        let mut named: Vec<&AddressPlace> = Vec::new();
        for at in candidates.iter().flat_map(|one| &one.places).filter(|at| at.told == Told::City) {
            if named.iter().all(|known| known.place != at.place) {
                named.push(at);
            }
        }
        // A city that its county tells is no question: Louisville is all of Jefferson County.
        named.retain(|at| !found.places.iter().any(|known| known.place == at.place && known.taxed));
        let (mut open, mut dropped) = (Vec::new(), false);
        for at in named {
            let bounds = Bounds::bounds_in_zip(self.address.zip, &at.place);
            let limits = bounds.map_or(Limits::Mixed, Bounds::limits);
            let land = |share: Share| format!("{} of the land of ZIP code {}", share.percent(), self.zip());
            let (is_certain, taxed, reason) = match (limits, bounds) {
                (Limits::Outside, _) => {
                    dropped |= self.matters_here(&at.place);
                    continue;
                }
                (Limits::Inside, Some(bounds)) => (true, true, format!("{} lies in it", land(bounds.least))),
                (_, Some(bounds)) => {
                    let between = format!("{} to {}", bounds.least.percent(), land(bounds.most));
                    (false, at.certain && bounds.is_likely(), format!("{between} lies in it"))
                }
                (_, None) => (false, at.certain, "the name of the city; no table has its limits".to_owned()),
            };
            let place = AddressPlace {
                place: at.place.clone(),
                told: Told::City,
                certain: is_certain,
                taxed,
                reason,
            };
            if !is_certain && self.matters_here(&at.place) {
                open.push((place, bounds));
            } else {
                found.places.push(place);
            }
        }
        let is_inside =
            found.places.iter().any(|at| at.told == Told::City && at.certain && self.matters_here(&at.place));
        if open.is_empty() && (!dropped || is_inside) {
            return;
        }
        let question = self.city_question(&open, candidates);
        let Some(question) = question else {
            found.places.extend(open.into_iter().map(|(place, _)| place));
            return;
        };
        match question.answer.as_deref() {
            None => found.places.extend(open.into_iter().map(|(place, _)| place)),
            Some(NONE) => {}
            Some(code) => {
                let reason = "the answer that the address lies in it";
                found.places.retain(|at| at.place != code);
                found.places.push(certain_place(code.to_owned(), Told::Answer, reason));
            }
        }
        found.questions.push(question);
    }

    /// Returns the question for the city; `None` if there is nothing to choose.
    fn city_question(
        &self,
        open: &[(AddressPlace, Option<Bounds>)],
        candidates: &[Candidate],
    ) -> Option<Question> {
        let choice =
            |place: &str, name: &str| Choice { code: place.to_owned(), name: name.to_owned(), share: None };
        let mut likely: Vec<&(AddressPlace, Option<Bounds>)> = open.iter().collect();
        likely.sort_by_key(|(at, bounds)| {
            std::cmp::Reverse((at.taxed, bounds.map(|bounds| bounds.least.0 + bounds.most.0)))
        });
        let mut choices: Vec<Choice> =
            likely.iter().map(|(at, _)| choice(&at.place, &name_of(&at.place))).collect();
        choices.push(Choice { code: NONE.to_owned(), name: String::new(), share: None });
        let others = self.other_cities(&choices, candidates);
        if choices.len() == 1 && others.is_empty() {
            return None;
        }
        let answer = self.answers.get(PlaceKind::City).filter(|code| {
            let known = choices.iter().any(|choice| choice.code == *code);
            known || cities_of_state(self.address.state).any(|(_, place)| place == *code)
        });
        let answer = answer.map(str::to_owned);
        let others = if self.with_others { others } else { Vec::new() };
        let default = likely.first().filter(|(at, _)| at.taxed).map_or(NONE, |(at, _)| at.place.as_str());
        Some(Question { kind: PlaceKind::City, default: Some(default.to_owned()), choices, others, answer })
    }

    /// Returns the other taxing cities of the counties, by name; not all of them if it only matters whether there are any.
    fn other_cities(&self, listed: &[Choice], candidates: &[Candidate]) -> Vec<Choice> {
        let mut others: Vec<Choice> = Vec::new();
        if !self.with_others && listed.len() > 1 {
            return others;
        }
        let counties: Vec<&str> = candidates.iter().filter_map(|one| one.county).collect();
        for (of_counties, place) in cities_of_state(self.address.state) {
            let near = of_counties.is_empty()
                || of_counties.iter().any(|county| counties.contains(&county.as_str()));
            let known = listed.iter().chain(&others).any(|choice| choice.code == place);
            let outside = || {
                Bounds::bounds_in_zip(self.address.zip, place).map(Bounds::limits) == Some(Limits::Outside)
            };
            if near && !known && self.matters_here(place) && !outside() {
                others.push(Choice { code: place.to_owned(), name: name_of(place), share: None });
                if !self.with_others {
                    break;
                }
            }
        }
        others.sort_by(|one, other| one.name.cmp(&other.name));
        others
    }

    /// Adds the school district of a home in Ohio.
    fn ohio_district(&self, found: &mut Found, certificate: &Certificate) {
        let here = districts_of_zip(self.address.zip);
        let choice = |district: &ohio::District, share| Choice {
            code: district.id.to_owned(),
            name: district.name.to_owned(),
            share,
        };
        let ask = here.iter().any(|at| at.ask);
        let mut answer = self.answers.get(PlaceKind::SchoolDistrict).and_then(ohio::find_district);
        if let Some(district) = answer {
            let reason = format!("the answer that the home lies in {}", district.name);
            found.places.push(certain_place(district.place(), Told::Answer, reason));
        } else if let Some(text) = certificate.school_district.as_deref() {
            found.places.push(by_certificate(text, self.address.zip));
            answer = here.iter().map(|at| at.district).find(|district| {
                ohio::district_named(text, Some(self.address.zip)) == ohio::Named::Place(district.place())
            });
        } else if here.is_empty() || ask {
            found.places.push(AddressPlace {
                place: OHIO_DISTRICT.to_owned(),
                told: Told::Zip,
                certain: false,
                taxed: false,
                reason: match here.is_empty() {
                    true => format!("no table has the school districts of ZIP code {}", self.zip()),
                    false => format!("the school districts of ZIP code {} tax differently", self.zip()),
                },
            });
        } else if let Some(first) = here.first() {
            let reason = format!("no school district of ZIP code {} taxes differently", self.zip());
            found.places.push(certain_place(first.district.place(), Told::Zip, reason));
        }
        if ask || here.is_empty() {
            let is_here = |district: &ohio::District| here.iter().any(|at| at.district.id == district.id);
            let others = ohio::all_districts().filter(|district| self.with_others && !is_here(district));
            let mut others: Vec<Choice> = others.map(|district| choice(&district, None)).collect();
            others.sort_by(|one, other| one.name.cmp(&other.name));
            found.questions.push(Question {
                kind: PlaceKind::SchoolDistrict,
                choices: here.iter().map(|at| choice(&at.district, Some(at.share))).collect(),
                others,
                answer: answer.map(|district| district.id.to_owned()),
                default: None,
            });
        }
    }
}

/// Returns the cities of a state that tax pay, each with the counties it lies in.
pub(super) fn cities_of_state(state: &str) -> impl Iterator<Item = (&'static [String], &'static str)> {
    PlaceTable::built_in().cities_of_state(state).filter(|(_, place)| oregon::kind_of(place).is_none())
}

/// Returns the name of a place that taxes.
fn name_of(place: &str) -> String {
    TaxTable::built_in_local().of_place(place).first().map_or(place, |tax| short_name(tax)).to_owned()
}

/// Returns the place of the school district that a certificate names.
fn by_certificate(text: &str, zip: &str) -> AddressPlace {
    let told = Told::Certificate;
    match ohio::district_named(text, Some(zip)) {
        ohio::Named::Place(place) => certain_place(place, told, "school_district of Form IT 4"),
        ohio::Named::Short(Some(place)) => AddressPlace {
            taxed: place != NO_DISTRICT,
            place,
            told,
            certain: false,
            reason: "school_district of Form IT 4 is no full name of a district".to_owned(),
        },
        ohio::Named::Short(None) | ohio::Named::Unknown => AddressPlace {
            place: OHIO_DISTRICT.to_owned(),
            told,
            certain: false,
            taxed: false,
            reason: "school_district of Form IT 4 names no district, or several".to_owned(),
        },
    }
}

#[cfg(test)]
#[path = "find_tests.rs"]
mod tests;
