//! Checks of the fields of a postal address, for locations and home addresses alike.

#![expect(clippy::ptr_arg, reason = "has the shape of every other check")]

use rules::{Violation, check};

/// Maximum characters of a line.
const LINE: usize = 100;

/// A required line.
///
/// # Errors
/// Blank, too long, or with control characters.
pub fn read_address_line(key: &str, value: &String) -> Result<String, Violation> {
    check::validate_text(key, value, LINE)
}

/// An optional line: `None` if it is blank.
///
/// # Errors
/// Too long, or with control characters.
pub fn optional_line(key: &str, value: &String) -> Result<Option<String>, Violation> {
    check::optional_text(key, Some(value), LINE)
}

/// The two-letter code of a state.
///
/// # Errors
/// Anything else.
pub fn read_state(key: &str, value: &String) -> Result<String, Violation> {
    check::parse_state(key, value).map(str::to_owned)
}

/// A ZIP code of five or nine digits.
///
/// # Errors
/// Anything else.
pub fn read_zip_code(key: &str, value: &String) -> Result<String, Violation> {
    check::parse_zip(key, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_second_line_is_none() {
        assert_eq!(optional_line("street_2", &"  ".to_owned()), Ok(None));
        assert_eq!(optional_line("street_2", &" Apt 4 ".to_owned()), Ok(Some("Apt 4".to_owned())));
    }

    #[test]
    fn a_line_has_at_most_100_characters() {
        assert!(read_address_line("street_1", &"é".repeat(100)).is_ok());
        for wrong in [" ".to_owned(), "a".repeat(101), "1 Main St\n".repeat(2)] {
            assert!(read_address_line("street_1", &wrong).is_err(), "{wrong:?}");
        }
    }
}
