//! Text on paper: which font draws a letter, widths and line breaks.
//!
//! The standard typefaces of PDF readers have the letters of WinAnsi (Windows-1252): Western European languages,
//! typographic quotes and dashes. Other letters are drawn with [open fonts](super::fonts), of which a document embeds
//! what it shows. A letter that none of them has is written in its usual Latin transcription, or as a question mark if
//! it has none; the footer of such a document says so, and the record keeps the original text.

use deunicode::deunicode_char;
use unicode_normalization::UnicodeNormalization;

use super::fonts::Font;

/// The typefaces of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// Helvetica
    Regular,
    /// Helvetica Bold
    Bold,
    /// Helvetica Oblique, as wide as the regular one
    Oblique,
}

impl Face {
    /// Every typeface, with its font name and its resource name on a page.
    pub const ALL: [(Self, &'static [u8], &'static [u8]); 3] = [
        (Self::Regular, b"Helvetica", b"R"),
        (Self::Bold, b"Helvetica-Bold", b"B"),
        (Self::Oblique, b"Helvetica-Oblique", b"O"),
    ];

    /// Returns the name of the typeface's resource on a page.
    pub fn resource_name(self) -> &'static [u8] {
        match self {
            Self::Regular => b"R",
            Self::Bold => b"B",
            Self::Oblique => b"O",
        }
    }

    /// Returns the data a reader needs to substitute another typeface: the bounding box, the italic angle, and the stem
    /// thickness (also from Adobe's metrics).
    pub fn font_metrics(self) -> ([i16; 4], i16, i16) {
        match self {
            Self::Regular => ([-166, -225, 1000, 931], 0, 88),
            Self::Bold => ([-170, -228, 1003, 962], 0, 140),
            Self::Oblique => ([-170, -225, 1116, 931], -12, 88),
        }
    }

    /// Returns the widths of bytes 32 to 255, in thousandths of the font size.
    pub fn widths(self) -> &'static [u16; 224] {
        if self == Self::Bold { &BOLD } else { &REGULAR }
    }
}

/// The characters of WinAnsi from 0x80 to 0x9F; NUL if undefined.
const WINDOWS: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '\u{2018}',
    '\u{2019}', '\u{201C}', '\u{201D}', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// Letters that follow each other and are drawn with one font.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// in the encoding of the standard typefaces
    Standard(Vec<u8>),
    Embedded(Font, Vec<char>),
}

/// Returns text that can be drawn, and whether any of it had to be transcribed for that. Control characters are left out.
pub fn make_drawable(text: &str) -> (String, bool) {
    let mut drawn = String::with_capacity(text.len());
    let mut transcribed = false;
    // A letter and its accent are one letter in a font.
    for letter in text.nfc() {
        if winansi_code(letter).is_some() || Font::font_with_letter(letter, Face::Regular).is_some() {
            drawn.push(letter);
            continue;
        }
        transcribed = true;
        match deunicode_char(letter) {
            Some(latin) => drawn.extend(latin.chars().filter(|one| (' '..='~').contains(one))),
            None => drawn.push('?'),
        }
    }
    (drawn, transcribed)
}

/// Divides text that can be drawn by the fonts that draw it.
pub(super) fn split_into_runs(text: &str, face: Face) -> Vec<Run> {
    let mut runs = Vec::new();
    for letter in text.chars() {
        if let Some(byte) = winansi_code(letter) {
            match runs.last_mut() {
                Some(Run::Standard(bytes)) => bytes.push(byte),
                _ => runs.push(Run::Standard(vec![byte])),
            }
        // Only here are fonts unpacked: most documents need none.
        } else if let Some(font) = Font::font_with_letter(letter, face) {
            match runs.last_mut() {
                Some(Run::Embedded(same, letters)) if *same == font => letters.push(letter),
                _ => runs.push(Run::Embedded(font, vec![letter])),
            }
        }
    }
    runs
}

fn winansi_code(letter: char) -> Option<u8> {
    match letter {
        ' '..='~' | '\u{A0}'..='\u{FF}' => u8::try_from(u32::from(letter)).ok(),
        '\0' => None,
        _ => WINDOWS
            .iter()
            .position(|known| *known == letter)
            .and_then(|place| u8::try_from(0x80 + place).ok()),
    }
}

/// Returns the width of text that can be drawn at a font size, in the same unit as the size.
pub fn text_width(text: &str, face: Face, size: i32) -> i32 {
    let thousandths: i32 = text.chars().map(|letter| letter_width(letter, face)).sum();
    thousandths * size / 1000
}

fn letter_width(letter: char, face: Face) -> i32 {
    let width = match winansi_code(letter) {
        Some(byte) => face.widths().get(usize::from(byte).wrapping_sub(32)).copied(),
        None => Font::font_with_letter(letter, face).map(|font| font.width(letter)),
    };
    i32::from(width.unwrap_or(0))
}

