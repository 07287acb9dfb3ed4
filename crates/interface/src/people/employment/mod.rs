//! Operations on terminations and rehires.

pub mod rehires;
pub mod wire;
pub mod wire_rehires;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::payrolls::calendar::last_wages;
use domain::people::employment::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreateTermination, Termination, UpdateTermination};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on terminations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_terminations, create_termination, cancel_termination))
        .routes(routes!(get_termination, update_termination))
        .merge(rehires::routes())
}

/// List an employee's terminations
///
/// The termination of the current employment, if any. After a rehire has taken effect, earlier ones appear only in the
/// employment history.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/terminations", tag = "Employment",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "At most one termination", body = Vec<Termination>)),
    security(("company_access" = ["employments:read"])))]
async fn list_terminations(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let mut told = Vec::new();
        for one in service::list_terminations(tx, caller, id)? {
            told.push(Termination::from(last_wages::add_due_date(tx, caller, one)?));
        }
        Ok(told)
    })
    .await
}

/// Terminate an employee
///
/// `effective_date` is the last day of work, in the past, today or in the future. From the next day the employee is
/// terminated: not included in later payrolls, and without links to hosted pages. Benefits are unchanged, so that the
/// final payroll deducts them.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/terminations", tag = "Employment",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = CreateTermination,
    responses((status = 201, description = "The termination", body = Termination)),
    security(("company_access" = ["employments:write"])))]
async fn create_termination(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<CreateTermination>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        let made = service::create_termination(tx, caller, id, &command)?;
        last_wages::add_due_date(tx, caller, made).map(Termination::from)
    })
    .await
}

/// Cancel a termination
///
/// Possible until the day before its `effective_date`, and only without `run_termination_payroll`; otherwise 422.
#[utoipa::path(delete, path = "/v1/employees/{employee_id}/terminations", tag = "Employment",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 204, description = "Cancelled")),
    security(("company_access" = ["employments:write"])))]
async fn cancel_termination(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        service::cancel_termination(tx, caller, id)
    })
    .await
}

/// Read an employee's termination
///
/// The termination of the current employment. The path takes the identifier of the employee, as existing clients send
/// it, or that of the termination.
#[utoipa::path(get, path = "/v1/terminations/{employee_id}", tag = "Employment",
    params(("employee_id" = Uuid, Path, description = "The employee, or the termination")),
    responses((status = 200, description = "The termination", body = Termination)),
    security(("company_access" = ["employments:read"])))]
async fn get_termination(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        let found = service::get_termination(tx, caller, id)?;
        last_wages::add_due_date(tx, caller, found).map(Termination::from)
    })
    .await
}

/// Update a termination that has not taken effect
///
/// Changes the last day of work, or how the final wages are paid. Refused (422) once a payroll was created for them.
#[utoipa::path(put, path = "/v1/terminations/{employee_id}", tag = "Employment",
    params(("employee_id" = Uuid, Path, description = "The employee, or the termination")),
    request_body = UpdateTermination,
    responses((status = 200, description = "The termination as updated", body = Termination)),
    security(("company_access" = ["employments:write"])))]
async fn update_termination(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateTermination>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let updated = service::update_termination(tx, caller, id, &command)?;
        last_wages::add_due_date(tx, caller, updated).map(Termination::from)
    })
    .await
}
