//! From the desired state of days to the changes that lead there.
//!
//! A desired window sets terms, or nothing, for its days; all other days stay as they are. So "unpaid leave
//! from March 1 to 31" is one desired window, and the benefit continues in April by itself. [`plan_changes`] returns
//! the records to delete, update and create, in an order in which each change can be applied through
//! [`super::place`] without overlap.

use jiff::civil::Date;

use super::{ExistingWindow, Window, next_day};

/// A record with its window and terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<K, T> {
    /// Record.
    pub key: K,
    /// Window.
    pub window: Window,
    /// Terms.
    pub terms: T,
}

/// Desired terms for the days of a window, or that nothing is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredWindow<T> {
    /// Window.
    pub window: Window,
    /// Desired terms; `None` for nothing in force.
    pub terms: Option<T>,
}

/// A change of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change<K, T> {
    /// Delete a record.
    Delete {
        /// Record.
        key: K,
    },
    /// Update a record.
    Update {
        /// Record.
        key: K,
        /// New window.
        window: Window,
        /// New terms.
        terms: T,
    },
    /// Create a record.
    Create {
        /// Window.
        window: Window,
        /// Terms.
        terms: T,
    },
}

/// A segment of the resulting timeline, and the existing record to use for it.
#[derive(Debug, Clone)]
struct Piece<K, T> {
    window: Window,
    terms: T,
    key: Option<K>,
}

/// Returns the changes that give every day of a desired window its terms and leave every other day unchanged.
/// Records are kept where possible: a window that is cut keeps its record for its first segment, and a fully
/// overridden record is updated rather than deleted. Adjacent segments with equal terms are merged unless
/// both are records.
///
/// `held` are the existing windows and do not overlap. Desired windows do not overlap either
/// ([`first_overlap`] checks that) and do not end before they start.
pub fn plan_changes<K: Copy + PartialEq, T: Clone + PartialEq>(
    held: &[Record<K, T>],
    desired: &[DesiredWindow<T>],
) -> Vec<Change<K, T>> {
    let pieces = with_records(held, join_pieces(cut_pieces(held, desired)));
    in_order(held, pieces)
}

/// Returns the indices of the first two desired windows that overlap.
pub fn first_overlap<T>(desired: &[DesiredWindow<T>]) -> Option<(usize, usize)> {
    let clash = |(place, wish): (usize, &DesiredWindow<T>)| {
        let earlier = desired[..place].iter().position(|other| other.window.overlaps(wish.window));
        earlier.map(|other| (other, place))
    };
    desired.iter().enumerate().find_map(clash)
}

/// Returns the new timeline, cut at the boundaries of records and desired windows, by date.
fn cut_pieces<K: Copy, T: Clone>(held: &[Record<K, T>], desired: &[DesiredWindow<T>]) -> Vec<Piece<K, T>> {
    let mut wished: Vec<&DesiredWindow<T>> = desired.iter().collect();
    wished.sort_by_key(|wish| wish.window.effective);
    let mut pieces = Vec::new();
    for record in held {
        let left = remaining_windows(record.window, &wished);
        pieces.extend(left.into_iter().enumerate().map(|(place, window)| Piece {
            window,
            terms: record.terms.clone(),
            key: (place == 0).then_some(record.key),
        }));
    }
    pieces.extend(wished.iter().filter_map(|wish| {
        let terms = wish.terms.clone()?;
        Some(Piece { window: wish.window, terms, key: None })
    }));
    pieces.sort_by_key(|piece| piece.window.effective);
    pieces
}

/// Returns what remains of a window without the desired days; `wished` is sorted by date.
fn remaining_windows<T>(window: Window, wished: &[&DesiredWindow<T>]) -> Vec<Window> {
    let mut left = Vec::new();
    let mut from = Some(window.effective);
    for wish in wished.iter().filter(|wish| wish.window.overlaps(window)) {
        if let Some(first) = from.filter(|first| *first < wish.window.effective) {
            left.push(Window { effective: first, expiration: wish.window.effective.yesterday().ok() });
        }
        from = wish.window.expiration.and_then(next_day);
    }
    let ends_later = |first: &Date| window.expiration.is_none_or(|last| *first <= last);
    left.extend(from.filter(ends_later).map(|effective| Window { effective, expiration: window.expiration }));
    left
}

fn join_pieces<K, T: PartialEq>(pieces: Vec<Piece<K, T>>) -> Vec<Piece<K, T>> {
    let mut joined: Vec<Piece<K, T>> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match joined.last_mut() {
            Some(before)
                if before.window.expiration.and_then(next_day) == Some(piece.window.effective)
                    && before.terms == piece.terms
                    && (before.key.is_none() || piece.key.is_none()) =>
            {
                before.window.expiration = piece.window.expiration;
                before.key = before.key.take().or(piece.key);
            }
            _ => joined.push(piece),
        }
    }
    joined
}

