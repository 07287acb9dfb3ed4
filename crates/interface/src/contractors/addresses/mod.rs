//! Operations on the addresses of contractors.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::contractors::addresses::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{ContractorAddress, UpdateContractorAddress};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on the addresses of contractors.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(get_contractor_address, update_contractor_address))
}

/// Read the address of a contractor
///
/// A contractor has one; its fields are null until it is entered.
#[utoipa::path(get, path = "/v1/contractors/{contractor_uuid}/address", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 200, description = "The address", body = ContractorAddress)),
    security(("company_access" = ["contractors:read"])))]
async fn get_contractor_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(ContractorAddress::from(service::get_contractor_address(tx, caller, id)?))
    })
    .await
}

/// Enter or change the address of a contractor
///
/// The first time all fields but the second line are needed; later, omitted fields keep their values.
#[utoipa::path(put, path = "/v1/contractors/{contractor_uuid}/address", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    request_body = UpdateContractorAddress,
    responses((status = 200, description = "The address as updated", body = ContractorAddress)),
    security(("company_access" = ["contractors:write"])))]
async fn update_contractor_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateContractorAddress>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(ContractorAddress::from(service::update_contractor_address(tx, caller, id, &command)?))
    })
    .await
}
