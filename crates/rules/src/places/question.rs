//! Questions about an address, their choices, and what an answer may be.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::counties::counties_of_state;
use super::find::{Address, cities_of_state};
use super::ohio::find_district;
use super::oregon::districts_of;
use super::pennsylvania::{all_municipalities, parts_of};
use super::{Share, Side};
use crate::named::serde_by_name;
use crate::taxes::named;

/// The answer that an address lies in none of them: in no city or district that taxes, or outside Pennsylvania.
pub const NONE: &str = "none";

named! {
    /// What a question about an address asks for.
    PlaceKind {
        /// The county.
        County = "county",
        /// The city that taxes pay.
        City = "city",
        /// The township, borough or city of Pennsylvania.
        Municipality = "municipality",
        /// The school district.
        SchoolDistrict = "school_district",
        /// The district of public transport, in Oregon.
        TransitDistrict = "transit_district",
        /// Whether it lies in Metro, the regional government around Portland, Oregon.
        Metro = "metro",
    }
}

/// Answers to questions about an address: codes of choices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers(pub BTreeMap<PlaceKind, String>);

impl Answers {
    /// Returns the answer to a question.
    pub fn get(&self, kind: PlaceKind) -> Option<&str> {
        self.0.get(&kind).map(String::as_str)
    }
}

/// A choice of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Code that answers the question: a county's FIPS code, the key of the taxes of a city or district, the code of a municipality
    /// (Census Bureau) or of a school district (NCES), or `none`.
    pub code: String,
    /// Name; empty for `none`.
    pub name: String,
    /// Share of the ZIP code that lies there, by the tables, if they have it.
    pub share: Option<Share>,
}

/// A question about an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What it asks for.
    pub kind: PlaceKind,
    /// The likely choices, which the ZIP code leads to, the most likely first.
    pub choices: Vec<Choice>,
    /// The other ones of the county or state; empty unless they were asked for ([`super::Facts::with_others`]).
    pub others: Vec<Choice>,
    /// The code of the answer, if there is one.
    pub answer: Option<String>,
    /// The code that counts until there is an answer; `None` if no tax is withheld until then.
    pub default: Option<String>,
}

/// Checks an answer about an address. `answers` are those that it is given with.
///
/// # Errors
/// What an answer may be, as in "must be the code of a county of MD, such as 24013, from the choices of the question".
pub fn check_answer(
    kind: PlaceKind,
    code: &str,
    (side, address): (Side, Address<'_>),
    answers: &Answers,
) -> Result<(), String> {
    let state = address.state;
    match kind {
        PlaceKind::County => {
            let mut known = counties_of_state(state).peekable();
            let Some((example, _)) = known.peek().copied() else {
                return Err(format!("is not asked in {state}: no county there taxes pay"));
            };
            if known.any(|(county, _)| county == code) {
                return Ok(());
            }
            Err(format!("must be the FIPS code of a county of {state}, such as {example}"))
        }
        PlaceKind::City => {
            let cities: Vec<&str> = cities_of_state(state).map(|city| city.1).collect();
            match cities.first() {
                None => Err(format!("is not asked in {state}: no city there taxes pay")),
                Some(_) if code == NONE || cities.contains(&code) => Ok(()),
                Some(example) => {
                    Err(format!("must be none or the key of a taxing city of {state}, such as {example}"))
                }
            }
        }
        PlaceKind::Municipality if state != "PA" => Err(format!("is not asked in {state}, only in PA")),
        PlaceKind::Municipality if code == NONE || all_municipalities().any(|known| known.id == code) => {
            Ok(())
        }
        PlaceKind::Municipality => {
            Err("must be none or the Census Bureau's code of a municipality of PA, such as 4200361000".into())
        }
        PlaceKind::SchoolDistrict if state == "OH" && side == Side::Home => match find_district(code) {
            Some(_) => Ok(()),
            None => Err("must be the NCES code of a school district of OH, such as 3904380".into()),
        },
        PlaceKind::SchoolDistrict if state == "PA" => {
            let parts = answers.get(PlaceKind::Municipality).map(parts_of).unwrap_or_default();
            if parts.iter().any(|part| part.district == code) {
                return Ok(());
            }
            let known: Vec<&str> = parts.iter().map(|part| part.district).collect();
            match known.is_empty() {
                true => Err("is answered together with municipality".into()),
                false => Err(format!("must be one of {}", known.join(", "))),
            }
        }
        PlaceKind::SchoolDistrict => Err(format!("is not asked of this address in {state}")),
        PlaceKind::TransitDistrict | PlaceKind::Metro if state != "OR" => {
            Err(format!("is not asked in {state}, only in OR"))
        }
        // A home may be the place of work as well.
        PlaceKind::TransitDistrict | PlaceKind::Metro => {
            let known = districts_of(kind);
            match code == NONE || known.contains(&code) {
                true => Ok(()),
                false => Err(format!("must be none or one of {}", known.join(", "))),
            }
        }
    }
}
