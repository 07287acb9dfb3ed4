//! Documents at URLs that need no token: see `domain::company::document_links`.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::company::document_links::{Opened, open};
use domain::people::forms::document::Document;
use domain::people::forms::pdf;
use interface::app::App;
use interface::error::Error;
use interface::people::forms::wire::CONTENT_TYPE;

use crate::flows::message;
use crate::language;

/// Routes of documents.
pub fn routes() -> Router<App> {
    Router::new().route("/documents/{token}", get(show))
}

async fn show(State(app): State<App>, Path(token): Path<String>, headers: HeaderMap) -> Response {
    let language = language::asked(&headers);
    let t = crate::flows::texts::of(language);
    let token = Arc::new(token);
    let mut response = match app.store.read(move |tx| open(tx, &token)).await {
        Ok(Opened::Document(document)) => file(&document),
        Ok(Opened::Expired) => {
            message(language, StatusCode::GONE, t.document_gone_title, t.document_gone_text)
        }
        Ok(Opened::Unknown) => {
            message(language, StatusCode::NOT_FOUND, t.document_unknown_title, t.document_unknown_text)
        }
        Err(error) => Error::from(error).into_response(),
    };
    // A page of the service's own address may show a document inside itself, and so may the partners' pages that may
    // show the service's own.
    let partners = &app.settings.frame_origins;
    let framed_by = [&["'self'".to_owned()], partners.as_slice()].concat().join(" ");
    let policy = format!(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {framed_by}"
    );
    let headers = response.headers_mut();
    headers
        .extend(HeaderValue::from_str(&policy).ok().map(|policy| (header::CONTENT_SECURITY_POLICY, policy)));
    if partners.is_empty() {
        // The older header can name no other origin.
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    }
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn file(document: &Document) -> Response {
    let mut response = Response::new(Body::from(pdf::render(document)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
    let name = format!("inline; filename=\"form-{}.pdf\"", document.id);
    headers.extend(HeaderValue::from_str(&name).ok().map(|name| (header::CONTENT_DISPOSITION, name)));
    response
}
