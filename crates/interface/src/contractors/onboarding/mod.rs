//! Operations on the onboarding of contractors.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::contractors::onboarding;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{ContractorOnboardingDetails, UpdateContractorOnboardingStatus};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on the onboarding of contractors.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_contractor_onboarding_status, update_contractor_onboarding_status))
}

/// Read the onboarding status of a contractor
///
/// The status and every step: whether it is required, whether it is completed, and its prerequisites.
#[utoipa::path(get, path = "/v1/contractors/{contractor_uuid}/onboarding_status", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 200, description = "Status and steps", body = ContractorOnboardingDetails)),
    security(("company_access" = ["contractors:read"])))]
async fn get_contractor_onboarding_status(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        onboarding::onboarding_status(tx, caller, id).map(ContractorOnboardingDetails::from)
    })
    .await
}

/// Change the onboarding status of a contractor
///
/// `admin_onboarding_incomplete` and `admin_onboarding_review` follow each other with the data; `self_onboarding_started` comes
/// when the contractor opens the link or signs. A refusal names the allowed moves, or the steps that are open.
#[utoipa::path(put, path = "/v1/contractors/{contractor_uuid}/onboarding_status", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    request_body = UpdateContractorOnboardingStatus,
    responses((status = 200, description = "Status and steps after the change", body = ContractorOnboardingDetails)),
    security(("company_access" = ["contractors:write"])))]
async fn update_contractor_onboarding_status(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateContractorOnboardingStatus>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        onboarding::update_onboarding_status(tx, caller, id, &command).map(ContractorOnboardingDetails::from)
    })
    .await
}
