//! How the lines of a pay stub are formatted on pages: for the employee, and in the console.

use domain::people::forms::document::{DocumentLine, LineKind};

/// A formatted value of a line: money with its sign and thousands separators.
pub fn format_value(line: &DocumentLine, value: &str) -> String {
    line.format_value(value)
}

/// Whether a line is a total of those before it.
pub fn is_sum(line: &DocumentLine) -> bool {
    line.kind == LineKind::Sum
}

/// Whether a line is a heading over those after it.
pub fn is_group(line: &DocumentLine) -> bool {
    line.kind == LineKind::Group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_its_sign_and_thousands_and_hours_stay_hours() {
        let of =
            |kind, value| format_value(&DocumentLine::new("", "Regular Hours", value).with_kind(kind), value);
        assert_eq!(of(LineKind::Dollars, "2769.23"), "$2,769.23");
        assert_eq!(of(LineKind::Sum, "-5.00"), "-$5.00");
        assert_eq!(of(LineKind::Plain, "40.57"), "40.57");
        assert_eq!(of(LineKind::Dollars, ""), "");
    }
}
