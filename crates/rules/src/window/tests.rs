//! The seven rules by example, and `place` checked against a calendar filled in day by day.

use super::*;
use jiff::civil::date;
use proptest::prelude::*;

fn window(from: Date, to: Option<Date>) -> Window {
    Window { effective: from, expiration: to }
}

fn held(key: u32, from: Date, to: Option<Date>) -> ExistingWindow<u32> {
    ExistingWindow { key, window: window(from, to) }
}

const JAN_1: Date = date(2026, 1, 1);
const FEB_28: Date = date(2026, 2, 28);
const MAR_1: Date = date(2026, 3, 1);
const MAR_31: Date = date(2026, 3, 31);
const APR_1: Date = date(2026, 4, 1);

#[test]
fn both_ends_belong_to_a_window() {
    let march = window(MAR_1, Some(MAR_31));
    assert!(march.contains(MAR_1) && march.contains(MAR_31));
    assert!(!march.contains(FEB_28) && !march.contains(APR_1));
    assert!(!march.overlaps(window(JAN_1, Some(FEB_28))) && !march.overlaps(window(APR_1, None)));
    assert!(march.overlaps(window(MAR_31, None)) && march.overlaps(window(BASELINE, Some(MAR_1))));
    let one_day = window(MAR_1, Some(MAR_1));
    assert!(one_day.contains(MAR_1) && one_day.overlaps(march));
}

#[test]
fn a_new_window_ends_an_open_one_on_the_day_before() {
    let open = [held(1, BASELINE, None)];
    let placed = place_window(&open, Action::Create, held(2, MAR_1, Some(MAR_31))).unwrap();
    assert_eq!(placed, [held(1, BASELINE, Some(FEB_28)), held(2, MAR_1, Some(MAR_31))]);
    // The day after the first: one day is left.
    let placed = place_window(&open, Action::Create, held(2, date(1970, 1, 2), None)).unwrap();
    assert_eq!(placed[0], held(1, BASELINE, Some(BASELINE)));
}

#[test]
fn a_new_window_that_begins_with_or_before_an_open_one_is_refused_unless_it_ends_first() {
    let open = [held(1, MAR_1, None)];
    for from in [MAR_1, JAN_1] {
        let clash = place_window(&open, Action::Create, held(2, from, None));
        assert_eq!(clash, Err(PlacementError::Overlap(open[0])));
        assert_eq!(
            place_window(&open, Action::Create, held(2, from, Some(MAR_1))),
            Err(PlacementError::Overlap(open[0]))
        );
    }
    let placed = place_window(&open, Action::Create, held(2, JAN_1, Some(FEB_28))).unwrap();
    assert_eq!(placed, [held(2, JAN_1, Some(FEB_28)), open[0]]);
}

#[test]
fn a_window_that_ends_is_never_moved_out_of_the_way() {
    let ended = [held(1, JAN_1, Some(MAR_1))];
    assert_eq!(
        place_window(&ended, Action::Create, held(2, MAR_1, None)),
        Err(PlacementError::Overlap(ended[0]))
    );
    assert!(place_window(&ended, Action::Create, held(2, date(2026, 3, 2), None)).is_ok());
}

#[test]
fn an_update_moves_its_own_window_and_no_other() {
    let two = [held(1, JAN_1, None), held(2, date(2025, 1, 1), Some(date(2025, 12, 31)))];
    assert_eq!(
        place_window(&two, Action::Update, held(2, date(2025, 1, 1), None)),
        Err(PlacementError::Overlap(two[0]))
    );
    assert_eq!(
        place_window(&two, Action::Update, held(2, APR_1, None)),
        Err(PlacementError::Overlap(two[0]))
    );
    let ended = place_window(&two, Action::Update, held(1, JAN_1, Some(FEB_28))).unwrap();
    assert_eq!(ended, [two[1], held(1, JAN_1, Some(FEB_28))]);
    // An open-ended window may be moved earlier or later over its own days.
    assert!(place_window(&two[..1], Action::Update, held(1, MAR_1, None)).is_ok());
}

#[test]
fn a_window_does_not_end_before_it_begins() {
    let refusal = place_window(&[], Action::Create, held(1, MAR_1, Some(FEB_28))).unwrap_err();
    assert_eq!(refusal, PlacementError::EndsBeforeStart);
    assert_eq!(refusal.violation("EmployeeBenefit").key, "expiration_date");
    assert!(place_window(&[], Action::Create, held(1, MAR_1, Some(MAR_1))).is_ok());
}

