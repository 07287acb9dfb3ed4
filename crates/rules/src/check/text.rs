//! Text, names, e-mail addresses and choices.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::blank_violation;
use crate::named::Named;
use crate::violation::Violation;

/// Maximum length of a person's name, in characters.
const NAME_MAX: usize = 100;
/// Maximum octets of an e-mail address, its local part and each domain label (RFC 5321, 4.5.3.1; RFC 1035,
/// 2.3.4).
const EMAIL_MAX: usize = 254;
const EMAIL_LOCAL_MAX: usize = 64;
const EMAIL_LABEL_MAX: usize = 63;
/// Characters of a local part besides letters and digits (RFC 5322, 3.2.3, and the dot).
const EMAIL_LOCAL_MARKS: &str = "!#$%&'*+/=?^_`{|}~-.";

/// Validates one line of text of 1 to `max_chars` characters and strips surrounding blanks.
///
/// # Errors
/// Blank or too long text; control characters (including line breaks and NUL), which pay stubs, forms and bank files
/// cannot contain; and invisible characters, with which a name looks like another one or reads backwards.
pub fn validate_text(key: &str, value: &str, max_chars: usize) -> Result<String, Violation> {
    let value = value.trim();
    if value.is_empty() {
        return Err(blank_violation(key));
    }
    if value.chars().any(char::is_control) {
        return Err(Violation::invalid(key, format!("{key} must be one line without control characters")));
    }
    if let Some(hidden) = invisible_character(value) {
        let code = u32::from(hidden);
        return Err(Violation::invalid(
            key,
            format!("{key} must not hold the invisible character U+{code:04X}"),
        ));
    }
    if value.chars().count() > max_chars {
        return Err(Violation::invalid(key, format!("{key} must have at most {max_chars} characters")));
    }
    Ok(value.to_owned())
}

/// The first character of a text that is not shown, or changes the direction of others. The two joiners belong to the spelling of
/// several alphabets: they may stand between letters of these.
fn invisible_character(text: &str) -> Option<char> {
    const JOINERS: [char; 2] = ['\u{200C}', '\u{200D}'];
    // Letters and marks without a shape of their own.
    const SHAPELESS: [char; 5] = ['\u{34F}', '\u{115F}', '\u{1160}', '\u{3164}', '\u{FFA0}'];
    let spells = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && (c.is_alphabetic() || is_mark(c)));
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let hides = match c.general_category() {
            GeneralCategory::Format if JOINERS.contains(&c) => {
                !spells(before) || !spells(rest.peek().copied())
            }
            GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator => true,
            _ => SHAPELESS.contains(&c),
        };
        if hides {
            return Some(c);
        }
        before = Some(c);
    }
    None
}

fn is_mark(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Mark
}

/// Like [`validate_text`], but blank or absent values are `None`.
pub fn optional_text(key: &str, value: Option<&str>, max_chars: usize) -> Result<Option<String>, Violation> {
    match value.map(str::trim) {
        None | Some("") => Ok(None),
        Some(value) => validate_text(key, value, max_chars).map(Some),
    }
}

/// Validates a first or last name: letters of any alphabet with accents, ASCII digits, spaces, hyphens,
/// apostrophes and dots, with at least one letter and at most 100 characters.
pub fn person_name(key: &str, value: &str) -> Result<String, Violation> {
    let name = validate_text(key, value, NAME_MAX)?;
    if name.chars().all(may_stand_in_a_name) && name.chars().any(char::is_alphabetic) {
        return Ok(name);
    }
    Err(Violation::invalid(
        key,
        format!(
            "{key} must hold a letter, and may hold letters, digits, spaces, hyphens, apostrophes and dots"
        ),
    ))
}

fn may_stand_in_a_name(c: char) -> bool {
    // Combining marks: accents that some keyboards send separately, and marks that names in many scripts require.
    let is_sign =
        matches!(c, ' ' | '-' | '\u{2010}' | '\u{2011}' | '\'' | '\u{2018}' | '\u{2019}' | '.' | '\u{B7}');
    let is_joiner = matches!(c, '\u{200C}' | '\u{200D}');
    c.is_alphabetic() || c.is_ascii_digit() || is_mark(c) || is_sign || is_joiner
}

