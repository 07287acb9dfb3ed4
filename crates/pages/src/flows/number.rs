//! Numbers as people write them.

use rules::Amount;

/// A number as people write it: with an optional dollar sign, percent sign, and commas between groups of three digits;
/// `None` if it is empty. Any other comma may be meant as a decimal point, and dropping it would turn 20,50 into 2,050
/// dollars: such a number is refused, as is scientific notation (`1e3`).
pub fn written_number(text: &str) -> Option<Amount> {
    let text = text.trim().trim_start_matches('$').trim_end_matches('%').trim();
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (unsigned, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split(',');
    let first = groups.next().filter(|first| digits(first))?;
    let grouped = whole.len() > first.len();
    if (grouped && first.len() > 3) || !groups.all(|group| group.len() == 3 && digits(group)) {
        return None;
    }
    if !fraction.is_none_or(digits) {
        return None;
    }
    Amount::parse(&text.replace(',', "")).ok()
}

/// The same as text for the rules; if it is not a number, text that they refuse.
pub fn number_text(text: &str) -> String {
    written_number(text).map_or_else(|| "?".to_owned(), |number| number.to_text(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (written, read) in [
            (" $1,234.50 ", "1234.5"),
            ("0", "0"),
            ("2000", "2000"),
            ("$ 25", "25"),
            ("1,000", "1000"),
            ("62,000", "62000"),
            ("12,345,678.9", "12345678.9"),
            ("3.2%", "3.2"),
            ("-1", "-1"),
        ] {
            assert_eq!(number_text(written), read, "{written}");
        }
    }

    #[test]
    fn a_comma_that_may_be_a_decimal_point_makes_no_number() {
        for wrong in [
            "20,50", "40,5", "25,50", "1,23", "12,3456", "1234,567", "1,2345", ",500", "1,,000", "1,000,",
            "1.000,50", "1.5,000", "1e3", "1 000", "", "$", ".5", "5.", "+5", "two",
        ] {
            assert_eq!(written_number(wrong), None, "{wrong}");
        }
    }
}
