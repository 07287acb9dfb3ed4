//! Exact decimal numbers for money, rates, hours and percentages.
//!
//! Pay has to come out the same to the cent on every machine, so there is no floating point anywhere.
//! An [`Amount`] is a whole number of millionths: two places for money, and room for rates of pay,
//! percentages and thousandths of hours. It is read from the text that a caller sent ([`Amount::parse`]) and
//! written as text again ([`Amount::to_text`]); what lies between is addition, subtraction and
//! [`Amount::mul_ratio`], which multiplies without loss, divides once and rounds once, in the direction
//! that the rule at hand names. Nothing overflows silently.

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Millionths in one unit.
const UNIT: i64 = 1_000_000;
/// Millionths in one cent.
const CENT: i64 = 10_000;
/// Decimal places that an amount can hold.
const PLACES: usize = 6;

/// The largest amount of money that any input may carry: 999,999,999.99.
pub const MAX_AMOUNT: Amount = Amount(999_999_999_990_000);
/// The largest hourly rate of pay that any input may carry: 999,999.99.
pub const MAX_RATE: Amount = Amount(999_999_990_000);

/// An exact decimal number in millionths; the unit (dollars, hours, percent) is the caller's.
///
/// Holds every multiple of 0.000001 from about -9.2 to 9.2 million million.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Amount(i64);

/// Where a figure that does not come out even goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, VariantArray, IntoStaticStr, EnumString)]
pub enum Rounding {
    /// To the nearest, and half away from zero.
    #[strum(serialize = "half_up")]
    HalfUp,
    /// Toward zero.
    #[strum(serialize = "down")]
    Down,
    /// Away from zero.
    #[strum(serialize = "up")]
    Up,
}

/// Why a text is not an [`Amount`]. The `Display` form completes a sentence that begins with the name of
/// the attribute, such as "rate must be …".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AmountError {
    /// Not a decimal number at all.
    NotANumber,
    /// More than six decimal places that matter.
    TooManyPlaces,
    /// Beyond what an amount can hold.
    OutOfRange,
}

impl fmt::Display for AmountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "must be a decimal number such as 40.00",
            Self::TooManyPlaces => "must not have more than 6 decimal places",
            Self::OutOfRange => "must be a number of at most 12 digits before the decimal point",
        })
    }
}

