//! The theme of an application: its colors as a style sheet, and its logo. Neither is secret: everybody with a link
//! sees both.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::access::themes;
use domain::access::themes::Theme;
use interface::app::App;
use interface::error::Error;
use interface::http::Id;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/flow-theme/{application}/style.css", get(serve_style_sheet))
        .route("/flow-theme/{application}/logo.png", get(serve_logo))
}

async fn serve_style_sheet(State(app): State<App>, Path(Id(application)): Path<Id>) -> Response {
    match app.store.read(move |tx| themes::find_theme(tx, application)).await {
        Ok(theme) => cacheable_file(
            "text/css; charset=utf-8",
            theme_style_sheet(&theme.unwrap_or_default()).into_bytes(),
        ),
        Err(error) => Error::from(error).into_response(),
    }
}

async fn serve_logo(State(app): State<App>, Path(Id(application)): Path<Id>) -> Response {
    match app.store.read(move |tx| themes::find_theme(tx, application)).await {
        Ok(theme) => match theme.and_then(|theme| theme.logo) {
            Some(logo) => cacheable_file("image/png", logo),
            None => Error::NotFound.into_response(),
        },
        Err(error) => Error::from(error).into_response(),
    }
}

/// The design tokens that a theme overrides.
fn theme_style_sheet(theme: &Theme) -> String {
    let soft = "--accent-soft: color-mix(in srgb, var(--accent) 14%, var(--paper));";
    let set = |accent: themes::Color| format!(":root {{ --accent: {}; {soft} }}\n", accent.to_text());
    let light = theme.accent.map(set).unwrap_or_default();
    let dark = theme.accent_dark.map(set).unwrap_or_default();
    match dark.is_empty() {
        true => light,
        false => format!("{light}@media (prefers-color-scheme: dark) {{ {dark}}}\n"),
    }
}

/// A file that a browser may cache for an hour; its URL changes with its content.
fn cacheable_file(content_type: &'static str, body: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (headers, body).into_response()
}
