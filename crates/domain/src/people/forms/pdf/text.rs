//! Text in the standard typefaces of PDF readers: encoding, widths and line breaks.
//!
//! The encoding is WinAnsi (Windows-1252), which covers all letters of Western European languages, typographic quotes
//! and dashes. Any other letter is written in its usual Latin transcription, or as a question mark if it has none; the
//! footer of such a document says so, and the record keeps the original text.

use deunicode::deunicode_char;

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
    pub fn resource(self) -> &'static [u8] {
        match self {
            Self::Regular => b"R",
            Self::Bold => b"B",
            Self::Oblique => b"O",
        }
    }

    /// Returns the data a reader needs to substitute another typeface: the bounding box, the italic angle, and the stem
    /// thickness (also from Adobe's metrics).
    pub fn description(self) -> ([i16; 4], i16, i16) {
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

/// Encodes text; also returns whether any of it had to be transcribed.
pub fn encode(text: &str) -> (Vec<u8>, bool) {
    let mut bytes = Vec::with_capacity(text.len());
    let mut transcribed = false;
    for c in text.chars() {
        if let Some(byte) = winansi(c) {
            bytes.push(byte);
            continue;
        }
        transcribed = true;
        match deunicode_char(c) {
            Some(latin) => bytes.extend(latin.bytes().filter(|byte| (b' '..=b'~').contains(byte))),
            None => bytes.push(b'?'),
        }
    }
    (bytes, transcribed)
}

fn winansi(c: char) -> Option<u8> {
    match c {
        ' '..='~' | '\u{A0}'..='\u{FF}' => u8::try_from(u32::from(c)).ok(),
        '\0' => None,
        _ => WINDOWS.iter().position(|known| *known == c).and_then(|place| u8::try_from(0x80 + place).ok()),
    }
}

/// Returns the width of encoded text at a font size, in the same unit as the size.
pub fn width(bytes: &[u8], face: Face, size: i32) -> i32 {
    let widths = face.widths();
    let thousandths: i32 = bytes
        .iter()
        .map(|byte| i32::from(widths.get(usize::from(*byte).wrapping_sub(32)).copied().unwrap_or(0)))
        .sum();
    thousandths * size / 1000
}

/// Breaks encoded text into lines at most `room` wide: between words, or inside a word that is wider than a line.
pub fn wrap(bytes: &[u8], face: Face, size: i32, room: i32) -> Vec<Vec<u8>> {
    let mut lines = vec![Vec::new()];
    for word in bytes.split(|byte| *byte == b' ').filter(|word| !word.is_empty()) {
        let Some(line) = lines.last_mut() else { break };
        let spaced = if line.is_empty() { word.to_vec() } else { [b" ", word].concat() };
        if width(line, face, size) + width(&spaced, face, size) <= room {
            line.extend(spaced);
            continue;
        }
        if !line.is_empty() {
            lines.push(Vec::new());
        }
        for byte in word {
            let Some(line) = lines.last_mut() else { break };
            line.push(*byte);
            if width(line, face, size) > room && line.len() > 1 {
                line.pop();
                lines.push(vec![*byte]);
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
    fn western_letters_are_kept_and_others_transcribed() {
        for (text, bytes, transcribed) in [
            ("Ana Lee", b"Ana Lee".to_vec(), false),
            ("José Müller", b"Jos\xE9 M\xFCller".to_vec(), false),
            ("O\u{2019}Neil – €5", b"O\x92Neil \x96 \x805".to_vec(), false),
            ("Łukasz Żółć", b"Lukasz Z\xF3lc".to_vec(), true),
            ("Nguyễn", b"Nguyen".to_vec(), true),
            ("Олена", b"Olena".to_vec(), true),
            ("\u{E000}", b"?".to_vec(), true),
            ("a\0b\nc", b"abc".to_vec(), true),
        ] {
            assert_eq!(encode(text), (bytes, transcribed), "{text}");
        }
    }

    #[test]
    fn every_encoded_byte_has_a_width() {
        for byte in (32..=126).chain(0xA0..=0xFF) {
            assert!(
                width(&[byte], Face::Regular, 1000) > 0 && width(&[byte], Face::Bold, 1000) > 0,
                "{byte}"
            );
        }
        assert_eq!(width(b"Wage", Face::Regular, 1000), 944 + 556 + 556 + 556);
    }

    #[test]
    fn lines_break_between_words_and_inside_a_word_only_if_necessary() {
        let lines = |text: &str| wrap(text.as_bytes(), Face::Regular, 10, 80);
        assert_eq!(lines(""), [b""]);
        assert_eq!(lines("sign  here please now"), [&b"sign here please"[..], b"now"]);
        let long = lines(&"m".repeat(40));
        assert_eq!(long.concat().len(), 40);
        assert!(long.len() > 3 && long.iter().all(|line| width(line, Face::Regular, 10) <= 80));
    }
}
