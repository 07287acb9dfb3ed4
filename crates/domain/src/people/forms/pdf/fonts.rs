//! Open fonts for letters that the standard typefaces lack. A document embeds the letters of them that it shows, and
//! nothing else, so a name in Polish adds a few kilobytes.
//!
//! Liberation Sans has the widths and the look of Helvetica, for Latin, Greek and Cyrillic letters; Droid Sans Fallback
//! has Chinese, Japanese and Korean ones, in one weight. Letters of scripts that are joined or read from right to left
//! (Arabic, Hebrew, Devanagari) would need a layout of their own, and are not drawn from here.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::LazyLock;

use flate2::read::GzDecoder;
use ttf_parser::{Face as Parsed, GlyphId};

use super::text::Face;

/// A font that can be embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Font {
    LiberationRegular,
    LiberationBold,
    LiberationItalic,
    DroidFallback,
}

impl Font {
    /// The font that has a letter and fits a typeface.
    pub(super) fn font_with_letter(letter: char, face: Face) -> Option<Self> {
        let liberation = match face {
            Face::Regular => Self::LiberationRegular,
            Face::Bold => Self::LiberationBold,
            Face::Oblique => Self::LiberationItalic,
        };
        if letter.is_control() || is_joined_or_from_the_right(letter) {
            return None;
        }
        [liberation, Self::DroidFallback].into_iter().find(|font| font.glyph(letter).is_some())
    }

    /// Its resource name on a page.
    pub(super) fn resource_name(self) -> &'static [u8] {
        match self {
            Self::LiberationRegular => b"LR",
            Self::LiberationBold => b"LB",
            Self::LiberationItalic => b"LI",
            Self::DroidFallback => b"DF",
        }
    }

    /// Its name in a file, without the tag of a subset.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::LiberationRegular => "LiberationSans",
            Self::LiberationBold => "LiberationSans-Bold",
            Self::LiberationItalic => "LiberationSans-Italic",
            Self::DroidFallback => "DroidSansFallback",
        }
    }

    /// Whether its letters are drawn with an outline where the text around them is bold.
    pub(super) fn has_one_weight(self) -> bool {
        self == Self::DroidFallback
    }

    pub(super) fn parsed_font(self) -> &'static Parsed<'static> {
        &self.loaded_font().parsed
    }

    /// The width of a letter that it has, in thousandths of the font size.
    pub(super) fn width(self, letter: char) -> u16 {
        let advance =
            self.glyph(letter).and_then(|glyph| self.parsed_font().glyph_hor_advance(glyph)).unwrap_or(0);
        u16::try_from(u32::from(advance) * 1000 / u32::from(self.parsed_font().units_per_em()))
            .unwrap_or(u16::MAX)
    }

    /// The glyph of a letter. A letter is two bytes in a file, so those beyond the basic plane have none.
    pub(super) fn glyph(self, letter: char) -> Option<GlyphId> {
        u16::try_from(u32::from(letter)).ok().and_then(|_| self.parsed_font().glyph_index(letter))
    }

    /// A font file with some letters only, and the glyph that each of them has in it.
    pub(super) fn subset_of_letters(self, letters: &BTreeSet<char>) -> Subset {
        let mut mapper = subsetter::GlyphRemapper::new();
        let glyphs = letters
            .iter()
            .filter_map(|letter| Some((*letter, mapper.remap(self.glyph(*letter)?.0))))
            .collect();
        match subsetter::subset(self.loaded_font().bytes, 0, &mapper) {
            Ok(file) => Subset { file, glyphs },
            Err(error) => panic!("{} is part of the program and is read whole: {error}", self.name()),
        }
    }

    fn loaded_font(self) -> &'static Loaded {
        static LOADED: [LazyLock<Loaded>; 4] = [
            LazyLock::new(|| {
                Loaded::unpack_font(include_bytes!("../../../../fonts/LiberationSans-Regular.ttf.gz"))
            }),
            LazyLock::new(|| {
                Loaded::unpack_font(include_bytes!("../../../../fonts/LiberationSans-Bold.ttf.gz"))
            }),
            LazyLock::new(|| {
                Loaded::unpack_font(include_bytes!("../../../../fonts/LiberationSans-Italic.ttf.gz"))
            }),
            LazyLock::new(|| {
                Loaded::unpack_font(include_bytes!("../../../../fonts/DroidSansFallback.ttf.gz"))
            }),
        ];
        &LOADED[self as usize]
    }
}

/// A font with some of its letters.
pub(super) struct Subset {
    pub(super) file: Vec<u8>,
    pub(super) glyphs: Vec<(char, u16)>,
}

struct Loaded {
    bytes: &'static [u8],
    parsed: Parsed<'static>,
}

impl Loaded {
    /// A font is unpacked when the first of its letters is drawn, and stays for as long as the program runs.
    fn unpack_font(packed: &'static [u8]) -> Self {
        let mut bytes = Vec::new();
        if let Err(error) = GzDecoder::new(packed).read_to_end(&mut bytes) {
            panic!("a font of the program is packed wrongly: {error}");
        }
        let bytes: &'static [u8] = bytes.leak();
        match Parsed::parse(bytes, 0) {
            Ok(parsed) => Self { bytes, parsed },
            Err(error) => panic!("a font of the program cannot be read: {error}"),
        }
    }
}

/// Whether a letter is of a script whose letters change with their neighbours or run from right to left.
fn is_joined_or_from_the_right(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{109F}' | '\u{1780}'..='\u{18AF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_scripts_have_letters_and_those_that_need_a_layout_have_none() {
        let font = |letter| Font::font_with_letter(letter, Face::Bold);
        for letter in "ŁżłąęğışőűćčđňřšžßẹễƠΑωЖїџ".chars() {
            assert_eq!(font(letter), Some(Font::LiberationBold), "{letter}");
        }
        for letter in "山田さくらサ王芳陳김민준".chars() {
            assert_eq!(font(letter), Some(Font::DroidFallback), "{letter}");
        }
        for letter in "محمدשרהराज๑\u{E000}\u{20BB7}".chars() {
            assert_eq!(font(letter), None, "{letter}");
        }
    }

    #[test]
    fn a_font_with_a_few_letters_is_small_and_is_a_font() {
        let letters = BTreeSet::from(['さ', 'く', 'ら']);
        let Subset { file, glyphs } = Font::DroidFallback.subset_of_letters(&letters);
        assert!(file.len() < 4_000, "{}", file.len());
        assert_eq!(glyphs.len(), 3);
        let parsed = Parsed::parse(&file, 0).unwrap();
        for (letter, glyph) in glyphs {
            assert!(parsed.glyph_bounding_box(GlyphId(glyph)).is_some(), "{letter}");
        }
    }
}