/// Assigns records whose days are taken over to segments without a record. Both sides are sorted by date, and
/// pairing preserves their order.
fn with_records<K: Copy + PartialEq, T>(
    held: &[Record<K, T>],
    mut pieces: Vec<Piece<K, T>>,
) -> Vec<Piece<K, T>> {
    let kept: Vec<K> = pieces.iter().filter_map(|piece| piece.key).collect();
    let mut spare: Vec<&Record<K, T>> = held.iter().filter(|record| !kept.contains(&record.key)).collect();
    spare.sort_by_key(|record| record.window.effective);
    for piece in pieces.iter_mut().filter(|piece| piece.key.is_none()) {
        if let Some(place) = spare.iter().position(|record| record.window.overlaps(piece.window)) {
            piece.key = Some(spare.remove(place).key);
        }
    }
    pieces
}

/// Returns deletions first, then updates, each once its new days are free, then creations.
fn in_order<K: Copy + PartialEq, T: Clone + PartialEq>(
    held: &[Record<K, T>],
    pieces: Vec<Piece<K, T>>,
) -> Vec<Change<K, T>> {
    let goes = |record: &&Record<K, T>| pieces.iter().all(|piece| piece.key != Some(record.key));
    let mut changes: Vec<Change<K, T>> =
        held.iter().filter(goes).map(|record| Change::Delete { key: record.key }).collect();
    let mut present: Vec<ExistingWindow<K>> = held
        .iter()
        .filter(|record| !goes(record))
        .map(|record| ExistingWindow { key: record.key, window: record.window })
        .collect();
    let (mut to_change, new): (Vec<_>, Vec<_>) = pieces.into_iter().partition(|piece| piece.key.is_some());
    to_change.retain(|piece| {
        let same = |record: &&Record<K, T>| {
            piece.key == Some(record.key) && (record.window, &record.terms) == (piece.window, &piece.terms)
        };
        !held.iter().any(|record| same(&record))
    });
    while !to_change.is_empty() {
        // Records keep their chronological order, so one whose days are free always exists.
        let free = |piece: &Piece<K, T>| {
            present.iter().all(|other| Some(other.key) == piece.key || !other.window.overlaps(piece.window))
        };
        let place = to_change.iter().position(free).unwrap_or(0);
        let Piece { window, terms, key } = to_change.remove(place);
        let Some(key) = key else { continue };
        present.iter_mut().filter(|held| held.key == key).for_each(|held| held.window = window);
        changes.push(Change::Update { key, window, terms });
    }
    changes.extend(new.into_iter().map(|piece| Change::Create { window: piece.window, terms: piece.terms }));
    changes
}

#[cfg(test)]
mod tests {
    use super::super::{Action, place_window};
    use super::*;
    use jiff::ToSpan;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn day(number: i64) -> Date {
        date(2026, 3, 1).checked_add(number.days()).unwrap()
    }

    fn window(from: i64, to: Option<i64>) -> Window {
        Window { effective: day(from), expiration: to.map(day) }
    }

    fn record(key: u32, from: i64, to: Option<i64>, terms: u32) -> Record<u32, u32> {
        Record { key, window: window(from, to), terms }
    }

    fn wish(from: i64, to: Option<i64>, terms: Option<u32>) -> DesiredWindow<u32> {
        DesiredWindow { window: window(from, to), terms }
    }

    #[test]
    fn leave_in_the_middle_of_a_benefit_cuts_it_and_it_goes_on_afterwards() {
        let changes = plan_changes(&[record(1, -90, None, 100)], &[wish(0, Some(30), Some(0))]);
        let expected = [
            Change::Update { key: 1, window: window(-90, Some(-1)), terms: 100 },
            Change::Create { window: window(0, Some(30)), terms: 0 },
            Change::Create { window: window(31, None), terms: 100 },
        ];
        assert_eq!(changes, expected);
    }

    #[test]
    fn what_is_there_already_needs_no_change() {
        let held = [record(1, -90, None, 100)];
        assert_eq!(plan_changes(&held, &[wish(0, Some(30), Some(100))]), []);
        assert_eq!(plan_changes(&held, &[wish(-90, None, Some(100))]), []);
        assert_eq!(plan_changes(&held, &[]), []);
    }

