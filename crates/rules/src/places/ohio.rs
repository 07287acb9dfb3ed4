//! Ohio's school districts: those of a ZIP code, and which district an answer names.
//!
//! `data/places/ohio_districts.csv` has every district of the state with its number where it takes an income tax, and
//! `data/places/ohio_zip_districts.csv` the districts of each ZIP code. A district is named in full: many districts without a tax have a
//! name that begins as, or is, that of another one with a tax.

use std::sync::LazyLock;

use super::Share;
use super::lines::Lines;

static DISTRICTS: LazyLock<Lines> =
    LazyLock::new(|| Lines::new(include_str!("../../../../data/places/ohio_districts.csv")));
static ZIPS: LazyLock<Lines> =
    LazyLock::new(|| Lines::new(include_str!("../../../../data/places/ohio_zip_districts.csv")));

/// Place of an employee who lives in no school district with a tax.
pub const NO_DISTRICT: &str = "OH-SD-NONE";
/// Ohio's counties, by which its districts are numbered.
const COUNTIES: u32 = 88;
/// More districts than any county has.
const OF_COUNTY: u32 = 40;
/// Kinds of districts, and how the Department of Taxation abbreviates them.
const KINDS: [(&str, &str); 3] = [
    (" exempted village school district", "evsd"),
    (" local school district", "lsd"),
    (" city school district", "csd"),
];

/// A school district of Ohio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct District {
    /// Its federal identifier (NCES), seven digits.
    pub id: &'static str,
    /// Full name, such as `Columbus City School District`.
    pub name: &'static str,
    /// Four-digit number, where it takes an income tax.
    pub number: Option<&'static str>,
}

impl District {
    /// Returns its place: that of its tax, or of no tax.
    pub fn place(&self) -> String {
        self.number.map_or_else(|| NO_DISTRICT.to_owned(), |number| format!("OH-SD-{number}"))
    }
}

/// A school district of a ZIP code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DistrictShare {
    /// The district.
    pub district: District,
    /// Share of the ZIP code's land.
    pub share: Share,
    /// Whether an address of the ZIP code has to be asked for its district, because another one of it taxes differently.
    pub ask: bool,
}

fn read_district(line: &'static str) -> Option<District> {
    let (id, rest) = line.split_once(',')?;
    let (name, number) = rest.split_once(',')?;
    Some(District { id, name, number: Some(number).filter(|number| !number.is_empty()) })
}

/// Returns every district.
pub fn all_districts() -> impl Iterator<Item = District> {
    DISTRICTS.all_lines().filter_map(read_district)
}

/// Returns a district by its federal identifier.
pub fn find_district(id: &str) -> Option<District> {
    DISTRICTS.whole_lines(id).find_map(read_district)
}

/// Returns the districts of a ZIP code, the largest first; empty if the ZIP code is not in the table.
pub fn districts_of_zip(zip: &str) -> Vec<DistrictShare> {
    let Some(zip) = zip.get(..5) else { return Vec::new() };
    let read = |line: &'static str| {
        let mut columns = line.split(',');
        let (id, share, ask) = (columns.next()?, columns.next()?, columns.next()?);
        Some(DistrictShare { district: find_district(id)?, share: Share::parse(share)?, ask: ask == "yes" })
    };
    let mut found: Vec<DistrictShare> = ZIPS.rest_of_lines(zip).filter_map(read).collect();
    found.sort_by(|one, other| other.share.cmp(&one.share).then(one.district.id.cmp(other.district.id)));
    found
}

/// What an answer on Form IT 4 says about the school district.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// The place of its tax, or of no tax.
    Place(String),
    /// A name without the district's kind, which until 2026 was taken for that of any district that begins with it: the place of the
    /// only district that is so called, if there is one.
    Short(Option<String>),
    /// No district.
    Unknown,
}

/// Returns the district that an answer names: by its number, by its full name (or as the Department of Taxation abbreviates it), or
/// `none`. Where several districts have the name, it is that of the ZIP code, if one is there.
pub fn district_named(answer: &str, zip: Option<&str>) -> Named {
    let answer = answer.trim();
    if answer.len() == 4 && answer.bytes().all(|byte| byte.is_ascii_digit()) {
        return if may_be_number(answer) { Named::Place(format!("OH-SD-{answer}")) } else { Named::Unknown };
    }
    if answer.eq_ignore_ascii_case("none") {
        return Named::Place(NO_DISTRICT.to_owned());
    }
    let wanted = comparison_key(answer);
    let all: Vec<District> = all_districts().filter(|known| comparison_key(known.name) == wanted).collect();
    if let Some(place) = only_place(&all, zip) {
        return Named::Place(place);
    }
    if !all.is_empty() {
        return Named::Unknown;
    }
    let short: Vec<District> = all_districts().filter(|known| without_kind(known.name) == wanted).collect();
    let begins = all_districts().any(|known| comparison_key(known.name).starts_with(&wanted));
    if wanted.is_empty() || !begins { Named::Unknown } else { Named::Short(only_place(&short, zip)) }
}

