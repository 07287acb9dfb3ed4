//! Amounts on withholding certificates.

use crate::amount::{Amount, MAX_AMOUNT, Rounding};
use crate::violation::Violation;

/// Whether the amount is valid on a certificate: whole cents, from zero to [`MAX_AMOUNT`].
pub(super) fn fits(amount: Amount) -> bool {
    (Amount::ZERO..=MAX_AMOUNT).contains(&amount) && amount.round_to_cents(Rounding::Down) == amount
}

/// The violation of any other amount.
pub(super) fn violation(key: &str) -> Violation {
    let message = format!("{key} must be an amount from 0.00 to {MAX_AMOUNT} with at most 2 decimal places");
    Violation::invalid(key, message)
}
