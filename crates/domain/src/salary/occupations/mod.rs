//! Occupations of the Standard Occupational Classification with titles and descriptions, and the search for them.
//!
//! `data` has the occupations and their titles (the classification's own, those that it lists as direct matches, and
//! alternate titles of O*NET); `words` splits texts into comparable words and measures how similar two are; `search` is
//! the in-memory index; `service` has the use case.

pub mod data;
pub mod search;
pub mod service;
mod words;

/// A code with its hyphen: `15-1252`.
pub fn code_text(code: u32) -> String {
    format!("{:02}-{:04}", code / 10_000, code % 10_000)
}

/// A code in either form, `15-1252` or `151252`.
pub fn parse_code(text: &str) -> Option<u32> {
    let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('-') {
        Some((major, minor)) if digits(major, 2) && digits(minor, 4) => [major, minor].concat().parse().ok(),
        None if digits(text, 6) => text.parse().ok(),
        _ => None,
    }
}
