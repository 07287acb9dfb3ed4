//! Operations on requests for time off.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::time_off::requests::service;
use domain::pay::time_off::requests::service::RequestFilter;
use jiff::civil::Date;
use rules::time_off::RequestStatus;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use self::wire::{
    ApproveTimeOffRequest, CreateApprovedTimeOffRequest, CreateTimeOffRequest, DeclineTimeOffRequest,
    OlderTimeOffRequest, PreviewTimeOffRequest, TimeOffRequest, TimeOffRequestPreview,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::named::Enum;
use crate::query::Choice;
use crate::{names, query};

/// Operations on requests for time off.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_requests, create_request))
        .routes(routes!(preview_request))
        .routes(routes!(create_approved_request))
        .routes(routes!(list_requests_of_older_clients))
        .routes(routes!(get_request, delete_request))
        .routes(routes!(approve_request))
        .routes(routes!(decline_request))
}

names! {
    /// The order of requests by their first day.
    RequestOrder { Ascending = "asc", Descending = "desc" }
}

query! {
    /// Which requests for time off are listed.
    ListTimeOffRequests {
        /// employees, separated by commas; defaults to all
        employee_uuids: Option<Vec<Uuid>>,
        /// pending, approved, declined and consumed, separated by commas; defaults to all
        status: Vec<Enum<RequestStatus>>,
        /// YYYY-MM-DD: requests that end on this day or later
        start_date: Option<Date>,
        /// YYYY-MM-DD: requests that start on this day or earlier
        end_date: Option<Date>,
        /// by the first day; defaults to desc
        sort_order: Choice<RequestOrder>,
        ..page
    }

    /// Which requests for time off are listed in the older form.
    ListOlderTimeOffRequests {
        /// YYYY-MM-DD: requests that start on this day or later
        start_date: Option<Date>,
        /// YYYY-MM-DD: requests that end on this day or earlier
        end_date: Option<Date>,
        ..page
    }
}

/// List a company's time off requests
///
/// By first day, latest first.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/time_off/requests", tag = "Time off",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ListTimeOffRequests),
    responses((status = 200, description = "The requests", body = Vec<TimeOffRequest>)),
    security(("company_access" = ["time_off_requests:read"])))]
async fn list_requests(
    State(app): State<App>,
    call: Call,
    query: ListTimeOffRequests,
) -> Result<Response, Error> {
    let filter = RequestFilter {
        employees: query.employee_uuids,
        statuses: query.status.into_iter().map(|status| status.0).collect(),
        from: query.start_date,
        until: query.end_date,
        within: false,
        ascending: query.sort_order.first() == Some(RequestOrder::Ascending),
    };
    app.list_json(call, move |tx, caller| {
        Ok(service::list_requests(tx, caller, &filter, query.page)?.map(TimeOffRequest::from))
    })
    .await
}

/// List a company's time off requests, for older clients
///
/// As `time_off/requests`, but by first day ascending, and with `request_type` as well as `policy_type`.
#[utoipa::path(get, path = "/v1/companies/{company_id}/time_off_requests", tag = "Time off",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListOlderTimeOffRequests),
    responses((status = 200, description = "The requests", body = Vec<OlderTimeOffRequest>)),
    security(("company_access" = ["time_off_requests:read"])))]
async fn list_requests_of_older_clients(
    State(app): State<App>,
    call: Call,
    query: ListOlderTimeOffRequests,
) -> Result<Response, Error> {
    let filter = RequestFilter {
        employees: None,
        statuses: Vec::new(),
        from: query.start_date,
        until: query.end_date,
        within: true,
        ascending: true,
    };
    app.list_json(call, move |tx, caller| {
        Ok(service::list_requests(tx, caller, &filter, query.page)?.map(OlderTimeOffRequest::from))
    })
    .await
}

/// Request time off
///
/// The request awaits an administrator's decision. Hours beyond the balance are refused (422) if the policy does not
/// allow a negative balance.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/time_off/requests", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateTimeOffRequest,
    responses((status = 201, description = "The request, pending", body = TimeOffRequest)),
    security(("company_access" = ["time_off_requests:write"])))]
async fn create_request(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateTimeOffRequest>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(TimeOffRequest::from(service::create_request(tx, caller, &command)?))
    })
    .await
}

/// Preview the balance after a request for time off
///
/// Nothing is stored.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/time_off/requests/preview", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = PreviewTimeOffRequest,
    responses((status = 200, description = "What would be left", body = TimeOffRequestPreview)),
    security(("company_access" = ["time_off_requests:read"])))]
async fn preview_request(
    State(app): State<App>,
    call: Call,
    Input(input): Input<PreviewTimeOffRequest>,
) -> Result<Response, Error> {
    let command = input.into();
    app.read_json(call, move |tx, caller| {
        Ok(TimeOffRequestPreview::from(service::preview_request(tx, caller, &command)?))
    })
    .await
}

/// Create approved time off without a request
///
/// It is approved at once.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/time_off/admin_approved_requests", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateApprovedTimeOffRequest,
    responses((status = 201, description = "The request, approved", body = TimeOffRequest)),
    security(("company_access" = ["time_off_requests:manage"])))]
async fn create_approved_request(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateApprovedTimeOffRequest>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(TimeOffRequest::from(service::create_approved(tx, caller, &command)?))
    })
    .await
}

/// Read a time off request
///
/// With the hours of each day, who requested it and who decided.
#[utoipa::path(get, path = "/v1/time_off/requests/{time_off_request_uuid}", tag = "Time off",
    params(("time_off_request_uuid" = Uuid, Path, description = "The request")),
    responses((status = 200, description = "The request", body = TimeOffRequest)),
    security(("company_access" = ["time_off_requests:read"])))]
async fn get_request(State(app): State<App>, call: Call, Path(Id(id)): Path<Id>) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| Ok(TimeOffRequest::from(service::request_details(tx, caller, id)?)))
        .await
}

/// Delete a time off request
///
/// Refused (422) once a payroll has paid one of its days.
#[utoipa::path(delete, path = "/v1/time_off/requests/{time_off_request_uuid}", tag = "Time off",
    params(("time_off_request_uuid" = Uuid, Path, description = "The request")),
    responses((status = 204, description = "It is deleted")),
    security(("company_access" = ["time_off_requests:write"])))]
async fn delete_request(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| service::delete_request(tx, caller, id))
        .await
}

/// Approve a pending time off request
///
/// Payrolls of its days that are calculated from now on pay its hours.
#[utoipa::path(put, path = "/v1/time_off/requests/{time_off_request_uuid}/approve", tag = "Time off",
    params(("time_off_request_uuid" = Uuid, Path, description = "The request")),
    request_body = ApproveTimeOffRequest,
    responses((status = 200, description = "The request, approved", body = TimeOffRequest)),
    security(("company_access" = ["time_off_requests:manage"])))]
async fn approve_request(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<ApproveTimeOffRequest>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(TimeOffRequest::from(service::approve_request(tx, caller, id, &command)?))
    })
    .await
}

/// Decline a time off request
///
/// A pending or an approved one. Days that a payroll has paid remain paid.
#[utoipa::path(put, path = "/v1/time_off/requests/{time_off_request_uuid}/decline", tag = "Time off",
    params(("time_off_request_uuid" = Uuid, Path, description = "The request")),
    request_body = DeclineTimeOffRequest,
    responses((status = 200, description = "The request, declined", body = TimeOffRequest)),
    security(("company_access" = ["time_off_requests:manage"])))]
async fn decline_request(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<DeclineTimeOffRequest>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(TimeOffRequest::from(service::decline_request(tx, caller, id, &command)?))
    })
    .await
}
