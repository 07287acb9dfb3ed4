//! Operations on the addresses of employees, and their shapes.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::service;
use crate::app::App;
use crate::error::Error;
use crate::field::Field;
use crate::http::{Call, Id, Input};

/// Operations on home and work addresses.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_home_addresses, create_home_address))
        .routes(routes!(get_home_address, update_home_address, delete_home_address))
        .routes(routes!(list_work_addresses, create_work_address))
        .routes(routes!(get_work_address, update_work_address, delete_work_address))
}

/// Where an employee lives from a day on.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct HomeAddress {
    /// identifier
    pub uuid: Uuid,
    /// who lives there
    pub employee_uuid: Uuid,
    /// first day, YYYY-MM-DD
    pub effective_date: String,
    /// whether the taxes of the home are withheld where the law does not ask for it
    pub courtesy_withholding: bool,
    /// house number and street
    pub street_1: String,
    /// second address line
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
    /// always `USA`
    pub country: String,
    /// whether it is the one that counts today
    pub active: bool,
    /// concurrency token, to be sent with an update
    pub version: String,
}

/// A new home address.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateHomeAddress {
    /// house number and street, at most 100 characters
    #[schema(required)]
    pub street_1: Field<String>,
    /// second address line
    pub street_2: Field<String>,
    /// city, at most 100 characters
    #[schema(required)]
    pub city: Field<String>,
    /// two letters
    #[schema(required)]
    pub state: Field<String>,
    /// five digits, or five, a hyphen and four
    #[schema(required)]
    pub zip: Field<String>,
    /// first day, YYYY-MM-DD; today by default
    pub effective_date: Field<String>,
    /// whether the taxes of the home are withheld where the law does not ask for it; false by default
    pub courtesy_withholding: Field<bool>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateHomeAddress {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// house number and street
    pub street_1: Field<String>,
    /// second address line; empty or null clears it
    pub street_2: Field<String>,
    /// city
    pub city: Field<String>,
    /// two letters
    pub state: Field<String>,
    /// ZIP code
    pub zip: Field<String>,
    /// first day, YYYY-MM-DD; null leaves it
    pub effective_date: Field<String>,
    /// whether the taxes of the home are withheld where the law does not ask for it
    pub courtesy_withholding: Field<bool>,
}

/// Where an employee works from a day on.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WorkAddress {
    /// identifier
    pub uuid: Uuid,
    /// who works there
    pub employee_uuid: Uuid,
    /// one of the company's locations
    pub location_uuid: Uuid,
    /// first day, YYYY-MM-DD
    pub effective_date: String,
    /// whether it is the one that counts today
    pub active: bool,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// house number and street of the location
    pub street_1: String,
    /// second address line of the location
    pub street_2: Option<String>,
    /// city of the location
    pub city: String,
    /// two letters, of the location
    pub state: String,
    /// ZIP code of the location
    pub zip: String,
    /// always `USA`
    pub country: String,
}

/// A new work address.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateWorkAddress {
    /// one of the company's locations
    #[schema(required)]
    pub location_uuid: Field<String>,
    /// first day, YYYY-MM-DD; by default the hire date for an employee's first work address, and else today
    pub effective_date: Field<String>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateWorkAddress {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// one of the company's locations
    pub location_uuid: Field<String>,
    /// first day, YYYY-MM-DD; null leaves it
    pub effective_date: Field<String>,
}

/// List an employee's home addresses
///
/// Each counts from its `effective_date` until another one does.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/home_addresses", tag = "Employee addresses",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The addresses, in the order of creation", body = Vec<HomeAddress>)),
    security(("company_access" = ["employees:read"])))]
async fn list_home_addresses(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read(call, move |tx, caller| service::list_home(tx, caller, id)).await
}

/// Add a home address
///
/// Without `effective_date` it counts from today. The questions of the state of residence follow from it.
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
    app.write(call, StatusCode::CREATED, move |tx, caller| service::create_home(tx, caller, id, &input)).await
}

/// Read a home address
///
/// With the day from which it counts.
#[utoipa::path(get, path = "/v1/home_addresses/{home_address_uuid}", tag = "Employee addresses",
    params(("home_address_uuid" = Uuid, Path, description = "The address")),
    responses((status = 200, description = "The address", body = HomeAddress)),
    security(("company_access" = ["employees:read"])))]
async fn get_home_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read(call, move |tx, caller| service::get_home(tx, caller, id)).await
}

/// Update a home address
///
/// What is left out stays. Taxes of payrolls that were processed are not changed.
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
    app.write(call, StatusCode::OK, move |tx, caller| service::update_home(tx, caller, id, &input)).await
}

/// Delete a home address other than the active one
///
/// For its days the address before it counts again.
#[utoipa::path(delete, path = "/v1/home_addresses/{home_address_uuid}", tag = "Employee addresses",
    params(("home_address_uuid" = Uuid, Path, description = "The address")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["employees:write"])))]
async fn delete_home_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::NO_CONTENT, move |tx, caller| service::delete_home(tx, caller, id)).await
}

/// List an employee's work addresses
///
/// Each is a location of the company, from its `effective_date` on.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/work_addresses", tag = "Employee addresses",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The addresses, in the order of creation", body = Vec<WorkAddress>)),
    security(("company_access" = ["employees:read"])))]
async fn list_work_addresses(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read(call, move |tx, caller| service::list_work(tx, caller, id)).await
}

/// Add a work address
///
/// The state of work decides which state's taxes are withheld and which questions are asked.
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
    app.write(call, StatusCode::CREATED, move |tx, caller| service::create_work(tx, caller, id, &input)).await
}

/// Read a work address
///
/// With the location, and the day from which it counts.
#[utoipa::path(get, path = "/v1/work_addresses/{work_address_uuid}", tag = "Employee addresses",
    params(("work_address_uuid" = Uuid, Path, description = "The address")),
    responses((status = 200, description = "The address", body = WorkAddress)),
    security(("company_access" = ["employees:read"])))]
async fn get_work_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read(call, move |tx, caller| service::get_work(tx, caller, id)).await
}

/// Update a work address
///
/// What is left out stays. Taxes of payrolls that were processed are not changed.
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
    app.write(call, StatusCode::OK, move |tx, caller| service::update_work(tx, caller, id, &input)).await
}

/// Delete a work address other than the active one
///
/// For its days the address before it counts again.
#[utoipa::path(delete, path = "/v1/work_addresses/{work_address_uuid}", tag = "Employee addresses",
    params(("work_address_uuid" = Uuid, Path, description = "The address")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["employees:manage"])))]
async fn delete_work_address(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::NO_CONTENT, move |tx, caller| service::delete_work(tx, caller, id)).await
}
