//! Operations on batches of people.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::people::batches;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreatePeopleBatch, PeopleBatchResults};
use crate::app::App;
use crate::batch::Batch;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on batches of people.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(create_people_batch)).routes(routes!(get_people_batch))
}

/// Create several people at once
///
/// At most 50, each with addresses, job, pay, department and bank accounts. Whatever is refused of a person is reported
/// with that person, and the rest is kept. The batch is complete when the response arrives, which is announced by the
/// event people_batch.completed, or by people_batch.failed if nobody was created; its results are kept for 30 days. 409
/// if the idempotency key was used before.
#[utoipa::path(post, path = "/v1/companies/{company_id}/people_batches", tag = "People batches",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreatePeopleBatch,
    responses((status = 201, description = "The batch", body = Batch)),
    security(("company_access" = ["people_batches:write"])))]
async fn create_people_batch(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreatePeopleBatch>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(wire::batch_summary(&batches::create_batch(tx, caller, &command)?))
    })
    .await
}

/// Read the results of a batch of people
///
/// By person, in the order of the batch.
#[utoipa::path(get, path = "/v1/people_batches/{people_batch_uuid}", tag = "People batches",
    params(("people_batch_uuid" = Uuid, Path, description = "The batch")),
    responses((status = 200, description = "The results", body = PeopleBatchResults)),
    security(("company_access" = ["people_batches:read"])))]
async fn get_people_batch(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| Ok(wire::people_results(batches::get_batch(tx, caller, id)?))).await
}