impl std::error::Error for AmountError {}

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The amount of so many millionths, as it is stored.
    pub const fn from_millionths(millionths: i64) -> Self {
        Self(millionths)
    }

    /// The amount in millionths, as it is stored.
    pub const fn millionths(self) -> i64 {
        self.0
    }

    /// The amount of so many cents.
    ///
    /// # Panics
    /// Beyond nine million million dollars, which no bounded input and no sum of them reaches.
    pub const fn from_cents(cents: i64) -> Self {
        match cents.checked_mul(CENT) {
            Some(millionths) => Self(millionths),
            None => panic!("so many cents cannot come from amounts within their bounds"),
        }
    }

    /// Whole cents, half a cent away from zero.
    pub fn cents_half_up(self) -> i64 {
        let cents = self.0 / CENT;
        if (self.0 % CENT).abs() * 2 >= CENT { cents + self.0.signum() } else { cents }
    }

    /// Reads decimal text such as `40`, `-0.5` or `+17.125`, and the exponent form that JSON allows
    /// (`1.5e3`). There must be a digit before the point and one after it; blanks and separators of
    /// thousands are refused. Only the value counts: a number is taken exactly or not at all.
    ///
    /// # Errors
    /// [`AmountError`] says in which way the text is no amount.
    pub fn parse(text: &str) -> Result<Self, AmountError> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return Err(AmountError::NotANumber),
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
            return Err(AmountError::NotANumber);
        }
        let digits = format!("{whole}{fraction}");
        let magnitude = scale(&digits, exponent - fraction.len() as i64)?;
        let signed = if text.starts_with('-') { -magnitude } else { magnitude };
        i64::try_from(signed).map(Self).map_err(|_| AmountError::OutOfRange)
    }

    /// Decimal text with at least `min_places` decimals (six are the most there are) and as many more as
    /// the value needs: with 2, forty is `40.00` and 1.2345 stays `1.2345`.
    pub fn to_text(self, min_places: usize) -> String {
        let magnitude = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let whole = magnitude / UNIT.unsigned_abs();
        let fraction = format!("{:06}", magnitude % UNIT.unsigned_abs());
        let needed = fraction.trim_end_matches('0').len();
        match &fraction[..needed.max(min_places.min(PLACES))] {
            "" => format!("{sign}{whole}"),
            shown => format!("{sign}{whole}.{shown}"),
        }
    }

    /// The sum, or `None` beyond what an amount can hold.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The difference, or `None` beyond what an amount can hold.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// `self * num / den`, exact up to the one division and rounded there to the millionth.
    /// A percentage is a ratio too: 50 % of an amount is `mul_ratio(50, 100, …)`.
    ///
    /// `None` when `den` is zero or the result is beyond what an amount can hold.
    pub fn mul_ratio(self, num: i64, den: i64, rounding: Rounding) -> Option<Self> {
        let product = i128::from(self.0) * i128::from(num);
        let quotient = divide(product, i128::from(den), rounding)?;
        i64::try_from(quotient).ok().map(Self)
    }

    /// `num / den` cents, rounded once: for figures that stay exact over several steps and become money at last.
    ///
    /// `None` when `den` is zero or the result is beyond what an amount can hold.
    pub fn from_cents_ratio(num: i128, den: i128, rounding: Rounding) -> Option<Self> {
        let cents = i64::try_from(divide(num, den, rounding)?).ok()?;
        cents.checked_mul(CENT).map(Self)
    }

    /// The same amount in whole cents.
    ///
    /// # Panics
    /// Where rounding away from zero leaves the range of [`Amount::from_cents`].
    pub fn round_to_cents(self, rounding: Rounding) -> Self {
        let cents = self.0 / CENT;
        let rest = (self.0 % CENT).abs();
        let away = match rounding {
            Rounding::HalfUp => rest * 2 >= CENT,
            Rounding::Down => false,
            Rounding::Up => rest > 0,
        };
        Self::from_cents(if away { cents + self.0.signum() } else { cents })
    }
}

/// As exact decimal text, such as `"40"` or `"17.125"`.
impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text(0))
    }
}

/// From text that [`Amount::parse`] accepts.
impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DecimalText;

        impl Visitor<'_> for DecimalText {
            type Value = Amount;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an amount as decimal text")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Amount, E> {
                Amount::parse(text).map_err(|error| E::custom(format_args!("amount {text:?} {error}")))
            }
        }

        deserializer.deserialize_str(DecimalText)
    }
}

/// Money as people write it: at least two places.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text(2))
    }
}

/// The exponent of `1e2`: an optional sign and digits.
fn read_exponent(text: &str) -> Result<i64, AmountError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(AmountError::NotANumber);
    }
    // Nine digits are far beyond any exponent that fits, and keep the sums below from overflowing.
    if digits.len() > 9 {
        Err(AmountError::OutOfRange)
    } else {
        text.parse().map_err(|_| AmountError::NotANumber)
    }
}

/// `digits * 10^exponent` in millionths, where `digits` are ASCII digits only.
fn scale(digits: &str, exponent: i64) -> Result<i128, AmountError> {
    // Zeros at either end say nothing about the value, so they may not decide whether it fits.
    let shortened = digits.trim_end_matches('0');
    let significant = shortened.trim_start_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    let zeros_dropped = (digits.len() - shortened.len()) as i64;
    let power = exponent + zeros_dropped + PLACES as i64;
    if power < 0 {
        return Err(AmountError::TooManyPlaces);
    }
    let number = significant.parse::<i128>().ok();
    let tens = u32::try_from(power).ok().and_then(|power| 10_i128.checked_pow(power));
    number.zip(tens).and_then(|(number, tens)| number.checked_mul(tens)).ok_or(AmountError::OutOfRange)
}

