//! Lines and sections of a pay stub.

use rules::Amount;
use rules::amount::dollars_text;

use crate::people::forms::document::{Line, LineKind, Section};

/// Returns a line of words or hours.
pub(super) fn line(label: impl Into<String>, value: impl Into<String>) -> Line {
    Line::new("", label, value)
}

/// Returns a line with an amount.
pub(super) fn amount(label: impl Into<String>, amount: Amount) -> Line {
    line(label, dollars_text(amount)).of(LineKind::Dollars)
}

/// Returns a line with the total of those before it.
pub(super) fn total(label: &str, sum: Amount) -> Line {
    line(label, sum.to_text(2)).of(LineKind::Sum)
}

/// Returns a section.
pub(super) fn section(heading: &str, lines: Vec<Line>) -> Section {
    Section { heading: heading.to_owned(), lines }
}

/// Returns a section, unless it would be empty.
pub(super) fn some(heading: &str, lines: Vec<Line>) -> Option<Section> {
    (!lines.is_empty()).then(|| section(heading, lines))
}
