//! The localities of a home or work address, and how each is known.
//!
//! Tables give the county of a ZIP code and the city for a name. What only the employee knows comes from the state's
//! certificate: the residency certificate of Pennsylvania, the school district of Ohio, residence in New York City and Yonkers.
//! If these are wrong, the places are set by hand; a list set by hand takes precedence.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::find::Address;
use super::ohio::NO_DISTRICT;
use super::pennsylvania::parts_of;
use crate::named::serde_by_name;
use crate::taxes::{Level, PennsylvaniaTable, PlaceTable, Tax, TaxTable, named};
use crate::withholding::state::Answer;

/// Place of an address for an Ohio school district that is not decided.
pub const OHIO_DISTRICT: &str = "OH-SD";
/// The code of Pennsylvania's register for a home or place of work outside the state.
pub const OUTSIDE_PENNSYLVANIA: &str = "880000";
/// States whose income tax includes the county's, at the rate of the certificate: their places are shown, but would be counted
/// twice if they taxed wages separately.
const WITHIN_THE_STATES_TAX: [&str; 1] = ["MD"];
/// Maryland rows that are not places: no certificate, and residence outside the state.
const NO_PLACES: [&str; 2] = ["MD-UNKNOWN", "MD-NONRESIDENT"];
/// Maximum number of places listed in a message.
const LISTED: usize = 30;

named! {
    /// How a place of an address is known.
    Told {
        /// The county of the ZIP code.
        Zip = "zip",
        /// The name of the city.
        City = "city",
        /// An answer on the state's certificate.
        Certificate = "certificate",
        /// The answer to a question about the address.
        Answer = "answer",
        /// The list set by hand.
        Correction = "correction",
    }
}

/// The tables in force that name the places of states: those whose tax was imported are among them.
#[derive(Debug, Clone, Copy)]
pub struct PlaceNames<'a> {
    /// Pennsylvania's register.
    pub register: &'a PennsylvaniaTable,
    /// Local taxes of all states.
    pub local: &'a TaxTable,
}

impl PlaceNames<'static> {
    /// Returns the built-in tables.
    pub fn built_in() -> Self {
        Self { register: PennsylvaniaTable::built_in(), local: TaxTable::built_in_local() }
    }
}

/// A place that an address lies in, or may lie in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AddressPlace {
    /// Its key, such as `OH-18000`; for a municipality of Pennsylvania, `PA-` and its code in the register or of the Census Bureau.
    pub place: String,
    /// How it is known.
    pub told: Told,
    /// Whether the address certainly lies in it.
    pub certain: bool,
    /// Whether its taxes are withheld: if it is certain, or the more likely one until somebody says so.
    pub taxed: bool,
    /// Why, as in "43 % of the homes of ZIP code 21771 lie in Carroll County".
    pub reason: String,
}

/// Whether an address is a home or a place of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Home.
    Home,
    /// Place of work.
    Work,
}

/// What an employee's certificates say about places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Whether the home lies in New York City.
    pub new_york_city: Option<bool>,
    /// Whether the home lies in Yonkers.
    pub yonkers: Option<bool>,
    /// Ohio's school district, by number or name, or `none`.
    pub school_district: Option<String>,
    /// PSD code of the home.
    pub home_psd: Option<String>,
    /// PSD code of the place of work.
    pub work_psd: Option<String>,
    /// The addresses for which the answers were given.
    pub given_for: GivenFor,
}

/// Questions on certificates about the home.
pub const OF_HOME: [&str; 5] =
    ["nyc_resident", "yonkers_resident", "school_district", "psd_code", "local_rate"];
/// Questions on certificates about the place of work.
pub const OF_WORK: [&str; 1] = ["work_psd_code"];

/// The address for which an answer was given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenAddress {
    /// Two-letter code of the state.
    pub state: String,
    /// City.
    pub city: String,
    /// ZIP code.
    pub zip: String,
}

impl GivenAddress {
    /// Returns the parts of an address.
    pub fn from_address(address: Address<'_>) -> Self {
        let Address { state, city, zip } = address;
        Self { state: state.to_owned(), city: city.to_owned(), zip: zip.to_owned() }
    }
}

/// The addresses for which answers on certificates were given, by the key of the question. An answer without one counts for every
/// address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenFor(pub BTreeMap<String, GivenAddress>);

impl GivenFor {
    /// Whether an answer counts for an address.
    pub fn is_for(&self, key: &str, address: Address<'_>) -> bool {
        self.0.get(key).is_none_or(|given| {
            (given.state.as_str(), given.city.as_str(), given.zip.as_str())
                == (address.state, address.city, address.zip)
        })
    }
}

impl Certificate {
    /// Reads the certificate from the answers, which `answer` finds by state and key, and the addresses for which they were given.
    pub fn read_answers(answer: impl Fn(&str, &str) -> Option<Answer>, given_for: &GivenFor) -> Self {
        let text = |state: &str, key: &str| match answer(state, key) {
            Some(Answer::Text(text)) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            _ => None,
        };
        let flag = |key: &str| match answer("NY", key) {
            Some(Answer::Bool(yes)) => Some(yes),
            _ => None,
        };
        let psd = |key: &str| text("PA", key).filter(|code| code != OUTSIDE_PENNSYLVANIA);
        Self {
            new_york_city: flag("nyc_resident"),
            yonkers: flag("yonkers_resident"),
            school_district: text("OH", "school_district"),
            home_psd: psd("psd_code"),
            work_psd: psd("work_psd_code"),
            given_for: given_for.clone(),
        }
    }

