//! The language in which a page is shown.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;
use domain::language::Language;

/// The language that the browser asks for.
pub fn asked(headers: &HeaderMap) -> Language {
    let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Language::accepted(accepted.unwrap_or_default())
}
