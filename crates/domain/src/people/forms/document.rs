//! The content of a document, before layout.

use jiff::Zoned;
use rules::Amount;
use rules::money::dollars_of;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::digest;
use crate::language::Language;

/// A document that is to be signed, has been signed, or is only read.
#[derive(Debug, Clone)]
pub struct Document {
    /// id of the form, printed at the foot of each page
    pub id: Uuid,
    /// language of the document
    pub language: Language,
    /// large title at the top
    pub title: &'static str,
    /// short title at the top right
    pub code: String,
    /// introductory sentence under the title
    pub intro: &'static str,
    /// role of the signer, such as `Employee`
    pub signer: &'static str,
    /// name and details of the signer, line by line
    pub signed_by: Vec<String>,
    /// the other party, with a heading such as `Employer`
    pub on_behalf_of: (&'static str, Vec<String>),
    /// sections
    pub sections: Vec<Section>,
    /// the declaration that is signed, in paragraphs
    pub statement: &'static [&'static str],
    /// the signature, or why it is missing
    pub signature: Signature,
    /// preparers and translators
    pub preparers: Vec<Section>,
    /// parts of a sum, drawn as a bar; empty for no bar
    pub shares: Vec<Share>,
}

/// A part of a sum that a document draws as a bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// its name
    pub name: &'static str,
    /// its amount
    pub amount: Amount,
}

impl Document {
    /// Returns a fingerprint of the signed content, which differs if any heading, line or statement differs.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        digest::hash_part(&mut hash, b"document to sign");
        for section in &self.sections {
            digest::hash_part(&mut hash, section.heading.as_bytes());
            for line in &section.lines {
                for text in [line.number, &line.label, &line.value, &line.to_date] {
                    digest::hash_part(&mut hash, text.as_bytes());
                }
            }
        }
        for text in self.statement {
            digest::hash_part(&mut hash, text.as_bytes());
        }
        hex::encode(&hash.finalize()[..16])
    }
}

/// A heading with numbered lines.
#[derive(Debug, Clone)]
pub struct Section {
    /// heading
    pub heading: String,
    /// lines
    pub lines: Vec<DocumentLine>,
}

/// A numbered line.
#[derive(Debug, Clone)]
pub struct DocumentLine {
    /// line number, such as `4a`; may be empty
    pub number: &'static str,
    /// the question
    pub label: String,
    /// the answer
    pub value: String,
    /// year-to-date value, if the section has that column
    pub to_date: String,
    /// type of the value
    pub kind: LineKind,
    /// language of the label, if it differs from the document's
    pub language: Option<Language>,
    /// name of the figure of the calculation that the value is; `None` if it is none
    pub figure: Option<String>,
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
    /// a heading over the lines that follow
    Group,
}

impl Section {
    /// Whether any of its lines is an amount.
    pub fn has_amounts(&self) -> bool {
        self.lines.iter().any(|line| matches!(line.kind, LineKind::Dollars | LineKind::Sum))
    }

    /// Whether any of its lines has a year-to-date value.
    pub fn has_to_date(&self) -> bool {
        self.lines.iter().any(|line| !line.to_date.is_empty())
    }
}

impl DocumentLine {
    /// A value of the line as it is shown: money with its sign and thousands separators.
    pub fn format_value(&self, value: &str) -> String {
        match self.kind {
            LineKind::Dollars | LineKind::Sum if !value.is_empty() => dollars_of(value),
            _ => value.to_owned(),
        }
    }

    /// Creates a plain line without a year-to-date value.
    pub fn new(number: &'static str, label: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            number,
            label: label.into(),
            value: value.into(),
            to_date: String::new(),
            kind: LineKind::Plain,
            language: None,
            figure: None,
        }
    }

    /// Sets the language of the label.
    #[must_use]
    pub fn in_language(self, language: Language) -> Self {
        Self { language: Some(language), ..self }
    }

    /// Sets the type of the value.
    #[must_use]
    pub fn with_kind(self, kind: LineKind) -> Self {
        Self { kind, ..self }
    }

    /// Sets the figure of the calculation that explains the value.
    #[must_use]
    pub fn explained_by(self, figure: impl Into<String>) -> Self {
        Self { figure: Some(figure.into()), ..self }
    }

    /// Sets the year-to-date value.
    #[must_use]
    pub fn to_date(self, to_date: impl Into<String>) -> Self {
        Self { to_date: to_date.into(), ..self }
    }
}

/// The signature block.
#[derive(Debug, Clone)]
pub enum Signature {
    /// no declaration or signature is required
    NotAsked,
    /// not signed yet, or not since the data changed
    Missing {
        /// time of the last signature, given for different data
        before: Option<Zoned>,
    },
    /// signed
    Given {
        /// the legal name as typed
        name: String,
        /// time of signing, in the company's time zone
        at: Zoned,
        /// the IP address reported for the signer
        ip: String,
    },
}

/// Formats a time for print, with its zone and an unambiguous date.
pub fn format_moment(at: &Zoned) -> String {
    at.strftime("%B %-d, %Y, %-I:%M:%S %p %Z").to_string()
}
