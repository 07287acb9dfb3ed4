//! Operations on federal tax details and on state tax requirements.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::company::taxes::{federal, state};
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{
    FederalTaxDetails, StateSetup, TaxRequirements, UpdateFederalTaxDetails, UpdateTaxRequirements,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Input};
use crate::query;

/// Operations on a company's taxes.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_federal_tax_details, update_federal_tax_details))
        .routes(routes!(list_tax_requirements))
        .routes(routes!(get_tax_requirements, update_tax_requirements))
}

/// Read federal tax details
///
/// The company's filing details with the IRS. The EIN itself is never shown, only whether it is on file.
#[utoipa::path(get, path = "/v1/companies/{company_id}/federal_tax_details", tag = "Company taxes",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The details", body = FederalTaxDetails)),
    security(("company_access" = ["company_federal_taxes:read"])))]
async fn get_federal_tax_details(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| Ok(FederalTaxDetails::from(federal::get_federal_details(tx, caller)?)))
        .await
}

/// Update federal tax details
///
/// Omitted fields keep their values. The details are a step of the company's onboarding.
#[utoipa::path(put, path = "/v1/companies/{company_id}/federal_tax_details", tag = "Company taxes",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = UpdateFederalTaxDetails,
    responses((status = 200, description = "The details as updated", body = FederalTaxDetails)),
    security(("company_access" = ["company_federal_taxes:write"])))]
async fn update_federal_tax_details(
    State(app): State<App>,
    call: Call,
    Input(input): Input<UpdateFederalTaxDetails>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(FederalTaxDetails::from(federal::update_federal_details(tx, caller, &command)?))
    })
    .await
}

/// List the states with tax requirements, and the status of each
///
/// A state appears when an employee works there. `setup_status` shows whether every requirement is answered.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/tax_requirements", tag = "Company taxes",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The states of the company's active locations", body = Vec<StateSetup>)),
    security(("company_access" = ["company_tax_requirements:read"])))]
async fn list_tax_requirements(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, |tx, caller| {
        Ok(state::list_state_setups(tx, caller)?.into_iter().map(StateSetup::from).collect::<Vec<_>>())
    })
    .await
}

query! {
    /// What is included with a state's requirements.
    GetTaxRequirements {
        /// Whether to include the groups that can be answered for the next year
        scheduling: bool,
    }
}

/// A state in a path.
#[derive(Debug, Deserialize)]
struct StatePath {
    state: String,
}

/// Read a state's tax requirements
///
/// Grouped questions, each with the type of its answer, its choices or bounds, and the current answer.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/tax_requirements/{state}", tag = "Company taxes",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("state" = String, Path, description = "Two letters"),
        GetTaxRequirements),
    responses((status = 200, description = "The requirements, with their answers", body = TaxRequirements)),
    security(("company_access" = ["company_tax_requirements:read"])))]
async fn get_tax_requirements(
    State(app): State<App>,
    call: Call,
    Path(place): Path<StatePath>,
    query: GetTaxRequirements,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(TaxRequirements::new(
            caller.company,
            state::state_requirements(tx, caller, &place.state, query.scheduling)?,
        ))
    })
    .await
}

/// Answer a state's tax requirements
///
/// Only the requirements that are sent change. Rates take effect on the first day of a quarter.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/tax_requirements/{state}", tag = "Company taxes",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("state" = String, Path, description = "Two letters")),
    request_body = UpdateTaxRequirements,
    responses((status = 200, description = "Answered")),
    security(("company_access" = ["company_tax_requirements:write"])))]
async fn update_tax_requirements(
    State(app): State<App>,
    call: Call,
    Path(place): Path<StatePath>,
    Input(input): Input<UpdateTaxRequirements>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        state::update_requirements(tx, caller, &place.state, &command)
    })
    .await
}
