//! The counties, cities and districts of an address, with their sources, and the list set by hand where the sources are
//! wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rules::places::{
    AddressPlace, Certificate, Facts, Found, GivenFor, PlaceNames, Question, Side, Told, check_place,
    describe_place, find_places, places_of_state, psd_of, state_of_zip,
};
use rules::taxes::Level;
use rules::withholding::state::Answer;
use rules::{Checks, Violation, check};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::Tx;
use uuid::Uuid;

use super::rows::{self, HomeAddress, Workplace};
use crate::company::locations::places::PlaceAnswers;
pub use crate::company::locations::places::Postal;
use crate::error::Error;
use crate::patch::Patch;
use crate::platform::law::{self, Places};
use crate::withholding::taxes::rows as certificates;

/// Name of the input field.
const KEY: &str = "jurisdiction_codes";
/// Employees of a state that are counted for the operator.
const MOST_COUNTED: i64 = 10_000;
/// Homes that are read at once; all are read in the end.
const AT_ONCE: i64 = 500;
/// Maximum number of localities that can be set for an address.
pub const MOST: usize = 20;

/// A county, city or district that an address lies in, or may lie in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jurisdiction {
    /// key in the tables, such as `OH-18000`
    pub code: String,
    /// name
    pub name: String,
    /// type
    pub kind: Level,
    /// source of the jurisdiction
    pub told_by: Told,
    /// whether the address certainly lies in it
    pub certain: bool,
    /// whether its taxes are withheld
    pub taxed: bool,
    /// why the address lies, or may lie, in it
    pub reason: String,
}

/// The localities set by hand for an address. They apply only to that address: after a move, including a move of the
/// company's location, the tables apply again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByHand {
    /// keys of the localities
    codes: Vec<String>,
    /// state of the address
    state: String,
    /// city of the address
    city: String,
    /// ZIP code of the address
    zip: String,
}

impl ByHand {
    /// Creates the list of localities for an address.
    pub fn new(codes: Vec<String>, at: Postal<'_>) -> Self {
        let Postal { state, city, zip } = at;
        Self { codes, state: state.to_owned(), city: city.to_owned(), zip: zip.to_owned() }
    }

    /// Whether the list was set for this address.
    pub fn is_for(&self, at: Postal<'_>) -> bool {
        Postal { state: &self.state, city: &self.city, zip: &self.zip } == at
    }
}

impl HomeAddress {
    /// Returns the parts of the address that determine its localities.
    pub fn postal(&self) -> Postal<'_> {
        Postal { state: &self.state, city: &self.city, zip: &self.zip }
    }

    /// Returns what is stored about the address.
    pub fn stored_facts(&self) -> About<'_> {
        About {
            by_hand: self.jurisdiction_codes.as_ref(),
            answers: self.place_answers.as_ref(),
            courtesy: self.courtesy_withholding,
            with_others: false,
        }
    }

    /// Returns the localities of the home.
    pub fn home_localities(&self, certificate: &Certificate) -> Found {
        find_localities(Side::Home, self.postal(), self.stored_facts(), certificate)
    }
}

impl Workplace {
    /// Returns the parts of the address that determine its localities.
    pub fn postal(&self) -> Postal<'_> {
        Postal { state: &self.state, city: &self.city, zip: &self.zip }
    }
}

/// What is stored about an address beside its parts.
#[derive(Debug, Clone, Copy, Default)]
pub struct About<'a> {
    /// the list set by hand
    pub by_hand: Option<&'a ByHand>,
    /// answers to the questions about it
    pub answers: Option<&'a PlaceAnswers>,
    /// whether the employer withholds the tax of the city of residence by agreement
    pub courtesy: bool,
    /// whether questions list the other choices of the county or state
    pub with_others: bool,
}

/// Returns the localities of an address, and the questions that decide the others.
pub fn find_localities(side: Side, at: Postal<'_>, about: About<'_>, certificate: &Certificate) -> Found {
    let by_hand = about.by_hand.filter(|set| set.is_for(at)).map(|set| set.codes.as_slice());
    let answers = about.answers.and_then(|held| held.for_address(at));
    let About { courtesy, with_others, .. } = about;
    find_places(
        side,
        at.address(),
        Facts { by_hand, certificate: Some(certificate), answers, courtesy, with_others },
    )
}

/// The data that determines the localities of an employee's addresses.
pub struct Reader {
    certificate: Certificate,
    places: Places,
}

impl Reader {
    /// Reads the data of an employee.
    pub fn read_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Self, Error> {
        let states = certificates::state_answers(tx, company, employee)?;
        let answer = |state: &str, key: &str| {
            let of_state = states.iter().find(|held| held.state == state)?;
            match of_state.answers.get(key)? {
                Value::Bool(yes) => Some(Answer::Bool(*yes)),
                Value::String(text) => Some(Answer::Text(text.clone())),
                _ => None,
            }
        };
        let mut given_for = GivenFor::default();
        for of_state in &states {
            given_for.0.extend(of_state.given_for.clone().unwrap_or_default().0);
        }
        Ok(Self {
            certificate: Certificate::read_answers(answer, &given_for),
            places: Places::read_places(tx)?,
        })
    }

    /// Returns the localities of a home address, and the questions about it.
    pub fn of_home(&self, home: &HomeAddress) -> (Vec<Jurisdiction>, Vec<Question>) {
        let found = home.home_localities(&self.certificate);
        (self.named_jurisdictions(found.places), found.questions)
    }

    /// Returns the questions about a home address, each with every choice.
    pub fn questions_of_home(&self, home: &HomeAddress) -> Vec<Question> {
        let about = About { with_others: true, ..home.stored_facts() };
        find_localities(Side::Home, home.postal(), about, &self.certificate).questions
    }

