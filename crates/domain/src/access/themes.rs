//! Themes: an application's name, colours and logo on hosted pages, and the link of the last page.
//!
//! Colours are checked when they are set: text in the accent colour, and text on it, must be readable on the pages' own backgrounds, in
//! light and in dark (WCAG 2.2, success criterion 1.4.3: 4.5 to 1).

use rules::{Checks, Violation};
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::loopback::is_loopback_host;

store::statements! {
    PUT = "INSERT INTO application_themes (application_id, display_name, accent, accent_dark, logo, return_url, updated_at) \
           VALUES ($1, $2, $3, $4, $5, $6, $7) \
           ON CONFLICT (application_id) DO UPDATE SET display_name = excluded.display_name, accent = excluded.accent, \
           accent_dark = excluded.accent_dark, logo = excluded.logo, return_url = excluded.return_url, \
           updated_at = excluded.updated_at";
    FIND = "SELECT display_name, accent, accent_dark, logo, return_url FROM application_themes WHERE application_id = $1";
    REMOVE = "DELETE FROM application_themes WHERE application_id = $1";
}

/// Maximum characters of a display name.
const LONGEST_NAME: usize = 60;
/// Maximum characters of a URL.
const LONGEST_ADDRESS: usize = 2_000;
/// Maximum bytes of a logo.
const LARGEST_LOGO: usize = 48 << 10;
/// The first bytes of every PNG file.
const PNG: [u8; 8] = [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a];

/// A colour: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color(pub [u8; 3]);

/// The darkest background of text in the light theme, and the lightest in the dark one.
const LIGHT_GROUND: Color = Color([0xf3, 0xf6, 0xf5]);
const DARK_GROUND: Color = Color([0x1b, 0x22, 0x21]);
/// Text on the accent colour.
const ON_LIGHT_ACCENT: Color = Color([0xff, 0xff, 0xff]);
const ON_DARK_ACCENT: Color = Color([0x0c, 0x14, 0x12]);
/// Minimum contrast of text, in hundredths.
const ENOUGH: u64 = 450;

impl Color {
    /// Parses a colour: `#` and six hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let mut bytes = [0; 3];
        hex::decode_to_slice(digits, &mut bytes).ok()?;
        Some(Self(bytes))
    }

    /// As `#` and six hexadecimal digits.
    pub fn to_text(self) -> String {
        format!("#{}", hex::encode(self.0))
    }

    /// Relative luminance in millionths (WCAG 2.2, "relative luminance").
    fn luminance(self) -> u64 {
        let [red, green, blue] = self.0.map(|part| u64::from(LINEAR[usize::from(part)]));
        (red * 2_126 + green * 7_152 + blue * 722) / 10_000
    }

    /// Contrast with another colour in hundredths, rounded down: 450 is 4.5 to 1 (WCAG 2.2, "contrast ratio").
    pub fn contrast_with(self, other: Self) -> u64 {
        let (one, two) = (self.luminance() + 50_000, other.luminance() + 50_000);
        one.max(two) * 100 / one.min(two)
    }

    /// The same hue, lightened step by step until it is readable on dark.
    fn for_dark(self) -> Self {
        let lighter = |steps: u32| Self(self.0.map(|part| lighten_component(part, steps)));
        (0..=20)
            .map(lighter)
            .find(|one| one.is_readable(DARK_GROUND, ON_DARK_ACCENT))
            .unwrap_or(ON_LIGHT_ACCENT)
    }

    fn is_readable(self, ground: Self, on: Self) -> bool {
        self.contrast_with(ground) >= ENOUGH && self.contrast_with(on) >= ENOUGH
    }
}

/// A component of a colour, moved towards white by so many twentieths.
fn lighten_component(part: u8, steps: u32) -> u8 {
    let way = u32::from(u8::MAX - part) * steps / 20;
    part.saturating_add(u8::try_from(way).unwrap_or(u8::MAX))
}

/// The theme of an application. Omitted fields use the service's own theme.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Theme {
    /// name of the product, at the top of the pages
    pub display_name: Option<String>,
    /// colour of buttons and links
    pub accent: Option<Color>,
    /// the same in the dark theme; derived from `accent` if omitted
    pub accent_dark: Option<Color>,
    /// a PNG image
    pub logo: Option<Vec<u8>>,
    /// the link of the last page if the flow link names no other
    pub return_url: Option<String>,
}

