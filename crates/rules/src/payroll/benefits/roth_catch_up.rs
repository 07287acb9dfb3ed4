//! Catch-up contributions of high earners must be Roth contributions (section 603 of the SECURE 2.0 Act, 26 U.S.C.
//! 414(v)(7)): those of employees whose Social Security wages from the employer exceeded a threshold in the prior year.
//!
//! Before 2026, pre-tax contributions counted as satisfying the rule (IRS Notice 2023-62), so the table begins with 2026.

use std::sync::LazyLock;

use crate::amount::Amount;

/// The table as text.
const FILE: &str = include_str!("../../../../../data/roth_catch_up.csv");

static BUILT_IN: LazyLock<Vec<(i16, Amount)>> =
    LazyLock::new(|| parse(FILE).unwrap_or_else(|error| panic!("data/roth_catch_up.csv: {error}")));

fn parse(file: &str) -> Result<Vec<(i16, Amount)>, String> {
    let row = |(number, line): (usize, &str)| {
        let wrong = || format!("line {} is not a year, dollars, a source and a confidence", number + 1);
        let cells: Vec<&str> = line.split(',').collect();
        let &[year, wages, _, _] = &cells[..] else { return Err(wrong()) };
        Ok((year.parse().map_err(|_| wrong())?, Amount::parse(wages).map_err(|_| wrong())?))
    };
    file.lines().enumerate().skip(1).filter(|(_, line)| !line.is_empty()).map(row).collect()
}

/// Returns the prior year's Social Security wages above which catch-up contributions of `year` must be Roth
/// contributions, from the newest table year up to `year`. `None` before the rule was in force.
pub fn wages_above(year: i16) -> Option<Amount> {
    BUILT_IN.iter().filter(|(from, _)| *from <= year).max_by_key(|(from, _)| *from).map(|(_, wages)| *wages)
}

/// Returns whether wages of the prior year require catch-up contributions of `year` to be Roth contributions.
pub fn applies(year: i16, wages_before: Amount) -> bool {
    wages_above(year).is_some_and(|above| wages_before > above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_begins_in_2026_and_asks_for_more_than_the_threshold() {
        let wages = |dollars: i64| Amount::from_cents(dollars * 100);
        assert!(!applies(2025, wages(1_000_000)));
        assert!(!applies(2026, wages(150_000)));
        assert!(applies(2026, wages(150_001)));
        assert!(applies(2027, wages(150_001)), "until the figure of the year is known");
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        assert_eq!(
            parse("h\n2026,many,a,b").unwrap_err(),
            "line 2 is not a year, dollars, a source and a confidence"
        );
    }
}
