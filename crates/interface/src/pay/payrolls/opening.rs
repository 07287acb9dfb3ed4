//! What employees were paid before their company moved to the service.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::payrolls::facts::opening;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::wire::{OpeningBalances, PutOpeningBalances};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// The operations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_opening_balances, put_opening_balances))
}

/// List the opening balances of an employee
///
/// By year; they count towards wage bases and yearly limits.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/opening_balances", tag = "Payrolls",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The opening balances by year", body = Vec<OpeningBalances>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_opening_balances(
    State(app): State<App>,
    call: Call,
    Path(Id(employee)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let found = opening::list_opening_balances(tx, caller, employee)?;
        Ok(found.into_iter().map(OpeningBalances::from).collect::<Vec<_>>())
    })
    .await
}

/// Set what an employee was paid before the company moved to the service
///
/// For a company that moves in the middle of a year. Refused once a payroll of that year is processed.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/opening_balances", tag = "Payrolls",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = PutOpeningBalances,
    responses((status = 200, description = "The opening balances of the year", body = OpeningBalances)),
    security(("company_access" = ["payrolls:write"])))]
async fn put_opening_balances(
    State(app): State<App>,
    call: Call,
    Path(Id(employee)): Path<Id>,
    Input(input): Input<PutOpeningBalances>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(OpeningBalances::from(opening::put_opening_balances(tx, caller, employee, &command)?))
    })
    .await
}
