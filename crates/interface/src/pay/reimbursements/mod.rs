//! Operations on recurring reimbursements.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::reimbursements::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreateRecurringReimbursement, RecurringReimbursement, UpdateRecurringReimbursement};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::query;

/// Operations on recurring reimbursements.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_recurring_reimbursements, create_recurring_reimbursement))
        .routes(routes!(
            get_recurring_reimbursement,
            update_recurring_reimbursement,
            delete_recurring_reimbursement
        ))
}

query! {
    /// Which recurring reimbursements are listed.
    ListRecurringReimbursements { ..page }
}

/// List an employee's recurring reimbursements
///
/// Ended ones are omitted.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/recurring_reimbursements", tag = "Payrolls",
    params(("employee_id" = Uuid, Path, description = "The employee"), ListRecurringReimbursements),
    responses((status = 200, description = "The recurring reimbursements", body = Vec<RecurringReimbursement>)),
    security(("company_access" = ["reimbursements:read"])))]
async fn list_recurring_reimbursements(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ListRecurringReimbursements,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        Ok(service::list_reimbursements(tx, caller, id, query.page)?.map(RecurringReimbursement::from))
    })
    .await
}

/// Create a recurring reimbursement
///
/// Regular payrolls calculated from now on pay it in addition to net pay, untaxed. Off-cycle payrolls do not.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/recurring_reimbursements", tag = "Payrolls",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = CreateRecurringReimbursement,
    responses((status = 201, description = "The recurring reimbursement", body = RecurringReimbursement)),
    security(("company_access" = ["reimbursements:write"])))]
async fn create_recurring_reimbursement(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<CreateRecurringReimbursement>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(RecurringReimbursement::from(service::create_reimbursement(tx, caller, id, &command)?))
    })
    .await
}

/// Read a recurring reimbursement
///
/// 404 once it has ended.
#[utoipa::path(get, path = "/v1/recurring_reimbursements/{recurring_reimbursement_id}", tag = "Payrolls",
    params(("recurring_reimbursement_id" = Uuid, Path, description = "The recurring reimbursement")),
    responses((status = 200, description = "The recurring reimbursement", body = RecurringReimbursement)),
    security(("company_access" = ["reimbursements:read"])))]
async fn get_recurring_reimbursement(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(RecurringReimbursement::from(service::find_reimbursement(tx, caller, id)?))
    })
    .await
}

/// Change a recurring reimbursement
///
/// Omitted fields keep their values. Calculated payrolls are not affected.
#[utoipa::path(put, path = "/v1/recurring_reimbursements/{recurring_reimbursement_id}", tag = "Payrolls",
    params(("recurring_reimbursement_id" = Uuid, Path, description = "The recurring reimbursement")),
    request_body = UpdateRecurringReimbursement,
    responses((status = 200, description = "The recurring reimbursement as changed", body = RecurringReimbursement)),
    security(("company_access" = ["reimbursements:write"])))]
async fn update_recurring_reimbursement(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateRecurringReimbursement>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(RecurringReimbursement::from(service::update_reimbursement(tx, caller, id, &command)?))
    })
    .await
}

/// End a recurring reimbursement
///
/// Payrolls calculated from now on no longer pay it.
#[utoipa::path(delete, path = "/v1/recurring_reimbursements/{recurring_reimbursement_id}", tag = "Payrolls",
    params(("recurring_reimbursement_id" = Uuid, Path, description = "The recurring reimbursement")),
    responses((status = 204, description = "Ended")),
    security(("company_access" = ["reimbursements:write"])))]
async fn delete_recurring_reimbursement(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| service::end_reimbursement(tx, caller, id))
        .await
}