impl Theme {
    /// Checks the input, and completes it.
    ///
    /// # Errors
    /// Every violation.
    pub fn check_and_complete(mut self) -> Result<Self, Vec<Violation>> {
        let mut checks = Checks::new();
        let mut refuse =
            |key: &str, why: String| checks.push(Violation::invalid(key, format!("{key} {why}")));
        let is_a_name = |name: &String| !name.trim().is_empty() && name.chars().count() <= LONGEST_NAME;
        if !self.display_name.as_ref().is_none_or(is_a_name) {
            refuse("display_name", format!("must have 1 to {LONGEST_NAME} characters"));
        }
        let of_light = self
            .accent
            .map(|accent| check_readability(accent, (LIGHT_GROUND, "the light pages"), ON_LIGHT_ACCENT));
        if let Some(Err(why)) = of_light {
            refuse("accent", why);
        } else {
            self.accent_dark = self.accent_dark.or(self.accent.map(Color::for_dark));
        }
        let of_dark = self
            .accent_dark
            .map(|accent| check_readability(accent, (DARK_GROUND, "the dark pages"), ON_DARK_ACCENT));
        if let Some(Err(why)) = of_dark {
            refuse("accent_dark", why);
        }
        match &self.logo {
            Some(logo) if !logo.starts_with(&PNG) => refuse("logo", "must be a PNG image".to_owned()),
            Some(logo) if logo.len() > LARGEST_LOGO => refuse(
                "logo",
                format!("must have at most {} kB; this one has {}", LARGEST_LOGO >> 10, logo.len() >> 10),
            ),
            _ => {}
        }
        if let Some(Err(why)) = self.return_url.as_deref().map(return_address) {
            refuse("return_url", why);
        }
        checks.finish()?;
        Ok(self)
    }
}

/// Whether a colour can be read on pages, and the text of buttons on it.
fn check_readability(color: Color, (ground, pages): (Color, &str), on: Color) -> Result<(), String> {
    for (other, what) in
        [(ground, format!("the background of {pages}")), (on, "the text of buttons".to_owned())]
    {
        let contrast = color.contrast_with(other);
        if contrast < ENOUGH {
            return Err(format!(
                "{} is hard to read: its contrast with {what} ({}) is {}.{:02} to 1, and must be at least 4.5 to 1",
                color.to_text(),
                other.to_text(),
                contrast / 100,
                contrast % 100
            ));
        }
    }
    Ok(())
}

/// Whether a URL may be linked to: https, or http on localhost; no user name and no script.
///
/// # Errors
/// What is wrong with it, to follow its name.
pub fn return_address(text: &str) -> Result<(), String> {
    let refuse =
        |why: &str| Err(format!("must be an https:// URL of at most {LONGEST_ADDRESS} characters: {why}"));
    if text.len() > LONGEST_ADDRESS {
        return refuse("it is too long");
    }
    if !text.bytes().all(|b| b.is_ascii_graphic()) {
        return refuse("it contains characters that must be percent-encoded in a URL");
    }
    let Ok(url) = url::Url::parse(text) else { return refuse("it is not a URL") };
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("it contains a user name");
    }
    match (url.scheme(), url.host_str()) {
        ("https", Some(_)) => Ok(()),
        ("http", Some(host)) if is_loopback_host(host) => Ok(()),
        ("http", _) => refuse("http is allowed only for localhost"),
        _ => refuse("it must begin with https://"),
    }
}

/// Sets the theme of an application, replacing the previous one.
pub fn set_theme(tx: &mut Tx<'_>, application: Uuid, theme: &Theme) -> Result<(), Error> {
    let now = tx.now();
    let (accent, dark) = (theme.accent.map(Color::to_text), theme.accent_dark.map(Color::to_text));
    let values =
        params![application, &theme.display_name, &accent, &dark, &theme.logo, &theme.return_url, now];
    Ok(tx.insert_row(PUT, values)?)
}

/// Restores the service's own theme; returns whether there was another.
pub fn remove_theme(tx: &mut Tx<'_>, application: Uuid) -> Result<bool, Error> {
    Ok(tx.change_rows(REMOVE, params![application])?.is_one())
}

/// The theme of an application, if one is set.
pub fn find_theme(tx: &mut Tx<'_>, application: Uuid) -> Result<Option<Theme>, Error> {
    Ok(tx.try_find(FIND, params![application], read_theme)?)
}

fn read_theme(row: &Row<'_>) -> Result<Theme, store::Error> {
    let mut next = Cursor::new(row, "application_themes", 0);
    Ok(Theme {
        display_name: next.read_plain("display_name")?,
        accent: next.text_or_null("accent", Color::parse)?,
        accent_dark: next.text_or_null("accent_dark", Color::parse)?,
        logo: next.read_plain("logo")?,
        return_url: next.read_plain("return_url")?,
    })
}

