//! Documents as PDF: a plain layout of a [`Document`], on US Letter pages.
//!
//! The typefaces are the standard ones that every reader has, so a document is only a few kilobytes; see [`fonts`] for letters they lack.
//! All measurements are whole thousandths of a point from the top left of the page, and are converted to PDF numbers in one place.

mod file;
mod fonts;
#[cfg(test)]
pub(super) mod tests;
pub mod text;

use super::document::{Document, DocumentLine, LineKind, Section, Signature, format_moment};
use crate::language::{Language, fill_placeholders};
use file::pdf_number;
use rules::money::format_amount;
use text::{Face, make_drawable, text_width, wrap_text};

pub(crate) use file::{Page, bind_pages, draw_rule, write_text};

pub(crate) const fn pt(points: i32) -> i32 {
    points * 1000
}

const WIDTH: i32 = pt(612);
const HEIGHT: i32 = pt(792);
const MARGIN: i32 = pt(54);
const RIGHT: i32 = WIDTH - MARGIN;
const BODY: i32 = RIGHT - MARGIN;
/// Bottom of the page content; only the footer is below it.
const BOTTOM: i32 = HEIGHT - pt(66);

/// Left edges of a line's label and value.
const LABEL: i32 = MARGIN + pt(30);
const VALUE: i32 = MARGIN + pt(276);
/// Right edge of the current amounts; year-to-date amounts end at the right margin.
const CURRENT: i32 = RIGHT - pt(110);
/// Room of an amount, with its gap.
const AMOUNT: i32 = pt(84);
/// Padding of a line's text.
const AIR: i32 = pt(7);
/// Maximum height of a section that is kept on one page.
const WHOLE: i32 = pt(240);
/// Gap between columns.
const GAP: i32 = pt(14);

pub(crate) const SMALL: i32 = pt(8);
pub(crate) const PLAIN: i32 = 9_500;
const LEADING: i32 = 12_500;

/// Shades of gray, from 0 (black) to 1000 (white).
pub(crate) const INK: i32 = 110;
pub(crate) const MUTED: i32 = 430;
const HAIR: i32 = 830;
const BAND: i32 = 955;

/// Text that belongs to the layout itself.
struct Words {
    /// column headings of amounts: current, and year to date
    columns: [&'static str; 2],
    continued: &'static str,
    document: &'static str,
    page: &'static str,
    transcribed: &'static str,
}

const ENGLISH: Words = Words {
    columns: ["Current", "Year to date"],
    continued: "continued",
    document: "Document {id}",
    page: "Page {number} of {total}",
    transcribed: "Letters that no font here has are transcribed; the record keeps the text as it was entered.",
};

const SPANISH: Words = Words {
    columns: ["Este pago", "Año hasta hoy"],
    continued: "continuación",
    document: "Documento {id}",
    page: "Página {number} de {total}",
    transcribed: "Las letras que ninguna fuente de aquí tiene se transcriben; el registro conserva el texto como se escribió.",
};

/// A line of a section, with the text of each cell broken into lines.
struct Cells {
    number: &'static str,
    is_group: bool,
    label: Vec<String>,
    value: Vec<String>,
    to_date: String,
}

impl Cells {
    fn height_with_air(&self, air: i32) -> i32 {
        i32::try_from(self.label.len().max(self.value.len())).unwrap_or(1) * LEADING + air
    }
}

/// Padding of a line's text, and gap below a section.
type Air = (i32, i32);

/// The air of a document to be signed, and that of one that is only read: the widest with which it fits on one page, so that it can be
/// read at a glance, or else the first.
const SIGNED: Air = (AIR, pt(11));
const READ: [Air; 4] = [(pt(3), pt(6)), (pt(2), pt(5)), (pt(1), pt(4)), (0, pt(3))];

/// Renders a document as PDF.
pub fn render_pdf(document: &Document) -> Vec<u8> {
    if !matches!(document.signature, Signature::NotAsked) {
        return draw_document(document, SIGNED).finish_pdf();
    }
    let one_page =
        READ.into_iter().map(|air| draw_document(document, air)).find(|sheet| sheet.pages.len() == 1);
    one_page.unwrap_or_else(|| draw_document(document, READ[0])).finish_pdf()
}

fn draw_document(document: &Document, air: Air) -> Sheet<'_> {
    let mut sheet = Sheet { document, pages: vec![Page::new()], y: MARGIN, transcribed: false, air };
    sheet.draw_head();
    sheet.draw_parties();
    sheet.draw_shares();
    for section in &document.sections {
        sheet.draw_section(section);
    }
    if !matches!(document.signature, Signature::NotAsked) {
        sheet.draw_statement();
        sheet.draw_signature();
    }
    for preparer in &document.preparers {
        sheet.draw_section(preparer);
    }
    sheet
}

