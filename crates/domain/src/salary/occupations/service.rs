//! Use cases of occupations.

use rules::{Category, Violation};

use super::data::{Occupation, Occupations};
use crate::paging::{Listed, Page};

/// Length of a search in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 3..=200;

/// Validates the text of a search.
///
/// # Errors
/// The text is too short or too long.
pub fn check_search(search: &str) -> Result<(), Violation> {
    if LENGTH.contains(&search.trim().chars().count()) {
        return Ok(());
    }
    let message = format!("search must have {} to {} characters", LENGTH.start(), LENGTH.end());
    Err(Violation::new("search", Category::InvalidParameter, message))
}

/// A page of the occupations that a search finds, best match first; without a search, all by code.
pub fn list_occupations<'o>(
    data: &'o Occupations,
    search: Option<&str>,
    page: Page,
) -> Listed<Occupation<'o>> {
    let found: Vec<usize> = match search {
        Some(search) => data.search_occupations(search),
        None => (0..data.len()).collect(),
    };
    Listed::slice(page, found).map(|place| data.occupation_at(place))
}
