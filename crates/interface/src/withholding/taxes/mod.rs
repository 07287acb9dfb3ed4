//! Operations on an employee's taxes.

pub mod wire;

#[cfg(test)]
mod tests;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::withholding::taxes::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{FederalTaxes, StateTaxes, UpdateFederalTaxes, UpdateStateTaxes};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on federal and state taxes.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_federal_taxes, update_federal_taxes))
        .routes(routes!(get_state_taxes, update_state_taxes))
}

/// Read Form W-4
///
/// The form of 2020 or later, or the older one if the employee has not replaced it.
#[utoipa::path(get, path = "/v1/employees/{employee_uuid}/federal_taxes", tag = "Taxes",
    params(("employee_uuid" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The form in effect", body = FederalTaxes)),
    security(("company_access" = ["employee_federal_taxes:read"])))]
async fn get_federal_taxes(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(FederalTaxes::new(id, service::federal::get_federal_taxes(tx, caller, id)?.as_ref()))
    })
    .await
}

/// Update Form W-4 of 2020 or later
///
/// Send the answers of the employee's certificate. A changed certificate needs a new signature.
#[utoipa::path(put, path = "/v1/employees/{employee_uuid}/federal_taxes", tag = "Taxes",
    params(("employee_uuid" = Uuid, Path, description = "The employee")),
    request_body = UpdateFederalTaxes,
    responses((status = 200, description = "The form in effect", body = FederalTaxes)),
    security(("company_access" = ["employee_federal_taxes:write"])))]
async fn update_federal_taxes(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateFederalTaxes>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(FederalTaxes::new(id, service::federal::update_federal_taxes(tx, caller, id, &command)?.as_ref()))
    })
    .await
}

/// Read the tax questions of the work and home states, with their answers
///
/// Each question with the type of its answer, its choices, and the current answer. States without a tax on wages ask at
/// most about the new-hire report.
#[utoipa::path(get, path = "/v1/employees/{employee_uuid}/state_taxes", tag = "Taxes",
    params(("employee_uuid" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The states, the work state first", body = Vec<StateTaxes>)),
    security(("company_access" = ["employee_state_taxes:read"])))]
async fn get_state_taxes(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        let states = service::state::get_state_taxes(tx, caller, id)?;
        Ok(states.iter().map(|state| StateTaxes::new(id, state)).collect::<Vec<_>>())
    })
    .await
}

/// Answer tax questions of the work and home states
///
/// Only the questions that are sent change. The question about the new-hire report is for the employer alone.
#[utoipa::path(put, path = "/v1/employees/{employee_uuid}/state_taxes", tag = "Taxes",
    params(("employee_uuid" = Uuid, Path, description = "The employee")),
    request_body = UpdateStateTaxes,
    responses((status = 200, description = "The states, the work state first", body = Vec<StateTaxes>)),
    security(("company_access" = ["employee_state_taxes:write"])))]
async fn update_state_taxes(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateStateTaxes>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let states = service::state::update_state_taxes(tx, caller, id, &command)?;
        Ok(states.iter().map(|state| StateTaxes::new(id, state)).collect::<Vec<_>>())
    })
    .await
}
