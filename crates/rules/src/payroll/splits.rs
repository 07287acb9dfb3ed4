//! What is paid out, divided among the employee's accounts ([`crate::payment::divide`]), with its explanation.

use super::input::Payment;
use crate::amount::Amount;
use crate::explain::{Operation, Step, Trace};
use crate::payment::{Split, SplitBy, divide};

/// Cents for each split, in their order. In the explanation `split_1` is that of the first priority.
pub(super) fn of<T: Trace>(trace: &mut T, check_amount: Amount, payment: &Payment) -> Vec<i64> {
    let parts = divide(check_amount.cents_half_up(), payment.by, &payment.splits);
    let mut left = check_amount;
    for place in 1..=payment.splits.len() {
        trace.leaf(|| {
            let by_priority = by_priority(payment, &parts);
            let (split, part) = by_priority[place - 1];
            let (step, after) = told(payment.by, &by_priority, place, (check_amount, left), (split, part));
            left = after;
            step
        });
    }
    parts
}

fn by_priority<'p>(payment: &'p Payment, parts: &[i64]) -> Vec<(&'p Split<usize>, Amount)> {
    let parts = parts.iter().map(|cents| Amount::from_cents(*cents));
    let mut sorted: Vec<_> = payment.splits.iter().zip(parts).collect();
    sorted.sort_by_key(|(split, _)| split.priority);
    sorted
}

/// One split, and what is left after it.
fn told(
    by: SplitBy,
    all: &[(&Split<usize>, Amount)],
    place: usize,
    (whole, left): (Amount, Amount),
    (split, part): (&Split<usize>, Amount),
) -> (Step, Amount) {
    let figure = format!("split_{place}");
    let step = match (by, split.amount) {
        (SplitBy::Percentage, _) => {
            let step = Step::new(figure, Operation::Share, part).input("check_amount", whole);
            let step = (1..).zip(all).fold(step, |step, (at, (split, _))| {
                step.ratio(format!("percent_{at}"), split.amount.unwrap_or(0), 1)
            });
            step.ratio("place", i64::try_from(place).unwrap_or(i64::MAX), 1)
        }
        (SplitBy::Amount, Some(cents)) => Step::new(figure, Operation::Least, part)
            .input("amount", Amount::from_cents(cents))
            .input("left", left),
        (SplitBy::Amount, None) => Step::new(figure, Operation::Sum, part).input("left", left),
    };
    (step, left.checked_sub(part).unwrap_or(Amount::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::{NoTrace, Recorder, evaluator};
    use proptest::prelude::*;

    fn split(priority: i64, amount: Option<i64>) -> Split<usize> {
        Split { account: 0, priority, amount }
    }

    fn figures(payment: &Payment, cents: i64) -> Vec<String> {
        let mut recorder = Recorder::default();
        let parts = of(&mut recorder, Amount::from_cents(cents), payment);
        assert_eq!(parts, of(&mut NoTrace, Amount::from_cents(cents), payment));
        let nodes: Vec<_> = recorder.finish().iter().map(crate::explain::Node::to_json).collect();
        for node in &nodes {
            evaluator::check(node).unwrap_or_else(|error| panic!("{error}"));
        }
        nodes.iter().map(|node| node["result"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn splits_are_told_in_the_order_of_priority() {
        let splits = vec![split(3, None), split(1, Some(50_000)), split(2, Some(70_000))];
        let payment = Payment { by: SplitBy::Amount, splits };
        assert_eq!(figures(&payment, 150_000), ["500.00", "700.00", "300.00"]);
        assert_eq!(figures(&payment, 60_000), ["500.00", "100.00", "0.00"]);
    }

    proptest! {
        #[test]
        fn percentages_are_told_to_the_cent(cents in 0i64..1_000_000, first in 0i64..=100, second in 0i64..=100) {
            let second = second.min(100 - first);
            let splits = vec![split(2, Some(second)), split(3, Some(100 - first - second)), split(1, Some(first))];
            let told = figures(&Payment { by: SplitBy::Percentage, splits }, cents);
            let sum = told.iter().map(|part| Amount::parse(part).unwrap().cents_half_up()).sum::<i64>();
            prop_assert_eq!(sum, cents);
        }
    }
}
