//! Splits by example, and properties, such as that no cent is lost.

use super::SplitBy::{Amount, Percentage};
use super::*;
use crate::Named;
use proptest::prelude::*;

/// Returns splits with priorities 1, 2, 3 …
fn in_order(amounts: &[Option<i64>]) -> Vec<Split<()>> {
    (1..).zip(amounts).map(|(priority, amount)| Split { account: (), priority, amount: *amount }).collect()
}

fn percent(amounts: &[i64]) -> Vec<Split<()>> {
    in_order(&amounts.iter().copied().map(Some).collect::<Vec<_>>())
}

fn keys(by: SplitBy, splits: &[Split<()>]) -> Vec<String> {
    check_splits(by, splits).into_iter().map(|violation| violation.key).collect()
}

#[test]
fn percentages_add_up_to_exactly_100() {
    for fine in [&[100][..], &[50, 50], &[0, 100], &[33, 33, 34], &[5; 20]] {
        assert_eq!(keys(Percentage, &percent(fine)), [""; 0], "{fine:?}");
    }
    for wrong in [&[99][..], &[50, 51], &[0], &[100, 100]] {
        assert_eq!(keys(Percentage, &percent(wrong)), ["splits"], "{wrong:?}");
    }
    let violations = check_splits(Percentage, &percent(&[60, 39]));
    assert_eq!(violations[0].message, "splits by Percentage must add up to exactly 100, not 99");
}

#[test]
fn a_percentage_is_a_whole_number_from_0_to_100() {
    let splits = in_order(&[Some(-1), Some(101), None, Some(100)]);
    assert_eq!(keys(Percentage, &splits), ["split_amount"; 3]);
    assert_eq!(keys(Percentage, &percent(&[i64::MAX, i64::MAX])), ["split_amount"; 2]);
    let violations = check_splits(Percentage, &splits);
    let message = "split_amount of the split with priority 3 must be a whole percentage from 0 to 100";
    assert_eq!(violations[2].message, message);
}

#[test]
fn of_amounts_the_last_one_is_the_rest() {
    for fine in [&[None][..], &[Some(0), None], &[Some(10_000), Some(99_999_999_999), None]] {
        assert_eq!(keys(Amount, &in_order(fine)), [""; 0], "{fine:?}");
    }
    for wrong in [&[Some(100)][..], &[None, Some(100)], &[None, None], &[Some(1), None, None]] {
        assert_eq!(keys(Amount, &in_order(wrong)), ["splits"], "{wrong:?}");
    }
    let out_of_bounds = in_order(&[Some(-1), Some(100_000_000_000), None]);
    assert_eq!(keys(Amount, &out_of_bounds), ["split_amount"; 2]);
}

#[test]
fn priorities_count_from_one_without_gaps() {
    let with =
        |priorities: [i64; 2]| priorities.map(|priority| Split { account: (), priority, amount: Some(50) });
    assert_eq!(keys(Percentage, &with([2, 1])), [""; 0], "they may come in any order");
    for wrong in [[1, 1], [0, 1], [2, 3], [1, 3], [-1, 1]] {
        assert_eq!(keys(Percentage, &with(wrong)), ["priority"], "{wrong:?}");
    }
}

#[test]
fn pay_is_split_among_1_to_20_accounts() {
    assert_eq!(keys(Percentage, &[]), ["splits"]);
    assert_eq!(keys(Amount, &[]), ["splits"]);
    let mut amounts = vec![Some(100); 20];
    amounts.push(None);
    assert_eq!(keys(Amount, &in_order(&amounts)), ["splits"]);
    assert_eq!(keys(Amount, &in_order(&amounts[1..])), [""; 0]);
}

#[test]
fn every_violation_is_reported_at_once() {
    let splits = [
        Split { account: (), priority: 1, amount: Some(-5) },
        Split { account: (), priority: 1, amount: Some(10) },
    ];
    assert_eq!(keys(Amount, &splits), ["priority", "split_amount", "splits"]);
}

#[test]
fn a_cent_that_does_not_come_out_even_goes_to_the_largest_part_of_a_cent() {
    // 33 % of 10.01 is 3.3033 for each of two accounts, and 34 % is 3.4034 for the third.
    assert_eq!(divide_net_pay(1_001, Percentage, &percent(&[33, 33, 34])), [330, 330, 341]);
    // Half a cent each: the cent goes to the first priority.
    assert_eq!(divide_net_pay(101, Percentage, &percent(&[50, 50])), [51, 50]);
    let swapped = [
        Split { account: "b", priority: 2, amount: Some(50) },
        Split { account: "a", priority: 1, amount: Some(50) },
    ];
    assert_eq!(divide_net_pay(101, Percentage, &swapped), [50, 51]);
    assert_eq!(divide_net_pay(1, Percentage, &percent(&[0, 1, 99])), [0, 0, 1]);
}

