//! Effective-dated records, such as addresses and rates of pay.
//!
//! Such records have a first day and no last one; each ends where the next begins.

use jiff::civil::Date;

/// Returns the record in effect on `today`: the latest whose `effective` date is not in the future. If all
/// are in the future, returns the earliest, so that employees entered before their first day already have an
/// address, a workplace and a rate of pay. `None` only if `items` is empty.
///
/// Of two records with the same date the later in the slice wins; callers keep the order of creation.
pub fn active_record<T>(items: &[T], today: Date, effective: impl Fn(&T) -> Date) -> Option<&T> {
    let begun = items.iter().filter(|item| effective(item) <= today).max_by_key(|item| effective(item));
    begun.or_else(|| items.iter().rev().min_by_key(|item| effective(item)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    const TODAY: Date = date(2026, 6, 15);

    fn counts(items: &[(&'static str, Date)]) -> Option<&'static str> {
        active_record(items, TODAY, |item| item.1).map(|item| item.0)
    }

    #[test]
    fn an_employee_lives_at_the_latest_address_that_has_begun() {
        let moves = [("old", date(2020, 1, 1)), ("next", date(2026, 6, 16)), ("now", TODAY)];
        assert_eq!(counts(&moves), Some("now"));
        assert_eq!(counts(&moves[..2]), Some("old"));
    }

    #[test]
    fn an_employee_entered_before_the_first_day_has_the_earliest_address() {
        assert_eq!(counts(&[("second", date(2027, 1, 1)), ("first", date(2026, 7, 1))]), Some("first"));
        assert_eq!(counts(&[]), None);
    }

    #[test]
    fn of_two_records_of_one_day_the_later_entry_counts() {
        assert_eq!(counts(&[("a", TODAY), ("b", TODAY)]), Some("b"));
        assert_eq!(counts(&[("a", date(2027, 1, 1)), ("b", date(2027, 1, 1))]), Some("b"));
    }

    proptest! {
        #[test]
        fn a_future_record_never_counts_while_an_older_one_has_begun(
            days in prop::collection::vec(1i16..=365, 1..8)
        ) {
            let dates: Vec<Date> =
                days.iter().map(|day| date(2026, 1, 1).with().day_of_year(*day).build().unwrap()).collect();
            let chosen = *active_record(&dates, TODAY, |day| *day).unwrap();
            for other in dates {
                let better = if chosen > TODAY { other < chosen } else { chosen < other && other <= TODAY };
                prop_assert!(!better, "{other} should count, not {chosen}");
            }
        }
    }
}
