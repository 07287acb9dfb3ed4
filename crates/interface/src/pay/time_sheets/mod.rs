//! Operations on time sheets, and on syncing their hours into payrolls.

pub mod batches;
pub mod wire;

use std::str::FromStr;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::paging::SortBy;
use domain::patch::Patch;
use domain::pay::time_sheets::rows::TimeSheetStatus;
use domain::pay::time_sheets::service::{SortKey, TimeSheetFilter};
use domain::pay::time_sheets::{service, syncs};
use jiff::Timestamp;
use rules::Checks;
use utoipa::openapi::Schema;
use utoipa::openapi::schema::KnownFormat;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use self::wire::{
    CreatePayrollSync, CreateTimeSheet, DecideTimeSheet, PayrollSync, TimeSheet, UpdateTimeSheet,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::named::Enum;
use crate::query::{Choice, Mandatory, Parameter, Query, RawText, parameter_violation, text_of};
use crate::sort::{Direction, Sort};
use crate::{names, query};

/// Operations on time sheets, and on syncing their hours into payrolls.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_time_sheets, create_time_sheet))
        .routes(routes!(get_time_sheet, update_time_sheet, delete_time_sheet))
        .routes(routes!(approve_time_sheet))
        .routes(routes!(reject_time_sheet))
        .routes(routes!(create_payroll_sync))
        .routes(routes!(get_payroll_sync))
        .merge(batches::routes())
}

names! {
    /// Who works the shifts.
    EntityType { Employee = "Employee", Contractor = "Contractor" }
}

/// A moment of a query.
#[derive(Debug, Clone, Copy)]
pub struct Moment(Option<Timestamp>);

impl Parameter for Moment {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let read = query.text_value(key).map(Timestamp::from_str);
        if matches!(read, Some(Err(_))) {
            checks.push(parameter_violation(
                key,
                "must be a timestamp with an offset, such as 2026-06-15T09:00:00-07:00",
            ));
        }
        Self(read.and_then(Result::ok))
    }
    fn schema() -> Schema {
        text_of(Some(KnownFormat::DateTime))
    }
}

query! {
    /// Which time sheets are listed.
    ListTimeSheets {
        /// employees, separated by commas; defaults to all
        entity_uuids: Option<Vec<Uuid>>,
        /// Employee; there are no time sheets of contractors
        entity_type: Option<Enum<EntityType>>,
        /// pending, approved or rejected; defaults to all
        status: Option<Enum<TimeSheetStatus>>,
        /// created_at, updated_at, shift_started_at and shift_ended_at, separated by commas, each with :asc or :desc;
        /// defaults to oldest first. A running shift is sorted by its beginning
        sort_by: Sort<SortKey>,
        /// asc (the default) or desc: for fields of sort_by without a direction
        sort_order: Choice<Direction>,
        /// only time sheets created before this moment
        before: Moment,
        /// only time sheets created after this moment
        after: Moment,
        ..page
    }

    /// The version to delete.
    DeleteTimeSheet {
        /// the version as last read
        version: Mandatory<RawText<String>>,
    }
}

impl From<ListTimeSheets> for TimeSheetFilter {
    fn from(query: ListTimeSheets) -> Self {
        let direction = query.sort_order.first().unwrap_or(Direction::Ascending);
        let mut sort = query.sort_by.with_default_direction(direction);
        if sort.is_empty() {
            sort.push(SortBy { key: SortKey::CreatedAt, descending: direction == Direction::Descending });
        }
        Self {
            employees: query.entity_uuids,
            contractors: query.entity_type == Some(Enum(EntityType::Contractor)),
            status: query.status.map(|status| status.0),
            after: query.after.0,
            before: query.before.0,
            sort,
        }
    }
}

/// List the time sheets of a company
///
/// The oldest first, or as `sort_by` says. If a company has more than 10,000 of them, `after` and `before` are required.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/time_tracking/time_sheets", tag = "Time sheets",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ListTimeSheets),
    responses((status = 200, description = "The time sheets", body = Vec<TimeSheet>)),
    security(("company_access" = ["time_sheet:read"])))]
async fn list_time_sheets(
    State(app): State<App>,
    call: Call,
    query: ListTimeSheets,
) -> Result<Response, Error> {
    let page = query.page;
    let filter = TimeSheetFilter::from(query);
    app.list_json(call, move |tx, caller| {
        Ok(service::list_time_sheets(tx, caller, &filter, page)?
            .map(|sheet| TimeSheet::new(caller.company, sheet)))
    })
    .await
}

/// Create a time sheet
///
/// It is pending until it is approved or rejected. Hours belong to the day on which the shift began in its time zone. A
/// shift lasts at most 24 hours.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/time_tracking/time_sheets", tag = "Time sheets",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateTimeSheet,
    responses((status = 201, description = "The time sheet", body = TimeSheet)),
    security(("company_access" = ["time_sheet:write"])))]
async fn create_time_sheet(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateTimeSheet>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(TimeSheet::new(caller.company, service::create_time_sheet(tx, caller, &command)?))
    })
    .await
}