/// Validates a middle initial: one letter, with or without a dot. Blank values are `None`.
pub fn middle_initial(key: &str, value: &str) -> Result<Option<String>, Violation> {
    let value = value.trim();
    let mut letters = value.strip_suffix('.').unwrap_or(value).chars();
    match (letters.next(), letters.next()) {
        (None, None) if value.is_empty() => Ok(None),
        (Some(letter), None) if letter.is_alphabetic() => Ok(Some(letter.to_string())),
        _ => Err(Violation::invalid(key, format!("{key} must be a single letter"))),
    }
}

/// Validates an e-mail address: one `@`, at most 64 octets before it, a domain of at least two labels after
/// it, 254 octets in total. Quoted local parts and IP address domains are rejected.
pub fn validate_email(key: &str, value: &str) -> Result<String, Violation> {
    let address = validate_text(key, value, EMAIL_MAX)?;
    match address.split_once('@') {
        Some((local, domain)) if address.len() <= EMAIL_MAX && is_local_part(local) && is_domain(domain) => {
            Ok(address)
        }
        _ => {
            Err(Violation::invalid(key, format!("{key} must be an e-mail address such as name@example.com")))
        }
    }
}

fn is_local_part(local: &str) -> bool {
    local.len() <= EMAIL_LOCAL_MAX
        && local.split('.').all(|atom| !atom.is_empty())
        && local.chars().all(|c| c.is_alphanumeric() || EMAIL_LOCAL_MARKS.contains(c))
}

fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=EMAIL_LABEL_MAX).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    match domain.rsplit_once('.') {
        Some((_, top)) => domain.split('.').all(is_label) && top.chars().any(char::is_alphabetic),
        None => false,
    }
}

