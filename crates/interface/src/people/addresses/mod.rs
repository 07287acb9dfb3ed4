//! Operations on the addresses of employees.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::people::addresses::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{
    CreateHomeAddress, CreateWorkAddress, HomeAddress, UpdateHomeAddress, UpdateWorkAddress, WorkAddress,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on home and work addresses.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_home_addresses, create_home_address))
        .routes(routes!(get_home_address, update_home_address, delete_home_address))
        .routes(routes!(list_work_addresses, create_work_address))
        .routes(routes!(get_work_address, update_work_address, delete_work_address))
}

/// List an employee's home addresses
///
/// Each is in effect from its `effective_date` until the next one.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/home_addresses", tag = "Employee addresses",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The addresses, in the order of creation", body = Vec<HomeAddress>)),
    security(("company_access" = ["employees:read"])))]
async fn list_home_addresses(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let addresses = service::list_home(tx, caller, id)?;
        Ok(addresses.into_iter().map(|one| HomeAddress::new(caller.version, one)).collect::<Vec<_>>())
    })
    .await
}

/// Add a home address
///
/// Without `effective_date` the first one takes effect on the hire date, if that has passed, and any other today. It
/// determines the questions of the state of residence.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/home_addresses", tag = "Employee addresses",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = CreateHomeAddress,
    responses((status = 201, description = "The new address", body = HomeAddress)),
    security(("company_access" = ["employees:write"])))]
async fn create_home_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<CreateHomeAddress>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        service::create_home(tx, caller, id, &command).map(|one| HomeAddress::new(caller.version, one))
    })
    .await
}

/// Read a home address
///
/// With its effective date.
#[utoipa::path(get, path = "/v1/home_addresses/{home_address_uuid}", tag = "Employee addresses",
    params(("home_address_uuid" = Uuid, Path, description = "The address")),
    responses((status = 200, description = "The address", body = HomeAddress)),
    security(("company_access" = ["employees:read"])))]
async fn get_home_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        service::get_home(tx, caller, id).map(|one| HomeAddress::new(caller.version, one))
    })
    .await
}

/// Update a home address
///
/// Omitted fields keep their values. Taxes of processed payrolls are not changed.
#[utoipa::path(put, path = "/v1/home_addresses/{home_address_uuid}", tag = "Employee addresses",
    params(("home_address_uuid" = Uuid, Path, description = "The address")),
    request_body = UpdateHomeAddress,
    responses((status = 200, description = "The address as updated", body = HomeAddress)),
    security(("company_access" = ["employees:write"])))]
async fn update_home_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateHomeAddress>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        service::update_home(tx, caller, id, &command).map(|one| HomeAddress::new(caller.version, one))
    })
    .await
}

/// Delete a home address other than the current one
///
/// The previous address is then in effect for its days.
#[utoipa::path(delete, path = "/v1/home_addresses/{home_address_uuid}", tag = "Employee addresses",
    params(("home_address_uuid" = Uuid, Path, description = "The address")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["employees:write"])))]
async fn delete_home_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| service::delete_home(tx, caller, id)).await
}

/// List an employee's work addresses
///
/// Each is a location of the company, in effect from its `effective_date`.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/work_addresses", tag = "Employee addresses",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The addresses, in the order of creation", body = Vec<WorkAddress>)),
    security(("company_access" = ["employees:read"])))]
async fn list_work_addresses(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let addresses = service::list_work(tx, caller, id)?;
        Ok(addresses.into_iter().map(|one| WorkAddress::new(caller.version, one)).collect::<Vec<_>>())
    })
    .await
}

/// Add a work address
///
/// The work state determines which state's taxes are withheld and which questions are asked.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/work_addresses", tag = "Employee addresses",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = CreateWorkAddress,
    responses((status = 201, description = "The new address", body = WorkAddress)),
    security(("company_access" = ["employees:manage"])))]
async fn create_work_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<CreateWorkAddress>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        service::create_work(tx, caller, id, &command).map(|one| WorkAddress::new(caller.version, one))
    })
    .await
}

/// Read a work address
///
/// With the location, and its effective date.
#[utoipa::path(get, path = "/v1/work_addresses/{work_address_uuid}", tag = "Employee addresses",
    params(("work_address_uuid" = Uuid, Path, description = "The address")),
    responses((status = 200, description = "The address", body = WorkAddress)),
    security(("company_access" = ["employees:read"])))]
async fn get_work_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        service::get_work(tx, caller, id).map(|one| WorkAddress::new(caller.version, one))
    })
    .await
}

/// Update a work address
///
/// Omitted fields keep their values. Taxes of processed payrolls are not changed.
#[utoipa::path(put, path = "/v1/work_addresses/{work_address_uuid}", tag = "Employee addresses",
    params(("work_address_uuid" = Uuid, Path, description = "The address")),
    request_body = UpdateWorkAddress,
    responses((status = 200, description = "The address as updated", body = WorkAddress)),
    security(("company_access" = ["employees:manage"])))]
async fn update_work_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateWorkAddress>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        service::update_work(tx, caller, id, &command).map(|one| WorkAddress::new(caller.version, one))
    })
    .await
}

/// Delete a work address other than the current one
///
/// The previous address is then in effect for its days.
#[utoipa::path(delete, path = "/v1/work_addresses/{work_address_uuid}", tag = "Employee addresses",
    params(("work_address_uuid" = Uuid, Path, description = "The address")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["employees:manage"])))]
async fn delete_work_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| service::delete_work(tx, caller, id)).await
}