    #[test]
    fn a_wish_for_nothing_leaves_a_gap_and_one_for_more_days_stretches_the_record() {
        let held = [record(1, 0, Some(9), 100)];
        assert_eq!(plan_changes(&held, &[wish(0, Some(9), None)]), [Change::Delete { key: 1 }]);
        let cut = [
            Change::Update { key: 1, window: window(0, Some(3)), terms: 100 },
            Change::Create { window: window(7, Some(9)), terms: 100 },
        ];
        assert_eq!(plan_changes(&held, &[wish(4, Some(6), None)]), cut);
        let longer = [Change::Update { key: 1, window: window(0, None), terms: 100 }];
        assert_eq!(plan_changes(&held, &[wish(5, None, Some(100))]), longer);
    }

    #[test]
    fn a_record_that_is_wished_over_is_changed_rather_than_replaced() {
        let held = [record(1, 0, Some(9), 100), record(2, 10, Some(19), 50)];
        let changes = plan_changes(&held, &[wish(5, Some(25), Some(70))]);
        let expected = [
            Change::Update { key: 1, window: window(0, Some(4)), terms: 100 },
            Change::Update { key: 2, window: window(5, Some(25)), terms: 70 },
        ];
        assert_eq!(changes, expected);
    }

    #[test]
    fn two_wishes_for_one_day_are_found() {
        let desired = [wish(0, Some(3), Some(1)), wish(10, None, None), wish(3, Some(4), Some(2))];
        assert_eq!(first_overlap(&desired), Some((0, 2)));
        assert_eq!(first_overlap(&desired[..2]), None);
    }

    /// Generates non-overlapping windows from alternating gap and window lengths.
    fn disjoint() -> impl Strategy<Value = Vec<Window>> {
        (prop::collection::vec((0i64..6, 0i64..6), 0..6), any::<bool>()).prop_map(|(parts, open)| {
            let mut from = 0;
            let mut windows = Vec::new();
            for (gap, length) in parts {
                windows.push(window(from + gap, Some(from + gap + length)));
                from += gap + length + 1;
            }
            if let Some(last) = windows.last_mut().filter(|_| open) {
                last.expiration = None;
            }
            windows
        })
    }

    proptest! {
        #[test]
        fn each_day_gets_what_is_wished_for_it_and_each_step_can_be_taken_by_itself(
            held in disjoint(), wished in disjoint(), terms in prop::collection::vec(0u32..3, 12)
        ) {
            let held: Vec<_> = (0u32..).zip(held).zip(&terms)
                .map(|((key, window), terms)| Record { key, window, terms: *terms }).collect();
            let desired: Vec<_> = wished.into_iter().zip(&terms[6..])
                .map(|(window, terms)| DesiredWindow { window, terms: (*terms > 0).then_some(*terms) }).collect();
            let changes = plan_changes(&held, &desired);
            // Apply the changes one by one, as a caller of the ordinary operations would.
            let mut now: Vec<Record<u32, u32>> = held.clone();
            let mut next = 100;
            for change in &changes {
                let windows: Vec<_> = now.iter().map(|r| ExistingWindow { key: r.key, window: r.window }).collect();
                match change.clone() {
                    Change::Delete { key } => now.retain(|record| record.key != key),
                    Change::Update { key, window, terms } => {
                        prop_assert!(place_window(&windows, Action::Update, ExistingWindow { key, window }).is_ok(), "{:?}", changes);
                        now.iter_mut().filter(|r| r.key == key).for_each(|r| *r = Record { key, window, terms });
                    }
                    Change::Create { window, terms } => {
                        next += 1;
                        let placed = place_window(&windows, Action::Create, ExistingWindow { key: next, window });
                        // Nothing else moves: the plan lists every change.
                        prop_assert_eq!(placed.map(|placed| placed.len()), Ok(windows.len() + 1));
                        let open = now.iter().any(|r| r.window.expiration.is_none() && r.window.effective < window.effective);
                        prop_assert!(!open);
                        now.push(Record { key: next, window, terms });
                    }
                }
            }
            for number in -1..60 {
                let today = day(number);
                let on = |records: &[Record<u32, u32>]| {
                    let found: Vec<_> = records.iter().filter(|r| r.window.contains(today)).collect();
                    assert!(found.len() <= 1);
                    found.first().map(|r| r.terms)
                };
                let wish = desired.iter().find(|wish| wish.window.contains(today));
                prop_assert_eq!(on(&now), wish.map_or_else(|| on(&held), |wish| wish.terms), "{}", today);
            }
            // Planning again after all changes are applied yields none.
            now.sort_by_key(|record| record.window.effective);
            prop_assert_eq!(plan_changes(&now, &desired), vec![]);
        }
    }
}
