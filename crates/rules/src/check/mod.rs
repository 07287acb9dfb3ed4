//! Checks of single fields, used by every area.
//!
//! Each takes the key under which the caller sent the value and the text itself, and gives back the value
//! in the form in which it is kept, or the one [`Violation`] that says what would be right. A check knows
//! nothing of requests: whether a field may be absent, and what follows from it, is the caller's business.
//!
//! | file | fields |
//! |---|---|
//! | `text` | free text, names, e-mail, one of a list |
//! | `number` | Social Security and telephone numbers |
//! | `place` | state, ZIP, country |
//! | `day` | dates and dates of birth |
//!
//! Blanks around a value are forgiven in text that people type into a form field and refused in codes
//! and numbers, which programs send.

mod day;
mod number;
mod place;
mod text;

pub use day::{MINIMUM_AGE, birth_date, date};
pub use number::{phone, ssn};
pub use place::{STATES, country, state, zip};
pub use text::{email, middle_initial, named, one_of, optional_text, person_name, text};

use crate::violation::Violation;

/// The violation of a value that is blank where it must not be.
fn blank(key: &str) -> Violation {
    Violation::invalid(key, format!("{key} can't be blank"))
}

/// Whether the text is so many ASCII digits and nothing else.
fn is_digits(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
}
