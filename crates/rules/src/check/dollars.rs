//! Amounts of money.

use std::ops::RangeInclusive;

use crate::amount::{Amount, MAX_AMOUNT, Rounding};
use crate::violation::Violation;

/// Range of dollars that a field can hold, from zero.
pub const UP_TO_MAX: RangeInclusive<Amount> = Amount::ZERO..=MAX_AMOUNT;

/// Validates dollars: whole cents within a range.
///
/// # Errors
/// A violation that names the range.
pub fn validate_dollars(
    key: &str,
    amount: Amount,
    range: RangeInclusive<Amount>,
) -> Result<Amount, Violation> {
    if range.contains(&amount) && amount.round_to_cents(Rounding::Down) == amount {
        return Ok(amount);
    }
    Err(not_dollars(key, &range))
}

/// Returns the violation of [`validate_dollars`], also for a value that is not an amount at all.
pub(crate) fn not_dollars(key: &str, range: &RangeInclusive<Amount>) -> Violation {
    let (low, high) = (range.start().to_text(2), range.end().to_text(2));
    Violation::invalid(
        key,
        format!("{key} must be an amount from {low} to {high} with at most 2 decimal places"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_the_range_are_taken_with_both_its_ends() {
        for cents in [0, 1, 99_999_999_999] {
            let amount = Amount::from_cents(cents);
            assert_eq!(validate_dollars("amount", amount, UP_TO_MAX), Ok(amount));
        }
        for cents in [-1, 100_000_000_000] {
            let refused = validate_dollars("amount", Amount::from_cents(cents), UP_TO_MAX).unwrap_err();
            let message = "amount must be an amount from 0.00 to 999999999.99 with at most 2 decimal places";
            assert_eq!((&*refused.key, &*refused.message), ("amount", message));
        }
    }

    #[test]
    fn fractions_of_a_cent_are_refused() {
        for millionths in [1, 9_999, 100_001_000, -5_000] {
            let range = Amount::from_cents(-100)..=Amount::from_cents(20_000);
            let refused =
                validate_dollars("net_pay", Amount::from_millionths(millionths), range).unwrap_err();
            assert_eq!(
                refused.message,
                "net_pay must be an amount from -1.00 to 200.00 with at most 2 decimal places"
            );
        }
    }
}
