//! Exact fractions, for intermediate results.
//!
//! Where a rule rounds once, at the end, intermediate results must be exact. A [`Ratio`] is built from an
//! [`Amount`], multiplied, divided, added and compared without loss, and rounded back to an amount once.
//!
//! Operations return `None` on 128-bit overflow, which bounded inputs never reach.

use std::cmp::Ordering;

use crate::amount::{Amount, Rounding};
use crate::explain::Value;

/// `num / den` millionths with positive `den`, not reduced to lowest terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    num: i128,
    den: i128,
}

impl Ratio {
    /// Zero.
    pub(crate) const ZERO: Self = Self { num: 0, den: 1 };

    /// Creates `num / den` millionths; `den` must be positive.
    pub(crate) fn of_millionths(num: i128, den: i128) -> Self {
        Self { num, den }
    }

    /// Converts an amount.
    pub(crate) fn from_amount(amount: Amount) -> Self {
        Self { num: i128::from(amount.millionths()), den: 1 }
    }

    /// Multiplies by a fraction; `den` must be positive.
    pub(crate) fn times(self, num: i64, den: i64) -> Option<Self> {
        Some(Self {
            num: self.num.checked_mul(i128::from(num))?,
            den: self.den.checked_mul(i128::from(den))?,
        })
    }

    /// Multiplies by an amount: hours by a rate, dollars by a share.
    pub(crate) fn times_amount(self, factor: Amount) -> Option<Self> {
        self.times(factor.millionths(), 1_000_000)
    }

    /// Takes a percentage.
    pub(crate) fn percent(self, percent: Amount) -> Option<Self> {
        self.times(percent.millionths(), 100_000_000)
    }

    /// Multiplies.
    pub(crate) fn product(self, other: Self) -> Option<Self> {
        let den = self.den.checked_mul(other.den)?.checked_mul(1_000_000)?;
        Some(Self { num: self.num.checked_mul(other.num)?, den })
    }

    /// Adds.
    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let (a, b, den) = self.with_one_denominator(other)?;
        Some(Self { num: a.checked_add(b)?, den })
    }

    /// Subtracts.
    pub(crate) fn minus(self, other: Self) -> Option<Self> {
        let (a, b, den) = self.with_one_denominator(other)?;
        Some(Self { num: a.checked_sub(b)?, den })
    }

    /// Returns the smaller one.
    pub(crate) fn least(self, other: Self) -> Option<Self> {
        Some(if self.compare(other)?.is_le() { self } else { other })
    }

    /// Returns the value, or zero if negative.
    pub(crate) fn or_nothing(self) -> Self {
        if self.num < 0 { Self::ZERO } else { self }
    }

    /// Compares.
    pub(crate) fn compare(self, other: Self) -> Option<Ordering> {
        let (a, b, _) = self.with_one_denominator(other)?;
        Some(a.cmp(&b))
    }

    /// Rounds to whole cents.
    pub(crate) fn to_cents(self, rounding: Rounding) -> Option<Amount> {
        Amount::from_cents_ratio(self.num, self.den.checked_mul(10_000)?, rounding)
    }

    /// Rounds half up to millionths; for values that are not negative.
    pub(crate) fn nearest_amount(self) -> Option<Amount> {
        let doubled = self.num.checked_mul(2)?.checked_add(self.den)?;
        let millionths = doubled.div_euclid(self.den.checked_mul(2)?);
        i64::try_from(millionths).ok().map(Amount::from_millionths)
    }

    /// Rounds to whole dollars.
    pub(crate) fn to_dollars(self, rounding: Rounding) -> Option<Amount> {
        let dollars = Amount::from_cents_ratio(self.num, self.den.checked_mul(1_000_000)?, rounding)?;
        dollars.mul_ratio(100, 1, rounding)
    }

    /// Returns the value for an explanation: an amount if exact, otherwise a fraction.
    pub(crate) fn to_value(self) -> Value {
        let whole = i64::try_from(self.num / self.den).ok().filter(|_| self.num % self.den == 0);
        match whole {
            Some(millionths) => Value::Amount(Amount::from_millionths(millionths)),
            None => {
                let divisor = greatest_divisor(self.num, self.den);
                let (num, den) = (self.num / divisor, self.den / divisor);
                let shared = greatest_divisor(num, 1_000_000);
                Value::Ratio(num / shared, den * (1_000_000 / shared))
            }
        }
    }

    fn with_one_denominator(self, other: Self) -> Option<(i128, i128, i128)> {
        if self.den == other.den {
            return Some((self.num, other.num, self.den));
        }
        let shared =
            if self.den % other.den == 0 { other.den } else { greatest_divisor(self.den, other.den) };
        let (left, right) = (other.den / shared, self.den / shared);
        Some((self.num.checked_mul(left)?, other.num.checked_mul(right)?, self.den.checked_mul(left)?))
    }
}

fn greatest_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dollars(text: &str) -> Ratio {
        Ratio::from_amount(Amount::parse(text).unwrap())
    }

    fn cents(ratio: Ratio) -> String {
        ratio.to_cents(Rounding::HalfUp).unwrap().to_text(2)
    }

    #[test]
    fn thirds_add_up_to_the_whole() {
        let third = dollars("100").times(1, 3).unwrap();
        assert_eq!(cents(third), "33.33");
        assert_eq!(cents(third.plus(third).unwrap().plus(third).unwrap()), "100.00");
        assert_eq!(third.to_value(), Value::Ratio(100, 3));
        assert_eq!(third.times(3, 1).unwrap().to_value(), Value::Amount(Amount::from_cents(10_000)));
    }

    #[test]
    fn hours_times_a_rate_is_rounded_once() {
        let pay = dollars("33.335").times_amount(Amount::parse("21.27").unwrap()).unwrap();
        assert_eq!(cents(pay), "709.04");
        assert_eq!(pay.to_dollars(Rounding::HalfUp).unwrap().to_text(2), "709.00");
        assert_eq!(cents(pay.percent(Amount::parse("6.2").unwrap()).unwrap()), "43.96");
    }

    #[test]
    fn fractions_compare_without_being_divided() {
        let (a, b) = (dollars("1").times(1, 3).unwrap(), dollars("1").times(333_333, 1_000_000).unwrap());
        assert_eq!(a.compare(b), Some(Ordering::Greater));
        assert_eq!(cents(a.least(b).unwrap().times(3_000_000, 1).unwrap()), "999999.00");
        assert_eq!(cents(b.minus(a).unwrap().or_nothing()), "0.00");
    }

    proptest! {
        #[test]
        fn to_value_is_exact(num in -1_000_000_000i64..1_000_000_000, den in 1i64..100_000) {
            let ratio = Ratio::from_amount(Amount::from_millionths(num)).times(1, den).unwrap();
            let same = match ratio.to_value() {
                Value::Amount(amount) => Ratio::from_amount(amount),
                Value::Ratio(num, den) => Ratio { num: num * 1_000_000, den },
                other => panic!("{other:?} is no number"),
            };
            prop_assert_eq!(ratio.compare(same), Some(Ordering::Equal));
        }

        #[test]
        fn sums_and_differences_undo_each_other(
            a in -1_000_000_000i64..1_000_000_000, b in 1i64..1_000_000, c in 1i64..5_000, d in 1i64..5_000
        ) {
            let left = Ratio::from_amount(Amount::from_millionths(a)).times(1, c).unwrap();
            let right = Ratio::from_amount(Amount::from_millionths(b)).times(1, d).unwrap();
            let back = left.plus(right).unwrap().minus(right).unwrap();
            prop_assert_eq!(back.compare(left), Some(Ordering::Equal));
        }
    }
}