/// `num / den` as a whole number; `None` when `den` is zero.
fn divide(num: i128, den: i128, rounding: Rounding) -> Option<i128> {
    // Nearly every figure of a payroll fits half the width, where a division costs a fraction.
    let (quotient, rest) = match (i64::try_from(num), i64::try_from(den)) {
        (Ok(num), Ok(den)) if den > 0 => (i128::from(num / den), i128::from(num % den).unsigned_abs()),
        _ => (num.checked_div(den)?, (num % den).unsigned_abs()),
    };
    let away = match rounding {
        Rounding::HalfUp => rest * 2 >= den.unsigned_abs(),
        Rounding::Down => false,
        Rounding::Up => rest > 0,
    };
    // The quotient may be zero and has then lost its sign, so that the sign is taken from the operands.
    Some(if away { quotient + num.signum() * den.signum() } else { quotient })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn millionths(text: &str) -> Result<i64, AmountError> {
        Amount::parse(text).map(Amount::millionths)
    }

    #[test]
    fn money_is_read_exactly() {
        let golden = [
            ("0", 0),
            ("-0.00", 0),
            ("40.00", 40_000_000),
            ("+17.125", 17_125_000),
            ("-0.5", -500_000),
            ("0.000001", 1),
            ("007", 7_000_000),
            ("1.50000000", 1_500_000),
            ("1e2", 100_000_000),
            ("1.5E+3", 1_500_000_000),
            ("25e-2", 250_000),
            ("1000e-9", 1),
            ("0e999999999", 0),
            ("9223372036854.775807", i64::MAX),
            ("-9223372036854.775808", i64::MIN),
        ];
        for (text, expected) in golden {
            assert_eq!(millionths(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_ratio_of_cents_is_rounded_once_whatever_its_width() {
        let cents =
            |num, den| Amount::from_cents_ratio(num, den, Rounding::HalfUp).map(Amount::cents_half_up);
        assert_eq!(cents(7, 2), Some(4));
        assert_eq!(cents(-7, 2), Some(-4));
        assert_eq!(cents(7, -2), Some(-4));
        let wide = i128::from(i64::MAX) * 1_000;
        assert_eq!(cents(wide * 7, wide * 2), Some(4));
        assert_eq!(cents(wide * 5, wide * 4), Some(1));
        assert_eq!(cents(1, 0), None);
        assert_eq!(cents(wide, 1), None);
    }

    #[test]
    fn what_is_no_amount_is_refused_with_its_reason() {
        use AmountError::{NotANumber, OutOfRange, TooManyPlaces};
        for text in [
            "", "-", ".5", "5.", ".", "1,000", " 1", "1 ", "$5", "--1", "1.2.3", "1e", "1e1.5", "0x1", "NaN",
            "٣",
        ] {
            assert_eq!(millionths(text), Err(NotANumber), "{text:?}");
        }
        for text in ["0.0000001", "1e-7", "1.2345678", "1e-999999999", &format!("0.{}", "3".repeat(80))] {
            assert_eq!(millionths(text), Err(TooManyPlaces), "{text:?}");
        }
        let long = "9".repeat(400);
        for text in ["9223372036854.775808", "1e13", "1e999999999", "1e99999999999", &long] {
            assert_eq!(millionths(text), Err(OutOfRange), "{text:?}");
        }
    }

    #[test]
    fn only_exact_decimal_text_is_deserialised() {
        for wrong in ["40", "40.5", "null", r#""""#, r#""40,00""#, r#""0.0000001""#, r#""1e13""#] {
            assert!(serde_json::from_str::<Amount>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn money_is_written_with_two_places_and_never_loses_a_digit() {
        let golden = [
            (40_000_000, "40.00"),
            (-500_000, "-0.50"),
            (1_234_500, "1.2345"),
            (1, "0.000001"),
            (i64::MIN, "-9223372036854.775808"),
        ];
        for (value, text) in golden {
            assert_eq!(Amount::from_millionths(value).to_text(2), text);
        }
        assert_eq!(Amount::from_cents(4_000).to_text(0), "40");
        assert_eq!(Amount::from_cents(4_050).to_text(9), "40.500000");
        assert_eq!(Amount::from_cents(-4_050).to_string(), "-40.50");
    }

    #[test]
    fn half_a_cent_goes_away_from_zero() {
        let golden = [(5_000, 1), (4_999, 0), (-5_000, -1), (-4_999, 0), (14_999, 1), (15_000, 2)];
        for (value, cents) in golden {
            assert_eq!(Amount::from_millionths(value).cents_half_up(), cents, "{value}");
        }
        let third = Amount::from_cents(10_000).mul_ratio(1, 3, Rounding::HalfUp).unwrap();
        assert_eq!(third.to_text(2), "33.333333");
        assert_eq!(third.round_to_cents(Rounding::Up).to_text(2), "33.34");
        assert_eq!(third.round_to_cents(Rounding::Down).to_text(2), "33.33");
        let debt = Amount::from_millionths(-1);
        assert_eq!(debt.round_to_cents(Rounding::Up), Amount::from_cents(-1));
        assert_eq!(debt.round_to_cents(Rounding::Down), Amount::ZERO);
    }

    #[test]
    fn a_ratio_that_cannot_be_taken_is_none() {
        assert_eq!(MAX_AMOUNT.mul_ratio(1, 0, Rounding::Down), None);
        assert_eq!(MAX_AMOUNT.mul_ratio(i64::MAX, 1, Rounding::Down), None);
        assert_eq!(Amount(i64::MIN).mul_ratio(-1, 1, Rounding::Down), None);
        assert_eq!(Amount(i64::MAX).checked_add(Amount(1)), None);
        assert_eq!(Amount(i64::MIN).checked_sub(Amount(1)), None);
    }

    #[test]
    fn the_bounds_are_what_they_say() {
        assert_eq!(MAX_AMOUNT.to_text(2), "999999999.99");
        assert_eq!(MAX_RATE.to_text(2), "999999.99");
    }

    proptest! {
        #[test]
        fn every_amount_survives_being_written_and_read(value: i64, places in 0usize..8) {
            let amount = Amount::from_millionths(value);
            prop_assert_eq!(Amount::parse(&amount.to_text(places)), Ok(amount));
        }

        #[test]
        fn every_amount_is_serialised_as_exact_text(value: i64) {
            let amount = Amount::from_millionths(value);
            let text = serde_json::to_string(&amount).unwrap();
            prop_assert_eq!(&text, &format!("{:?}", amount.to_text(0)));
            prop_assert_eq!(serde_json::from_str::<Amount>(&text).unwrap(), amount);
        }

        #[test]
        fn no_text_makes_reading_panic(text in "[+-]?[0-9.eE+-]{0,24}") {
            let _ = Amount::parse(&text);
        }

        #[test]
        fn a_ratio_is_the_nearest_number_on_the_side_that_its_rounding_names(
            value: i64,
            num in -1_000_000i64..1_000_000,
            den in (-1_000_000i64..1_000_000).prop_filter("not zero", |den| *den != 0),
        ) {
            // Reference: r is the rounding of p / q exactly when r * q lies this close to p.
            let product = i128::from(value) * i128::from(num);
            for rounding in [Rounding::HalfUp, Rounding::Down, Rounding::Up] {
                let Some(result) = Amount::from_millionths(value).mul_ratio(num, den, rounding) else {
                    prop_assert!((product / i128::from(den)).unsigned_abs() >= i64::MAX.unsigned_abs().into());
                    continue;
                };
                let back = i128::from(result.millionths()) * i128::from(den);
                let (exact, back_size) = (product.unsigned_abs(), back.unsigned_abs());
                let width = i128::from(den).unsigned_abs();
                prop_assert!(back == 0 || back.signum() == product.signum());
                match rounding {
                    Rounding::Down => prop_assert!(back_size <= exact && exact - back_size < width),
                    Rounding::Up => prop_assert!(back_size >= exact && back_size - exact < width),
                    Rounding::HalfUp => {
                        prop_assert!(exact.abs_diff(back_size) * 2 <= width);
                        let tie = exact.abs_diff(back_size) * 2 == width;
                        prop_assert!(!tie || back_size > exact, "a tie goes away from zero");
                    }
                }
            }
        }

        #[test]
        fn rounding_to_cents_agrees_with_counting_cents(value in -1_000_000_000_000i64..1_000_000_000_000) {
            let amount = Amount::from_millionths(value);
            let nearest = amount.round_to_cents(Rounding::HalfUp);
            prop_assert_eq!(nearest, Amount::from_cents(amount.cents_half_up()));
            let (down, up) = (amount.round_to_cents(Rounding::Down), amount.round_to_cents(Rounding::Up));
            prop_assert!(down.millionths().abs() <= value.abs() && up.millionths().abs() >= value.abs());
            prop_assert!((up.millionths() - down.millionths()).abs() <= 10_000);
        }
    }
}
