//! Operations on companies.

pub mod wire;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::company::profile::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{Company, NewTrait, UpdateCompany};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Input};

/// Operations on companies.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(get_company, update_company)).routes(routes!(note_company_trait))
}

/// Read a company
///
/// Name, legal form, locations, status, and the kinds of lines in its payrolls.
#[utoipa::path(get, path = "/v1/companies/{company_id}", tag = "Companies",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The company", body = Company)),
    security(("company_access" = ["companies:read"])))]
async fn get_company(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| Ok(Company::new(caller, service::get_company_profile(tx, caller)?)))
        .await
}

/// Set whether a company pays only contractors
///
/// A company that pays only contractors runs no payroll: its employees are kept, and its payrolls are blocked.
#[utoipa::path(put, path = "/v1/companies/{company_id}", tag = "Companies",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = UpdateCompany,
    responses((status = 200, description = "The company as updated", body = Company)),
    security(("company_access" = ["companies:write"])))]
async fn update_company(
    State(app): State<App>,
    call: Call,
    Input(input): Input<UpdateCompany>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Company::new(caller, service::update_company_profile(tx, caller, &command)?))
    })
    .await
}

/// Record a fact about a company
///
/// For developers: stands in for the operator who accepts companies; available only with the setting `test_helpers`.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/traits", tag = "Companies",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = NewTrait,
    responses((status = 200, description = "The company, with the fact", body = Company)),
    security(("company_access" = ["companies:write"])))]
async fn note_company_trait(
    State(app): State<App>,
    call: Call,
    Input(input): Input<NewTrait>,
) -> Result<Response, Error> {
    app.settings.for_developers()?;
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Company::new(caller, service::note_trait(tx, caller, &command)?))
    })
    .await
}
