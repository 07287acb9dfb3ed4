//! The PDF file format: writes pages to a file and draws on a page.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, TextRenderingMode, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::fonts::{Font, Subset};
use super::text::{Face, Run, split_into_runs};
use super::{HEIGHT, WIDTH};
use crate::language::Language;

/// A page, and the letters on it that are drawn with embedded fonts.
pub(crate) struct Page {
    pub(super) content: Content,
    letters: BTreeMap<Font, BTreeSet<char>>,
}

impl Page {
    pub(crate) fn new() -> Self {
        Self { content: Content::new(), letters: BTreeMap::new() }
    }
}

/// Assembles pages into a PDF file.
pub(crate) fn bind_pages(title: &str, language: Language, pages: Vec<Page>) -> Vec<u8> {
    let [catalog, tree, info] = [1, 2, 3].map(Ref::new);
    let mut next = (4..).map(Ref::new);
    let mut fresh = || next.next().unwrap_or(Ref::new(i32::MAX));
    let standard = Face::ALL.map(|(face, name, resource)| Standard {
        face,
        name,
        resource,
        id: fresh(),
        about: fresh(),
    });
    let embedded: Vec<_> = letters_of(&pages)
        .into_iter()
        .map(|(font, letters)| Embedded { font, letters, ids: [(); 6].map(|()| fresh()) })
        .collect();
    let pages: Vec<_> = pages.into_iter().map(|page| (fresh(), fresh(), page.content)).collect();

    let mut pdf = Pdf::new();
    let mut root = pdf.catalog(catalog);
    root.pages(tree).lang(TextStr(match language {
        Language::English => "en-US",
        Language::Spanish => "es-US",
    }));
    root.viewer_preferences().display_doc_title(true);
    root.finish();
    pdf.document_info(info).title(TextStr(title)).producer(TextStr("stipend"));
    let count = i32::try_from(pages.len()).unwrap_or(i32::MAX);
    pdf.pages(tree).kids(pages.iter().map(|(page, ..)| *page)).count(count);
    for (id, body, content) in pages {
        let mut page = pdf.page(id);
        page.parent(tree).contents(body).media_box(Rect::new(
            0.0,
            0.0,
            pdf_number(WIDTH),
            pdf_number(HEIGHT),
        ));
        let mut resources = page.resources();
        let mut named = resources.fonts();
        for font in &standard {
            named.pair(Name(font.resource), font.id);
        }
        for font in &embedded {
            named.pair(Name(font.font.resource_name()), font.ids[0]);
        }
        named.finish();
        resources.finish();
        page.finish();
        pdf.stream(body, content.finish().as_slice());
    }
    for font in &standard {
        font.write_font(&mut pdf);
    }
    for font in &embedded {
        font.embed_font(&mut pdf);
    }
    pdf.finish()
}

/// The letters that each embedded font draws on any of the pages.
fn letters_of(pages: &[Page]) -> BTreeMap<Font, BTreeSet<char>> {
    let mut all: BTreeMap<Font, BTreeSet<char>> = BTreeMap::new();
    for (font, letters) in pages.iter().flat_map(|page| &page.letters) {
        all.entry(*font).or_default().extend(letters);
    }
    all
}

/// A typeface that every reader has.
struct Standard {
    face: Face,
    name: &'static [u8],
    resource: &'static [u8],
    id: Ref,
    about: Ref,
}

impl Standard {
    /// Writes the font with its widths, so that a reader that substitutes another typeface fits it into the same width.
    fn write_font(&self, pdf: &mut Pdf) {
        let widths = self.face.widths().iter().map(|width| f32::from(*width));
        pdf.type1_font(self.id)
            .base_font(Name(self.name))
            .encoding_predefined(Name(b"WinAnsiEncoding"))
            .first_char(32)
            .last_char(255)
            .widths(widths)
            .font_descriptor(self.about);
        let ([left, bottom, right, top], angle, stem) = self.face.font_metrics();
        let [left, bottom, right, top] = [left, bottom, right, top].map(f32::from);
        pdf.font_descriptor(self.about)
            .name(Name(self.name))
            .flags(FontFlags::NON_SYMBOLIC)
            .bbox(Rect::new(left, bottom, right, top))
            .italic_angle(f32::from(angle))
            .ascent(718.0)
            .descent(-207.0)
            .cap_height(718.0)
            .stem_v(f32::from(stem));
    }
}

/// An open font in a file, with the letters that are shown.
struct Embedded {
    font: Font,
    letters: BTreeSet<char>,
    /// of the font, its letters' shapes, its description, its file, the glyphs of letters, and the letters as Unicode
    ids: [Ref; 6],
}