/// The pages so far, and the vertical position of the next item on the last one.
struct Sheet<'d> {
    document: &'d Document,
    pages: Vec<Page>,
    y: i32,
    transcribed: bool,
    air: Air,
}

impl<'d> Sheet<'d> {
    fn localized_words(&self) -> &'static Words {
        match self.document.language {
            Language::English => &ENGLISH,
            Language::Spanish => &SPANISH,
        }
    }

    /// Draws the document's title, short title and introduction.
    fn draw_head(&mut self) {
        let Document { title, code, intro, .. } = self.document;
        let code = self.drawable_text(code);
        let room = BODY - text_width(&code, Face::Bold, pt(11)) - pt(24);
        let title = self.drawable_text(title);
        self.y += pt(14);
        self.write_text(
            RIGHT - text_width(&code, Face::Bold, pt(11)),
            self.y,
            (Face::Bold, pt(11), MUTED),
            &code,
        );
        for line in wrap_text(&title, Face::Bold, pt(19), room) {
            self.write_text(MARGIN, self.y, (Face::Bold, pt(19), INK), &line);
            self.y += pt(23);
        }
        self.y -= pt(6);
        let intro = self.drawable_text(intro);
        self.draw_paragraph(&intro, (Face::Regular, PLAIN, MUTED), BODY);
        self.draw_rule(self.y, 1_200, INK);
        self.y += pt(14);
    }

    /// Draws the signer and the other party side by side.
    fn draw_parties(&mut self) {
        let half = (BODY - GAP) / 2;
        let (heading, lines) = &self.document.on_behalf_of;
        let columns = [(self.document.signer, &self.document.signed_by), (*heading, lines)];
        let mut lowest = self.y;
        for ((heading, lines), x) in columns.into_iter().zip([MARGIN, MARGIN + half + GAP]) {
            let mut y = self.y + pt(6);
            let heading = self.drawable_text(&heading.to_uppercase());
            self.write_text(x, y, (Face::Bold, SMALL, MUTED), &heading);
            y += pt(14);
            for (place, line) in lines.iter().enumerate() {
                let face = if place == 0 { Face::Bold } else { Face::Regular };
                let line = self.drawable_text(line);
                for line in wrap_text(&line, face, PLAIN, half) {
                    self.write_text(x, y, (face, PLAIN, INK), &line);
                    y += LEADING;
                }
            }
            lowest = lowest.max(y);
        }
        self.y = lowest + pt(8);
    }

    /// Draws the parts of a sum as a bar, with their names, amounts and percentages below.
    fn draw_shares(&mut self) {
        const SHADES: [i32; 4] = [INK, 400, 620, 800];
        const HEIGHT_OF_BAR: i32 = pt(9);
        let parts = self.document.shares.iter().map(|share| share.amount.millionths().max(0));
        let whole = i128::from(parts.clone().sum::<i64>());
        if whole == 0 {
            return;
        }
        let (mut before, mut x, top) = (0_i128, MARGIN + pt(6), self.y);
        for ((share, part), shade) in self.document.shares.iter().zip(parts).zip(SHADES) {
            let at = |sum: i128| i32::try_from(i128::from(BODY) * sum / whole).unwrap_or(BODY);
            let (from, until) = (at(before), at(before + i128::from(part)));
            before += i128::from(part);
            if part == 0 {
                continue;
            }
            self.fill_rectangle(MARGIN + from, top, until - from, HEIGHT_OF_BAR, shade);
            let tenths = (i128::from(part) * 1000 + whole / 2) / whole;
            let told =
                format!("{} {} ({}.{}%)", share.name, format_amount(share.amount), tenths / 10, tenths % 10);
            let told = self.drawable_text(&told);
            let y = top + HEIGHT_OF_BAR + pt(4);
            self.fill_rectangle(x - pt(6), y, pt(6), pt(6), shade);
            self.write_text(x + pt(3), y + pt(6), (Face::Regular, SMALL, INK), &told);
            x += text_width(&told, Face::Regular, SMALL) + pt(22);
        }
        self.y = top + HEIGHT_OF_BAR + pt(20);
    }

    /// Draws a heading with its lines. A short section is kept on one page; so is every heading with its first line.
    fn draw_section(&mut self, section: &Section) {
        let of_amounts = section.has_amounts();
        let lines: Vec<_> = section.lines.iter().map(|line| self.cells_of_line(line, of_amounts)).collect();
        let whole: i32 = pt(19) + lines.iter().map(|line| line.height_with_air(self.air.0)).sum::<i32>();
        self.ensure_room(if whole <= WHOLE { whole } else { pt(58) });
        self.draw_heading(&section.heading);
        if section.has_to_date() {
            // The heading names the two columns of amounts.
            let columns = self.localized_words().columns;
            for (x, column) in [(CURRENT, columns[0]), (RIGHT - pt(6), columns[1])] {
                let (style, column) = ((Face::Bold, SMALL, MUTED), self.drawable_text(column));
                self.write_text(x - text_width(&column, style.0, style.1), self.y - 6_200, style, &column);
            }
        }
        for line in &lines {
            match (line.is_group, of_amounts) {
                (true, _) => self.draw_group(line),
                (false, true) => self.draw_amounts(line),
                (false, false) => self.draw_line(line),
            }
        }
        self.y += self.air.1;
    }

    fn draw_heading(&mut self, heading: &str) {
        let heading = self.drawable_text(heading);
        self.fill_rectangle(MARGIN, self.y, BODY, pt(19), BAND);
        self.write_text(MARGIN + pt(6), self.y + 12_800, (Face::Bold, PLAIN, INK), &heading);
        self.y += pt(19);
    }

    fn cells_of_line(&mut self, line: &DocumentLine, of_amounts: bool) -> Cells {
        let (label, value) =
            (self.drawable_text(&line.label), self.drawable_text(&line.format_value(&line.value)));
        let room = if of_amounts { CURRENT - AMOUNT - MARGIN } else { VALUE - GAP - LABEL };
        Cells {
            number: line.number,
            is_group: line.kind == LineKind::Group,
            label: wrap_text(&label, Face::Regular, PLAIN, room),
            value: wrap_text(&value, Face::Bold, PLAIN, RIGHT - pt(6) - VALUE),
            to_date: self.drawable_text(&line.format_value(&line.to_date)),
        }
    }

    /// Draws a heading over some lines.
    fn draw_group(&mut self, cells: &Cells) {
        let height = cells.height_with_air(self.air.0);
        self.ensure_room(height + LEADING);
        let first = self.y + pt(9) + self.air.0 * 4 / 7;
        self.draw_column(MARGIN + pt(6), first, (Face::Bold, SMALL, MUTED), &cells.label);
        self.y += height;
    }

    /// Draws a line of amounts in two right-aligned columns.
    fn draw_amounts(&mut self, cells: &Cells) {
        let height = cells.height_with_air(self.air.0);
        self.ensure_room(height);
        let first = self.y + pt(9) + self.air.0 * 4 / 7;
        self.draw_column(MARGIN + pt(6), first, (Face::Regular, PLAIN, INK), &cells.label);
        for (x, amount) in [(CURRENT, cells.value.concat()), (RIGHT - pt(6), cells.to_date.clone())] {
            self.write_text(
                x - text_width(&amount, Face::Bold, PLAIN),
                first,
                (Face::Bold, PLAIN, INK),
                &amount,
            );
        }
        self.y += height;
        self.draw_rule(self.y, 400, HAIR);
    }

    fn draw_line(&mut self, cells: &Cells) {
        let height = cells.height_with_air(self.air.0);
        self.ensure_room(height);
        let first = self.y + pt(9) + self.air.0 * 4 / 7;
        self.write_text(MARGIN + pt(6), first, (Face::Bold, PLAIN, MUTED), cells.number);
        self.draw_column(LABEL, first, (Face::Regular, PLAIN, INK), &cells.label);
        self.draw_column(VALUE, first, (Face::Bold, PLAIN, INK), &cells.value);
        self.y += height;
        self.draw_rule(self.y, 400, HAIR);
    }

    /// Draws the declaration that is signed.
    fn draw_statement(&mut self) {
        self.ensure_room(pt(58));
        self.draw_heading("Declaration");
        self.y += pt(15);
        for text in self.document.statement {
            let text = self.drawable_text(text);
            self.draw_paragraph(&text, (Face::Regular, PLAIN, INK), BODY);
            self.y += pt(5);
        }
        self.y += pt(2);
    }

    /// Draws the signature block with name, time and IP address, or blank space for them.
    fn draw_signature(&mut self) {
        const PAD: i32 = pt(12);
        let style = (Face::Oblique, pt(16), INK);
        let (name, at, ip) = match &self.document.signature {
            Signature::Given { name, at, ip } => (name.clone(), format_moment(at), ip.clone()),
            Signature::Missing { .. } | Signature::NotAsked => Default::default(),
        };
        let name = self.drawable_text(&name);
        let names = wrap_text(&name, style.0, style.1, BODY - 2 * PAD);
        let lines = i32::try_from(names.len()).unwrap_or(1);
        let height = pt(20) * lines + pt(74);
        self.ensure_room(height + pt(22));
        let top = self.y;
        self.fill_rectangle(MARGIN, top, BODY, height, BAND);
        let (x, middle) = (MARGIN + PAD, MARGIN + BODY / 2);
        let signer = self.document.signer.to_lowercase();
        let mut y = top + pt(24);
        self.draw_column(x, y, style, &names);
        y += pt(20) * lines - pt(14);
        self.rule_between(x, RIGHT - PAD, y, 700, INK);
        self.write_text(
            x,
            y + pt(11),
            (Face::Regular, SMALL, MUTED),
            &format!("Signature of the {signer} (typed legal name)"),
        );
        y += pt(33);
        for (x, end, value, label) in [
            (x, middle - PAD, &at, "Date and time"),
            (middle, RIGHT - PAD, &ip, "Network address of the signer"),
        ] {
            let value = self.drawable_text(value);
            self.write_text(x, y, (Face::Regular, PLAIN, INK), &value);
            self.rule_between(x, end, y + pt(5), 700, INK);
            self.write_text(x, y + pt(16), (Face::Regular, SMALL, MUTED), label);
        }
        self.y = top + height + pt(14);
        let note = match &self.document.signature {
            Signature::Given { .. } => {
                "Signed electronically: the typed name stands for a handwritten signature.".to_owned()
            }
            Signature::Missing { before: None } | Signature::NotAsked => "Not signed yet.".to_owned(),
            Signature::Missing { before: Some(before) } => {
                format!(
                    "Not signed since the data above changed. The signature of {} was for other data.",
                    format_moment(before)
                )
            }
        };
        let note = self.drawable_text(&note);
        self.draw_paragraph(&note, (Face::Regular, SMALL, MUTED), BODY);
        self.y += pt(8);
    }

    /// Begins a new page if less than `height` is left on this one.
    fn ensure_room(&mut self, height: i32) {
        if self.y + height <= BOTTOM {
            return;
        }
        self.pages.push(Page::new());
        self.y = MARGIN + pt(8);
        let title =
            self.drawable_text(&format!("{} ({})", self.document.title, self.localized_words().continued));
        self.write_text(MARGIN, self.y, (Face::Bold, PLAIN, MUTED), &title);
        self.draw_rule(self.y + pt(7), 700, INK);
        self.y += pt(20);
    }

    fn draw_paragraph(&mut self, text: &str, style: (Face, i32, i32), room: i32) {
        for line in wrap_text(text, style.0, style.1, room) {
            self.ensure_room(LEADING);
            self.write_text(MARGIN, self.y, style, &line);
            self.y += LEADING;
        }
    }

    /// Draws the lines of one cell, starting at its first baseline.
    fn draw_column(&mut self, x: i32, first: i32, style: (Face, i32, i32), lines: &[String]) {
        let leading = if style.1 > PLAIN { pt(20) } else { LEADING };
        let mut y = first;
        for line in lines {
            self.write_text(x, y, style, line);
            y += leading;
        }
    }

    fn drawable_text(&mut self, text: &str) -> String {
        let (drawn, transcribed) = make_drawable(text);
        self.transcribed |= transcribed;
        drawn
    }

    fn current_page(&mut self) -> &mut Page {
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    fn write_text(&mut self, x: i32, y: i32, style: (Face, i32, i32), text: &str) {
        write_text(self.current_page(), x, y, style, text);
    }

    fn draw_rule(&mut self, y: i32, thickness: i32, grey: i32) {
        self.rule_between(MARGIN, RIGHT, y, thickness, grey);
    }

    fn rule_between(&mut self, from: i32, to: i32, y: i32, thickness: i32, grey: i32) {
        draw_rule(self.current_page(), from, to, y, thickness, grey);
    }

    fn fill_rectangle(&mut self, x: i32, y: i32, width: i32, height: i32, grey: i32) {
        let bottom = pdf_number(HEIGHT - y - height);
        self.current_page()
            .content
            .set_fill_gray(pdf_number(grey))
            .rect(pdf_number(x), bottom, pdf_number(width), pdf_number(height))
            .fill_nonzero();
    }

    /// Draws the footer of every page and assembles the file.
    fn finish_pdf(mut self) -> Vec<u8> {
        let (total, words) = (self.pages.len().to_string(), self.localized_words());
        for (place, page) in self.pages.iter_mut().enumerate() {
            let y = HEIGHT - pt(44);
            draw_rule(page, MARGIN, RIGHT, y - pt(11), 400, HAIR);
            let grey = (Face::Regular, SMALL, MUTED);
            let id = self.document.id.to_string();
            write_text(page, MARGIN, y, grey, &fill_placeholders(words.document, &[("id", &id)]));
            let number = (place + 1).to_string();
            let number = fill_placeholders(words.page, &[("number", &number), ("total", &total)]);
            write_text(page, RIGHT - text_width(&number, grey.0, grey.1), y, grey, &number);
            if self.transcribed {
                write_text(page, MARGIN, y + pt(11), grey, words.transcribed);
            }
        }
        bind_pages(
            &format!("{} ({})", self.document.title, self.document.code),
            self.document.language,
            self.pages,
        )
    }
}
