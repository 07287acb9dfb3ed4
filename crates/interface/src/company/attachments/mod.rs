//! Operations on files that a company uploads.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::company::attachments::service;
use domain::company::document_links;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CompanyAttachment, CompanyAttachmentDownloadUrl, CreateCompanyAttachment, create_command};
use crate::app::App;
use crate::error::Error;
use crate::form::FormInput;
use crate::http::{Call, InCompany};
use crate::people::forms::wire::document_url;

/// Operations on attachments.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_company_attachments, create_company_attachment))
        .routes(routes!(get_company_attachment, delete_company_attachment))
        .routes(routes!(get_company_attachment_url))
}

/// List a company's attachments
///
/// Oldest first.
#[utoipa::path(get, path = "/v1/companies/{company_id}/attachments", tag = "Attachments",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The attachments", body = Vec<CompanyAttachment>)),
    security(("company_access" = ["company_attachments:read"])))]
async fn list_company_attachments(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, |tx, caller| {
        Ok(service::list_attachments(tx, caller)?.into_iter().map(CompanyAttachment::from).collect())
    })
    .await
}

/// Attach a file to a company
///
/// Upload a file as a company's attachment
///
/// Send a form with the file in it. A file may be up to 10 MB, and its name must end in qbb, qbm, gif, jpg, png, pdf, xls,
/// xlsx, doc or docx; folders and invisible characters are removed from the name. The content is not examined, and is
/// stored encrypted. A company may have up to 200 attachments.
#[utoipa::path(post, path = "/v1/companies/{company_id}/attachments", tag = "Attachments",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body(content = CreateCompanyAttachment, content_type = "multipart/form-data"),
    responses((status = 201, description = "The attachment", body = CompanyAttachment)),
    security(("company_access" = ["company_attachments:write"])))]
async fn create_company_attachment(
    State(app): State<App>,
    call: Call,
    FormInput(form): FormInput,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(CompanyAttachment::from(service::create_attachment(tx, caller, create_command(&form))?))
    })
    .await
}

/// Read an attachment of a company
///
/// Its name and category, without the file.
#[utoipa::path(get, path = "/v1/companies/{company_id}/attachments/{company_attachment_uuid}", tag = "Attachments",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("company_attachment_uuid" = Uuid, Path, description = "The attachment")),
    responses((status = 200, description = "The attachment", body = CompanyAttachment)),
    security(("company_access" = ["company_attachments:read"])))]
async fn get_company_attachment(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(CompanyAttachment::from(service::find_attachment(tx, caller, id)?))
    })
    .await
}

/// Delete an attachment of a company
///
/// Its file is deleted, too, and download URLs stop working.
#[utoipa::path(delete, path = "/v1/companies/{company_id}/attachments/{company_attachment_uuid}", tag = "Attachments",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("company_attachment_uuid" = Uuid, Path, description = "The attachment")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["company_attachments:write"])))]
async fn delete_company_attachment(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| service::delete_attachment(tx, caller, id))
        .await
}

/// Get a URL at which an attachment can be downloaded
///
/// The URL works for ten minutes without a token. The file is sent as a download, not for display in the browser.
#[utoipa::path(get, path = "/v1/companies/{company_id}/attachments/{company_attachment_uuid}/download_url", tag = "Attachments",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("company_attachment_uuid" = Uuid, Path, description = "The attachment")),
    responses((status = 200, description = "The address", body = CompanyAttachmentDownloadUrl)),
    security(("company_access" = ["company_attachments:read"])))]
async fn get_company_attachment_url(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    let base = app.settings.flow_url.clone().unwrap_or_default();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let link = document_links::create_for_attachment(tx, caller, id)?;
        Ok(CompanyAttachmentDownloadUrl { url: document_url(&base, &link) })
    })
    .await
}