impl Embedded {
    /// Writes the font. The code of a letter is its number in Unicode, in two bytes: what a page shows can be read as
    /// it is, and the glyphs of the letters stand in a table beside the font.
    fn embed_font(&self, pdf: &mut Pdf) {
        let [whole, shapes, about, file, glyphs, unicode] = self.ids;
        let system = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };
        let name = format!("{}+{}", self.subset_tag(), self.font.name());
        let name = Name(name.as_bytes());
        pdf.type0_font(whole)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(shapes)
            .to_unicode(unicode);
        let mut font = pdf.cid_font(shapes);
        font.subtype(CidFontType::Type2)
            .base_font(name)
            .system_info(system)
            .font_descriptor(about)
            .default_width(0.0)
            .cid_to_gid_map_stream(glyphs);
        let mut widths = font.widths();
        for letter in &self.letters {
            widths.consecutive(letter_code(*letter), [f32::from(self.font.width(*letter))]);
        }
        widths.finish();
        font.finish();
        self.write_descriptor(pdf, about, name);
        let subset = self.font.subset_of_letters(&self.letters);
        write_stream(pdf, file, &subset.file, true);
        write_stream(pdf, glyphs, &glyphs_by_code(&subset), false);
        let mut letters = UnicodeCmap::new(Name(b"Letters"), system);
        for letter in &self.letters {
            letters.pair(letter_code(*letter), *letter);
        }
        pdf.stream(unicode, letters.finish().as_slice());
    }

    fn write_descriptor(&self, pdf: &mut Pdf, id: Ref, name: Name) {
        let parsed = self.font.parsed_font();
        let scaled = |units: i16| {
            let thousandths = i32::from(units) * 1000 / i32::from(parsed.units_per_em());
            pdf_number(thousandths * 1000)
        };
        let bounds = parsed.global_bounding_box();
        let [left, bottom, right, top] = [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(scaled);
        pdf.font_descriptor(id)
            .name(name)
            .flags(FontFlags::SYMBOLIC)
            .bbox(Rect::new(left, bottom, right, top))
            .italic_angle(if self.font == Font::LiberationItalic { -12.0 } else { 0.0 })
            .ascent(scaled(parsed.ascender()))
            .descent(scaled(parsed.descender()))
            .cap_height(scaled(parsed.capital_height().unwrap_or_else(|| parsed.ascender())))
            .stem_v(if self.font == Font::LiberationBold { 140.0 } else { 88.0 })
            .font_file2(self.ids[3]);
    }

    /// Six letters that tell this subset from others of the same font.
    fn subset_tag(&self) -> String {
        let sum = self
            .letters
            .iter()
            .fold(0x811C_9DC5_u32, |sum, letter| (sum ^ u32::from(*letter)).wrapping_mul(0x0100_0193));
        (0..6)
            .map(|place| char::from(b'A' + u8::try_from(sum / 26_u32.pow(place) % 26).unwrap_or(0)))
            .collect()
    }
}

/// The glyph of each code up to the highest, two bytes each.
fn glyphs_by_code(subset: &Subset) -> Vec<u8> {
    let highest =
        subset.glyphs.iter().map(|(letter, _)| usize::from(letter_code(*letter))).max().unwrap_or(0);
    let mut table = vec![0; 2 * (highest + 1)];
    for (letter, glyph) in &subset.glyphs {
        let place = 2 * usize::from(letter_code(*letter));
        table[place..place + 2].copy_from_slice(&glyph.to_be_bytes());
    }
    table
}

/// The code of a letter in a file. Fonts have no glyphs for letters beyond two bytes.
fn letter_code(letter: char) -> u16 {
    u16::try_from(u32::from(letter)).unwrap_or(0)
}

/// Writes bytes as a compressed stream.
fn write_stream(pdf: &mut Pdf, id: Ref, bytes: &[u8], is_font: bool) {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    let packed = packed.write_all(bytes).and_then(|()| packed.finish());
    let packed = packed.unwrap_or_else(|error| panic!("writing into memory cannot fail: {error}"));
    let mut stream = pdf.stream(id, &packed);
    stream.filter(Filter::FlateDecode);
    if is_font {
        stream.pair(Name(b"Length1"), i32::try_from(bytes.len()).unwrap_or(i32::MAX));
    }
}

/// Writes text that can be drawn with its baseline at a position.
pub(crate) fn write_text(page: &mut Page, x: i32, y: i32, (face, size, grey): (Face, i32, i32), text: &str) {
    if text.is_empty() {
        return;
    }
    let Page { content, letters } = page;
    content.set_fill_gray(pdf_number(grey)).begin_text().next_line(pdf_number(x), pdf_number(HEIGHT - y));
    for run in split_into_runs(text, face) {
        match run {
            Run::Standard(bytes) => {
                content.set_font(Name(face.resource_name()), pdf_number(size)).show(Str(&bytes));
            }
            Run::Embedded(font, shown) => {
                let bytes: Vec<u8> =
                    shown.iter().flat_map(|letter| letter_code(*letter).to_be_bytes()).collect();
                letters.entry(font).or_default().extend(&shown);
                // A font of one weight is made bold by a thin outline.
                let is_outlined = face == Face::Bold && font.has_one_weight();
                if is_outlined {
                    content.set_line_width(pdf_number(size / 32)).set_stroke_gray(pdf_number(grey));
                    content.set_text_rendering_mode(TextRenderingMode::FillStroke);
                }
                content.set_font(Name(font.resource_name()), pdf_number(size)).show(Str(&bytes));
                if is_outlined {
                    content.set_text_rendering_mode(TextRenderingMode::Fill);
                }
            }
        }
    }
    content.end_text();
}

/// Draws a horizontal line.
pub(crate) fn draw_rule(page: &mut Page, from: i32, to: i32, y: i32, thickness: i32, grey: i32) {
    page.content
        .set_line_width(pdf_number(thickness))
        .set_stroke_gray(pdf_number(grey))
        .move_to(pdf_number(from), pdf_number(HEIGHT - y))
        .line_to(pdf_number(to), pdf_number(HEIGHT - y))
        .stroke();
}

/// Converts thousandths of a point to a number of the PDF format.
#[expect(clippy::float_arithmetic, reason = "a place on paper, never money; the format knows nothing else")]
#[expect(clippy::cast_precision_loss, reason = "places on a page are far smaller than 2^24")]
pub(super) fn pdf_number(thousandths: i32) -> f32 {
    thousandths as f32 / 1000.0
}
