//! Operations on payroll digests.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::digests;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreatePayrollDigest, PayrollDigestResults};
use crate::app::App;
use crate::batch::Batch;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on payroll digests.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(create_payroll_digest)).routes(routes!(get_payroll_digest))
}

/// Request a digest of payroll in several companies
///
/// Up to 25 companies connected to the application; others are listed under `exclusions`. The digest is complete when
/// the response arrives. 409 if the idempotency key was used before.
#[utoipa::path(post, path = "/v1/payroll_digests", tag = "Payroll digests",
    request_body = CreatePayrollDigest,
    responses((status = 201, description = "The digest", body = Batch)),
    security(("system_access" = ["payroll_digests:write"])))]
async fn create_payroll_digest(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreatePayrollDigest>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(wire::digest_summary(&digests::create_digest(tx, caller, &command)?))
    })
    .await
}

/// Read a digest of payroll in several companies
///
/// What blocks each company, and its payrolls from a week before the digest until 60 days after it, by check date. 410
/// a day after the digest was created.
#[utoipa::path(get, path = "/v1/payroll_digests/{payroll_digest_uuid}", tag = "Payroll digests",
    params(("payroll_digest_uuid" = Uuid, Path, description = "The digest")),
    responses(
        (status = 200, description = "By company", body = PayrollDigestResults),
        (status = 410, description = "It was created more than a day ago", body = crate::openapi::ErrorAnswer)),
    security(("system_access" = ["payroll_digests:read"])))]
async fn get_payroll_digest(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| Ok(wire::digest_results(digests::find_digest(tx, caller, id)?)))
        .await
}
