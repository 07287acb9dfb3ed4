//! Operations on onboarding.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::people::onboarding::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{OnboardingStatus, UpdateOnboardingStatus};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on onboarding.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(get_onboarding_status, update_onboarding_status))
}

/// Read the onboarding status of an employee
///
/// The status and every step: whether it is required, whether it is completed, and its prerequisites.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/onboarding_status", tag = "Onboarding",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "Status and steps", body = OnboardingStatus)),
    security(("company_access" = ["employees:read"])))]
async fn get_onboarding_status(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        service::onboarding_status(tx, caller, id).map(OnboardingStatus::from)
    })
    .await
}

/// Change the onboarding status, or mark steps as completed
///
/// The table of statuses defines the allowed changes, and a refusal names them. Steps whose data you collect on your
/// own pages are marked with `onboarding_steps`.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/onboarding_status", tag = "Onboarding",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = UpdateOnboardingStatus,
    responses((status = 200, description = "Status and steps after the change", body = OnboardingStatus)),
    security(("company_access" = ["employees:manage"])))]
async fn update_onboarding_status(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateOnboardingStatus>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        service::update_onboarding_status(tx, caller, id, &command).map(OnboardingStatus::from)
    })
    .await
}
