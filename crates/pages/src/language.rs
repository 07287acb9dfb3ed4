//! The language of a page.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;
use domain::language::Language;

/// The language preferred by the browser.
pub fn preferred_language(headers: &HeaderMap) -> Language {
    let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Language::from_accept_language(accepted.unwrap_or_default())
}
