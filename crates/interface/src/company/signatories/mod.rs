//! Operations on signatories.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::company::signatories::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreateSignatory, InviteSignatory, Signatory, SignatoryInput, UpdateSignatory};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, InCompany, Input};

/// Operations on signatories.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_signatories, create_signatory))
        .routes(routes!(invite_signatory))
        .routes(routes!(update_signatory, delete_signatory))
}

/// List a company's signatories
///
/// A company has at most one signatory, so the list has at most one item.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/signatories", tag = "Signatories",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "One signatory or none", body = Vec<Signatory>)),
    security(("company_access" = ["signatories:read"])))]
async fn list_signatories(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, |tx, caller| {
        let signatory = service::get_signatory(tx, caller)?;
        Ok(signatory.into_iter().map(Signatory::from).collect::<Vec<_>>())
    })
    .await
}

/// Add the signatory
///
/// A company has at most one signatory.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/signatories", tag = "Signatories",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateSignatory,
    responses((status = 200, description = "The signatory", body = Signatory)),
    security(("company_access" = ["signatories:manage"])))]
async fn create_signatory(
    State(app): State<App>,
    call: Call,
    Input(input): Input<SignatoryInput>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Signatory::from(service::create_signatory(tx, caller, &command)?))
    })
    .await
}

/// Add a signatory who completes the record later
///
/// The service sends no e-mail: the partner asks the signatory for the missing data, and sends it with an update.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/signatories/invite", tag = "Signatories",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = InviteSignatory,
    responses((status = 200, description = "The signatory, with what is known so far", body = Signatory)),
    security(("company_access" = ["signatories:manage"])))]
async fn invite_signatory(
    State(app): State<App>,
    call: Call,
    Input(input): Input<SignatoryInput>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Signatory::from(service::invite_signatory(tx, caller, &command)?))
    })
    .await
}

/// Update the signatory
///
/// After an invitation the first update must supply everything that is missing.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/signatories/{signatory_uuid}", tag = "Signatories",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("signatory_uuid" = Uuid, Path, description = "The signatory")),
    request_body = UpdateSignatory,
    responses((status = 200, description = "The signatory as updated", body = Signatory)),
    security(("company_access" = ["signatories:write"])))]
async fn update_signatory(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
    Input(input): Input<SignatoryInput>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Signatory::from(service::update_signatory(tx, caller, id, &command)?))
    })
    .await
}

/// Delete the signatory
///
/// Another one can be added afterwards.
#[utoipa::path(delete, path = "/v1/companies/{company_uuid}/signatories/{signatory_uuid}", tag = "Signatories",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("signatory_uuid" = Uuid, Path, description = "The signatory")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["signatories:manage"])))]
async fn delete_signatory(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| service::delete_signatory(tx, caller, id))
        .await
}
