//! Normalized words for comparison: lower case, without accents, singular.

/// Words that say little about an occupation.
const FILLERS: [&str; 12] =
    ["a", "all", "an", "and", "except", "for", "in", "of", "or", "other", "the", "to"];

/// Maximum number of letters of a word; further ones do not distinguish it.
pub const LONGEST: usize = 24;

/// Whether a word says little about an occupation, such as "and": a query matches it, but is also searched without it.
pub fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word)
}

/// The words of a text, in order.
pub fn split_words(text: &str) -> Vec<String> {
    let plain = if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        deunicode::deunicode(text).to_ascii_lowercase()
    };
    // "Driver's" is one word, "Owner/Operator" two.
    let plain = plain.replace('\'', "");
    let parts = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    parts.map(|word| singular_form(&word[..word.len().min(LONGEST)])).collect()
}

fn singular_form(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("sses") {
        return format!("{stem}ss");
    }
    if word.len() > 4
        && let Some(stem) = word.strip_suffix("ies")
    {
        return format!("{stem}y");
    }
    match word.strip_suffix('s') {
        Some(stem) if word.len() > 3 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// A bit for each letter and digit that occurs in a word: words that differ in many are not similar.
pub fn letter_bits(word: &str) -> u64 {
    word.bytes().fold(0, |set, byte| {
        set | 1
            << match byte {
                b'a'..=b'z' => byte - b'a',
                b'0'..=b'9' => 26 + byte - b'0',
                _ => 40,
            }
    })
}

/// The number of letters to add, remove, change or swap with the next one to get from `a` to `b`; `None` beyond `most`.
pub fn edit_distance(a: &[u8], b: &[u8], most: usize) -> Option<usize> {
    const SIZE: usize = LONGEST + 1;
    if a.len() > LONGEST || b.len() > LONGEST || a.len().abs_diff(b.len()) > most {
        return None;
    }
    let (mut before_last, mut last, mut now) = ([0_usize; SIZE], [0_usize; SIZE], [0_usize; SIZE]);
    for (place, cell) in last.iter_mut().enumerate() {
        *cell = place;
    }
    for (i, x) in a.iter().enumerate() {
        now[0] = i + 1;
        let mut least = now[0];
        for (j, y) in b.iter().enumerate() {
            let changed = last[j] + usize::from(x != y);
            let mut best = changed.min(last[j + 1] + 1).min(now[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before_last[j - 1] + 1);
            }
            now[j + 1] = best;
            least = least.min(best);
        }
        if least > most {
            return None;
        }
        (before_last, last, now) = (last, now, before_last);
    }
    Some(last[b.len()]).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_lower_case_and_singular_and_none_is_dropped() {
        let all = ["secretary", "and", "waitress", "except", "legal"];
        assert_eq!(split_words("Secretaries and Waitresses, Except Legal"), all);
        assert_eq!(all.map(is_filler), [false, true, false, true, false]);
        assert_eq!(split_words("Owner/Operator's Assistant"), ["owner", "operator", "assistant"]);
        assert_eq!(split_words("Pâtissière"), ["patissiere"]);
        assert_eq!(split_words("business analysis bus gas"), ["business", "analysis", "bus", "gas"]);
        assert_eq!(split_words(" -- "), [""; 0]);
    }

    #[test]
    fn adding_removing_changing_or_swapping_a_letter_is_one_edit() {
        let of = |a: &str, b: &str| edit_distance(a.as_bytes(), b.as_bytes(), 3);
        for (a, b, steps) in [
            ("software", "software", Some(0)),
            ("softwre", "software", Some(1)),
            ("sofware", "software", Some(1)),
            ("softwaer", "software", Some(1)),
            ("softvare", "software", Some(1)),
            ("recieptionist", "receptionist", Some(1)),
            ("accontent", "accountant", Some(2)),
            ("abc", "xyz", Some(3)),
            ("nurse", "plumber", None),
            ("", "abc", Some(3)),
        ] {
            assert_eq!(of(a, b), steps, "{a} {b}");
        }
    }

    /// The same straight from the definition.
    fn slow(a: &[u8], b: &[u8]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let mut best = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    best = best.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        best = best.min(table[i - 2][j - 2] + 1);
                    }
                    best
                };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn the_distance_agrees_with_its_definition(a in "[abc]{0,8}", b in "[abc]{0,8}", most in 0_usize..4) {
            let expected = Some(slow(a.as_bytes(), b.as_bytes())).filter(|distance| *distance <= most);
            prop_assert_eq!(edit_distance(a.as_bytes(), b.as_bytes(), most), expected);
        }

        #[test]
        fn any_text_has_words(text in "\\PC{0,40}") {
            for word in split_words(&text) {
                prop_assert!(!word.is_empty() && word.len() <= LONGEST);
            }
        }
    }
}
