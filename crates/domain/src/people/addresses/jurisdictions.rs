//! The counties, cities and districts of an address, with their sources, and the list set by hand where the sources are
//! wrong.

use std::collections::BTreeMap;
use std::sync::Arc;

use rules::taxes::{
    Address, AddressPlace, Certificate, Level, PennsylvaniaTable, Side, Told, check_place, describe,
    places_of, places_of_state, psd_of,
};
use rules::withholding::state::Answer;
use rules::{Checks, Violation};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::Tx;
use uuid::Uuid;

use super::counties::county_of_zip;
use super::rows::{HomeAddress, Workplace};
use crate::error::Error;
use crate::patch::Patch;
use crate::platform::law::{self, Law};
use crate::platform::reference::Vintage;
use crate::withholding::taxes::rows as certificates;

/// Name of the input field.
const KEY: &str = "jurisdiction_codes";
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
}

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
}

impl Workplace {
    /// Returns the parts of the address that determine its localities.
    pub fn postal(&self) -> Postal<'_> {
        Postal { state: &self.state, city: &self.city, zip: &self.zip }
    }
}

/// Returns the localities of an address, by key.
pub fn places(
    side: Side,
    at: Postal<'_>,
    by_hand: Option<&ByHand>,
    certificate: &Certificate,
) -> Vec<AddressPlace> {
    let codes = by_hand.filter(|set| set.is_for(at)).map(|set| set.codes.as_slice());
    places_of(side, address(at), codes, certificate)
}

fn address(at: Postal<'_>) -> Address<'_> {
    Address { state: at.state, city: at.city, county: county_of_zip(at.zip) }
}

/// The data that determines the localities of an employee's addresses.
pub struct Reader {
    certificate: Certificate,
    register: Arc<Vintage<Law<PennsylvaniaTable>>>,
}

impl Reader {
    /// Reads the data of an employee.
    ///
    /// # Errors
    /// A store error.
    pub fn read(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Self, Error> {
        let states = certificates::states(tx, company, employee)?;
        let answer = |state: &str, key: &str| {
            let of_state = states.iter().find(|held| held.state == state)?;
            match of_state.answers.get(key)? {
                Value::Bool(yes) => Some(Answer::Bool(*yes)),
                Value::String(text) => Some(Answer::Text(text.clone())),
                _ => None,
            }
        };
        Ok(Self { certificate: Certificate::read(answer), register: law::pennsylvania_register(tx)? })
    }

    /// Returns the localities of a home address.
    pub fn of_home(&self, home: &HomeAddress) -> Vec<Jurisdiction> {
        self.named(places(Side::Home, home.postal(), home.jurisdiction_codes.as_ref(), &self.certificate))
    }

    /// Returns the localities of a work address, which are those of its location.
    pub fn of_work(&self, work: &Workplace) -> Vec<Jurisdiction> {
        let by_hand = work.address.jurisdiction_codes.as_ref();
        self.named(places(Side::Work, work.postal(), by_hand, &self.certificate))
    }

    fn named(&self, places: Vec<AddressPlace>) -> Vec<Jurisdiction> {
        let named = |AddressPlace { place, told, certain }: AddressPlace| {
            // A certificate may contain a code that is not in any table: the missing rate is reported where it is needed.
            let (kind, name) = describe(&place, &self.register).unwrap_or_else(|| match psd_of(&place) {
                Some(psd) => (Level::City, format!("PSD {psd}")),
                None => (Level::SchoolDistrict, place.clone()),
            });
            Jurisdiction { code: place, name, kind, told_by: told, certain }
        };
        places.into_iter().map(named).collect()
    }
}

/// Returns the localities that can be set by hand for an address in a state: names by key.
///
/// # Errors
/// A store error.
pub fn known(tx: &mut Tx<'_>, state: &str) -> Result<BTreeMap<String, String>, Error> {
    let register = law::pennsylvania_register(tx)?;
    Ok(places_of_state(state, &register))
}

/// Applies the list sent for an address; null removes it. A stored list that was set for another address is dropped.
///
/// # Errors
/// A store error. Violations of the list are added to `checks`.
pub(super) fn set(
    tx: &mut Tx<'_>,
    sent: &Patch<Vec<String>>,
    at: Postal<'_>,
    held: &mut Option<ByHand>,
    checks: &mut Checks,
) -> Result<(), Error> {
    let register = law::pennsylvania_register(tx)?;
    if held.as_ref().is_some_and(|set| !set.is_for(at)) {
        *held = None;
    }
    #[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
    fn by_hand(
        codes: &Vec<String>,
        at: Postal<'_>,
        register: &PennsylvaniaTable,
    ) -> Result<ByHand, Violation> {
        let wrong = |why: String| Violation::invalid(KEY, format!("{KEY} {why}"));
        if codes.len() > MOST {
            return Err(wrong(format!("must have at most {MOST} items")));
        }
        for (place, code) in codes.iter().enumerate() {
            let item = place + 1;
            check_place(code, address(at), register).map_err(|why| wrong(format!("(item {item}) {why}")))?;
            if codes[..place].contains(code) {
                return Err(wrong(format!("(item {item}) must not repeat a locality")));
            }
        }
        Ok(ByHand::new(codes.clone(), at))
    }
    sent.update_or_clear(KEY, checks, |_, codes| by_hand(codes, at, &register).map(Some), held);
    Ok(())
}