/// Read a time sheet
///
/// With its hours, and when they were synced into a payroll.
#[utoipa::path(get, path = "/v1/time_tracking/time_sheets/{time_sheet_uuid}", tag = "Time sheets",
    params(("time_sheet_uuid" = Uuid, Path, description = "The time sheet")),
    responses((status = 200, description = "The time sheet", body = TimeSheet)),
    security(("company_access" = ["time_sheet:read"])))]
async fn get_time_sheet(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(TimeSheet::new(caller.company, service::get_time_sheet(tx, caller, id)?))
    })
    .await
}

/// Update a time sheet
///
/// Omitted fields keep their values; `entries` replace all previous ones. The sheet is pending again. Refused (422) once its
/// hours are in a payroll.
#[utoipa::path(put, path = "/v1/time_tracking/time_sheets/{time_sheet_uuid}", tag = "Time sheets",
    params(("time_sheet_uuid" = Uuid, Path, description = "The time sheet")),
    request_body = UpdateTimeSheet,
    responses((status = 200, description = "The time sheet", body = TimeSheet)),
    security(("company_access" = ["time_sheet:write"])))]
async fn update_time_sheet(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateTimeSheet>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(TimeSheet::new(caller.company, service::update_time_sheet(tx, caller, id, &command)?))
    })
    .await
}

/// Delete a time sheet
///
/// Refused (422) once its hours are in a payroll.
#[utoipa::path(delete, path = "/v1/time_tracking/time_sheets/{time_sheet_uuid}", tag = "Time sheets",
    params(("time_sheet_uuid" = Uuid, Path, description = "The time sheet"), DeleteTimeSheet),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["time_sheet:write"])))]
async fn delete_time_sheet(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: DeleteTimeSheet,
) -> Result<Response, Error> {
    let version: Patch<String> = query.version.0.text;
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        service::delete_time_sheet(tx, caller, id, &version)
    })
    .await
}

/// Approve a time sheet
///
/// A payroll sync then puts its hours into the payroll. Refused (422) while the shift is running.
#[utoipa::path(put, path = "/v1/time_tracking/time_sheets/{time_sheet_uuid}/approve", tag = "Time sheets",
    params(("time_sheet_uuid" = Uuid, Path, description = "The time sheet")),
    request_body = DecideTimeSheet,
    responses((status = 200, description = "The time sheet, approved", body = TimeSheet)),
    security(("company_access" = ["time_sheet:manage"])))]
async fn approve_time_sheet(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<DecideTimeSheet>,
) -> Result<Response, Error> {
    decide_time_sheet(app, call, id, input, TimeSheetStatus::Approved).await
}

/// Reject a time sheet
///
/// Its hours are not paid. Refused (422) once they are in a payroll.
#[utoipa::path(put, path = "/v1/time_tracking/time_sheets/{time_sheet_uuid}/reject", tag = "Time sheets",
    params(("time_sheet_uuid" = Uuid, Path, description = "The time sheet")),
    request_body = DecideTimeSheet,
    responses((status = 200, description = "The time sheet, rejected", body = TimeSheet)),
    security(("company_access" = ["time_sheet:manage"])))]
async fn reject_time_sheet(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<DecideTimeSheet>,
) -> Result<Response, Error> {
    decide_time_sheet(app, call, id, input, TimeSheetStatus::Rejected).await
}

async fn decide_time_sheet(
    app: App,
    call: Call,
    id: Uuid,
    input: DecideTimeSheet,
    status: TimeSheetStatus,
) -> Result<Response, Error> {
    let service::Decision { version } = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(TimeSheet::new(caller.company, service::decide_time_sheet(tx, caller, id, &version, status)?))
    })
    .await
}

/// Sync approved hours into a payroll
///
/// The hours of shifts that began within the pay period, by day, replace other entries of the same job and name. This
/// runs in the background: poll the sync until it has finished.
#[utoipa::path(post, path = "/v1/companies/{company_id}/time_tracking/payroll_syncs", tag = "Time sheets",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreatePayrollSync,
    responses((status = 202, description = "The sync, pending", body = PayrollSync)),
    security(("company_access" = ["payroll_syncs:write"])))]
async fn create_payroll_sync(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreatePayrollSync>,
) -> Result<Response, Error> {
    let command = input.into();
    let mut response = app
        .write_json(call, StatusCode::OK, move |tx, caller| {
            Ok(PayrollSync::new(caller.company, syncs::request_sync(tx, caller, &command)?))
        })
        .await?;
    // Unlike other responses with this status it has a body.
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

/// Read the status of a payroll sync
///
/// With the errors in employees' hours.
#[utoipa::path(get, path = "/v1/time_tracking/payroll_syncs/{payroll_sync_uuid}", tag = "Time sheets",
    params(("payroll_sync_uuid" = Uuid, Path, description = "The sync")),
    responses((status = 200, description = "The sync", body = PayrollSync)),
    security(("company_access" = ["payroll_syncs:read"])))]
async fn get_payroll_sync(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(PayrollSync::new(caller.company, syncs::get_sync(tx, caller, id)?))
    })
    .await
}
