//! Routing numbers: nine digits, the last of which is a check digit.

use std::fmt;

use crate::Error;

/// The routing number of a bank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Routing([u8; 9]);

impl Routing {
    /// Reads nine digits.
    ///
    /// # Errors
    /// Not nine digits, zeros alone, or the check digit is wrong.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::invalid_field("routing number", "must be nine digits, the last of which checks the others")
        };
        let digits: [u8; 9] = text.as_bytes().try_into().map_err(|_| wrong())?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return Err(wrong());
        }
        let sum: u32 = digits
            .iter()
            .zip([3, 7, 1, 3, 7, 1, 3, 7, 1])
            .map(|(digit, weight)| u32::from(digit - b'0') * weight)
            .sum();
        if sum.is_multiple_of(10) && sum > 0 { Ok(Self(digits)) } else { Err(wrong()) }
    }

    /// The nine digits.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The eight digits that identify the bank.
    pub fn bank_digits(&self) -> &str {
        &self.as_str()[..8]
    }

    /// The eight digits as a number, for the hash of a batch.
    pub fn hash(&self) -> u64 {
        self.0[..8].iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
    }
}

impl fmt::Debug for Routing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_digit_checks_the_others() {
        let good = Routing::parse("021000021").unwrap();
        assert_eq!((good.as_str(), good.bank_digits(), good.hash()), ("021000021", "02100002", 2_100_002));
        for wrong in ["021000022", "000000000", "02100002", "0210000210", "02100002a", "", "١٢٣"] {
            assert!(Routing::parse(wrong).is_err(), "{wrong}");
        }
    }
}
