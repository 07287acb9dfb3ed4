//! States, ZIP codes and countries.

use super::is_digits;
use crate::violation::Violation;

/// The fifty states and the District of Columbia: codes and names (ANSI INCITS 38). The territories have
/// their own tax systems and are not supported.
pub const STATES: [(&str, &str); 51] = [
    ("AK", "Alaska"),
    ("AL", "Alabama"),
    ("AR", "Arkansas"),
    ("AZ", "Arizona"),
    ("CA", "California"),
    ("CO", "Colorado"),
    ("CT", "Connecticut"),
    ("DC", "District of Columbia"),
    ("DE", "Delaware"),
    ("FL", "Florida"),
    ("GA", "Georgia"),
    ("HI", "Hawaii"),
    ("IA", "Iowa"),
    ("ID", "Idaho"),
    ("IL", "Illinois"),
    ("IN", "Indiana"),
    ("KS", "Kansas"),
    ("KY", "Kentucky"),
    ("LA", "Louisiana"),
    ("MA", "Massachusetts"),
    ("MD", "Maryland"),
    ("ME", "Maine"),
    ("MI", "Michigan"),
    ("MN", "Minnesota"),
    ("MO", "Missouri"),
    ("MS", "Mississippi"),
    ("MT", "Montana"),
    ("NC", "North Carolina"),
    ("ND", "North Dakota"),
    ("NE", "Nebraska"),
    ("NH", "New Hampshire"),
    ("NJ", "New Jersey"),
    ("NM", "New Mexico"),
    ("NV", "Nevada"),
    ("NY", "New York"),
    ("OH", "Ohio"),
    ("OK", "Oklahoma"),
    ("OR", "Oregon"),
    ("PA", "Pennsylvania"),
    ("RI", "Rhode Island"),
    ("SC", "South Carolina"),
    ("SD", "South Dakota"),
    ("TN", "Tennessee"),
    ("TX", "Texas"),
    ("UT", "Utah"),
    ("VA", "Virginia"),
    ("VT", "Vermont"),
    ("WA", "Washington"),
    ("WI", "Wisconsin"),
    ("WV", "West Virginia"),
    ("WY", "Wyoming"),
];

/// Validates a two-letter state code in any case; returns it in upper case.
pub fn parse_state(key: &str, value: &str) -> Result<&'static str, Violation> {
    let known = STATES.iter().find(|state| state.0.eq_ignore_ascii_case(value));
    known.map(|state| state.0).ok_or_else(|| {
        let message = format!("{key} must be the two-letter code of one of the 50 states or DC, such as CA");
        Violation::invalid(key, message)
    })
}

/// Validates the format of a ZIP code: five digits, or ZIP+4 with a hyphen.
pub fn parse_zip(key: &str, value: &str) -> Result<String, Violation> {
    let fine = match value.split_once('-') {
        Some((five, four)) => is_digits(five, 5) && is_digits(four, 4),
        None => is_digits(value, 5),
    };
    if fine {
        return Ok(value.to_owned());
    }
    Err(Violation::invalid(key, format!("{key} must be a ZIP code such as 94107 or 94107-1234")))
}

/// Validates the country of an address: only `USA`.
pub fn parse_country(key: &str, value: &str) -> Result<&'static str, Violation> {
    if value == "USA" { Ok("USA") } else { Err(Violation::invalid(key, format!("{key} must be USA"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payroll_runs_in_fifty_states_and_the_capital() {
        assert!(STATES.windows(2).all(|pair| pair[0].0 < pair[1].0), "sorted and without repetition");
        assert_eq!(parse_state("state", "CA"), Ok("CA"));
        assert_eq!(parse_state("state", "dc"), Ok("DC"));
        for wrong in ["", "PR", "VI", "GU", "AS", "MP", "ZZ", "California", " CA", "ßs"] {
            assert!(parse_state("state", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_zip_code_has_five_or_nine_digits() {
        for fine in ["94107", "00501", "94107-1234"] {
            assert_eq!(parse_zip("zip", fine).as_deref(), Ok(fine));
        }
        for wrong in ["", "9410", "941071", "94107-", "94107-12345", "941071234", "9410a", "94107 1234"] {
            assert!(parse_zip("zip", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn addresses_lie_in_the_united_states() {
        assert_eq!(parse_country("country", "USA"), Ok("USA"));
        assert!(parse_country("country", "US").is_err());
    }
}