    /// Returns what it says about an address: answers that were given for another one do not count.
    pub fn answers_about(&self, address: Address<'_>) -> Self {
        let counts = |key: &str| self.given_for.is_for(key, address);
        let text = |key: &str, answer: &Option<String>| answer.clone().filter(|_| counts(key));
        Self {
            new_york_city: self.new_york_city.filter(|_| counts("nyc_resident")),
            yonkers: self.yonkers.filter(|_| counts("yonkers_resident")),
            school_district: text("school_district", &self.school_district),
            home_psd: text("psd_code", &self.home_psd),
            work_psd: text("work_psd_code", &self.work_psd),
            given_for: GivenFor::default(),
        }
    }
}

/// Whether a place's tax is part of its state's income tax, so that no separate line is due.
pub fn is_within_state_tax(place: &str) -> bool {
    place.split_once('-').is_some_and(|(state, _)| WITHIN_THE_STATES_TAX.contains(&state))
}

/// Returns the code of Pennsylvania's register in a place's key.
pub fn psd_of(place: &str) -> Option<&str> {
    let code = place.strip_prefix("PA-")?;
    (code != "PHILADELPHIA").then_some(code)
}

/// Returns a place's level and name. `None` for a key that is in no table.
pub fn describe_place(place: &str, names: PlaceNames<'_>) -> Option<(Level, String)> {
    match place {
        OHIO_DISTRICT => {
            return Some((Level::SchoolDistrict, "school district by the certificate".to_owned()));
        }
        NO_DISTRICT => return Some((Level::SchoolDistrict, "no school district".to_owned())),
        _ => {}
    }
    if let Some(psd) = psd_of(place) {
        let named = names.register.municipality(psd).or_else(|| municipality_name(psd));
        return Some((Level::City, named?.to_owned()));
    }
    let tax = names.local.of_place(place).first()?;
    Some((tax.jurisdiction.level, short_name(tax).to_owned()))
}

/// Returns the name of a tax's place: that of the tax without words such as `city tax`.
pub(super) fn short_name(tax: &Tax) -> &str {
    let kinds = [
        " city tax",
        " county tax",
        " school tax",
        " transit tax",
        " service fee",
        " earnings tax",
        " wage tax",
        " payroll tax",
        " payroll expense tax",
        " payroll",
        " resident tax",
        " nonresident tax",
        " OPT",
        " SHS",
        " PFA",
        " tax",
    ];
    kinds.iter().find_map(|kind| tax.name.strip_suffix(kind)).unwrap_or(&tax.name)
}

/// Returns the name of a municipality by the code of the Census Bureau, with or without its school district.
fn municipality_name(code: &str) -> Option<&'static str> {
    parts_of(code.split('-').next()?).first().map(|part| part.name)
}

/// Returns the places that can be set by hand for an address in a state, by key, with their names. Empty if no place
/// there taxes wages.
pub fn places_of_state(state: &str, names: PlaceNames<'_>) -> BTreeMap<String, String> {
    let of_tables = keys_of_state(state, names.local).into_iter().map(str::to_owned);
    let of_register = names.register.iter().filter(|_| state == "PA").map(|row| format!("PA-{}", row.psd));
    let named = |place: String| describe_place(&place, names).map(|(_, name)| (place, name));
    of_tables.chain(of_register).filter_map(named).collect()
}

/// Returns the keys of a state's places in the table of local taxes.
fn keys_of_state<'a>(state: &str, local: &'a TaxTable) -> BTreeSet<&'a str> {
    let local = local.iter().filter(|tax| tax.jurisdiction.state == state);
    let places = local.map(|tax| tax.jurisdiction.place.as_str());
    places.filter(|place| !place.is_empty() && !NO_PLACES.contains(place)).collect()
}

/// Checks a code set by hand for an address in a state.
///
/// # Errors
/// The allowed codes, as in "must be one of MO-KANSAS_CITY, MO-ST_LOUIS".
pub fn check_place(code: &str, address: Address<'_>, names: PlaceNames<'_>) -> Result<(), String> {
    let state = address.state;
    let is_of_state = code.strip_prefix(state).is_some_and(|rest| rest.starts_with('-'));
    let stands_for_none = code == OHIO_DISTRICT || NO_PLACES.contains(&code);
    let is_place = is_of_state && !stands_for_none && describe_place(code, names).is_some();
    if is_place {
        return Ok(());
    }
    let of_tables = keys_of_state(state, names.local);
    if of_tables.is_empty() {
        return Err(format!("cannot be set in {state}: no place there taxes wages"));
    }
    if of_tables.len() <= LISTED && state != "PA" {
        let all: Vec<&str> = of_tables.into_iter().collect();
        return Err(format!("must be one of {}", all.join(", ")));
    }
    let near = PlaceTable::built_in().places_of_address(address.named_address());
    let near: Vec<&str> = near.iter().map(|at| at.place.as_str()).collect();
    let such_as = match (near.is_empty(), state) {
        (_, "PA") => {
            ", which are PA-PHILADELPHIA and PA- with a PSD code of the register that is in use".to_owned()
        }
        (true, _) => String::new(),
        (false, _) => format!(", for this address such as {}", near.join(", ")),
    };
    Err(format!("must be the key of a taxing place of {state}{such_as}"))
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
