//! The county of an address, by its ZIP code.
//!
//! The table is one line of eleven characters per ZIP code, in ascending order, and is searched in place: nothing is
//! parsed at start or copied. A ZIP code in several counties is assigned to the one with most of its addresses.

/// `ZIP,county` lines in order of the ZIP code.
const LINES: &str = include_str!("../../../../../data/zip_counties.csv");
/// Bytes of a line, including the line feed.
const LINE: usize = 12;

/// The county of a ZIP code, as the five digits of its FIPS code; `None` if the ZIP code is not in the table. Of a ZIP+4
/// code, the first five digits are used.
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
    fn every_line_has_the_same_length_and_they_are_in_order() {
        assert_eq!(LINES.len() % LINE, 0);
        let lines: Vec<&str> = LINES.lines().collect();
        assert!(lines.iter().all(|line| line.len() == LINE - 1 && line.as_bytes()[5] == b','));
        assert!(lines.windows(2).all(|pair| pair[0][..5] < pair[1][..5]));
        for line in lines {
            assert_eq!(county_of_zip(&line[..5]), Some(&line[6..]));
        }
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
