//! The localities of a home or work address, and how each is known.
//!
//! Tables give the county of a ZIP code and the city for a name. What only the employee knows comes from the state's
//! certificate: the residency certificate of Pennsylvania, the school district of Ohio, residence in New York City and Yonkers.
//! If these are wrong, the places are set by hand; a list set by hand takes precedence.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::pennsylvania::PennsylvaniaTable;
use super::places::{Address, PlaceTable};
use super::table::{Level, Tax, TaxTable, named};
use crate::named::serde_by_name;
use crate::withholding::state::Answer;

/// Philadelphia taxes wages itself, outside the state's register.
pub(super) const PHILADELPHIA: &str = "PA-PHILADELPHIA";
/// Place of an address for an Ohio school district given by a name that no district, or more than one, has.
pub const OHIO_DISTRICT: &str = "OH-SD";
/// Place of an employee who lives in no school district with a tax.
const NO_DISTRICT: &str = "OH-SD-NONE";
/// The code of Pennsylvania's register for a home or place of work outside the state.
const OUTSIDE_PENNSYLVANIA: &str = "880000";
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
        /// The list set by hand.
        Correction = "correction",
    }
}

/// A place that an address lies in, or may lie in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AddressPlace {
    /// Its key, such as `OH-18000`; for a row of Pennsylvania's register, `PA-` and the code.
    pub place: String,
    /// How it is known.
    pub told: Told,
    /// Whether the address certainly lies in it; a county or city may overlap a district only in part.
    pub certain: bool,
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
}

impl Certificate {
    /// Reads the certificate from the answers, which `answer` finds by state and key.
    pub fn read(answer: impl Fn(&str, &str) -> Option<Answer>) -> Self {
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
        }
    }
}

/// Returns the places of an address, in order of their keys. `by_hand` is the list set for it, if any.
///
/// A list set by hand replaces what the ZIP code, the city and New York's questions say. The PSD code and the school
/// district of the certificate remain unless the list names one of its own.
pub fn places_of(
    side: Side,
    address: Address<'_>,
    by_hand: Option<&[String]>,
    certificate: &Certificate,
) -> Vec<AddressPlace> {
    let mut places = match by_hand {
        Some(codes) => codes.iter().map(|code| certain(code.clone(), Told::Correction)).collect(),
        None => {
            let mut places = PlaceTable::built_in().of(address);
            if side == Side::Home && address.state == "NY" {
                answer_new_york(&mut places, certificate);
            }
            places
        }
    };
    let missing = |prefix: &str| !places.iter().any(|at| at.place.starts_with(prefix));
    match (address.state, side) {
        ("OH", Side::Home) if missing("OH-SD") => {
            places.extend(certificate.school_district.as_deref().map(school_district));
        }
        ("PA", _) if !places.iter().any(|at| at.place == PHILADELPHIA || psd_of(&at.place).is_some()) => {
            let psd = if side == Side::Home { &certificate.home_psd } else { &certificate.work_psd };
            places.extend(psd.as_ref().map(|psd| certain(format!("PA-{psd}"), Told::Certificate)));
        }
        _ => {}
    }
    places.sort();
    places.dedup_by(|one, other| one.place == other.place);
    places
}

fn certain(place: String, told: Told) -> AddressPlace {
    AddressPlace { place, told, certain: true }
}

fn answer_new_york(places: &mut Vec<AddressPlace>, certificate: &Certificate) {
    let answers = [("NY-NEW_YORK_CITY", certificate.new_york_city), ("NY-YONKERS", certificate.yonkers)];
    for (place, answer) in answers {
        let Some(lives_there) = answer else { continue };
        places.retain(|held| held.place != place);
        if lives_there {
            places.push(certain(place.to_owned(), Told::Certificate));
        }
    }
}

/// Whether an answer identifies an Ohio school district: its number, the name of one that has an income tax, or `none`.
pub fn is_school_district(answer: &str) -> bool {
    school_district(answer.trim()).certain
}

