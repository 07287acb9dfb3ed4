use super::super::document::Share;
use super::*;
use jiff::civil::date;
use jiff::tz::TimeZone;
use rules::Amount;
use uuid::Uuid;

/// Returns the text of a PDF rendered by this module, one line for each text that was written. The streams of pages are
/// not compressed.
pub fn text_of(pdf: &[u8]) -> String {
    let mut text = String::new();
    let mut is_embedded = false;
    for line in pdf.split(|byte| *byte == b'\n') {
        if line.ends_with(b" Tf") {
            is_embedded = !Face::ALL
                .iter()
                .any(|(_, _, resource)| line[1..].starts_with(&[resource, &b" "[..]].concat()));
        } else if let Some(shown) = line.strip_suffix(b" Tj") {
            let bytes = bytes_of(shown);
            if is_embedded {
                let codes: Vec<u16> =
                    bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
                text.push_str(&String::from_utf16(&codes).unwrap());
            } else {
                text.extend(bytes.iter().map(|byte| char::from(*byte)));
            }
        } else if line == b"ET" {
            text.push('\n');
        }
    }
    text
}

/// The bytes of a string in a content stream: `(text)` with escapes, also of octal digits, or `<hexadecimal digits>`.
fn bytes_of(shown: &[u8]) -> Vec<u8> {
    let mut rest = &shown[1..shown.len() - 1];
    if shown[0] == b'<' {
        return hex::decode(rest).unwrap();
    }
    let mut bytes = Vec::new();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match (*byte, rest) {
            (b'\\', [a @ b'0'..=b'7', b, c, ..]) => {
                bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = &rest[3..];
            }
            (b'\\', [escaped, ..]) => {
                let named = [(b'n', b'\n'), (b'r', b'\r'), (b't', b'\t'), (b'b', 8), (b'f', 12)];
                let named = named.into_iter().find(|(name, _)| name == escaped);
                bytes.push(named.map_or(*escaped, |(_, byte)| byte));
                rest = &rest[1..];
            }
            (byte, _) => bytes.push(byte),
        }
    }
    bytes
}

fn document(lines: usize) -> Document {
    let at = date(2026, 6, 15).at(9, 30, 0, 0).to_zoned(TimeZone::get("America/Denver").unwrap()).unwrap();
    Document {
        id: Uuid::from_u128(7),
        language: Language::English,
        title: "A form",
        code: "US_TEST".to_owned(),
        intro: "It shows how pages follow each other.",
        signer: "Employee",
        signed_by: vec!["Ana (Lee) \\ Co".to_owned()],
        on_behalf_of: ("Employer", vec!["Joe's Diner".to_owned()]),
        sections: vec![Section {
            heading: "Answers".to_owned(),
            lines: (0..lines)
                .map(|n| DocumentLine::new("1", format!("Question {n}"), "an answer ".repeat(9)))
                .collect(),
        }],
        statement: &["All of it is true."],
        signature: Signature::Given { name: "Ana Lee".to_owned(), at, ip: "2001:db8::1".to_owned() },
        preparers: Vec::new(),
        shares: Vec::new(),
    }
}

#[test]
fn a_spanish_document_has_no_english_layout_texts() {
    let spanish = Document { language: Language::Spanish, ..document(60) };
    let text = text_of(&render_pdf(&spanish));
    for part in ["P\u{e1}gina 5 de 5", "(continuaci\u{f3}n)", "Documento 0"] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(!text.contains("Page ") && !text.contains("continued"), "{text}");
}

#[test]
fn a_document_contains_its_input_and_numbers_its_pages() {
    let short = render_pdf(&document(2));
    assert!(short.starts_with(b"%PDF-1.7") && short.trim_ascii_end().ends_with(b"%%EOF"));
    let text = text_of(&short);
    for part in
        ["Ana (Lee) \\ Co", "Question 1", "June 15, 2026, 9:30:00 AM MDT", "2001:db8::1", "Page 1 of 1"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(text_of(&render_pdf(&document(60))).contains("Page 5 of 5"));
    assert_eq!(short, render_pdf(&document(2)), "the same document is the same file");
}

#[test]
fn names_keep_their_letters_and_only_the_letters_shown_are_embedded() {
    let shown = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        render_pdf(&Document { signed_by: names, ..document(2) })
    };
    let plain = shown(&["Ana Lee"]);
    let file = shown(&["山田さくら", "Łukasz Żółć", "김민준", "Олена Ω Nguyễn"]);
    let text = text_of(&file);
    for name in ["山田さくら", "Łukasz Żółć", "김민준", "Олена Ω Nguyễn"] {
        assert!(text.lines().any(|line| line == name), "{name} is missing in\n{text}");
    }
    assert!(!text.contains("transcribed"), "{text}");
    let has = |part: &[u8]| file.windows(part.len()).any(|window| window == part);
    assert!(has(b"+DroidSansFallback") && has(b"+LiberationSans") && has(b"/FontFile2"));
    assert!(file.len() < plain.len() + 30_000, "{} and {}", file.len(), plain.len());
    assert_eq!(file, shown(&["山田さくら", "Łukasz Żółć", "김민준", "Олена Ω Nguyễn"]));

    let arabic = text_of(&shown(&["سمر"]));
    assert!(arabic.contains("smr") && arabic.contains("transcribed; the record keeps the text"), "{arabic}");
}

#[test]
fn a_document_that_is_only_read_closes_up_to_fit_on_one_page() {
    let read = |lines: usize| {
        let amounts = (0..lines)
            .map(|n| DocumentLine::new("", format!("Line {n}"), "1234.50").with_kind(LineKind::Dollars));
        let section = Section { heading: "Amounts".to_owned(), lines: amounts.collect() };
        let document = Document { sections: vec![section], signature: Signature::NotAsked, ..document(0) };
        text_of(&render_pdf(&document))
    };
    let (most, more) = (read(42), read(60));
    assert!(most.contains("Page 1 of 1") && most.contains("$1,234.50"), "{most}");
    assert!(more.contains("of 2"), "{more}");
}

#[test]
fn the_parts_of_a_sum_are_named_with_their_amounts_and_percentages() {
    let share = |name, whole: i64| Share { name, amount: Amount::from_cents(whole * 100) };
    let shares = vec![share("Net pay", 1_500), share("Nothing", 0), share("Taxes", 500)];
    let text = text_of(&render_pdf(&Document { shares, ..document(2) }));
    assert!(text.contains("Net pay $1,500.00 (75.0%)") && text.contains("Taxes $500.00 (25.0%)"), "{text}");
    assert!(!text.contains("Nothing"));
}
