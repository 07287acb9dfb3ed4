//! Operations on documents of contractors.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::company::document_links;
use domain::contractors::documents::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{ContractorDocument, DocumentPdf, SignDocument};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::people::forms::client_ip;
use crate::people::forms::wire::signed_from;

/// Operations on documents of contractors.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_contractor_documents))
        .routes(routes!(get_document))
        .routes(routes!(get_document_pdf))
        .routes(routes!(sign_document))
}

/// List the documents of a contractor
///
/// Form W-9 appears once name, address and taxpayer identification number are there, and needs a new signature when one of
/// them changes.
#[utoipa::path(get, path = "/v1/contractors/{contractor_uuid}/documents", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 200, description = "The documents", body = Vec<ContractorDocument>)),
    security(("company_access" = ["contractor_documents:read"])))]
async fn list_contractor_documents(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let found = service::list_documents(tx, caller, id)?;
        Ok(found.into_iter().map(ContractorDocument::from).collect::<Vec<_>>())
    })
    .await
}

/// Read a document
///
/// With its fields, filled in as far as they are known.
#[utoipa::path(get, path = "/v1/documents/{document_uuid}", tag = "Contractors",
    params(("document_uuid" = Uuid, Path, description = "The document")),
    responses((status = 200, description = "The document", body = ContractorDocument)),
    security(("company_access" = ["contractor_documents:read"])))]
async fn get_document(State(app): State<App>, call: Call, Path(Id(id)): Path<Id>) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| service::get_document(tx, caller, id).map(ContractorDocument::from))
        .await
}

/// Get a URL at which a document can be downloaded as PDF
///
/// The URL works for ten minutes without a token, so that a browser can open it.
#[utoipa::path(get, path = "/v1/documents/{document_uuid}/pdf", tag = "Contractors",
    params(("document_uuid" = Uuid, Path, description = "The document")),
    responses((status = 200, description = "The address", body = DocumentPdf)),
    security(("company_access" = ["contractor_documents:read"])))]
async fn get_document_pdf(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    let base = app.settings.flow_url.clone().unwrap_or_default();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(DocumentPdf::new(&base, id, &document_links::create_for_contractor(tx, caller, id)?))
    })
    .await
}

/// Sign a document
///
/// Send the signer's answers and typed name (`signature_text`) as fields, and the IP address in the body or in a header. Fields
/// that come from the record are ignored. Whoever says to be subject to backup withholding is withheld from
/// (`backup_withholding`).
#[utoipa::path(put, path = "/v1/documents/{document_uuid}/sign", tag = "Contractors",
    params(
        ("document_uuid" = Uuid, Path, description = "The document"),
        ("X-Service-Client-IP" = Option<String>, Header, description = "The signer's IP address"),
        ("X-Gusto-Client-IP" = Option<String>, Header, description = "The same, as existing clients send it")),
    request_body = SignDocument,
    responses((status = 200, description = "The document, signed", body = ContractorDocument)),
    security(("company_access" = ["contractor_documents:write"])))]
async fn sign_document(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    headers: HeaderMap,
    Input(input): Input<SignDocument>,
) -> Result<Response, Error> {
    let mut command = service::SignDocument::from(input);
    signed_from(&mut command.signature, client_ip(&headers));
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        service::sign_document(tx, caller, id, &command).map(ContractorDocument::from)
    })
    .await
}
