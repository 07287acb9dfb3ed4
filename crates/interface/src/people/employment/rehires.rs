//! Operations on rehires, and the history of an employment.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::people::employment::{rehires, service};
use domain::version::Change;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::wire_rehires::{CreateRehire, Employment, Rehire, UpdateRehire};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on rehires, and the history of an employment.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_rehire, create_rehire, update_rehire, cancel_rehire))
        .routes(routes!(get_employment_history))
}

/// Read an employee's rehire
///
/// The rehire after the last termination, whether or not it has taken effect; 204 if there is none (404 before version
/// 2025-06-15).
#[utoipa::path(get, path = "/v1/employees/{employee_id}/rehire", tag = "Employment",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses(
        (status = 200, description = "The rehire", body = Rehire),
        (status = 204, description = "There is none")),
    security(("company_access" = ["employments:read"])))]
async fn get_rehire(State(app): State<App>, call: Call, Path(Id(id)): Path<Id>) -> Result<Response, Error> {
    app.read_or_none(call, move |tx, caller| {
        let found = rehires::get_rehire(tx, caller, id)?;
        if found.is_none() && !caller.version.includes_change(Change::RehireMayBeNone) {
            return Err(domain::Error::NotFound);
        }
        Ok(found.map(Rehire::from))
    })
    .await
}

/// Rehire an employee
///
/// `effective_date` is the first day back, after the last day of work. Jobs, pay, benefits, garnishments and
/// year-to-date totals are kept. On that day the work address takes effect, and the employee is included in payrolls
/// again.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/rehire", tag = "Employment",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = CreateRehire,
    responses((status = 201, description = "The rehire", body = Rehire)),
    security(("company_access" = ["employments:write"])))]
async fn create_rehire(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<CreateRehire>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        rehires::create_rehire(tx, caller, id, &command).map(Rehire::from)
    })
    .await
}

/// Update a rehire that has not taken effect
///
/// All required fields of a new rehire are required again, and the version.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/rehire", tag = "Employment",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = UpdateRehire,
    responses((status = 200, description = "The rehire as updated", body = Rehire)),
    security(("company_access" = ["employments:write"])))]
async fn update_rehire(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateRehire>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        rehires::update_rehire(tx, caller, id, &command).map(Rehire::from)
    })
    .await
}

/// Cancel a rehire that has not taken effect
///
/// The employee remains terminated.
#[utoipa::path(delete, path = "/v1/employees/{employee_id}/rehire", tag = "Employment",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 204, description = "Cancelled")),
    security(("company_access" = ["employments:write"])))]
async fn cancel_rehire(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| rehires::cancel_rehire(tx, caller, id))
        .await
}

/// List the employments of an employee
///
/// One for the hire and one for each rehire, oldest first.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/employment_history", tag = "Employment",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The employments", body = Vec<Employment>)),
    security(("company_access" = ["employments:read"])))]
async fn get_employment_history(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let found = service::employment_history(tx, caller, id)?;
        Ok(found.into_iter().map(Employment::from).collect::<Vec<_>>())
    })
    .await
}
