//! Operations on what a company is told or asked, and on fields of its own: what a partner's screens read on every page.
//!
//! The service asks no further questions of a company and has no fields but its own; these lists are empty. Notifications
//! are derived from the records that need attention, and disappear once they no longer do.

pub mod wire;

use axum::extract::{Path, State};
use axum::response::Response;
use domain::money::notices;
use domain::paging::Listed;
use domain::people::employees;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CompanyCustomFields, EmployeeCustomFields, InformationRequest, Notification};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id};
use crate::named::Enum;
use crate::{names, query};

/// Operations on what a company is told or asked.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_information_requests))
        .routes(routes!(list_company_custom_fields))
        .routes(routes!(list_employee_custom_fields))
        .routes(routes!(list_notifications))
        .routes(routes!(get_notification))
}

query! {
    /// Which fields are listed.
    ListCustomFields { ..page }
}

/// List what is asked of a company before it can go on
///
/// Empty: the service asks nothing but the steps of the onboarding.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/information_requests", tag = "Notices",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The information requests: none", body = Vec<InformationRequest>)),
    security(("company_access" = ["information_requests:read"])))]
async fn list_information_requests(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, |_, _| Ok(Vec::<InformationRequest>::new())).await
}

/// List a company's own fields
///
/// Empty: no operation makes any.
#[utoipa::path(get, path = "/v1/companies/{company_id}/custom_fields", tag = "Notices",
    params(("company_id" = Uuid, Path, description = "The company of the token"), ListCustomFields),
    responses((status = 200, description = "The fields: none", body = CompanyCustomFields)),
    security(("company_access" = ["companies:read"])))]
async fn list_company_custom_fields(
    State(app): State<App>,
    call: Call,
    query: ListCustomFields,
) -> Result<Response, Error> {
    app.read_paged(call, move |_, _| {
        let Listed { items, paging, .. } = Listed::slice(query.page, Vec::new());
        Ok((CompanyCustomFields { custom_fields: items }, paging))
    })
    .await
}

/// List the values of an employee's own fields
///
/// Empty, as the company's list of such fields is.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/custom_fields", tag = "Notices",
    params(("employee_id" = Uuid, Path, description = "The employee"), ListCustomFields),
    responses((status = 200, description = "The values: none", body = EmployeeCustomFields)),
    security(("company_access" = ["employees:read"])))]
async fn list_employee_custom_fields(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ListCustomFields,
) -> Result<Response, Error> {
    app.read_paged(call, move |tx, caller| {
        employees::service::find(tx, caller, id)?;
        let Listed { items, paging, .. } = Listed::slice(query.page, Vec::new());
        Ok((EmployeeCustomFields { custom_fields: items }, paging))
    })
    .await
}

names! {
    /// Where a notification stands.
    NotificationStatus { Open = "open", Expired = "expired", Resolved = "resolved" }
}

query! {
    /// Which notifications are listed.
    ListNotifications {
        /// Only those of this status; `expired` and `resolved` ones are not kept
        status: Option<Enum<NotificationStatus>>,
        ..page
    }
}

/// List what somebody of the company has to look at
///
/// What the service knows of, each with the events `notification.<category>.created` and `.resolved`: a debit that came back, until it is
/// recovered (`recovery_case`); an account of an employee to which a payment came back, until it is corrected
/// (`employee_bank_verification_failure`); days between two pay schedules, until they are paid or skipped (`pay_schedule_transition`); the
/// account that payroll is paid from, until it is verified, and payments that are held until there is one (`bank_account`); child support
/// that the service paid and that came back, until it is paid in another way (`child_support_returned`); a form of the company, until it is signed
/// (`sign_company_documents`); an employee who has done every step and waits for the administrator, until the review is done
/// (`employee_review`).
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/notifications", tag = "Notices",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListNotifications),
    responses((status = 200, description = "The notifications", body = Vec<Notification>)),
    security(("company_access" = ["notifications:read"])))]
async fn list_notifications(
    State(app): State<App>,
    call: Call,
    query: ListNotifications,
) -> Result<Response, Error> {
    let open = query.status.is_none_or(|status| status.0 == NotificationStatus::Open);
    app.list(call, move |tx, caller| {
        if !open {
            return Ok(Listed::slice(query.page, Vec::new()));
        }
        Ok(notices::list(tx, caller, query.page)?.map(|notice| Notification::new(caller.company, &notice)))
    })
    .await
}

/// Read a notification
///
/// Refused (422) when there is nothing to do about it any more.
#[utoipa::path(get, path = "/v1/notifications/{notification_uuid}", tag = "Notices",
    params(("notification_uuid" = Uuid, Path, description = "The notification")),
    responses((status = 200, description = "The notification", body = Notification)),
    security(("company_access" = ["notifications:read"])))]
async fn get_notification(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read(call, move |tx, caller| Ok(Notification::new(caller.company, &notices::find(tx, caller, id)?)))
        .await
}
