//! Operations on departments.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::people::departments::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{ChangeDepartmentMembers, CreateDepartment, Department, UpdateDepartment};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on departments.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_departments, create_department))
        .routes(routes!(get_department, update_department, delete_department))
        .routes(routes!(add_people_to_department))
        .routes(routes!(remove_people_from_department))
}

/// List the departments of a company
///
/// Oldest first, each with its employees and contractors.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/departments", tag = "Departments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The departments", body = Vec<Department>)),
    security(("company_access" = ["departments:read"])))]
async fn list_departments(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, |tx, caller| {
        let found = service::list_departments(tx, caller)?;
        Ok(found.into_iter().map(|one| Department::new(caller, one)).collect::<Vec<_>>())
    })
    .await
}

/// Create a department
///
/// It has no members at first.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/departments", tag = "Departments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateDepartment,
    responses((status = 201, description = "The department", body = Department)),
    security(("company_access" = ["departments:write"])))]
async fn create_department(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateDepartment>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Department::new(caller, service::create_department(tx, caller, &command)?))
    })
    .await
}

/// Read a department
///
/// With its employees and contractors.
#[utoipa::path(get, path = "/v1/departments/{department_uuid}", tag = "Departments",
    params(("department_uuid" = Uuid, Path, description = "The department")),
    responses((status = 200, description = "The department", body = Department)),
    security(("company_access" = ["departments:read"])))]
async fn get_department(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(Department::new(caller, service::get_department(tx, caller, id)?))
    })
    .await
}

/// Rename a department
///
/// Its members are unchanged.
#[utoipa::path(put, path = "/v1/departments/{department_uuid}", tag = "Departments",
    params(("department_uuid" = Uuid, Path, description = "The department")),
    request_body = UpdateDepartment,
    responses((status = 200, description = "The department as renamed", body = Department)),
    security(("company_access" = ["departments:write"])))]
async fn update_department(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateDepartment>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Department::new(caller, service::update_department(tx, caller, id, &command)?))
    })
    .await
}

/// Delete a department
///
/// Refused (422) while it has members.
#[utoipa::path(delete, path = "/v1/departments/{department_uuid}", tag = "Departments",
    params(("department_uuid" = Uuid, Path, description = "The department")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["departments:write"])))]
async fn delete_department(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| service::delete_department(tx, caller, id))
        .await
}

/// Add people to a department
///
/// Employees and contractors belong to at most one department: whoever belongs to another moves.
#[utoipa::path(put, path = "/v1/departments/{department_uuid}/add", tag = "Departments",
    params(("department_uuid" = Uuid, Path, description = "The department")),
    request_body = ChangeDepartmentMembers,
    responses((status = 200, description = "The department", body = Department)),
    security(("company_access" = ["departments:write"])))]
async fn add_people_to_department(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<ChangeDepartmentMembers>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Department::new(caller, service::change_members(tx, caller, id, &command, true)?))
    })
    .await
}

/// Remove people from a department
///
/// Those who do not belong to it are ignored.
#[utoipa::path(put, path = "/v1/departments/{department_uuid}/remove", tag = "Departments",
    params(("department_uuid" = Uuid, Path, description = "The department")),
    request_body = ChangeDepartmentMembers,
    responses((status = 200, description = "The department", body = Department)),
    security(("company_access" = ["departments:write"])))]
async fn remove_people_from_department(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<ChangeDepartmentMembers>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Department::new(caller, service::change_members(tx, caller, id, &command, false)?))
    })
    .await
}