#[test]
fn amounts_are_paid_in_the_order_of_priority_as_far_as_the_pay_reaches() {
    let splits = in_order(&[Some(10_000), Some(5_000), None]);
    assert_eq!(divide_net_pay(20_000, Amount, &splits), [10_000, 5_000, 5_000]);
    assert_eq!(divide_net_pay(15_000, Amount, &splits), [10_000, 5_000, 0]);
    assert_eq!(divide_net_pay(12_000, Amount, &splits), [10_000, 2_000, 0]);
    assert_eq!(divide_net_pay(9_999, Amount, &splits), [9_999, 0, 0]);
    let reversed: Vec<_> = splits.into_iter().rev().collect();
    assert_eq!(divide_net_pay(12_000, Amount, &reversed), [0, 2_000, 10_000]);
}

#[test]
fn of_nothing_nothing_is_paid() {
    for net in [0, -1, i64::MIN] {
        assert_eq!(divide_net_pay(net, Percentage, &percent(&[40, 60])), [0, 0], "{net}");
        assert_eq!(divide_net_pay(net, Amount, &in_order(&[Some(100), None])), [0, 0], "{net}");
    }
}

#[test]
fn the_words_of_requests_and_answers_are_the_same() {
    for by in [Amount, Percentage] {
        assert_eq!(SplitBy::parse(by.as_str()), Some(by));
    }
    assert_eq!(SplitBy::parse("percentage"), None);
}

/// Generates percentages that add up to 100, as distances between cuts, with priorities in random order.
fn any_percentages() -> impl Strategy<Value = Vec<Split<()>>> {
    prop::collection::vec(0i64..=100, 0..MAX_SPLITS).prop_flat_map(|mut cuts| {
        cuts.extend([0, 100]);
        cuts.sort_unstable();
        let amounts: Vec<_> = cuts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Just((1..=amounts.len() as i64).collect::<Vec<_>>()).prop_shuffle().prop_map(move |priorities| {
            let split = |(priority, amount): (&i64, &i64)| Split {
                account: (),
                priority: *priority,
                amount: Some(*amount),
            };
            priorities.iter().zip(&amounts).map(split).collect()
        })
    })
}

proptest! {
    #[test]
    fn parts_by_percentage_add_up_and_are_within_a_cent_of_the_share(
        splits in any_percentages(), net in 0..=i64::MAX
    ) {
        prop_assert_eq!(check_splits(Percentage, &splits), vec![]);
        let parts = divide_net_pay(net, Percentage, &splits);
        prop_assert_eq!(parts.iter().sum::<i64>(), net);
        for (part, split) in parts.iter().zip(&splits) {
            let share = i128::from(net) * i128::from(split.amount.unwrap_or(0));
            prop_assert!((i128::from(*part) * 100 - share).abs() < 100);
        }
    }

    #[test]
    fn parts_by_amount_add_up_and_none_exceeds_its_amount(
        amounts in prop::collection::vec(0i64..=200_000, 0..MAX_SPLITS), net in 0i64..=1_000_000
    ) {
        let splits = in_order(&amounts.iter().copied().map(Some).chain([None]).collect::<Vec<_>>());
        prop_assert_eq!(check_splits(Amount, &splits), vec![]);
        let parts = divide_net_pay(net, Amount, &splits);
        prop_assert_eq!(parts.iter().sum::<i64>(), net);
        for (index, amount) in amounts.iter().enumerate() {
            prop_assert!((0..=*amount).contains(&parts[index]));
            // A split that gets less than its amount has used up the pay.
            prop_assert!(parts[index] == *amount || parts[index + 1..].iter().all(|part| *part == 0));
        }
    }

    #[test]
    fn checking_never_fails_on_any_numbers(
        numbers in prop::collection::vec((any::<i64>(), any::<Option<i64>>()), 0..25), by: bool
    ) {
        let splits: Vec<_> =
            numbers.iter().map(|(priority, amount)| Split { account: (), priority: *priority, amount: *amount })
                .collect();
        check_splits(if by { Amount } else { Percentage }, &splits);
    }
}
