//! How the lines of a pay stub are written on pages: for the employee, and in the console.

use domain::people::forms::document::Section;

use crate::salary_report::dollars_of;

/// Sections whose values are hours or words, and no money.
const NO_MONEY: [&str; 3] = ["Pay period", "Time off", "Notes"];

/// A value of a section as people write it: money with its sign and its thousands.
pub fn shown(section: &Section, value: &str) -> String {
    let is_amount = value.split_once('.').is_some_and(|(whole, cents)| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits(whole.strip_prefix('-').unwrap_or(whole)) && cents.len() == 2 && digits(cents)
    });
    match is_amount && !NO_MONEY.contains(&section.heading.as_str()) {
        true => dollars_of(value),
        false => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_its_sign_and_thousands_and_hours_stay_hours() {
        let of = |heading: &str| Section { heading: heading.to_owned(), lines: Vec::new() };
        assert_eq!(shown(&of("Earnings"), "2769.23"), "$2,769.23");
        assert_eq!(shown(&of("Earnings"), "-5.00"), "-$5.00");
        assert_eq!(shown(&of("Time off"), "40.57"), "40.57");
        assert_eq!(shown(&of("Payment"), "3.077"), "3.077");
        assert_eq!(shown(&of("Earnings"), ""), "");
    }
}
