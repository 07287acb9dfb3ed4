//! Operations on earning types.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::earning_types::service;
use domain::pay::payrolls::record::kinds::ENTERED_FIXED;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreateEarningType, EarningType, EarningTypes, UpdateEarningType};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, InCompany, Input};

/// Operations on earning types.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_earning_types, create_earning_type))
        .routes(routes!(update_earning_type, delete_earning_type))
}

/// List earning types
///
/// The default ones, and the company's own, including inactive ones.
#[utoipa::path(get, path = "/v1/companies/{company_id}/earning_types", tag = "Payrolls",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The earning types", body = EarningTypes)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_earning_types(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| {
        Ok(EarningTypes::from(service::list_earning_types(tx, caller, &ENTERED_FIXED)?))
    })
    .await
}

/// Create an earning type of a company
///
/// From then on it can be used in `fixed_compensations` of payrolls, and counts as wages like a bonus. An inactive one
/// with the same name becomes active again.
#[utoipa::path(post, path = "/v1/companies/{company_id}/earning_types", tag = "Payrolls",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreateEarningType,
    responses((status = 201, description = "The earning type", body = EarningType)),
    security(("company_access" = ["payrolls:write"])))]
async fn create_earning_type(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateEarningType>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(EarningType::from(service::create_earning_type(tx, caller, &command, &ENTERED_FIXED)?))
    })
    .await
}

/// Rename an earning type of a company
///
/// Calculated payrolls keep the old name.
#[utoipa::path(put, path = "/v1/companies/{company_id}/earning_types/{earning_type_uuid}", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("earning_type_uuid" = Uuid, Path, description = "The earning type")),
    request_body = UpdateEarningType,
    responses((status = 200, description = "The earning type as renamed", body = EarningType)),
    security(("company_access" = ["payrolls:write"])))]
async fn update_earning_type(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
    Input(input): Input<UpdateEarningType>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(EarningType::from(service::update_earning_type(tx, caller, id, &command, &ENTERED_FIXED)?))
    })
    .await
}

/// Deactivate an earning type of a company
///
/// It remains in the list, and in the payrolls that paid it, but cannot be used in new lines.
#[utoipa::path(delete, path = "/v1/companies/{company_id}/earning_types/{earning_type_uuid}", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("earning_type_uuid" = Uuid, Path, description = "The earning type")),
    responses((status = 204, description = "Inactive")),
    security(("company_access" = ["payrolls:write"])))]
async fn delete_earning_type(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        service::deactivate_earning_type(tx, caller, id)
    })
    .await
}
