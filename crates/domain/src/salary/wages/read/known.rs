//! What the readers of all layouts know of a release: how many rows it has at most, and what its files may lack.

use super::cell;
use crate::salary::wages::release::MOST_ROWS;
use crate::salary::wages::statistics::Statistics;

/// Known values that the files may lack: floor, names and postal abbreviations of areas.
pub(super) type Before<'b> = Option<&'b Statistics>;

/// Dollars per year that "at least" has stood for in the releases since 2022.
pub(super) const FLOOR: u32 = 239_200;

/// Checks that another row is within the limit.
///
/// # Errors
/// If a file has more rows than any release.
pub(super) fn check_row_limit(rows: usize) -> Result<(), String> {
    if rows < MOST_ROWS { Ok(()) } else { Err(format!("there are more than {MOST_ROWS} rows")) }
}

/// The yearly wage in a text such as "equal to or greater than $115.00 per hour or $239,200 per year".
pub(super) fn floor_in(text: &str) -> Option<u32> {
    let (before, _) = text.split_once(" per year")?;
    let (_, yearly) = before.rsplit_once('$')?;
    cell::parse_whole(yearly.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_read_from_the_text_of_the_footnote() {
        let note = "This wage is equal to or greater than $115.00 per hour or $239,200 per year.";
        assert_eq!(floor_in(note), Some(239_200));
        assert_eq!(floor_in("Wages are not available"), None);
    }
}
