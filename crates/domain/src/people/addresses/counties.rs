//! The county of an address, by its ZIP code.
//!
//! The table has one line of eleven characters per ZIP code, in ascending order, and is searched in place: nothing is parsed at startup
//! or copied. A ZIP code that spans several counties is assigned to the county with most of its addresses.

/// `ZIP,county` lines, sorted by ZIP code.
const LINES: &str = include_str!("../../../../../data/zip_counties.csv");
/// Bytes per line, including the line feed.
const LINE: usize = 12;

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

/// Returns the two-letter state of a ZIP code's county; `None` if the ZIP code is not in the table or is in a territory.
pub fn state_of_zip(zip: &str) -> Option<&'static str> {
    let county = county_of_zip(zip)?;
    STATES.iter().find(|(digits, _)| county.starts_with(digits)).map(|(_, state)| *state)
}

/// Returns the five-digit FIPS code of a ZIP code's county; `None` if the ZIP code is not in the table. Only the first five digits of a
/// ZIP+4 code are used.
pub fn county_of_zip(zip: &str) -> Option<&'static str> {
    let zip = zip.get(..5)?;
    let line = |index: usize| &LINES[index * LINE..(index + 1) * LINE];
    let (mut low, mut high) = (0, LINES.len() / LINE);
    while low < high {
        let middle = low.midpoint(high);
        match line(middle)[..5].cmp(zip) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Some(&line(middle)[6..11]),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_have_the_same_length_and_are_sorted() {
        assert_eq!(LINES.len() % LINE, 0);
        let lines: Vec<&str> = LINES.lines().collect();
        assert!(lines.iter().all(|line| line.len() == LINE - 1 && line.as_bytes()[5] == b','));
        assert!(lines.windows(2).all(|pair| pair[0][..5] < pair[1][..5]));
        for line in lines {
            assert_eq!(county_of_zip(&line[..5]), Some(&line[6..]));
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
        let known = rules::check::STATES.iter().map(|state| state.0);
        assert!(known.into_iter().all(|state| STATES.iter().any(|(_, known)| *known == state)));
    }

    #[test]
    fn an_address_lies_in_the_county_of_its_zip_code() {
        assert_eq!(county_of_zip("11201"), Some("36047"));
        assert_eq!(county_of_zip("94103-1234"), Some("06075"));
        assert_eq!(county_of_zip("78205"), Some("48029"));
        for none in ["00000", "99999", "123", "", "éééé"] {
            assert_eq!(county_of_zip(none), None, "{none}");
        }
    }
}
