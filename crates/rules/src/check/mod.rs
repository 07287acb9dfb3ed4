//! Validation of single fields.
//!
//! Each function takes the key under which the caller sent the value and the text, and returns the normalized
//! value or a [`Violation`]. Whether a field is required is up to the caller.
//!
//! | file | fields |
//! |---|---|
//! | `text` | free text, names, e-mail, one of a list |
//! | `number` | Social Security and telephone numbers |
//! | `place` | state, ZIP, country |
//! | `day` | dates, dates of birth and timestamps |
//! | `dollars` | amounts of money |
//!
//! Surrounding blanks are stripped from text that people type and rejected in codes and numbers.

mod day;
mod dollars;
mod number;
mod place;
mod text;

pub use day::{MINIMUM_AGE, WRITTEN_DAY, birth_date, parse_date, parse_moment, read_date};
pub(crate) use dollars::not_dollars;
pub use dollars::{UP_TO_MAX, validate_dollars};
pub use number::{parse_phone, parse_ssn, ssn_as_on_card, ssn_or_itin};
pub use place::{STATES, parse_country, parse_state, parse_zip};
pub use text::{
    middle_initial, one_of, optional_text, parse_named, person_name, read_name, validate_email, validate_text,
};

use crate::violation::Violation;

/// Returns the violation for a required value that is blank.
fn blank_violation(key: &str) -> Violation {
    Violation::invalid(key, format!("{key} can't be blank"))
}

/// Whether the text is exactly `count` ASCII digits.
fn is_digits(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
}
