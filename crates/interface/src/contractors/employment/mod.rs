//! Operations on the dismissal and the rehire of contractors.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::contractors::employment;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreateContractorRehire, CreateContractorTermination};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on dismissal and rehire.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(dismiss_contractor, cancel_contractor_dismissal))
        .routes(routes!(rehire_contractor, cancel_contractor_rehire))
}

/// Dismiss a contractor
///
/// `end_date` is the last day, in the past, today or in the future. `contractor.deactivated` is sent at once,
/// `contractor.deactivation_effective` on the day after the last one.
#[utoipa::path(post, path = "/v1/contractors/{contractor_uuid}/termination", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    request_body = CreateContractorTermination,
    responses((status = 204, description = "Recorded")),
    security(("company_access" = ["contractors:write"])))]
async fn dismiss_contractor(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<CreateContractorTermination>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        employment::dismiss_contractor(tx, caller, id, &command)
    })
    .await
}

/// Cancel the dismissal of a contractor
///
/// Until the last day is over; a dismissal that was recorded for a past day, for two days.
#[utoipa::path(delete, path = "/v1/contractors/{contractor_uuid}/termination", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 204, description = "Cancelled")),
    security(("company_access" = ["contractors:write"])))]
async fn cancel_contractor_dismissal(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        employment::cancel_dismissal(tx, caller, id)
    })
    .await
}

/// Rehire a contractor
///
/// Whose last day has passed. `contractor.reactivated` is sent at once, `contractor.reactivation_effective` on `start_date`.
#[utoipa::path(post, path = "/v1/contractors/{contractor_uuid}/rehire", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    request_body = CreateContractorRehire,
    responses((status = 204, description = "Recorded")),
    security(("company_access" = ["contractors:write"])))]
async fn rehire_contractor(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<CreateContractorRehire>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        employment::rehire_contractor(tx, caller, id, &command)
    })
    .await
}

/// Cancel the rehire of a contractor
///
/// Until the first day back; a rehire that was recorded for a past day, for two days.
#[utoipa::path(delete, path = "/v1/contractors/{contractor_uuid}/rehire", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 204, description = "Cancelled")),
    security(("company_access" = ["contractors:write"])))]
async fn cancel_contractor_rehire(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| employment::cancel_rehire(tx, caller, id))
        .await
}
