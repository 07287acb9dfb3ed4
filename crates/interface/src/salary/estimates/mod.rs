//! Operations on salary estimates.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::salary::estimates::check::Tables;
use domain::salary::estimates::{explain, service};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{AcceptInput, EstimateInput, SalaryEstimate, SalaryEstimateExplanation};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on salary estimates.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_salary_estimate))
        .routes(routes!(get_salary_estimate, update_salary_estimate))
        .routes(routes!(accept_salary_estimate))
        .routes(routes!(explain_salary_estimate))
}

/// Estimate a reasonable salary
///
/// From the newest wage statistics, for the area of the ZIP code. An employee can have one open estimate. A missing
/// field or an unknown occupation is answered with 400, other errors with 422.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/salary_estimates", tag = "Salary estimates",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = EstimateInput,
    responses((status = 201, description = "The estimate", body = SalaryEstimate)),
    security(("company_access" = ["salary_estimates:write"])))]
async fn create_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(employee)): Path<Id>,
    Input(input): Input<EstimateInput>,
) -> Result<Response, Error> {
    let tables = Tables::newest_tables(&app.reference).await?;
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        let estimate = service::create_estimate(tx, caller, employee, &tables, &command)?;
        Ok(SalaryEstimate::new(estimate, &caller.zone))
    })
    .await
}

/// Read a salary estimate
///
/// With its occupations, and the result as text, in dollars per year.
#[utoipa::path(get, path = "/v1/salary_estimates/{salary_estimate_id}", tag = "Salary estimates",
    params(("salary_estimate_id" = Uuid, Path, description = "The estimate")),
    responses((status = 200, description = "The estimate", body = SalaryEstimate)),
    security(("company_access" = ["salary_estimates:read"])))]
async fn get_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(SalaryEstimate::new(service::find_estimate(tx, caller, id)?, &caller.zone))
    })
    .await
}

/// Change a salary estimate that is not accepted yet
///
/// It is recalculated from the newest wage statistics. 409 for an accepted estimate.
#[utoipa::path(put, path = "/v1/salary_estimates/{salary_estimate_id}", tag = "Salary estimates",
    params(("salary_estimate_id" = Uuid, Path, description = "The estimate")),
    request_body = EstimateInput,
    responses((status = 200, description = "The estimate as changed", body = SalaryEstimate)),
    security(("company_access" = ["salary_estimates:write"])))]
async fn update_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<EstimateInput>,
) -> Result<Response, Error> {
    let tables = Tables::newest_tables(&app.reference).await?;
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let estimate = service::update_estimate(tx, caller, id, &tables, &command)?;
        Ok(SalaryEstimate::new(estimate, &caller.zone))
    })
    .await
}

/// Accept a salary estimate permanently
///
/// For the given job, or the primary one by default. 409 if it was accepted before; also, with both figures in the
/// metadata, if newer wage statistics lead to another result: update the estimate, then accept it.
#[utoipa::path(post, path = "/v1/salary_estimates/{salary_estimate_id}/accept", tag = "Salary estimates",
    params(("salary_estimate_id" = Uuid, Path, description = "The estimate")),
    request_body = AcceptInput,
    responses((status = 200, description = "The accepted estimate", body = SalaryEstimate)),
    security(("company_access" = ["salary_estimates:write"])))]
async fn accept_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<AcceptInput>,
) -> Result<Response, Error> {
    let tables = Tables::newest_tables(&app.reference).await?;
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(SalaryEstimate::new(service::accept_estimate(tx, caller, id, &tables, &command)?, &caller.zone))
    })
    .await
}

/// Explain a salary estimate
///
/// Area, percentile, wage and share of time of each occupation, and what the result would be one experience level lower
/// and higher. It uses the data stored with the estimate, so newer statistics do not change it.
#[utoipa::path(get, path = "/v1/salary_estimates/{salary_estimate_id}/explain", tag = "Salary estimates",
    params(("salary_estimate_id" = Uuid, Path, description = "The estimate")),
    responses((status = 200, description = "How the result was calculated", body = SalaryEstimateExplanation)),
    security(("company_access" = ["salary_estimates:read"])))]
async fn explain_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        let estimate = service::find_estimate(tx, caller, id)?;
        let explanation = explain::explain_estimate(&estimate)
            .ok_or_else(|| domain::Error::internal("an estimate cannot be explained"))?;
        Ok(SalaryEstimateExplanation::new(estimate, explanation, &caller.zone))
    })
    .await
}
