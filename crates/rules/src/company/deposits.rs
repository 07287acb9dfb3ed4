//! Bank account verification by two micro-deposits.

use crate::Amount;
use crate::violation::Violation;

/// Failed attempts after which an account must be entered again.
pub const TRIES: i64 = 5;
/// Smallest and largest deposit, in cents.
const CENTS: (i64, i64) = (1, 99);

/// Returns two different amounts from 1 to 99 cents, from eight random bytes.
pub fn choose_amounts(random: [u8; 8]) -> (i64, i64) {
    let (smallest, largest) = CENTS;
    let span = largest - smallest + 1;
    // The modulo bias is negligible for 2^32.
    let word = |bytes: [u8; 4]| i64::from(u32::from_be_bytes(bytes));
    let [a, b, c, d, e, f, g, h] = random;
    let first = word([a, b, c, d]) % span;
    let second = (first + 1 + word([e, f, g, h]) % (span - 1)) % span;
    (smallest + first, smallest + second)
}

/// Whether the reported amounts are the two deposits, in either order.
pub fn amounts_match(deposits: (i64, i64), reported: (Amount, Amount)) -> bool {
    let (first, second) = (Amount::from_cents(deposits.0), Amount::from_cents(deposits.1));
    reported == (first, second) || reported == (second, first)
}

/// Parses the amount of a deposit in dollars: more than zero and less than one dollar.
pub fn parse_amount(key: &str, value: Amount) -> Result<Amount, Violation> {
    let (smallest, largest) = CENTS;
    let fits = (smallest..=largest).any(|cents| Amount::from_cents(cents) == value);
    if fits {
        return Ok(value);
    }
    Err(Violation::invalid(key, format!("{key} must be an amount from 0.01 to 0.99 dollars, in whole cents")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_order_of_the_two_amounts_does_not_matter() {
        let (a, b) = (Amount::from_cents(2), Amount::from_cents(42));
        assert!(amounts_match((2, 42), (a, b)) && amounts_match((2, 42), (b, a)));
        for wrong in
            [(a, a), (b, b), (a, Amount::from_cents(43)), (Amount::from_cents(42), Amount::from_cents(3))]
        {
            assert!(!amounts_match((2, 42), wrong));
        }
    }

    #[test]
    fn a_deposit_is_less_than_a_dollar() {
        for fine in ["0.01", "0.5", "0.99"] {
            assert!(parse_amount("deposit_1", Amount::parse(fine).unwrap()).is_ok(), "{fine}");
        }
        for wrong in ["0", "1", "0.001", "0.555", "-0.01", "42"] {
            assert!(parse_amount("deposit_1", Amount::parse(wrong).unwrap()).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn two_deposits_are_two_different_amounts_of_cents(random: [u8; 8]) {
            let (first, second) = choose_amounts(random);
            prop_assert!((1..=99).contains(&first) && (1..=99).contains(&second) && first != second);
            prop_assert!(amounts_match((first, second), (Amount::from_cents(second), Amount::from_cents(first))));
        }
    }
}