/// Breaks text that can be drawn into lines at most `room` wide: between words, or inside a word that is wider than a
/// line.
pub fn wrap_text(text: &str, face: Face, size: i32, room: i32) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let Some(line) = lines.last_mut() else { break };
        let spaced = if line.is_empty() { word.to_owned() } else { format!(" {word}") };
        if text_width(line, face, size) + text_width(&spaced, face, size) <= room {
            line.push_str(&spaced);
            continue;
        }
        if !line.is_empty() {
            lines.push(String::new());
        }
        for letter in word.chars() {
            let Some(line) = lines.last_mut() else { break };
            line.push(letter);
            if text_width(line, face, size) > room && line.chars().count() > 1 {
                line.pop();
                lines.push(letter.to_string());
            }
        }
    }
    lines
}

// Adobe's metrics of the fourteen standard fonts (AFM), in the order of WinAnsi.
#[rustfmt::skip]
const REGULAR: [u16; 224] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, 0,
    556, 0, 222, 556, 333, 1000, 556, 556, 333, 1000, 667, 333, 1000, 0, 611, 0,
    0, 222, 222, 333, 333, 350, 556, 1000, 333, 1000, 500, 333, 944, 0, 500, 667,
    278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333,
    400, 584, 333, 333, 333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611,
    667, 667, 667, 667, 667, 667, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
    722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667, 667, 611,
    556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556, 278, 278, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556, 500,
];
#[rustfmt::skip]
const BOLD: [u16; 224] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584, 0,
    556, 0, 278, 556, 500, 1000, 556, 556, 333, 1000, 667, 333, 1000, 0, 611, 0,
    0, 278, 278, 500, 500, 350, 556, 1000, 333, 1000, 556, 333, 944, 0, 500, 667,
    278, 333, 556, 556, 556, 556, 280, 556, 333, 737, 370, 556, 584, 333, 737, 333,
    400, 584, 333, 333, 333, 611, 556, 278, 333, 333, 365, 556, 834, 834, 834, 611,
    722, 722, 722, 722, 722, 722, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
    722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667, 667, 611,
    556, 556, 556, 556, 556, 556, 889, 556, 556, 556, 556, 556, 278, 278, 278, 278,
    611, 611, 611, 611, 611, 611, 611, 584, 611, 611, 611, 611, 611, 556, 611, 556,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_kept_and_transcribed_only_where_no_font_has_them() {
        for (text, drawn, transcribed) in [
            ("José Müller", "José Müller", false),
            ("O\u{2019}Neil – €5", "O\u{2019}Neil – €5", false),
            ("Łukasz Żółć", "Łukasz Żółć", false),
            ("Nguye\u{302}\u{303}n", "Nguyễn", false),
            ("Олена", "Олена", false),
            ("山田さくら", "山田さくら", false),
            ("سمر", "smr", true),
            ("\u{E000}", "?", true),
            ("a\0b\nc", "abc", true),
        ] {
            assert_eq!(make_drawable(text), (drawn.to_owned(), transcribed), "{text}");
        }
    }

    #[test]
    fn a_text_is_divided_by_the_fonts_that_have_its_letters() {
        let embedded = |font, letters: &str| Run::Embedded(font, letters.chars().collect());
        assert_eq!(
            split_into_runs("Jos\u{E9} \u{201C}A", Face::Bold),
            [Run::Standard(b"Jos\xE9 \x93A".to_vec())]
        );
        assert_eq!(
            split_into_runs("Łukasz 山田", Face::Oblique),
            [
                embedded(Font::LiberationItalic, "Ł"),
                Run::Standard(b"ukasz ".to_vec()),
                embedded(Font::DroidFallback, "山田"),
            ]
        );
    }

    #[test]
    fn every_letter_has_a_width() {
        for letter in (' '..='~').chain('\u{A0}'..='\u{FF}').chain("ŁęΩЖễ山さ김".chars()) {
            for face in [Face::Regular, Face::Bold, Face::Oblique] {
                assert!(text_width(&letter.to_string(), face, 1000) > 0, "{letter}");
            }
        }
        assert_eq!(text_width("Wage", Face::Regular, 1000), 944 + 556 + 556 + 556);
        assert_eq!(text_width("山", Face::Regular, 1000), 1000);
    }

    #[test]
    fn lines_break_between_words_and_inside_a_word_only_if_necessary() {
        let lines = |text: &str| wrap_text(text, Face::Regular, 10, 80);
        assert_eq!(lines(""), [""]);
        assert_eq!(lines("sign  here please now"), ["sign here please", "now"]);
        for letter in ["m", "山"] {
            let long = lines(&letter.repeat(40));
            assert_eq!(long.concat().chars().count(), 40);
            assert!(long.len() > 3 && long.iter().all(|line| text_width(line, Face::Regular, 10) <= 80));
        }
    }
}
