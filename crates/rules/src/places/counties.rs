//! The counties of a ZIP code, and how many of its homes and businesses lie in each: `data/places/zip_counties.csv`.

use std::sync::LazyLock;

use super::lines::Lines;
use super::{CERTAIN, Share, Side};

static ZIPS: LazyLock<Lines> =
    LazyLock::new(|| Lines::new(include_str!("../../../../data/places/zip_counties.csv")));
static NAMES: LazyLock<Lines> =
    LazyLock::new(|| Lines::new(include_str!("../../../../data/places/counties.csv")));

/// The first two digits of a county's FIPS code, with the state (FIPS 5-2).
#[rustfmt::skip]
const STATES: [(&str, &str); 51] = [
    ("01", "AL"), ("02", "AK"), ("04", "AZ"), ("05", "AR"), ("06", "CA"), ("08", "CO"),
    ("09", "CT"), ("10", "DE"), ("11", "DC"), ("12", "FL"), ("13", "GA"), ("15", "HI"),
    ("16", "ID"), ("17", "IL"), ("18", "IN"), ("19", "IA"), ("20", "KS"), ("21", "KY"),
    ("22", "LA"), ("23", "ME"), ("24", "MD"), ("25", "MA"), ("26", "MI"), ("27", "MN"),
    ("28", "MS"), ("29", "MO"), ("30", "MT"), ("31", "NE"), ("32", "NV"), ("33", "NH"),
    ("34", "NJ"), ("35", "NM"), ("36", "NY"), ("37", "NC"), ("38", "ND"), ("39", "OH"),
    ("40", "OK"), ("41", "OR"), ("42", "PA"), ("44", "RI"), ("45", "SC"), ("46", "SD"),
    ("47", "TN"), ("48", "TX"), ("49", "UT"), ("50", "VT"), ("51", "VA"), ("53", "WA"),
    ("54", "WV"), ("55", "WI"), ("56", "WY"),
];

/// A county that a ZIP code lies in, with its share of the ZIP code's homes and businesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountyShare {
    /// FIPS code, five digits.
    pub county: &'static str,
    /// Share of the homes.
    pub homes: Share,
    /// Share of the businesses.
    pub businesses: Share,
    /// Whether the shares are known. A ZIP code that is only in an older list has one county without a share.
    pub known: bool,
}

impl CountyShare {
    /// Returns the share that decides for a home or a place of work.
    pub fn share_for_side(&self, side: Side) -> Share {
        match side {
            Side::Home => self.homes,
            Side::Work => self.businesses,
        }
    }
}

/// Returns the two digits of a state (FIPS 5-2), by its two-letter code.
pub fn number_of_state(state: &str) -> Option<&'static str> {
    STATES.iter().find(|(_, code)| *code == state).map(|(number, _)| *number)
}

/// Returns the counties of a ZIP code, the one with most addresses first; empty if the ZIP code is not in the table. Only the
/// first five digits of a ZIP+4 code are used.
pub fn counties_of_zip(zip: &str) -> Vec<CountyShare> {
    let Some(line) = zip.get(..5).and_then(|zip| ZIPS.rest_of_lines(zip).next()) else { return Vec::new() };
    let mut found: Vec<CountyShare> = line.split(';').filter_map(read_county_share).collect();
    if let [only] = found.as_mut_slice()
        && only.known
    {
        (only.homes, only.businesses) = (Share::ALL, Share::ALL);
    }
    found
}

/// Reads `county`, `county?` or `county:homes:businesses`.
fn read_county_share(text: &'static str) -> Option<CountyShare> {
    if let Some(county) = text.strip_suffix('?') {
        return Some(CountyShare { county, homes: Share::NONE, businesses: Share::NONE, known: false });
    }
    let mut parts = text.split(':');
    let county = parts.next()?;
    let mut share = || parts.next().map_or(Some(Share::ALL), Share::parse);
    Some(CountyShare { county, homes: share()?, businesses: share()?, known: true })
}

/// Returns the counties of a ZIP code that lie in a state, with the shares they have of its part of the ZIP code.
pub fn counties_in_state(zip: &str, state: &str) -> Vec<CountyShare> {
    let mut found = counties_of_zip(zip);
    found.retain(|at| state_of_county(at.county) == Some(state));
    let of = |share: fn(&CountyShare) -> Share| found.iter().map(|at| share(at).0).sum::<u32>();
    let (homes, businesses) = (of(|at| at.homes), of(|at| at.businesses));
    for at in &mut found {
        (at.homes, at.businesses) = (at.homes.out_of(homes), at.businesses.out_of(businesses));
    }
    found
}

