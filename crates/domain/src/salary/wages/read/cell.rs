//! Cells of the published files.

use rules::Amount;

use super::super::release::Figure;

/// Seven digits of an area, six of an occupation: `15-1252` or `151252`.
pub fn parse_occupation_code(text: &str) -> Option<u32> {
    let digits: String = match text.split_once('-') {
        Some((major, minor)) if major.len() == 2 && minor.len() == 4 => [major, minor].concat(),
        Some(_) => return None,
        None => text.to_owned(),
    };
    parse_code(&digits, 6)
}

/// A code with an exact number of digits.
pub fn parse_code(text: &str, digits: usize) -> Option<u32> {
    let right = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if right { text.parse().ok() } else { None }
}

/// An integer: people, or dollars per year. Thousands separators are accepted.
pub fn parse_whole(text: &str) -> Option<u32> {
    let plain = text.replace(',', "");
    let whole = plain.strip_suffix(".0").or_else(|| plain.strip_suffix(".00")).unwrap_or(&plain);
    if whole.bytes().all(|byte| byte.is_ascii_digit()) { whole.parse().ok() } else { None }
}

/// Dollars with at most two places, in cents.
pub fn parse_cents(text: &str) -> Option<u32> {
    let amount = Amount::parse(&text.replace(',', "")).ok()?;
    let cents = amount.cents_half_up();
    if Amount::from_cents(cents) == amount { u32::try_from(cents).ok() } else { None }
}

/// A cell: empty, a mark, or a figure read by `read`. `*` and `**` are not available, `#` is at least the highest wage
/// that is published; the flat files write `-`.
pub fn parse_figure(text: &str, read: fn(&str) -> Option<u32>) -> Result<Figure, String> {
    match text.trim() {
        "" | "*" | "**" | "-" | "~" => Ok(Figure::MISSING),
        "#" => Ok(Figure::AT_LEAST),
        text => read(text)
            .map(Figure::of_value)
            .ok_or_else(|| format!("{text:?} is neither a figure nor a known mark")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_figures_or_known_marks() {
        assert_eq!(parse_figure("135980", parse_whole), Ok(Figure::of_value(135_980)));
        assert_eq!(parse_figure("135,980", parse_whole), Ok(Figure::of_value(135_980)));
        assert_eq!(parse_figure("24.51", parse_cents), Ok(Figure::of_value(2_451)));
        assert_eq!(parse_figure("24.5", parse_cents), Ok(Figure::of_value(2_450)));
        assert_eq!(parse_figure("#", parse_cents), Ok(Figure::AT_LEAST));
        for missing in ["", " ", "*", "**", "-"] {
            assert_eq!(parse_figure(missing, parse_whole), Ok(Figure::MISSING));
        }
        for wrong in ["x", "-5", "1.5", "1e9x", "##", "99999999999"] {
            parse_figure(wrong, parse_whole).unwrap_err();
        }
        for wrong in ["24.511", "-1", "n/a"] {
            parse_figure(wrong, parse_cents).unwrap_err();
        }
    }

    #[test]
    fn occupation_codes_have_two_forms() {
        assert_eq!(parse_occupation_code("15-1252"), Some(151_252));
        assert_eq!(parse_occupation_code("000000"), Some(0));
        for wrong in ["15-125", "1-51252", "15125", "15-12-52", "15_1252", ""] {
            assert_eq!(parse_occupation_code(wrong), None, "{wrong}");
        }
    }
}