/// Validates a choice, case-sensitive. The message lists the allowed values.
pub fn one_of(key: &str, value: &str, allowed: &[&'static str]) -> Result<&'static str, Violation> {
    parse_named(key, value, allowed, |value| allowed.iter().copied().find(|word| *word == value))
}

/// Parses a choice. The message lists the allowed values.
pub fn parse_named<T>(
    key: &str,
    value: &str,
    allowed: &[&str],
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, Violation> {
    let refused = || Violation::invalid(key, format!("{key} must be one of: {}", allowed.join(", ")));
    parse(value).ok_or_else(refused)
}

/// Reads the name of a member of a closed set; the error completes the message "<key> must be …".
pub fn read_name<T: Named>(text: &str) -> Result<T, String> {
    T::parse(text).ok_or_else(|| format!("one of: {}", T::names().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_loses_the_blanks_around_it_and_keeps_those_inside() {
        assert_eq!(validate_text("title", "  Head  Waiter\n", 100).unwrap(), "Head  Waiter");
        assert_eq!(validate_text("title", "é".repeat(5).as_str(), 5).unwrap().chars().count(), 5);
    }

    #[test]
    fn text_that_cannot_be_shown_is_refused() {
        let golden = [
            ("", "title can't be blank"),
            (" \t\n", "title can't be blank"),
            ("a\0b", "title must be one line without control characters"),
            ("a\nb", "title must be one line without control characters"),
            ("abcdef", "title must have at most 5 characters"),
        ];
        for (value, message) in golden {
            assert_eq!(
                validate_text("title", value, 5),
                Err(Violation::invalid("title", message)),
                "{value:?}"
            );
        }
    }

    #[test]
    fn what_is_not_shown_is_refused_and_named_and_joiners_may_spell_a_name() {
        for (hidden, code) in [
            ("Ann\u{202E}nnA", "U+202E"),
            ("\u{200B}Ann", "U+200B"),
            ("An\u{200D}n", "U+200D"),
            ("Ann\u{2060}", "U+2060"),
            ("A\u{FEFF}nn", "U+FEFF"),
            ("A\u{AD}nn", "U+00AD"),
            ("A\u{2028}nn", "U+2028"),
            ("\u{2066}Ann\u{2069}", "U+2066"),
            ("\u{3164}", "U+3164"),
            ("\u{200C}\u{645}", "U+200C"),
        ] {
            let why =
                Violation::invalid("title", format!("title must not hold the invisible character {code}"));
            assert_eq!(validate_text("title", hidden, 50), Err(why), "{hidden:?}");
            assert!(person_name("first_name", hidden).is_err(), "{hidden:?}");
        }
        for name in ["نیک\u{200C}بخت", "ක්\u{200D}ර"] {
            assert_eq!(validate_text("title", name, 50).as_deref(), Ok(name));
            assert_eq!(person_name("first_name", name).as_deref(), Ok(name));
        }
    }

    #[test]
    fn optional_text_may_be_blank_or_absent() {
        assert_eq!(optional_text("street_2", None, 50), Ok(None));
        assert_eq!(optional_text("street_2", Some("  "), 50), Ok(None));
        assert_eq!(optional_text("street_2", Some(" Apt 4 "), 50), Ok(Some("Apt 4".to_owned())));
        assert!(optional_text("street_2", Some("a\0"), 50).is_err());
    }

    #[test]
    fn people_are_called_what_they_are_called() {
        for name in [
            "Ana",
            "José",
            "Jose\u{301}",
            "Mary-Jane",
            "O'Brien",
            "O\u{2019}Brien",
            "'t Hooft",
            "Kim Jr.",
            "李",
            "कृष्ण",
            "ก้อง",
            "Gal·la",
            "Anne\u{2011}Marie",
        ] {
            assert_eq!(person_name("first_name", name).as_deref(), Ok(name));
        }
        let long = "a".repeat(101);
        assert_eq!(person_name("first_name", "R2D2").as_deref(), Ok("R2D2"));
        for name in ["", "7", "12-3", "-", "a@b", "<b>", "Smith, Jr", "Ana\u{202E}", &long] {
            assert!(person_name("first_name", name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_middle_initial_is_one_letter_or_none() {
        assert_eq!(middle_initial("middle_initial", ""), Ok(None));
        assert_eq!(middle_initial("middle_initial", " q. "), Ok(Some("q".to_owned())));
        assert_eq!(middle_initial("middle_initial", "É"), Ok(Some("É".to_owned())));
        for value in [".", "AB", "A..", "7"] {
            assert!(middle_initial("middle_initial", value).is_err(), "{value:?}");
        }
    }

    #[test]
    fn an_e_mail_address_has_one_at_sign_and_a_domain() {
        for address in
            ["Ana.Lee+pay@Example.com", "a@b.co", "o'brien@mail.example.org", "x@xn--bcher-kva.example"]
        {
            assert_eq!(validate_email("email", address).as_deref(), Ok(address));
        }
        let local = "a".repeat(65) + "@example.com";
        let label = format!("a@{}.com", "b".repeat(64));
        let long = format!("a@{}com", "bcdefghij.".repeat(26));
        let others = [
            "",
            "a",
            "a@",
            "@b.co",
            "a@b",
            "a@@b.co",
            "a@b@c.co",
            "a b@c.co",
            "a..b@c.co",
            ".a@c.co",
            "a@c..co",
        ];
        let more = [
            "a@-c.co",
            "a@c-.co",
            "a@c_d.co",
            "a@10.0.0.1",
            "Ana <a@b.co>",
            "a@b.co,c@d.co",
            &local,
            &label,
            &long,
        ];
        for address in others.into_iter().chain(more) {
            assert!(validate_email("email", address).is_err(), "{address:?}");
        }
    }

    #[test]
    fn a_word_that_is_not_on_the_list_hears_the_list() {
        let words = ["Hour", "Year"];
        assert_eq!(one_of("payment_unit", "Year", &words), Ok("Year"));
        let violation = one_of("payment_unit", "year", &words).unwrap_err();
        assert_eq!(violation.message, "payment_unit must be one of: Hour, Year");
    }

    proptest! {
        #[test]
        fn what_a_check_has_passed_it_passes_again(value in "\\PC{0,20}") {
            if let Ok(kept) = validate_text("note", &value, 20) {
                prop_assert_eq!(validate_text("note", &kept, 20), Ok(kept.clone()));
            }
            if let Ok(kept) = person_name("first_name", &value) {
                prop_assert_eq!(person_name("first_name", &kept), Ok(kept.clone()));
            }
            if let Ok(kept) = validate_email("email", &value) {
                prop_assert_eq!(validate_email("email", &kept), Ok(kept.clone()));
            }
        }
    }
}
