//! Amounts in words, as written on checks.

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] =
    ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const SCALES: [(u64, &str); 4] = [
    (1_000_000_000_000, "trillion"),
    (1_000_000_000, "billion"),
    (1_000_000, "million"),
    (1_000, "thousand"),
];

/// Formats dollars in words and cents as a fraction, such as `One thousand two hundred thirty-four and 56/100`. Negative
/// amounts never appear on a check and are written without the sign.
pub fn dollars_in_words(cents: i64) -> String {
    let cents = cents.unsigned_abs();
    let mut words = number_in_words(cents / 100);
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{words} and {:02}/100", cents % 100)
}

fn number_in_words(number: u64) -> String {
    let mut words = Vec::new();
    let mut rest = number;
    for (scale, name) in SCALES {
        if rest >= scale {
            words.push(format!("{} {name}", number_in_words(rest / scale)));
            rest %= scale;
        }
    }
    if rest > 0 || words.is_empty() {
        words.push(below_a_thousand(rest));
    }
    words.join(" ")
}

fn below_a_thousand(number: u64) -> String {
    let word = |place: u64| SMALL.get(usize::try_from(place).unwrap_or(0)).copied().unwrap_or_default();
    let ten = |place: u64| TENS.get(usize::try_from(place).unwrap_or(0)).copied().unwrap_or_default();
    match (number / 100, number % 100) {
        (0, rest @ 0..=19) => word(rest).to_owned(),
        (0, rest) if rest % 10 == 0 => ten(rest / 10).to_owned(),
        (0, rest) => format!("{}-{}", ten(rest / 10), word(rest % 10)),
        (hundreds, 0) => format!("{} hundred", word(hundreds)),
        (hundreds, rest) => format!("{} hundred {}", word(hundreds), below_a_thousand(rest)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_are_written_as_on_checks() {
        let cases = [
            (0, "Zero and 00/100"),
            (1, "Zero and 01/100"),
            (1_999, "Nineteen and 99/100"),
            (2_000, "Twenty and 00/100"),
            (4_242, "Forty-two and 42/100"),
            (123_456, "One thousand two hundred thirty-four and 56/100"),
            (100_000, "One thousand and 00/100"),
            (90_071_005, "Nine hundred thousand seven hundred ten and 05/100"),
            (10_000_000_000, "One hundred million and 00/100"),
        ];
        for (cents, words) in cases {
            assert_eq!(dollars_in_words(cents), words);
        }
    }

    /// Parses a number in words.
    fn read(words: &str) -> u64 {
        let (mut total, mut below) = (0, 0);
        for word in words.split([' ', '-']) {
            let word = word.to_ascii_lowercase();
            let place = |list: &[&str]| list.iter().position(|held| *held == word).map(|place| place as u64);
            if let Some(small) = place(&SMALL) {
                below += small;
            } else if word == "hundred" {
                below *= 100;
            } else if let Some((scale, _)) = SCALES.iter().find(|(_, name)| *name == word) {
                total += below * scale;
                below = 0;
            } else {
                below += place(&TENS).unwrap() * 10;
            }
        }
        total + below
    }

    proptest! {
        #[test]
        fn an_amount_in_words_is_the_same_amount(cents in 0..99_999_999_999_i64) {
            let words = dollars_in_words(cents);
            let (dollars, fraction) = words.split_once(" and ").unwrap();
            prop_assert_eq!(read(dollars), u64::try_from(cents / 100).unwrap());
            prop_assert_eq!(fraction, format!("{:02}/100", cents % 100));
        }
    }
}