/// Returns the county with most of a ZIP code's addresses; `None` if the ZIP code is not in the table.
pub fn county_of_zip(zip: &str) -> Option<&'static str> {
    counties_of_zip(zip).first().map(|at| at.county)
}

/// Returns the two-letter state of a ZIP code's county; `None` if the ZIP code is not in the table or is in a territory.
pub fn state_of_zip(zip: &str) -> Option<&'static str> {
    state_of_county(county_of_zip(zip)?)
}

/// Returns the two-letter state of a county; `None` in a territory.
pub fn state_of_county(county: &str) -> Option<&'static str> {
    STATES.iter().find(|(digits, _)| county.starts_with(digits)).map(|(_, state)| *state)
}

/// Returns the name of a county of a state whose places tax wages, such as `Carroll County`.
pub fn county_name(county: &str) -> Option<&'static str> {
    NAMES.rest_of_lines(county).next()
}

/// Returns the counties of such a state with their names.
pub fn counties_of_state(state: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let digits = STATES.iter().find(|(_, known)| *known == state).map_or("?", |(digits, _)| digits);
    NAMES
        .all_lines()
        .filter_map(|line| line.split_once(','))
        .filter(move |(county, _)| county.starts_with(digits))
}

/// Returns the county that a ZIP code alone decides for a home or a place of work: the one with at least 99.5 % of its homes,
/// for a place of work also of its businesses.
pub fn certain_county(found: &[CountyShare], side: Side) -> Option<&'static str> {
    let is_certain = |at: &&CountyShare| {
        at.known && at.homes >= CERTAIN && (side == Side::Home || at.businesses >= CERTAIN)
    };
    found.iter().find(is_certain).map(|at| at.county)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_sorted_and_its_shares_make_a_whole() {
        let mut last = "";
        for line in ZIPS.all_lines() {
            let (zip, _) = line.split_once(',').unwrap();
            assert!(zip > last && zip.len() == 5 && zip.bytes().all(|byte| byte.is_ascii_digit()), "{line}");
            last = zip;
            let found = counties_of_zip(zip);
            assert!(!found.is_empty(), "{line}");
            assert!(found.iter().all(|at| at.county.len() == 5), "{line}");
            if found[0].known {
                for side in [Side::Home, Side::Work] {
                    let all: u32 = found.iter().map(|at| at.share_for_side(side).0).sum();
                    assert!((9_990..=10_010).contains(&all), "{line}");
                }
            }
        }
    }

    #[test]
    fn a_zip_code_lies_in_the_state_of_its_county() {
        for (zip, state) in
            [("11201", "NY"), ("94103", "CA"), ("20001", "DC"), ("82001-0001", "WY"), ("06901", "CT")]
        {
            assert_eq!(state_of_zip(zip), Some(state));
        }
        assert_eq!((state_of_zip("00601"), state_of_zip("00000")), (None, None), "Puerto Rico, and nowhere");
        let known = crate::check::STATES.iter().map(|state| state.0);
        assert!(known.into_iter().all(|state| STATES.iter().any(|(_, known)| *known == state)));
    }

    #[test]
    fn an_address_lies_in_the_county_with_most_addresses_of_its_zip_code() {
        assert_eq!(county_of_zip("11201"), Some("36047"));
        assert_eq!(county_of_zip("94103-1234"), Some("06075"));
        assert_eq!(county_of_zip("78205"), Some("48029"));
        for none in ["00000", "99999", "123", "", "éééé"] {
            assert_eq!(county_of_zip(none), None, "{none}");
        }
    }

    #[test]
    fn a_county_is_certain_with_almost_all_homes_and_for_work_also_businesses() {
        let certain = |zip: &str, state: &str, side| certain_county(&counties_in_state(zip, state), side);
        assert_eq!(certain("21201", "MD", Side::Home), Some("24510"));
        assert_eq!(certain("21771", "MD", Side::Home), None, "46 % Carroll, 43 % Frederick");
        assert_eq!(certain("21225", "MD", Side::Home), None, "53 % Baltimore City, 47 % Anne Arundel");
        assert_eq!(certain("46040", "IN", Side::Work), None);
        assert_eq!(certain("10048", "NY", Side::Home), None, "an older list has a county without a share");
        assert_eq!(county_name("24013"), Some("Carroll County"));
    }
}
