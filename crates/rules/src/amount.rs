//! Exact decimal numbers for money, rates, hours and percentages.
//!
//! Pay must come out the same to the cent on every machine, so there is no floating point. An [`Amount`] is
//! an integer number of millionths: enough for money, rates of pay, percentages and thousandths of hours. It
//! is parsed from decimal text ([`Amount::parse`]) and formatted as decimal text ([`Amount::to_text`]).
//! [`Amount::mul_ratio`] multiplies exactly and divides and rounds once, in a given direction. Overflow is
//! always reported.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Millionths per unit.
const UNIT: i64 = 1_000_000;
/// Millionths per cent.
const CENT: i64 = 10_000;
/// Decimal places of an amount.
const PLACES: usize = 6;
/// Bytes of the longest text: that of the smallest amount.
const LONGEST: usize = 21;

/// Largest monetary amount of any input: 999,999,999.99.
pub const MAX_AMOUNT: Amount = Amount(999_999_999_990_000);
/// Largest hourly rate of any input: 999,999.99.
pub const MAX_RATE: Amount = Amount(999_999_990_000);

/// An exact decimal number in millionths. The unit (dollars, hours, percent) is up to the caller.
///
/// The range is about ±9.2 trillion.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Amount(i64);

/// Rounding direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, VariantArray, IntoStaticStr, EnumString)]
pub enum Rounding {
    /// To the nearest, half away from zero.
    #[strum(serialize = "half_up")]
    HalfUp,
    /// Toward zero.
    #[strum(serialize = "down")]
    Down,
    /// Away from zero.
    #[strum(serialize = "up")]
    Up,
}

/// Why a text is not a valid [`Amount`]. `Display` completes a sentence that begins with the name of the
/// attribute: "rate must be …".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AmountError {
    /// Not a decimal number.
    NotANumber,
    /// More than six significant decimal places.
    TooManyPlaces,
    /// Out of range.
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
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// Creates an amount from millionths.
    pub const fn from_millionths(millionths: i64) -> Self {
        Self(millionths)
    }

    /// Returns the amount in millionths.
    pub const fn millionths(self) -> i64 {
        self.0
    }

    /// Creates an amount from cents.
    ///
    /// # Panics
    /// Panics beyond nine trillion dollars, which bounded inputs and their sums never reach.
    pub const fn from_cents(cents: i64) -> Self {
        match cents.checked_mul(CENT) {
            Some(millionths) => Self(millionths),
            None => panic!("so many cents cannot come from amounts within their bounds"),
        }
    }

    /// Returns whole cents, rounded half away from zero.
    pub fn cents_half_up(self) -> i64 {
        let cents = self.0 / CENT;
        if (self.0 % CENT).abs() * 2 >= CENT { cents + self.0.signum() } else { cents }
    }

    /// Parses decimal text such as `40`, `-0.5` or `+17.125`, or with an exponent as in JSON (`1.5e3`). The
    /// decimal point needs a digit on both sides; blanks and thousands separators are not allowed. The value
    /// is never rounded.
    pub fn parse(text: &str) -> Result<Self, AmountError> {
        if let Some(plain) = read_plain(text) {
            return Ok(plain);
        }
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
        let magnitude = scale_to_millionths(&digits, exponent - fraction.len() as i64)?;
        let signed = if text.starts_with('-') { -magnitude } else { magnitude };
        i64::try_from(signed).map(Self).map_err(|_| AmountError::OutOfRange)
    }

    /// Formats as decimal text with at least `min_places` decimals (at most six) and as many more as needed:
    /// with 2, forty is `40.00` and 1.2345 is `1.2345`.
    pub fn to_text(self, min_places: usize) -> String {
        self.written(min_places, &mut [0; LONGEST]).to_owned()
    }

    /// Writes the text of [`Amount::to_text`] into a buffer: paychecks are stored with a hundred amounts each.
    fn written(self, min_places: usize, buffer: &mut [u8; LONGEST]) -> &str {
        let magnitude = self.0.unsigned_abs();
        let (mut whole, mut fraction) = (magnitude / UNIT.unsigned_abs(), magnitude % UNIT.unsigned_abs());
        let mut places = PLACES;
        while places > min_places && fraction.is_multiple_of(10) {
            (fraction, places) = (fraction / 10, places - 1);
        }
        let mut at = LONGEST;
        let mut put = |byte: u8| {
            at -= 1;
            buffer[at] = byte;
        };
        for _ in 0..places {
            put(digit(fraction));
            fraction /= 10;
        }
        if places > 0 {
            put(b'.');
        }
        put(digit(whole));
        while whole >= 10 {
            whole /= 10;
            put(digit(whole));
        }
        if self.0 < 0 {
            put(b'-');
        }
        std::str::from_utf8(&buffer[at..]).unwrap_or_default()
    }

    /// Whether it is zero.
    pub const fn is_zero(&self) -> bool {
        self.0 == 0
    }

    /// Adds. `None` on overflow.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// Subtracts. `None` on overflow.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// Returns `self * num / den`, rounded once to the millionth. 50 % of an amount is `mul_ratio(50, 100,
    /// …)`.
    ///
    /// `None` if `den` is zero, and on overflow.
    pub fn mul_ratio(self, num: i64, den: i64, rounding: Rounding) -> Option<Self> {
        let product = i128::from(self.0) * i128::from(num);
        let quotient = divide_rounded(product, i128::from(den), rounding)?;
        i64::try_from(quotient).ok().map(Self)
    }

    /// Returns `num / den` cents, rounded once, for figures that stay exact over several steps.
    ///
    /// `None` if `den` is zero, and on overflow.
    pub fn from_cents_ratio(num: i128, den: i128, rounding: Rounding) -> Option<Self> {
        let cents = i64::try_from(divide_rounded(num, den, rounding)?).ok()?;
        cents.checked_mul(CENT).map(Self)
    }

    /// Rounds to whole cents.
    ///
    /// # Panics
    /// Panics if the result is out of range for [`Amount::from_cents`].
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

