//! Money as people read it: with a dollar sign and thousands separators.

use crate::amount::Amount;

/// Formats cents, such as `$135,980.00`.
pub fn format_cents(cents: i64) -> String {
    dollars_of(&Amount::from_cents(cents).to_text(2))
}

/// Formats decimal text, such as `-$123.45`.
pub fn dollars_of(text: &str) -> String {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |text| ("-", text));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "00"));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}${grouped}.{fraction}")
}

/// Formats an amount with at least two decimal places.
pub fn format_amount(amount: Amount) -> String {
    dollars_of(&amount.to_text(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_written_in_groups_of_thousands() {
        assert_eq!(format_cents(13_598_000), "$135,980.00");
        assert_eq!(format_cents(99), "$0.99");
        assert_eq!(format_cents(-12_345), "-$123.45");
        assert_eq!(dollars_of("1234567.12345678"), "$1,234,567.12345678");
        assert_eq!(dollars_of("1500"), "$1,500.00");
    }
}