/// Returns the place of an Ohio school district by its number, its name, or `none`. Undecided if no district with a
/// tax has the name, or several do.
fn school_district(answer: &str) -> AddressPlace {
    if answer.len() == 4 && answer.bytes().all(|byte| byte.is_ascii_digit()) {
        return certain(format!("OH-SD-{answer}"), Told::Certificate);
    }
    if answer.eq_ignore_ascii_case("none") {
        return certain(NO_DISTRICT.to_owned(), Told::Certificate);
    }
    let wanted = answer.to_ascii_lowercase();
    let is_meant = |tax: &&Arc<Tax>| {
        let of_district = tax.jurisdiction.place.starts_with("OH-SD-");
        of_district && tax.name.to_ascii_lowercase().starts_with(&wanted)
    };
    let meant: BTreeSet<&str> =
        TaxTable::local().iter().filter(is_meant).map(|tax| tax.jurisdiction.place.as_str()).collect();
    match (meant.first(), meant.len()) {
        (Some(place), 1) => certain((*place).to_owned(), Told::Certificate),
        _ => AddressPlace { place: OHIO_DISTRICT.to_owned(), told: Told::Certificate, certain: false },
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
pub fn describe(place: &str, register: &PennsylvaniaTable) -> Option<(Level, String)> {
    match place {
        OHIO_DISTRICT => {
            return Some((Level::SchoolDistrict, "school district by the certificate".to_owned()));
        }
        NO_DISTRICT => return Some((Level::SchoolDistrict, "no school district".to_owned())),
        _ => {}
    }
    if let Some(psd) = psd_of(place) {
        return Some((Level::City, register.municipality(psd)?.to_owned()));
    }
    let tax = TaxTable::local().of_place(place).first()?;
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
    let name = kinds.iter().find_map(|kind| tax.name.strip_suffix(kind)).unwrap_or(&tax.name);
    Some((tax.jurisdiction.level, name.to_owned()))
}

/// Returns the places that can be set by hand for an address in a state, by key, with their names. Empty if no place
/// there taxes wages.
pub fn places_of_state(state: &str, register: &PennsylvaniaTable) -> BTreeMap<String, String> {
    let of_tables = keys_of_state(state).into_iter().map(str::to_owned);
    let of_register = register.iter().filter(|_| state == "PA").map(|row| format!("PA-{}", row.psd));
    let named = |place: String| describe(&place, register).map(|(_, name)| (place, name));
    of_tables.chain(of_register).filter_map(named).collect()
}

/// Returns the keys of a state's places in the table of local taxes.
fn keys_of_state(state: &str) -> BTreeSet<&'static str> {
    let local = TaxTable::local().iter().filter(|tax| tax.jurisdiction.state == state);
    let places = local.map(|tax| tax.jurisdiction.place.as_str());
    places.filter(|place| !place.is_empty() && !NO_PLACES.contains(place)).collect()
}

/// Checks a code set by hand for an address in a state.
///
/// # Errors
/// The allowed codes, as in "must be one of MO-KANSAS_CITY, MO-ST_LOUIS".
pub fn check_place(code: &str, address: Address<'_>, register: &PennsylvaniaTable) -> Result<(), String> {
    let state = address.state;
    let is_of_state = code.strip_prefix(state).is_some_and(|rest| rest.starts_with('-'));
    let stands_for_none = code == OHIO_DISTRICT || NO_PLACES.contains(&code);
    let is_place = is_of_state && !stands_for_none && describe(code, register).is_some();
    if is_place {
        return Ok(());
    }
    let of_tables = keys_of_state(state);
    if of_tables.is_empty() {
        return Err(format!("cannot be set in {state}: no place there taxes wages"));
    }
    if of_tables.len() <= LISTED && state != "PA" {
        let all: Vec<&str> = of_tables.into_iter().collect();
        return Err(format!("must be one of {}", all.join(", ")));
    }
    let near = PlaceTable::built_in().of(address);
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
