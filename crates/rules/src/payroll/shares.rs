//! Allocation of an amount by weight, to the cent.

use std::cmp::Reverse;

use crate::amount::Amount;

/// Allocates a sum of whole cents by non-negative weights; remaining cents go to the largest remainders, the
/// earlier of equal ones first. All parts are zero if all weights are. `None` on overflow.
pub(crate) fn by_weight(sum: Amount, weights: &[Amount]) -> Option<Vec<Amount>> {
    let cents = i128::from(sum.cents_half_up());
    let total: i128 = weights.iter().map(|weight| i128::from(weight.millionths())).sum();
    if total <= 0 {
        return Some(vec![Amount::ZERO; weights.len()]);
    }
    let exact = weights.iter().map(|weight| cents.checked_mul(i128::from(weight.millionths())));
    let exact: Vec<i128> = exact.collect::<Option<_>>()?;
    let mut parts: Vec<i128> = exact.iter().map(|part| part / total).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|at| Reverse(exact[*at] % total));
    let left = usize::try_from(cents - parts.iter().sum::<i128>()).ok()?;
    for at in order.into_iter().take(left) {
        parts[at] += 1;
    }
    parts.into_iter().map(|part| i64::try_from(part).ok().map(Amount::from_cents)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_largest_rest_gets_the_cent_and_the_earlier_of_equals() {
        let parts = |sum, weights: &[i64]| {
            let weights: Vec<_> = weights.iter().map(|weight| Amount::from_cents(*weight)).collect();
            let parts = by_weight(Amount::from_cents(sum), &weights).unwrap();
            parts.into_iter().map(Amount::cents_half_up).collect::<Vec<_>>()
        };
        assert_eq!(parts(17_000, &[7_500, 6_500, 9_000]), [5_544, 4_804, 6_652]);
        assert_eq!(parts(100, &[1, 1, 1]), [34, 33, 33]);
        assert_eq!(parts(100, &[0, 0]), [0, 0]);
        assert_eq!(parts(100, &[]), [0; 0]);
    }

    proptest! {
        #[test]
        fn the_parts_add_up(sum in 0i64..1_000_000_000, weights in proptest::collection::vec(0i64..1_000_000, 1..8)) {
            let weights: Vec<_> = weights.into_iter().map(Amount::from_millionths).collect();
            let parts = by_weight(Amount::from_cents(sum), &weights).unwrap();
            let total: i64 = parts.iter().map(|part| part.cents_half_up()).sum();
            let any = weights.iter().any(|weight| *weight > Amount::ZERO);
            prop_assert_eq!(total, if any { sum } else { 0 });
        }
    }
}
