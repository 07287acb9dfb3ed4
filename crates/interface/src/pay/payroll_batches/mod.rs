//! Operations on batches of payrolls.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::payroll_batches;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreatePayrollBatch, PayrollBatchResults};
use crate::app::App;
use crate::batch::Batch;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on batches of payrolls.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(create_payroll_batch)).routes(routes!(get_payroll_batch))
}

/// Cancel payrolls of several companies
///
/// Up to 100 payrolls of companies connected to the application, whose token has the scope payrolls:run; others are
/// listed under `exclusions`. A payroll that can no longer be cancelled is reported with the reason, and the others are
/// cancelled. The batch is complete when the response arrives. 409 if the idempotency key was used before.
#[utoipa::path(post, path = "/v1/payroll_batches", tag = "Payroll batches",
    request_body = CreatePayrollBatch,
    responses((status = 201, description = "The batch", body = Batch)),
    security(("system_access" = ["payroll_batches:write"])))]
async fn create_payroll_batch(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreatePayrollBatch>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(wire::batch_summary(&payroll_batches::create_batch(tx, caller, &command)?))
    })
    .await
}

/// Read the results of a batch of payrolls
///
/// By payroll: `success` also if it was not submitted, so that there was nothing to cancel. 410 a day after the batch.
#[utoipa::path(get, path = "/v1/payroll_batches/{payroll_batch_uuid}", tag = "Payroll batches",
    params(("payroll_batch_uuid" = Uuid, Path, description = "The batch")),
    responses(
        (status = 200, description = "The results", body = PayrollBatchResults),
        (status = 410, description = "It was processed more than a day ago", body = crate::openapi::ErrorAnswer)),
    security(("system_access" = ["payroll_batches:read"])))]
async fn get_payroll_batch(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(wire::payroll_results(payroll_batches::find_batch(tx, caller, id)?))
    })
    .await
}