/// Linear value of each of the 256 values of a colour component, in millionths.
#[rustfmt::skip]
const LINEAR: [u32; 256] = [
    0, 304, 607, 911, 1_214, 1_518, 1_821, 2_125, 2_428, 2_732, 3_035, 3_347,
    3_677, 4_025, 4_391, 4_777, 5_182, 5_605, 6_049, 6_512, 6_995, 7_499, 8_023, 8_568,
    9_134, 9_721, 10_330, 10_960, 11_612, 12_286, 12_983, 13_702, 14_444, 15_209, 15_996, 16_807,
    17_642, 18_500, 19_382, 20_289, 21_219, 22_174, 23_153, 24_158, 25_187, 26_241, 27_321, 28_426,
    29_557, 30_713, 31_896, 33_105, 34_340, 35_601, 36_889, 38_204, 39_546, 40_915, 42_311, 43_735,
    45_186, 46_665, 48_172, 49_707, 51_269, 52_861, 54_480, 56_128, 57_805, 59_511, 61_246, 63_010,
    64_803, 66_626, 68_478, 70_360, 72_272, 74_214, 76_185, 78_187, 80_220, 82_283, 84_376, 86_500,
    88_656, 90_842, 93_059, 95_307, 97_587, 99_899, 102_242, 104_616, 107_023, 109_462, 111_932, 114_435,
    116_971, 119_538, 122_139, 124_772, 127_438, 130_136, 132_868, 135_633, 138_432, 141_263, 144_128, 147_027,
    149_960, 152_926, 155_926, 158_961, 162_029, 165_132, 168_269, 171_441, 174_647, 177_888, 181_164, 184_475,
    187_821, 191_202, 194_618, 198_069, 201_556, 205_079, 208_637, 212_231, 215_861, 219_526, 223_228, 226_966,
    230_740, 234_551, 238_398, 242_281, 246_201, 250_158, 254_152, 258_183, 262_251, 266_356, 270_498, 274_677,
    278_894, 283_149, 287_441, 291_771, 296_138, 300_544, 304_987, 309_469, 313_989, 318_547, 323_143, 327_778,
    332_452, 337_164, 341_914, 346_704, 351_533, 356_400, 361_307, 366_253, 371_238, 376_262, 381_326, 386_429,
    391_572, 396_755, 401_978, 407_240, 412_543, 417_885, 423_268, 428_690, 434_154, 439_657, 445_201, 450_786,
    456_411, 462_077, 467_784, 473_531, 479_320, 485_150, 491_021, 496_933, 502_886, 508_881, 514_918, 520_996,
    527_115, 533_276, 539_479, 545_724, 552_011, 558_340, 564_712, 571_125, 577_580, 584_078, 590_619, 597_202,
    603_827, 610_496, 617_207, 623_960, 630_757, 637_597, 644_480, 651_406, 658_375, 665_387, 672_443, 679_542,
    686_685, 693_872, 701_102, 708_376, 715_694, 723_055, 730_461, 737_910, 745_404, 752_942, 760_525, 768_151,
    775_822, 783_538, 791_298, 799_103, 806_952, 814_847, 822_786, 830_770, 838_799, 846_873, 854_993, 863_157,
    871_367, 879_622, 887_923, 896_269, 904_661, 913_099, 921_582, 930_111, 938_686, 947_307, 955_973, 964_686,
    973_445, 982_251, 991_102, 1_000_000,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn color(text: &str) -> Color {
        Color::parse(text).unwrap()
    }

    #[test]
    fn contrast_is_calculated_as_in_wcag() {
        assert_eq!(color("#ffffff").contrast_with(color("#000000")), 2_100);
        assert_eq!(color("#777777").contrast_with(color("#ffffff")), 447);
        assert_eq!(color("#767676").contrast_with(color("#ffffff")), 454);
        assert_eq!(Color::parse("#12345"), None);
        assert_eq!(Color::parse("123456"), None);
    }

    #[test]
    fn an_unreadable_accent_is_refused_with_its_contrast() {
        let pale = Theme { accent: Some(color("#ffd400")), ..Theme::default() };
        let told = pale.check_and_complete().unwrap_err();
        let why = &told[0].message;
        assert!(why.starts_with("accent #ffd400") && why.contains("at least 4.5 to 1"), "{why}");
        assert_eq!((told.len(), &*told[0].key), (1, "accent"));
        let dark = Theme { accent_dark: Some(color("#333333")), logo: Some(vec![1]), ..Theme::default() };
        let told = dark.check_and_complete().unwrap_err();
        assert_eq!(told.iter().map(|one| &*one.key).collect::<Vec<_>>(), ["accent_dark", "logo"]);
    }

    #[test]
    fn the_dark_accent_is_derived_from_the_light_one() {
        for accent in ["#1e5bb8", "#8a1c5b", "#0f6b5c", "#000000", "#b3261e"] {
            let theme =
                Theme { accent: Some(color(accent)), ..Theme::default() }.check_and_complete().unwrap();
            let dark = theme.accent_dark.unwrap();
            assert!(dark.is_readable(DARK_GROUND, ON_DARK_ACCENT), "{accent}: {}", dark.to_text());
        }
    }

    #[test]
    fn only_web_urls_are_linked() {
        for good in ["https://pos.example/hired?id=7#top", "http://localhost:3000/back"] {
            assert_eq!(return_address(good), Ok(()), "{good}");
        }
        for wrong in [
            "",
            "pos.example",
            "http://pos.example/",
            "javascript:alert(1)",
            "https://ann@pos.example/",
            "https://pos.example/a b",
        ] {
            assert!(return_address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_logo_is_an_image_of_moderate_size() {
        let of = |logo: Vec<u8>| Theme { logo: Some(logo), ..Theme::default() }.check_and_complete();
        assert!(of(b"<svg/>".to_vec()).is_err());
        assert!(of(PNG.to_vec()).is_ok());
        assert!(of([PNG.to_vec(), vec![0; LARGEST_LOGO]].concat()).unwrap_err()[0].message.contains("48 kB"));
    }
}
