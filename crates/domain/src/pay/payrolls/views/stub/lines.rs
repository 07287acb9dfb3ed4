//! Lines and sections of a pay stub.

use rules::Amount;
use rules::amount::dollars_text;

use crate::people::forms::document::{DocumentLine, LineKind, Section};

/// Returns a line of words or hours.
pub(super) fn text_line(label: impl Into<String>, value: impl Into<String>) -> DocumentLine {
    DocumentLine::new("", label, value)
}

/// Returns a line with an amount.
pub(super) fn amount_line(label: impl Into<String>, amount: Amount) -> DocumentLine {
    text_line(label, dollars_text(amount)).with_kind(LineKind::Dollars)
}

/// Returns a line with the total of those before it.
pub(super) fn total_line(label: &str, sum: Amount) -> DocumentLine {
    text_line(label, sum.to_text(2)).with_kind(LineKind::Sum)
}

/// Returns a section.
pub(super) fn stub_section(heading: &str, lines: Vec<DocumentLine>) -> Section {
    Section { heading: heading.to_owned(), lines }
}

/// Returns a section, unless it would be empty.
pub(super) fn nonempty_section(heading: &str, lines: Vec<DocumentLine>) -> Option<Section> {
    (!lines.is_empty()).then(|| stub_section(heading, lines))
}
