//! From an address: the counties, cities, school districts and municipalities whose taxes it is under, or one question.
//!
//! Postal addresses name post offices. The tables of `data/places` say how much of a ZIP code lies in which county, city, district and
//! municipality; certainty is arithmetic over them:
//!
//! * a county is certain with at least 99.5 % of the ZIP code's homes (for a place of work also of its businesses);
//! * the city that the address names is certain where the whole ZIP code lies in it, dropped where nothing of it does, and open where
//!   some of it does;
//! * the transit district of an address in Oregon is certain where the district lists the ZIP code as completely in it;
//! * a school district of Ohio and a municipality of Pennsylvania are certain where the ZIP code has no other that taxes differently.
//!
//! What is not certain is a [`Question`] with names as choices: asked of the employee about the home, of the employer about a place of
//! work, and answered with the address ([`Answers`]). Until then the more likely place counts, where both are taxed alike, or the city
//! that the address names unless most of the ZIP code lies outside it; a municipality or district is never guessed.
//!
//! | module | holds |
//! |---|---|
//! | `find` | an address in, [`Found`] out |
//! | `address` | places by key: names, certificates, lists set by hand |
//! | `certificate` | what an address answers of states' certificates |
//! | `counties`, `cities`, `ohio`, `oregon`, `pennsylvania` | the tables |
//! | `question` | questions, choices and answers |
//! | `lines` | look-up in a sorted table |

mod address;
mod certificate;
mod cities;
mod counties;
mod find;
mod lines;
mod ohio;
mod oregon;
mod pennsylvania;
mod question;

pub use address::{
    AddressPlace, Certificate, GivenAddress, GivenFor, OF_HOME, OF_WORK, OHIO_DISTRICT, OUTSIDE_PENNSYLVANIA,
    PlaceNames, Side, Told, check_place, describe_place, is_within_state_tax, places_of_state, psd_of,
};
pub use certificate::{
    MARYLAND_NONRESIDENT, PHILADELPHIA_CODE, Told as ToldAnswer, maryland_rate, told_by_home, told_by_work,
    told_on_first_of_january,
};
pub use cities::{Bounds, Limits};
pub use counties::{
    CountyShare, certain_county, counties_in_state, counties_of_state, counties_of_zip, county_name,
    county_of_zip, number_of_state, state_of_zip,
};
pub use find::{Address, Facts, Found, find_places};
pub use ohio::{
    District, DistrictShare, NO_DISTRICT, Named as NamedDistrict, all_districts,
    district_named as named_district, districts_of_zip,
};
pub use pennsylvania::{
    Municipality, MunicipalityShare, all_municipalities, municipalities_of_zip, parts_of,
};
pub use question::{Answers, Choice, NONE, PlaceKind, Question, check_answer};

/// A share in ten-thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(pub u32);

/// The share from which on a place counts as certain.
pub const CERTAIN: Share = Share(9_950);

impl Share {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Everything.
    pub const ALL: Self = Self(10_000);

    /// Parses ten-thousandths.
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    /// Returns it as a share of a part of the whole; everything of nothing.
    fn out_of(self, part: u32) -> Self {
        (self.0 * 10_000).checked_div(part).map_or(Self::ALL, Self)
    }

    /// Returns the percentage with at most two decimals, such as `43.5 %`.
    pub fn percent(self) -> String {
        let text = format!("{}.{:02}", self.0 / 100, self.0 % 100);
        format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod property_tests;
