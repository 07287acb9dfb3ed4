//! Operations on pay schedules.

pub mod assignments;
pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::pay_schedules::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreatePaySchedule, PaySchedule, Preview, PreviewPaySchedule, UpdatePaySchedule};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, InCompany, Input};
use crate::query;

/// Operations on pay schedules.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_pay_schedules, create_pay_schedule))
        .routes(routes!(preview_pay_schedule))
        .merge(assignments::routes())
        .routes(routes!(get_pay_schedule, update_pay_schedule))
}

query! {
    /// Which pay schedules are listed.
    ListPaySchedules { ..page }
}

/// List pay schedules
///
/// Current and former ones, and those not assigned to anybody yet.
#[utoipa::path(get, path = "/v1/companies/{company_id}/pay_schedules", tag = "Pay schedules",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListPaySchedules),
    responses((status = 200, description = "The pay schedules", body = Vec<PaySchedule>)),
    security(("company_access" = ["pay_schedules:read"])))]
async fn list_pay_schedules(
    State(app): State<App>,
    call: Call,
    query: ListPaySchedules,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        Ok(service::list_schedules(tx, caller, query.page)?
            .map(|schedule| PaySchedule::new(caller.version, schedule)))
    })
    .await
}

/// Create a pay schedule; a company's first one is assigned to all its employees
///
/// Two anchors give the first check date and the end of the pay period that it pays; all other dates follow from the
/// frequency. A check date on which banks do not settle moves to the previous banking day.
#[utoipa::path(post, path = "/v1/companies/{company_id}/pay_schedules", tag = "Pay schedules",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreatePaySchedule,
    responses((status = 201, description = "The new pay schedule", body = PaySchedule)),
    security(("company_access" = ["pay_schedules:write"])))]
async fn create_pay_schedule(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreatePaySchedule>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(PaySchedule::new(caller.version, service::create_schedule(tx, caller, &command)?))
    })
    .await
}

/// Preview the pay periods of a schedule before creating it
///
/// Takes the same values as creating a schedule, in the query, and stores nothing.
#[utoipa::path(get, path = "/v1/companies/{company_id}/pay_schedules/preview", tag = "Pay schedules",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        PreviewPaySchedule),
    responses((status = 200, description = "The pay periods", body = Preview)),
    security(("company_access" = ["pay_schedules:write"])))]
async fn preview_pay_schedule(
    State(app): State<App>,
    call: Call,
    query: PreviewPaySchedule,
) -> Result<Response, Error> {
    let command = query.into();
    app.read_json(call, move |tx, caller| {
        Ok(Preview::from(service::preview_pay_periods(tx, caller, &command)?))
    })
    .await
}

/// Read a pay schedule
///
/// Frequency, anchors, name, and whether its payrolls run automatically.
#[utoipa::path(get, path = "/v1/companies/{company_id}/pay_schedules/{pay_schedule_id}", tag = "Pay schedules",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("pay_schedule_id" = Uuid, Path, description = "The pay schedule")),
    responses((status = 200, description = "The pay schedule", body = PaySchedule)),
    security(("company_access" = ["pay_schedules:read"])))]
async fn get_pay_schedule(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(PaySchedule::new(caller.version, service::find_schedule(tx, caller, id)?))
    })
    .await
}

/// Update a pay schedule
///
/// Omitted fields keep their values. With `auto_payroll` its payrolls are calculated and submitted automatically.
#[utoipa::path(put, path = "/v1/companies/{company_id}/pay_schedules/{pay_schedule_id}", tag = "Pay schedules",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("pay_schedule_id" = Uuid, Path, description = "The pay schedule")),
    request_body = UpdatePaySchedule,
    responses((status = 200, description = "The pay schedule as updated", body = PaySchedule)),
    security(("company_access" = ["pay_schedules:write"])))]
async fn update_pay_schedule(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
    Input(input): Input<UpdatePaySchedule>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(PaySchedule::new(caller.version, service::update_schedule(tx, caller, id, &command)?))
    })
    .await
}