    /// Returns the localities of a work address, which are those of its location, and the questions about it.
    pub fn of_work(&self, work: &Workplace) -> (Vec<Jurisdiction>, Vec<Question>) {
        let by_hand = work.address.jurisdiction_codes.as_ref();
        let about = About { by_hand, answers: work.place_answers.as_ref(), ..About::default() };
        let found = find_localities(Side::Work, work.postal(), about, &self.certificate);
        (self.named_jurisdictions(found.places), found.questions)
    }

    fn named_jurisdictions(&self, places: Vec<AddressPlace>) -> Vec<Jurisdiction> {
        named_localities(places, self.places.place_names())
    }
}

/// Returns the localities with their names.
pub fn named_localities(places: Vec<AddressPlace>, names: PlaceNames<'_>) -> Vec<Jurisdiction> {
    let named = |AddressPlace { place, told, certain, taxed, reason }: AddressPlace| {
        // A certificate may contain a code that is not in any table: the missing rate is reported where it is needed.
        let (kind, name) = describe_place(&place, names).unwrap_or_else(|| match psd_of(&place) {
            Some(psd) => (Level::City, format!("PSD {psd}")),
            None => (Level::SchoolDistrict, place.clone()),
        });
        Jurisdiction { code: place, name, kind, told_by: told, certain, taxed, reason }
    };
    places.into_iter().map(named).collect()
}

/// What is known of an address that is not stored.
#[derive(Debug)]
pub struct KnownPlaces<'a> {
    /// the address, with its state
    pub at: Postal<'a>,
    /// its localities
    pub jurisdictions: Vec<Jurisdiction>,
    /// what has to be asked to know them all, with every choice
    pub questions: Vec<Question>,
}

/// Returns the localities of an address that is not stored, with every choice of its questions; without a state, in that of the ZIP code.
///
/// # Errors
/// 422 for a state that is none, and where the ZIP code has no known state; a store error.
pub fn of_text<'a>(
    tx: &mut Tx<'_>,
    side: Side,
    (zip, city, state): (&'a str, &'a str, Option<&'a str>),
) -> Result<KnownPlaces<'a>, Error> {
    let state = match state {
        Some(state) => check::parse_state("state", state)?,
        None => state_of_zip(zip).ok_or_else(|| {
            Violation::invalid("state", "state is required: no table has the state of the ZIP code")
        })?,
    };
    let at = Postal { state, city, zip };
    let about = About { with_others: true, ..About::default() };
    let found = find_localities(side, at, about, &Certificate::default());
    let places = Places::read_places(tx)?;
    Ok(KnownPlaces {
        at,
        jurisdictions: named_localities(found.places, places.place_names()),
        questions: found.questions,
    })
}

/// How many people live in Pennsylvania, if its register of local taxes is not imported.
pub fn without_register(tx: &mut Tx<'_>) -> Result<Option<People>, Error> {
    if law::pennsylvania_register(tx)?.is_whole() {
        return Ok(None);
    }
    let people = rows::living_in(tx, "PA", MOST_COUNTED + 1)?;
    Ok((people > 0).then_some(People(people)))
}

/// A number of people; above the most that is counted, a lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct People(pub i64);

impl fmt::Display for People {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            people if people > MOST_COUNTED => write!(f, "more than {MOST_COUNTED}"),
            people => people.fmt(f),
        }
    }
}

/// Returns the cities of Ohio in which employees live for whom the employer withholds the city's tax by agreement, by the keys of their
/// places.
pub fn cities_by_agreement(tx: &mut Tx<'_>, company: Uuid) -> Result<BTreeSet<String>, Error> {
    let (mut cities, mut last) = (BTreeSet::new(), Uuid::nil());
    loop {
        let some = rows::by_agreement(tx, company, ("OH", last, AT_ONCE))?;
        let Some(end) = some.last() else { return Ok(cities) };
        last = end.id;
        for home in &some {
            let places = home.home_localities(&Certificate::default()).places.into_iter();
            cities.extend(places.filter(|at| at.taxed).map(|at| at.place));
        }
    }
}

/// Returns the localities that can be set by hand for an address in a state: names by key.
pub fn selectable_localities(tx: &mut Tx<'_>, state: &str) -> Result<BTreeMap<String, String>, Error> {
    Ok(places_of_state(state, Places::read_places(tx)?.place_names()))
}

/// Applies the list sent for an address; null removes it. A stored list that was set for another address is dropped.
///
/// # Errors
/// A store error. Violations of the list are added to `checks`.
pub(super) fn apply_sent_localities(
    tx: &mut Tx<'_>,
    sent: &Patch<Vec<String>>,
    at: Postal<'_>,
    held: &mut Option<ByHand>,
    checks: &mut Checks,
) -> Result<(), Error> {
    let places = Places::read_places(tx)?;
    if held.as_ref().is_some_and(|set| !set.is_for(at)) {
        *held = None;
    }
    #[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
    fn by_hand(codes: &Vec<String>, at: Postal<'_>, names: PlaceNames<'_>) -> Result<ByHand, Violation> {
        let wrong = |why: String| Violation::invalid(KEY, format!("{KEY} {why}"));
        if codes.len() > MOST {
            return Err(wrong(format!("must have at most {MOST} items")));
        }
        for (place, code) in codes.iter().enumerate() {
            let item = place + 1;
            check_place(code, at.address(), names).map_err(|why| wrong(format!("(item {item}) {why}")))?;
            if codes[..place].contains(code) {
                return Err(wrong(format!("(item {item}) must not repeat a locality")));
            }
        }
        Ok(ByHand::new(codes.clone(), at))
    }
    sent.update_or_clear(KEY, checks, |_, codes| by_hand(codes, at, places.place_names()).map(Some), held);
    Ok(())
}