/// Returns the place of the only district, or of those in the ZIP code, if they agree.
fn only_place(found: &[District], zip: Option<&str>) -> Option<String> {
    let agree = |found: &[District]| {
        let place = found.first()?.place();
        found.iter().all(|other| other.place() == place).then_some(place)
    };
    let here = zip.map(districts_of_zip).unwrap_or_default();
    let near: Vec<District> =
        found.iter().filter(|known| here.iter().any(|at| at.district.id == known.id)).copied().collect();
    agree(&near).or_else(|| agree(found))
}

/// Whether a district can have the number: those of districts without a tax are not in the table.
fn may_be_number(answer: &str) -> bool {
    let number: u32 = answer.parse().unwrap_or_default();
    (1..=COUNTIES).contains(&(number / 100)) && (1..=OF_COUNTY).contains(&(number % 100))
}

/// Returns a name in lower case, without punctuation, and with the kind abbreviated.
fn comparison_key(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let short = KINDS.iter().find_map(|(kind, short)| Some(format!("{} {short}", lower.strip_suffix(kind)?)));
    short.unwrap_or(lower).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

fn without_kind(name: &str) -> String {
    let lower = name.to_lowercase();
    let bare = KINDS.iter().find_map(|(kind, _)| lower.strip_suffix(kind)).unwrap_or(&lower);
    bare.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxes::TaxTable;

    fn place(answer: &str) -> Named {
        district_named(answer, None)
    }

    fn taxed(number: &str) -> Named {
        Named::Place(format!("OH-SD-{number}"))
    }

    #[test]
    fn every_district_with_a_number_has_a_tax_and_every_tax_a_district() {
        let local = TaxTable::built_in_local();
        let taxing: Vec<District> = all_districts().filter(|known| known.number.is_some()).collect();
        assert!(taxing.iter().all(|known| !local.of_place(&known.place()).is_empty()));
        let mut places: Vec<&str> = local.iter().map(|tax| tax.jurisdiction.place.as_str()).collect();
        places.retain(|place| place.starts_with("OH-SD-"));
        places.dedup();
        for place in places {
            assert!(taxing.iter().any(|known| known.place() == place), "{place}");
        }
    }

    #[test]
    fn a_district_is_named_by_its_number_or_its_full_name_alone() {
        assert_eq!(place("2301"), taxed("2301"));
        assert_eq!(place("none"), Named::Place(NO_DISTRICT.to_owned()));
        assert_eq!(place("amanda-clearcreek local school district"), taxed("2301"));
        assert_eq!(place("Amanda-Clearcreek LSD"), taxed("2301"));
        assert_eq!(place("Columbus City School District"), Named::Place(NO_DISTRICT.to_owned()));
        assert_eq!(place("Columbus"), Named::Short(Some(NO_DISTRICT.to_owned())), "not Columbus Grove LSD");
        assert_eq!(place("Columbus Grove LSD"), place("Columbus Grove Local School District"));
        assert_eq!(place("amanda"), Named::Short(None), "a part of a name is no name");
        assert_eq!(place("nowhere at all"), Named::Unknown);
    }

    #[test]
    fn numbers_that_no_district_can_have_are_unknown() {
        for none in ["9999", "8999", "0001", "2500", "2599"] {
            assert_eq!(place(none), Named::Unknown, "{none}");
        }
        assert_eq!(
            place("2503"),
            taxed("2503"),
            "Columbus, whose number is in no table because it has no tax"
        );
    }

    #[test]
    fn no_name_of_a_district_without_a_tax_leads_to_the_tax_of_another() {
        let mut shorter = 0;
        for known in all_districts().filter(|known| known.number.is_none()) {
            let none = Named::Place(NO_DISTRICT.to_owned());
            let full = place(known.name);
            assert!(full == none || full == Named::Unknown, "{}: {full:?}", known.name);
            let bare = without_kind(known.name);
            if bare == comparison_key(known.name) {
                continue; // its name has no kind
            }
            let of_bare = place(&bare);
            assert!(!matches!(of_bare, Named::Place(_)), "{bare}");
            let alone = all_districts().filter(|other| without_kind(other.name) == bare).count() == 1;
            if alone {
                assert_eq!(of_bare, Named::Short(Some(NO_DISTRICT.to_owned())), "{bare}");
                shorter += 1;
            }
        }
        assert!(shorter > 200, "{shorter}");
    }

    #[test]
    fn one_name_of_several_districts_is_that_of_the_zip_code() {
        // Northridge is a district of Licking County with a tax, and one of Montgomery County without.
        let name = "Northridge Local School District";
        assert_eq!(place(name), Named::Unknown);
        assert_eq!(district_named(name, Some("43001")), taxed("4509"));
        assert_eq!(district_named(name, Some("45414")), Named::Place(NO_DISTRICT.to_owned()));
        assert_eq!(districts_of_zip("43001")[0].district.number, Some("4509"));
        assert_eq!(districts_of_zip("00000"), []);
    }
}
