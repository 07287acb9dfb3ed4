//! Moves of the home, the work location or both from one state to another within a pay period, and days without employment.

use super::*;
use crate::pay::payrolls::facts::circumstances::tests::{PERIOD, START, lives, of, of_days, works};
use rules::days::Days;

const LONG_AGO: Date = date(2025, 1, 1);
const MOVED: Date = date(2026, 6, 8);

/// Describes each work location with the home of its days.
fn told(found: &Circumstances) -> Vec<String> {
    let line = |at: &rules::taxes::WorkedAt| {
        let lived = at.lived.as_ref().map(|lived| format!(" from {}", lived.state)).unwrap_or_default();
        format!("{} days in {}{lived}", at.days, at.state)
    };
    found.work.iter().map(line).collect()
}

#[test]
fn after_a_move_of_home_and_work_each_days_work_goes_with_the_home_of_that_day() {
    let homes = [lives("New York", "NY", "10001", LONG_AGO), lives("Columbus", "OH", "43215", MOVED)];
    let found = of(&[works(3, LONG_AGO), works(1, MOVED)], &homes, &[]);
    assert_eq!(told(&found), ["7 days in NY from NY", "7 days in OH from OH"]);
    assert_eq!(found.covered, [("NY".to_owned(), 7), ("OH".to_owned(), 7)].into());
    // One of the two moves some days later.
    let found = of(&[works(3, LONG_AGO), works(1, date(2026, 6, 10))], &homes, &[]);
    assert_eq!(told(&found), ["7 days in NY from NY", "2 days in NY from OH", "5 days in OH from OH"]);
}

#[test]
fn a_move_that_is_irrelevant_to_taxes_is_ignored() {
    let homes = [lives("Albany", "NY", "12207", LONG_AGO), lives("Buffalo", "NY", "14201", MOVED)];
    let found = of(&[works(3, LONG_AGO)], &homes, &[]);
    assert_eq!((told(&found), found.covered), (vec!["14 days in NY".to_owned()], BTreeMap::new()));
}

#[test]
fn who_works_at_home_works_in_the_new_state_from_the_day_of_the_move() {
    let remote = WorkAddress { remote_for_own_convenience: true, ..works(3, LONG_AGO) };
    let homes = [lives("Columbus", "OH", "43215", LONG_AGO), lives("Newark", "NJ", "07102", MOVED)];
    let found = of(std::slice::from_ref(&remote), &homes, &[]);
    assert_eq!(told(&found), ["7 days in OH from OH", "7 days in NJ from NJ"]);
    // The same within a state, where cities tax work.
    let homes = [lives("Columbus", "OH", "43215", LONG_AGO), lives("Cincinnati", "OH", "45202", MOVED)];
    let found = of(&[remote], &homes, &[]);
    let places: Vec<_> = found.work.iter().map(|at| (at.places[0].as_str(), at.days)).collect();
    assert_eq!(places, [("OH-18000", 7), ("OH-15000", 7)]);
}

#[test]
fn days_without_employment_count_neither_for_work_nor_for_homes() {
    let homes = [lives("Columbus", "OH", "43215", LONG_AGO), lives("New York", "NY", "10001", MOVED)];
    let moved = [works(1, LONG_AGO), works(3, MOVED)];
    let alone = |found: &Circumstances, state: &str| {
        assert_eq!((found.home.state.as_str(), found.lived.len(), found.lived_at.len()), (state, 0, 0));
        assert_eq!(found.states(), BTreeSet::from([state]));
    };
    // The last day was the Friday before the move, or the first day was the Monday of the move.
    let left = of_days(&moved, &homes, &[], &[Days { first: START, last: date(2026, 6, 5) }]);
    alone(&left, "OH");
    assert_eq!(told(&left), ["5 days in OH"]);
    alone(&of_days(&moved, &homes, &[], &[Days { first: MOVED, last: date(2026, 6, 14) }]), "NY");
    // Away for some days, and back after the move.
    let back = of_days(
        &moved,
        &homes,
        &[],
        &[
            Days { first: START, last: date(2026, 6, 3) },
            Days { first: date(2026, 6, 9), last: PERIOD[0].last },
        ],
    );
    assert_eq!(told(&back), ["3 days in OH from OH", "6 days in NY from NY"]);
    assert_eq!(back.lived, [("NY".to_owned(), 6), ("OH".to_owned(), 3)].into());
}
