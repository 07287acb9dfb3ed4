use super::*;
use jiff::civil::date;
use jiff::tz::TimeZone;
use uuid::Uuid;

/// Returns the text of a PDF rendered by this module, one line per string. Its streams are not compressed.
pub fn text_of(pdf: &[u8]) -> String {
    let mut text_of_page = String::new();
    let mut rest = pdf;
    while let Some(end) = rest.windows(4).position(|w| w == b" Tj\n") {
        let start = rest[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        let shown = &rest[start..end];
        let bytes = match shown.split_first() {
            Some((b'<', hex)) => hex::decode(&hex[..hex.len() - 1]).unwrap(),
            _ => {
                let mut bytes = Vec::new();
                let mut escaped = false;
                for byte in &shown[1..shown.len() - 1] {
                    if *byte == b'\\' && !escaped {
                        escaped = true;
                    } else {
                        escaped = false;
                        bytes.push(*byte);
                    }
                }
                bytes
            }
        };
        text_of_page.extend(bytes.iter().map(|byte| char::from(*byte)));
        text_of_page.push('\n');
        rest = &rest[end + 4..];
    }
    text_of_page
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
                .map(|n| Line::new("1", format!("Question {n}"), "an answer ".repeat(9)))
                .collect(),
        }],
        statement: &["All of it is true."],
        signature: Signature::Given { name: "Ana Lee".to_owned(), at, ip: "2001:db8::1".to_owned() },
        preparers: Vec::new(),
    }
}

#[test]
fn a_spanish_document_has_no_english_layout_texts() {
    let spanish = Document { language: Language::Spanish, ..document(60) };
    let text = text_of(&render(&spanish));
    for part in ["P\u{e1}gina 5 de 5", "(continuaci\u{f3}n)", "Documento 0"] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(!text.contains("Page ") && !text.contains("continued"), "{text}");
}

#[test]
fn a_document_contains_its_input_and_numbers_its_pages() {
    let short = render(&document(2));
    assert!(short.starts_with(b"%PDF-1.7") && short.trim_ascii_end().ends_with(b"%%EOF"));
    let text = text_of(&short);
    for part in
        ["Ana (Lee) \\ Co", "Question 1", "June 15, 2026, 9:30:00 AM MDT", "2001:db8::1", "Page 1 of 1"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(text_of(&render(&document(60))).contains("Page 5 of 5"));
    assert_eq!(short, render(&document(2)), "the same document is the same file");
}
