//! Documents at URLs that require no token: see `domain::company::document_links`.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::company::attachments::service::File;
use domain::company::document_links::{Opened, open_link};
use domain::language::Language;
use domain::pay::reports::links;
use domain::pay::reports::terms::FileType;
use domain::people::forms::document::Document;
use domain::people::forms::pdf;
use interface::app::App;
use interface::error::Error;
use interface::http::disposition::{attachment_header, inline_header};
use interface::people::forms::wire::CONTENT_TYPE;

use crate::flows::message_page;
use crate::language;

/// Routes of documents.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/documents/{token}", get(show_document))
        .route("/documents/reports/{token}", get(show_report))
}

async fn show_document(State(app): State<App>, Path(token): Path<String>, headers: HeaderMap) -> Response {
    let language = language::preferred_language(&headers);
    let token = Arc::new(token);
    let response = match app.store.read(move |tx| open_link(tx, &token)).await {
        Ok(Opened::Document(document)) => form_response(&document),
        Ok(Opened::File(file)) => download_file(*file),
        Ok(Opened::Expired) => expired_link_page(language),
        Ok(Opened::Unknown) => unknown_link_page(language),
        Err(error) => Error::from(error).into_response(),
    };
    guard_response(&app, response)
}

/// A report, or printed checks: see `domain::pay::reports::links`.
async fn show_report(State(app): State<App>, Path(token): Path<String>, headers: HeaderMap) -> Response {
    let language = language::preferred_language(&headers);
    let token = Arc::new(token);
    let response = match app.store.read(move |tx| links::open_link(tx, &token)).await {
        Ok(links::Opened::File { name, file_type, content }) => {
            let content_type = match file_type {
                FileType::Csv => "text/csv; charset=utf-8; header=present",
                FileType::Json => "application/json",
                FileType::Pdf => CONTENT_TYPE,
            };
            file_response(Body::from(content.to_vec()), content_type, attachment_header(&name))
        }
        Ok(links::Opened::Archive { name, content }) => {
            file_response(Body::from(content.to_vec()), "application/zip", attachment_header(&name))
        }
        Ok(links::Opened::Expired) => expired_link_page(language),
        Ok(links::Opened::Unknown) => unknown_link_page(language),
        Err(error) => Error::from(error).into_response(),
    };
    guard_response(&app, response)
}

fn expired_link_page(language: Language) -> Response {
    let t = crate::flows::texts::texts_in_language(language);
    message_page(language, StatusCode::GONE, t.document_gone_title, t.document_gone_text)
}

fn unknown_link_page(language: Language) -> Response {
    let t = crate::flows::texts::texts_in_language(language);
    message_page(language, StatusCode::NOT_FOUND, t.document_unknown_title, t.document_unknown_text)
}

/// Restricts who may frame the response, and forbids caching.
fn guard_response(app: &App, mut response: Response) -> Response {
    // A page of the service itself may embed a document, and so may the partners' pages that may embed the service's
    // pages.
    let partners = &app.settings.frame_origins;
    let framed_by = [&["'self'".to_owned()], partners.as_slice()].concat().join(" ");
    let policy = format!(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {framed_by}"
    );
    let headers = response.headers_mut();
    headers
        .extend(HeaderValue::from_str(&policy).ok().map(|policy| (header::CONTENT_SECURITY_POLICY, policy)));
    if partners.is_empty() {
        // The older header cannot name other origins.
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    }
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// An uploaded file: it is downloaded, and never displayed at the service's own address.
fn download_file(File { name, file_type, content }: File) -> Response {
    file_response(Body::from(Bytes::from_owner(content)), file_type.content_type(), attachment_header(&name))
}

fn form_response(document: &Document) -> Response {
    let name = inline_header(&format!("form-{}.pdf", document.id));
    file_response(Body::from(pdf::render_pdf(document)), CONTENT_TYPE, name)
}

fn file_response(body: Body, content_type: &'static str, disposition: HeaderValue) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    response
}
