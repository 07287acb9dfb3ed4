//! Bank account numbers.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Named;
use crate::check;
use crate::violation::Violation;

/// Maximum length of an account number (NACHA operating rules: DFI account number).
const ACCOUNT_MAX: usize = 17;
/// Number of digits that a masked account number shows.
const SHOWN: usize = 4;

/// Type of a bank account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum AccountType {
    /// A checking account.
    #[strum(serialize = "Checking")]
    Checking,
    /// A savings account.
    #[strum(serialize = "Savings")]
    Savings,
}

/// Validates an account type, Checking or Savings.
pub fn account_type(key: &str, value: &str) -> Result<AccountType, Violation> {
    check::parse_named(key, value, &AccountType::names(), AccountType::parse)
}

/// Validates a routing number: nine digits, of which the first two are a Federal Reserve or other assigned
/// prefix (00 to 12, 21 to 32, 61 to 72, 80) and the last is a check digit: the digits weighted by 3, 7 and 1
/// in turn add up to a multiple of ten. Source: American Bankers Association, routing number policy.
pub fn routing_number(key: &str, value: &str) -> Result<String, Violation> {
    if value.len() != 9 || !is_digits(value) {
        return Err(Violation::invalid(
            key,
            format!("{key} must have nine digits, without spaces or dashes"),
        ));
    }
    let digits = || value.bytes().map(|byte| u32::from(byte - b'0'));
    let district = digits().take(2).fold(0, |number, digit| number * 10 + digit);
    let sum: u32 = digits().zip([3, 7, 1].into_iter().cycle()).map(|(digit, weight)| digit * weight).sum();
    // Nine zeros have a valid checksum but are not assigned.
    let assigned = matches!(district, 0..=12 | 21..=32 | 61..=72 | 80) && sum > 0;
    if assigned && sum.is_multiple_of(10) {
        return Ok(value.to_owned());
    }
    let message = format!(
        "{key} is not a routing number of a bank: its first two digits or its check digit do not fit; it is the \
         nine-digit number at the bottom left of a check"
    );
    Err(Violation::invalid(key, message))
}

/// Validates an account number: 1 to 17 digits without spaces or dashes, not only zeros. Messages never contain the value.
pub fn account_number(key: &str, value: &str) -> Result<String, Violation> {
    if (1..=ACCOUNT_MAX).contains(&value.len()) && is_digits(value) {
        if value.bytes().all(|digit| digit == b'0') {
            return Err(Violation::invalid(key, format!("{key} cannot consist of zeros alone")));
        }
        return Ok(value.to_owned());
    }
    let message = format!("{key} must have 1 to {ACCOUNT_MAX} digits, without spaces or dashes");
    Err(Violation::invalid(key, message))
}

/// Masks an account number: four X and the last four digits, or only the four X if the number has no more
/// digits. Does not reveal the length.
pub fn mask_account_number(account_number: &str) -> String {
    let count = account_number.chars().count();
    let hidden = if count > SHOWN { count - SHOWN } else { count };
    let shown: String = account_number.chars().skip(hidden).collect();
    format!("XXXX{shown}")
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_routing_number_has_a_check_digit() {
        // The Federal Reserve Banks of Boston, New York and San Francisco, and the Treasury.
        for fine in ["011000015", "021001208", "121000374", "000000518"] {
            assert_eq!(routing_number("routing_number", fine).as_deref(), Ok(fine));
        }
        for wrong in ["011000016", "021001028", "000000000"] {
            assert!(routing_number("routing_number", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_routing_number_begins_with_a_district_that_is_assigned() {
        let begins = |district: u32| {
            (0..=9)
                .any(|digit| routing_number("routing_number", &format!("{district:02}100000{digit}")).is_ok())
        };
        let assigned: Vec<_> = (0..100).filter(|district| begins(*district)).collect();
        let expected: Vec<_> = (0..=12).chain(21..=32).chain(61..=72).chain([80]).collect();
        assert_eq!(assigned, expected);
    }

    #[test]
    fn a_routing_number_is_nine_digits_and_nothing_else() {
        for wrong in ["", "01100001", "0110000155", "011-00001", " 11000015", "01100001５"] {
            let message = "routing_number must have nine digits, without spaces or dashes";
            let expected = Violation::invalid("routing_number", message);
            assert_eq!(routing_number("routing_number", wrong), Err(expected), "{wrong}");
        }
    }

    #[test]
    fn an_account_number_is_up_to_17_digits() {
        for fine in ["1", "0000123456", "12345678901234567"] {
            assert_eq!(account_number("account_number", fine).as_deref(), Ok(fine));
        }
        for wrong in ["", "123456789012345678", "12 34", "12-34", "１２３", "DE12", "0", "0000000000"] {
            assert!(account_number("account_number", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_account_is_for_checking_or_for_savings() {
        for kind in [AccountType::Checking, AccountType::Savings] {
            assert_eq!(account_type("account_type", kind.as_str()), Ok(kind));
            assert_eq!(AccountType::parse(kind.as_str()), Some(kind));
        }
        let refused = account_type("account_type", "checking").unwrap_err();
        assert_eq!(refused.message, "account_type must be one of: Checking, Savings");
    }

    #[test]
    fn of_an_account_number_the_last_four_digits_are_shown_and_never_all() {
        let golden = [
            ("123456781234", "XXXX1234"),
            ("12345", "XXXX2345"),
            ("1234", "XXXX"),
            ("1", "XXXX"),
            ("", "XXXX"),
        ];
        for (number, shown) in golden {
            assert_eq!(mask_account_number(number), shown);
        }
    }

    proptest! {
        #[test]
        fn a_refused_account_number_is_never_echoed(value in "[0-9]{18,30}|[0-9]{5,10}[ -][0-9]{5,10}") {
            let violation = account_number("account_number", &value).unwrap_err();
            let shown = format!("{violation:?}");
            prop_assert!(!shown.contains(&value));
            prop_assert!(value.split([' ', '-']).all(|part| !shown.contains(part)));
        }
    }
}
