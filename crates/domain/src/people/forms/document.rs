//! The content of a document, before layout.

use jiff::Zoned;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::digest;
use crate::language::Language;

/// A document to be signed, signed, or only to be read.
#[derive(Debug, Clone)]
pub struct Document {
    /// the form that it shows; printed at the foot of each page
    pub id: Uuid,
    /// the language that it is written in
    pub language: Language,
    /// large title, at the top
    pub title: &'static str,
    /// short, at the top right
    pub code: String,
    /// one sentence under the title
    pub intro: &'static str,
    /// the role of the signer, such as `Employee`
    pub signer: &'static str,
    /// the signer
    pub signed_by: Vec<String>,
    /// the other party, with a heading such as `Employer`
    pub on_behalf_of: (&'static str, Vec<String>),
    /// its sections
    pub sections: Vec<Section>,
    /// the declaration that is signed, in paragraphs
    pub statement: &'static [&'static str],
    /// the signature, or why it is missing
    pub signature: Signature,
    /// preparers and translators
    pub preparers: Vec<Section>,
}

impl Document {
    /// Identifies what is signed: it differs if any line or statement does.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        digest::part(&mut hash, b"document to sign");
        for section in &self.sections {
            digest::part(&mut hash, section.heading.as_bytes());
            for line in &section.lines {
                for text in [line.number, &line.label, &line.value, &line.to_date] {
                    digest::part(&mut hash, text.as_bytes());
                }
            }
        }
        for text in self.statement {
            digest::part(&mut hash, text.as_bytes());
        }
        hex::encode(&hash.finalize()[..16])
    }
}

/// A heading with numbered lines.
#[derive(Debug, Clone)]
pub struct Section {
    /// its heading
    pub heading: String,
    /// its lines
    pub lines: Vec<Line>,
}

/// A numbered line.
#[derive(Debug, Clone)]
pub struct Line {
    /// such as `4a`; may be empty
    pub number: &'static str,
    /// the question
    pub label: String,
    /// the answer
    pub value: String,
    /// the same for the year to date, if the section has such a column
    pub to_date: String,
    /// the type of its value
    pub kind: LineKind,
    /// the language of the label, where it is not that of the document
    pub language: Option<Language>,
}

/// The type of a line's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// text, or numbers that are not money
    Plain,
    /// an amount in dollars
    Dollars,
    /// the sum of the preceding amounts
    Sum,
}

impl Section {
    /// Whether its lines have year-to-date values.
    pub fn has_to_date(&self) -> bool {
        self.lines.iter().any(|line| !line.to_date.is_empty())
    }
}

impl Line {
    /// A line.
    pub fn new(number: &'static str, label: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            number,
            label: label.into(),
            value: value.into(),
            to_date: String::new(),
            kind: LineKind::Plain,
            language: None,
        }
    }

    /// The same line with a label in a language of its own.
    #[must_use]
    pub fn in_language(self, language: Language) -> Self {
        Self { language: Some(language), ..self }
    }

    /// The same line with a value of this kind.
    #[must_use]
    pub fn of(self, kind: LineKind) -> Self {
        Self { kind, ..self }
    }

    /// The same line with its year-to-date value.
    #[must_use]
    pub fn to_date(self, to_date: impl Into<String>) -> Self {
        Self { to_date: to_date.into(), ..self }
    }
}

/// The signature block.
#[derive(Debug, Clone)]
pub enum Signature {
    /// nothing is declared or signed
    NotAsked,
    /// not signed yet, or not since the data changed
    Missing {
        /// when it was last signed, on other data
        before: Option<Zoned>,
    },
    /// signed
    Given {
        /// the legal name as typed
        name: String,
        /// the time, in the company's time zone
        at: Zoned,
        /// the IP address reported for the signer
        ip: String,
    },
}

/// A time in print: with its zone, and an unambiguous date.
pub fn moment(at: &Zoned) -> String {
    at.strftime("%B %-d, %Y, %-I:%M:%S %p %Z").to_string()
}
