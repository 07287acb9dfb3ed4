//! Operations on employees who left before their company moved to the service.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::people::historical;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreateHistoricalEmployee, Rooted, UpdateHistoricalEmployee};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, InCompany, Input};
use crate::people::employees::wire::{Employee, Include};

/// Operations on employees who left before their company moved to the service.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_historical_employee))
        .routes(routes!(update_historical_employee))
}

/// Create an employee who left earlier in the year
///
/// For someone who left before the company moved to the service: the year counts for taxes and reports, and nothing
/// more is paid. Onboarding is complete, and the employment has ended. The fields may be sent at the root of the body,
/// or under `employee`.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/historical_employees", tag = "Employees",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateHistoricalEmployee,
    responses((status = 201, description = "The employee", body = Employee)),
    security(("company_access" = ["employees:manage"])))]
async fn create_historical_employee(
    State(app): State<App>,
    call: Call,
    Input(Rooted(input)): Input<Rooted<CreateHistoricalEmployee>>,
) -> Result<Response, Error> {
    let command = historical::HistoricalEmployee::from(input);
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Employee::new(
            caller,
            historical::create_historical_employee(tx, caller, &command)?,
            Include::default(),
        ))
    })
    .await
}

/// Update an employee who left earlier in the year
///
/// All fields are sent again, as at creation, with the version as last read.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/historical_employees/{historical_employee_uuid}", tag = "Employees",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("historical_employee_uuid" = Uuid, Path, description = "The employee")),
    request_body = UpdateHistoricalEmployee,
    responses((status = 200, description = "The employee", body = Employee)),
    security(("company_access" = ["employees:manage"])))]
async fn update_historical_employee(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
    Input(Rooted(input)): Input<Rooted<UpdateHistoricalEmployee>>,
) -> Result<Response, Error> {
    let command = historical::HistoricalEmployee::from(input);
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let changed = historical::update_historical_employee(tx, caller, id, &command)?;
        Ok(Employee::new(caller, changed, Include::default()))
    })
    .await
}
