//! Social Security and telephone numbers.

use super::is_digits;
use crate::violation::Violation;

/// Validates a Social Security number: nine digits without dashes. Messages never contain the value.
///
/// Numbers that the Social Security Administration does not assign are rejected: area 000, 666 and 900 to 999
/// (taxpayer identification numbers begin with 9 and cannot be used on a Form W-2), group 00 and serial 0000; and
/// numbers that were printed as examples and are entered as placeholders.
/// Source: 20 CFR 422.103; SSA, Social Security Number Randomization, and Meaning of the Social Security Number.
pub fn parse_ssn(key: &str, value: &str) -> Result<String, Violation> {
    if !is_digits(value, 9) {
        return Err(Violation::invalid(key, format!("{key} must have nine digits, without dashes")));
    }
    let (area, group, serial) = (&value[..3], &value[3..5], &value[5..]);
    if matches!(area, "000" | "666") || area.starts_with('9') || group == "00" || serial == "0000" {
        let message = format!(
            "{key} is not a Social Security number that is assigned: the first three digits cannot be 000, 666 or \
             900 to 999, the next two not 00, the last four not 0000"
        );
        return Err(Violation::invalid(key, message));
    }
    if NEVER_ISSUED.contains(&value) {
        let message = format!(
            "{key} is an example that is nobody's Social Security number; use the number on the employee's card"
        );
        return Err(Violation::invalid(key, message));
    }
    Ok(value.to_owned())
}

/// Numbers that were printed on sample cards and in pamphlets (078-05-1120, 219-09-9999), and what is typed in place of a number. The
/// Social Security Administration voided the former and assigns none of them.
const NEVER_ISSUED: [&str; 4] = ["078051120", "219099999", "111111111", "123456789"];

/// Validates the taxpayer identification number of an individual who is no employee: a Social Security number, or an individual taxpayer
/// identification number (ITIN), which begins with 9 and has 50 to 65, 70 to 88, 90 to 92 or 94 to 99 in its fourth and fifth place.
/// Source: Internal Revenue Manual 3.21.263.
pub fn ssn_or_itin(key: &str, value: &str) -> Result<String, Violation> {
    if !is_digits(value, 9) || !value.starts_with('9') {
        return parse_ssn(key, value);
    }
    let group: u8 = value[3..5].parse().unwrap_or(0);
    if matches!(group, 50..=65 | 70..=88 | 90..=92 | 94..=99) {
        return Ok(value.to_owned());
    }
    let message = format!(
        "{key} is not an individual taxpayer identification number that is assigned: after 9 and two digits, the next two are 50 to 65, \
         70 to 88, 90 to 92 or 94 to 99"
    );
    Err(Violation::invalid(key, message))
}

/// Like [`parse_ssn`], but also accepts the dashes printed on the card, which published components send for a signatory.
pub fn ssn_as_on_card(key: &str, value: &str) -> Result<String, Violation> {
    let parts: Vec<_> = value.split('-').collect();
    match parts.as_slice() {
        [area, group, serial] if (area.len(), group.len(), serial.len()) == (3, 2, 4) => {
            parse_ssn(key, &parts.concat())
        }
        _ => parse_ssn(key, value),
    }
}

/// Validates a U.S. telephone number in any notation: ten digits, with or without the country code 1, spaces, hyphens,
/// dots, slashes and parentheses. Returns the ten digits.
pub fn parse_phone(key: &str, value: &str) -> Result<String, Violation> {
    let is_punctuation = |c: char| matches!(c, ' ' | '-' | '.' | '/' | '(' | ')');
    let rest = value.trim();
    let digits: String =
        rest.strip_prefix('+').unwrap_or(rest).chars().filter(|c| !is_punctuation(*c)).collect();
    let national = if digits.len() == 11 { digits.strip_prefix('1').unwrap_or(&digits) } else { &digits };
    if is_digits(national, 10) && (!rest.starts_with('+') || digits.len() == 11) {
        return Ok(national.to_owned());
    }
    let message =
        format!("{key} must be a telephone number of ten digits, such as 4155550100 or (415) 555-0100");
    Err(Violation::invalid(key, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_individual_without_a_social_security_number_may_have_a_number_of_the_irs() {
        for number in ["900501234", "912701234", "999881234", "900941234", "412551099"] {
            assert_eq!(ssn_or_itin("ssn", number).as_deref(), Ok(number));
        }
        for number in
            ["900491234", "900661234", "900891234", "900931234", "666123456", "90050123", "9005012345"]
        {
            assert!(ssn_or_itin("ssn", number).is_err(), "{number}");
        }
    }

    #[test]
    fn a_social_security_number_is_one_that_is_assigned() {
        for fine in ["412551077", "001010001", "899999999", "665010001", "667010001"] {
            assert_eq!(parse_ssn("ssn", fine).as_deref(), Ok(fine));
        }
        let unassigned = ["000123456", "666123456", "900123456", "999123456", "123006789", "123450000"];
        let malformed =
            ["", "12345678", "1234567890", "123-45-6789", "12345678a", "１２３456789", " 12345678"];
        for wrong in unassigned.into_iter().chain(malformed) {
            assert!(parse_ssn("ssn", wrong).is_err(), "{wrong}");
        }
        for example in ["078051120", "219099999", "111111111", "123456789"] {
            let refused = parse_ssn("ssn", example).unwrap_err();
            assert!(refused.message.starts_with("ssn is an example") && !refused.message.contains(example));
        }
        assert!(ssn_as_on_card("ssn", "078-05-1120").is_err());
        for card in ["412551077", "412-55-1077"] {
            assert_eq!(ssn_as_on_card("ssn", card).as_deref(), Ok("412551077"));
        }
        for wrong in ["000-12-3456", "1234-5-6789", "123-456789", "123--456789", "12-345-6789"] {
            assert!(ssn_as_on_card("ssn", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_telephone_number_has_ten_digits() {
        for written in [
            "4155550100",
            "14155550100",
            "(415) 555-0100",
            "415-555-0100",
            "415.555.0100",
            "+1 (415) 555 0100",
            " 1-415-555-0100 ",
        ] {
            assert_eq!(parse_phone("phone", written).as_deref(), Ok("4155550100"), "{written}");
        }
        for wrong in [
            "",
            "()",
            "415555010",
            "24155550100",
            "+4155550100",
            "+44 155550100",
            "415555010a",
            "415555０100",
            "++14155550100",
        ] {
            assert!(parse_phone("phone", wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_refused_social_security_number_is_never_echoed(value in "(000|666|9[0-9]{2})[0-9]{6}|[0-9]{4,8}") {
            let violation = parse_ssn("ssn", &value).unwrap_err();
            let shown = format!("{violation:?}");
            // The message lists what a serial number cannot be.
            prop_assert!(!shown.contains(&value) || value == "0000");
        }
    }
}
