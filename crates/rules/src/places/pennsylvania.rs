//! Pennsylvania's municipalities: those of a ZIP code, and the school districts of each.
//!
//! `data/places/pennsylvania_municipalities.csv` has each municipality once for each of its school districts; 51 lie in several.
//! `data/places/pennsylvania_zips.csv` has the municipalities of each ZIP code. Rates and codes are those of the state's register
//! ([`crate::taxes::PennsylvaniaTable`]), which these tables do not contain: `code_hint` is how the codes seem to be made, and nothing
//! is filed by it.

use std::sync::LazyLock;

use super::lines::Lines;
use super::{CERTAIN, Share};

static MUNICIPALITIES: LazyLock<Lines> =
    LazyLock::new(|| Lines::new(include_str!("../../../../data/places/pennsylvania_municipalities.csv")));
static ZIPS: LazyLock<Lines> =
    LazyLock::new(|| Lines::new(include_str!("../../../../data/places/pennsylvania_zips.csv")));

/// Philadelphia, which taxes wages itself.
pub(super) const PHILADELPHIA: &str = "4210160000";

/// A municipality, or the part of it in one school district.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Municipality {
    /// Census code of the county subdivision: ten digits, of which the first five are the county.
    pub id: &'static str,
    /// Name with its kind, such as `Hopewell Township`.
    pub name: &'static str,
    /// Federal identifier (NCES) of the school district.
    pub district: &'static str,
    /// Name of the school district, such as `Hopewell Area`.
    pub school_district: &'static str,
    /// Share of the municipality's land in the school district.
    pub share: Share,
}

impl Municipality {
    /// Returns the FIPS code of its county.
    pub fn county(&self) -> &'static str {
        &self.id[..5]
    }
}

/// A municipality of a ZIP code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MunicipalityShare {
    /// Its code.
    pub id: &'static str,
    /// Estimated share of the ZIP code's land.
    pub share: Share,
    /// Whether the share follows from tables of the Census Bureau instead of an estimate.
    pub measured: bool,
}

fn read_municipality(line: &'static str) -> Option<Municipality> {
    let mut columns = line.split(',');
    let id = columns.next()?;
    let (name, district, school_district) = (columns.next()?, columns.next()?, columns.next()?);
    Some(Municipality { id, name, district, school_district, share: Share::parse(columns.next()?)? })
}

/// Returns every municipality, once for each of its school districts.
pub fn all_municipalities() -> impl Iterator<Item = Municipality> {
    MUNICIPALITIES.all_lines().filter_map(read_municipality)
}

/// Returns a municipality's parts by school district, the largest first; empty if there is no municipality of the code.
pub fn parts_of(id: &str) -> Vec<Municipality> {
    let mut parts: Vec<Municipality> = MUNICIPALITIES.whole_lines(id).filter_map(read_municipality).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.share));
    parts
}

/// Returns the municipalities of a ZIP code, the largest first; empty if the ZIP code is not in the table.
pub fn municipalities_of_zip(zip: &str) -> Vec<MunicipalityShare> {
    let Some(zip) = zip.get(..5) else { return Vec::new() };
    let read = |line: &'static str| {
        let mut columns = line.split(',');
        let (id, share, basis) = (columns.next()?, columns.next()?, columns.next()?);
        Some(MunicipalityShare { id, share: Share::parse(share)?, measured: basis == "table" })
    };
    let mut found: Vec<MunicipalityShare> = ZIPS.rest_of_lines(zip).filter_map(read).collect();
    found.sort_by(|one, other| other.share.cmp(&one.share).then(one.id.cmp(other.id)));
    found
}

/// Returns the municipality that a ZIP code alone decides.
pub fn certain_municipality(found: &[MunicipalityShare]) -> Option<&'static str> {
    found.iter().find(|at| at.measured && at.share >= CERTAIN).map(|at| at.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_municipality_of_a_zip_code_is_known_and_51_lie_in_several_districts() {
        let mut parts: BTreeMap<&str, u32> = BTreeMap::new();
        for known in all_municipalities() {
            assert!(known.id.len() == 10 && known.id.starts_with("42"), "{known:?}");
            *parts.entry(known.id).or_default() += 1;
        }
        assert_eq!((parts.len(), parts.values().filter(|count| **count > 1).count()), (2_572, 51));
        let zips: std::collections::BTreeSet<&str> =
            ZIPS.all_lines().filter_map(|line| line.get(..5)).collect();
        let of_zips: Vec<_> = zips.iter().flat_map(|zip| municipalities_of_zip(zip)).collect();
        assert_eq!(of_zips.len(), ZIPS.all_lines().count());
        assert!(of_zips.iter().all(|at| parts.contains_key(at.id)));
    }

    #[test]
    fn a_zip_code_tells_its_municipality_where_it_is_the_only_one_by_the_tables() {
        let certain = |zip: &str| certain_municipality(&municipalities_of_zip(zip));
        assert_eq!(certain("18101"), Some("4207702000"), "Allentown");
        assert_eq!(certain("19103"), Some(PHILADELPHIA));
        assert_eq!(certain("15222"), None, "the table estimates that all of it is in Pittsburgh");
        assert_eq!(certain("15010"), None);
        let pittsburgh = parts_of("4200361000");
        assert_eq!(pittsburgh[0].school_district, "Pittsburgh");
        assert_eq!((pittsburgh.len(), pittsburgh[0].name), (2, "Pittsburgh City"));
        assert_eq!(parts_of("4299999999"), []);
    }
}