#[test]
fn a_refusal_names_the_window_in_the_way() {
    let refusal =
        place_window(&[held(7, JAN_1, Some(MAR_31))], Action::Create, held(8, MAR_1, None)).unwrap_err();
    let violation = refusal.violation("EmployeeBenefit");
    assert_eq!(violation.key, "effective_date");
    assert!(violation.message.contains("7, from 2026-01-01 to 2026-03-31"), "{}", violation.message);
    assert_eq!(violation.metadata.unwrap()["entity_uuid"], "7");
}

/// Days of the naive calendar.
const DAYS: i64 = 40;

fn day(number: i64) -> Date {
    JAN_1.checked_add(number.days()).unwrap()
}

/// The windows in force on each day of the calendar, by key.
#[derive(Debug, Clone, PartialEq)]
struct Calendar {
    days: Vec<Vec<u32>>,
}

impl Calendar {
    fn of(held: &[ExistingWindow<u32>]) -> Self {
        let on = |number| held.iter().filter(|h| h.window.contains(day(number))).map(|h| h.key).collect();
        Self { days: (0..DAYS).map(on).collect() }
    }
}

proptest! {
    /// After any sequence of creations and updates, no day has two windows, a refusal changes nothing, and the result
    /// matches a calendar in which each day was crossed out and filled in by hand.
    #[test]
    fn the_windows_are_those_of_a_calendar_filled_in_day_by_day(
        commands in prop::collection::vec((0u32..6, 0..DAYS, prop::option::of(-1..12i64), any::<bool>()), 1..30)
    ) {
        let mut windows: Vec<ExistingWindow<u32>> = Vec::new();
        let mut calendar = Calendar::of(&[]);
        let mut next = 0;
        for (which, from, length, create) in commands {
            let wanted = window(day(from), length.map(|length| day(from + length)));
            let existing = windows.get(which as usize % windows.len().max(1)).map(|h| h.key);
            let (act, key) = match existing {
                Some(key) if !create => (Action::Update, key),
                _ => { next += 1; (Action::Create, next) }
            };
            let wanted_days: Vec<usize> =
                (0..DAYS).filter(|n| wanted.contains(day(*n))).map(|n| n as usize).collect();
            // By hand: clear the record's own days; a creation also clears, from its first day on, the days of
            // the open-ended window that began earlier. Then its days must be free.
            let mut by_hand = calendar.clone();
            by_hand.days.iter_mut().for_each(|keys| keys.retain(|k| *k != key));
            if act == Action::Create
                && let Some(open) = windows.iter().find(|h| h.window.expiration.is_none())
                && open.window.effective < wanted.effective
            {
                by_hand.days[from as usize..].iter_mut().for_each(|keys| keys.retain(|k| *k != open.key));
            }
            let backwards = length == Some(-1);
            // A window that is open-ended or ends after the calendar also claims days beyond it.
            let open_other = windows.iter().any(|h| h.key != key && h.window.expiration.is_none()
                && !(act == Action::Create && h.window.effective < wanted.effective));
            let beyond = wanted.expiration.is_none_or(|last| last >= day(DAYS));
            let ends_beyond = windows.iter().any(|h| h.key != key
                && h.window.expiration.is_some_and(|last| last >= day(DAYS)));
            let free = wanted_days.iter().all(|n| by_hand.days[*n].is_empty())
                && !(beyond && (open_other || ends_beyond));
            let outcome = place_window(&windows, act, ExistingWindow { key, window: wanted });
            prop_assert_eq!(outcome.is_ok(), free && !backwards, "{:?} {:?}", windows, wanted);
            match outcome {
                Ok(placed) => {
                    wanted_days.iter().for_each(|n| by_hand.days[*n].push(key));
                    calendar = by_hand;
                    windows = placed;
                }
                Err(PlacementError::Overlap(other)) => prop_assert!(other.window.overlaps(wanted)),
                Err(PlacementError::EndsBeforeStart) => prop_assert!(backwards),
            }
            prop_assert_eq!(&Calendar::of(&windows), &calendar);
            prop_assert!(calendar.days.iter().all(|keys| keys.len() <= 1));
        }
    }
}
