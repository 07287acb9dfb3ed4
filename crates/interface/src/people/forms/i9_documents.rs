//! Operations on section 2 of Form I-9: the documents that the employer examines, and the employer's signature.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::people::forms::{commands, i9_documents};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::client_ip;
use super::wire::{I9Authorization, signed_from};
use super::wire_i9::{I9Document, I9DocumentOption, SignI9, UpdateI9Documents};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input, Owned};

/// Operations on section 2 of Form I-9.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_i9_document_options))
        .routes(routes!(list_i9_documents, update_i9_documents))
        .routes(routes!(delete_i9_document))
        .routes(routes!(sign_i9_for_employer))
}

/// List the documents that an employee can present for Form I-9
///
/// The form's Lists of Acceptable Documents, restricted to those that fit the employee's answers in section 1. The
/// choice is the employee's.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/i9_authorization/document_options", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The documents; 404 while section 1 is not answered", body = Vec<I9DocumentOption>)),
    security(("company_access" = ["i9_authorizations:read"])))]
async fn list_i9_document_options(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let options = i9_documents::acceptable_document_kinds(tx, caller, id)?;
        Ok(options.into_iter().map(I9DocumentOption::from).collect::<Vec<_>>())
    })
    .await
}

/// List the documents that the employer examined
///
/// Without their numbers.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/i9_authorization/documents", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The documents; 404 while section 1 is not answered", body = Vec<I9Document>)),
    security(("company_access" = ["i9_authorizations:read"])))]
async fn list_i9_documents(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let documents = i9_documents::list_documents(tx, caller, id)?;
        Ok(documents.into_iter().map(I9Document::from).collect::<Vec<_>>())
    })
    .await
}

/// Enter the documents that the employer examined
///
/// The list is replaced: send all of them each time. Before the employer signs they must be one document from list A
/// (or its parts), or one from list B and one from list C.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/i9_authorization/documents", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = UpdateI9Documents,
    responses((status = 201, description = "The documents", body = Vec<I9Document>)),
    security(("company_access" = ["i9_authorizations:manage"])))]
async fn update_i9_documents(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateI9Documents>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        let documents = i9_documents::replace_documents(tx, caller, id, &command)?;
        Ok(documents.into_iter().map(I9Document::from).collect::<Vec<_>>())
    })
    .await
}

/// Remove an examined document
///
/// Refused (422) once the employer has signed.
#[utoipa::path(delete, path = "/v1/employees/{employee_id}/i9_authorization/documents/{document_id}", tag = "Forms",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ("document_id" = Uuid, Path, description = "The document")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["i9_authorizations:manage"])))]
async fn delete_i9_document(
    State(app): State<App>,
    call: Call,
    Path(Owned { owner, id }): Path<Owned>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        i9_documents::delete_document(tx, caller, owner, id)
    })
    .await
}

/// Sign Form I-9 for the employer
///
/// After the employee has signed section 1 and the documents are entered. Afterwards nothing can be changed.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/i9_authorization/employer_sign", tag = "Forms",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ("X-Service-Client-IP" = Option<String>, Header, description = "The signer's IP address"),
        ("X-Gusto-Client-IP" = Option<String>, Header, description = "The same, as existing clients send it")),
    request_body = SignI9,
    responses((status = 200, description = "The authorization, signed by both", body = I9Authorization)),
    security(("company_access" = ["i9_authorizations:manage"])))]
async fn sign_i9_for_employer(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    headers: HeaderMap,
    Input(input): Input<SignI9>,
) -> Result<Response, Error> {
    let mut command = commands::SignI9::from(input);
    signed_from(&mut command.signature, client_ip(&headers));
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(I9Authorization::from(i9_documents::sign_section_2(tx, caller, id, &command)?))
    })
    .await
}
