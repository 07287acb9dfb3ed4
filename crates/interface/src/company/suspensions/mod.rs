//! Operations on suspensions that a company requests.

pub mod wire;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::company::suspensions::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreateSuspension, Suspension};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Input};

/// Operations on suspensions.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_suspensions, create_suspension))
}

/// List the suspensions that a company requested
///
/// Includes past ones; whether the company is suspended now is a field of the company (`is_suspended`).
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/suspensions", tag = "Company onboarding",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The suspensions, oldest first", body = Vec<Suspension>)),
    security(("company_access" = ["company_suspensions:read"])))]
async fn list_suspensions(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, |tx, caller| {
        let found = service::list_suspensions(tx, caller)?.into_iter();
        Ok(found.map(|one| Suspension::new(caller.company, one)).collect())
    })
    .await
}

/// Suspend a company that leaves
///
/// From today no payroll can be run; all data can still be read. The instructions for taxes and forms are recorded for
/// whoever carries them out.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/suspensions", tag = "Company onboarding",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateSuspension,
    responses((status = 200, description = "The suspension", body = Suspension)),
    security(("company_access" = ["company_suspensions:write"])))]
async fn create_suspension(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateSuspension>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Suspension::new(caller.company, service::create_suspension(tx, caller, &command)?))
    })
    .await
}