/// Sums, differences and multiples overflow only beyond what bounded inputs and their sums ever reach; then they panic, as those of integers do.
impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Amount {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<i64> for Amount {
    type Output = Self;

    fn mul(self, times: i64) -> Self {
        Self(self.0 * times)
    }
}

impl Neg for Amount {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Amount {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

/// Formats dollars with [`Amount::to_text`], with at least two decimal places.
pub fn dollars_text(amount: Amount) -> String {
    amount.to_text(2)
}

/// Serializes as exact decimal text, such as `"40"` or `"17.125"`.
impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.written(0, &mut [0; LONGEST]))
    }
}

/// Deserializes from text accepted by [`Amount::parse`]; numbers are errors.
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

/// Formats as money, with at least two decimal places.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.written(2, &mut [0; LONGEST]))
    }
}

/// Returns the last digit of a number.
fn digit(number: u64) -> u8 {
    b'0' + (number % 10) as u8
}

/// Parses text as [`Amount::to_text`] writes it: digits, and at most six after a decimal point. `None` for any other text, which may be
/// an amount or not.
fn read_plain(text: &str) -> Option<Amount> {
    /// So many digits fit 64 bits whatever they are.
    const MOST: usize = 18;
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.len() > PLACES || whole.len() > MOST - PLACES {
        return None;
    }
    let mut number = 0;
    for byte in whole.bytes().chain(fraction.bytes()) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + i64::from(digit);
    }
    for _ in fraction.len()..PLACES {
        number *= 10;
    }
    Some(Amount(if unsigned.len() < text.len() { -number } else { number }))
}

/// Parses the exponent of `1e2`: an optional sign and digits.
fn read_exponent(text: &str) -> Result<i64, AmountError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(AmountError::NotANumber);
    }
    // Nine digits exceed every representable exponent and keep the sums below from overflowing.
    if digits.len() > 9 {
        Err(AmountError::OutOfRange)
    } else {
        text.parse().map_err(|_| AmountError::NotANumber)
    }
}

/// Returns `digits * 10^exponent` in millionths; `digits` are ASCII digits.
fn scale_to_millionths(digits: &str, exponent: i64) -> Result<i128, AmountError> {
    // Leading and trailing zeros must not decide whether the value fits.
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

/// Returns `num / den` as an integer; `None` if `den` is zero.
fn divide_rounded(num: i128, den: i128, rounding: Rounding) -> Option<i128> {
    // Nearly every figure fits 64 bits, where division is much cheaper.
    let (quotient, rest) = match (i64::try_from(num), i64::try_from(den)) {
        (Ok(num), Ok(den)) if den > 0 => (i128::from(num / den), i128::from(num % den).unsigned_abs()),
        _ => (num.checked_div(den)?, (num % den).unsigned_abs()),
    };
    let away = match rounding {
        Rounding::HalfUp => rest * 2 >= den.unsigned_abs(),
        Rounding::Down => false,
        Rounding::Up => rest > 0,
    };
    // A zero quotient has lost its sign, so take the sign from the operands.
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
    fn only_exact_decimal_text_is_deserialized() {
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
        fn every_amount_is_serialized_as_exact_text(value: i64) {
            let amount = Amount::from_millionths(value);
            let text = serde_json::to_string(&amount).unwrap();
            prop_assert_eq!(&text, &format!("{:?}", amount.to_text(0)));
            prop_assert_eq!(serde_json::from_str::<Amount>(&text).unwrap(), amount);
        }

        #[test]
        fn a_plus_sign_changes_nothing(text in r"[0-9]{0,20}(\.[0-9]{0,8})?") {
            prop_assert_eq!(Amount::parse(&format!("+{text}")), Amount::parse(&text));
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
