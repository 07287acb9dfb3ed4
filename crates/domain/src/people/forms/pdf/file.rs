//! The PDF file format: writes pages to a file and draws on a page.

use pdf_writer::types::FontFlags;
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::text::Face;
use super::{HEIGHT, WIDTH};
use crate::language::Language;

/// Assembles pages into a PDF file.
pub(crate) fn bind(title: &str, language: Language, pages: Vec<Content>) -> Vec<u8> {
    let [catalog, tree, info] = [1, 2, 3].map(Ref::new);
    let mut next = (4..).map(Ref::new);
    let mut fresh = || next.next().unwrap_or(Ref::new(i32::MAX));
    let fonts =
        Face::ALL.map(|(face, name, resource)| Font { face, name, resource, id: fresh(), about: fresh() });
    let pages: Vec<_> = pages.into_iter().map(|content| (fresh(), fresh(), content)).collect();

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
        page.parent(tree).contents(body).media_box(Rect::new(0.0, 0.0, number(WIDTH), number(HEIGHT)));
        let mut resources = page.resources();
        let mut named = resources.fonts();
        for font in &fonts {
            named.pair(Name(font.resource), font.id);
        }
        named.finish();
        resources.finish();
        page.finish();
        pdf.stream(body, content.finish().as_slice());
    }
    for font in &fonts {
        font.describe(&mut pdf);
    }
    pdf.finish()
}

/// A typeface in a file.
struct Font {
    face: Face,
    name: &'static [u8],
    resource: &'static [u8],
    id: Ref,
    about: Ref,
}

impl Font {
    /// Writes the font with its widths, so that a reader that substitutes another typeface fits it into the same width.
    fn describe(&self, pdf: &mut Pdf) {
        let widths = self.face.widths().iter().map(|width| f32::from(*width));
        pdf.type1_font(self.id)
            .base_font(Name(self.name))
            .encoding_predefined(Name(b"WinAnsiEncoding"))
            .first_char(32)
            .last_char(255)
            .widths(widths)
            .font_descriptor(self.about);
        let ([left, bottom, right, top], angle, stem) = self.face.description();
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

/// Writes encoded text with its baseline at a position.
pub(crate) fn write(page: &mut Content, x: i32, y: i32, (face, size, grey): (Face, i32, i32), bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    page.set_fill_gray(number(grey))
        .begin_text()
        .set_font(Name(face.resource()), number(size))
        .next_line(number(x), number(HEIGHT - y))
        .show(Str(bytes))
        .end_text();
}

/// Draws a horizontal line.
pub(crate) fn rule(page: &mut Content, from: i32, to: i32, y: i32, thickness: i32, grey: i32) {
    page.set_line_width(number(thickness))
        .set_stroke_gray(number(grey))
        .move_to(number(from), number(HEIGHT - y))
        .line_to(number(to), number(HEIGHT - y))
        .stroke();
}

/// Converts thousandths of a point to a number of the PDF format.
#[expect(clippy::float_arithmetic, reason = "a place on paper, never money; the format knows nothing else")]
#[expect(clippy::cast_precision_loss, reason = "places on a page are far smaller than 2^24")]
pub(super) fn number(thousandths: i32) -> f32 {
    thousandths as f32 / 1000.0
}
