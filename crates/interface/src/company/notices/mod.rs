//! Operations on a company's notifications, information requests and custom fields: what a partner's screens read on
//! every page.
//!
//! The service has no information requests and no custom fields, so those lists are empty. Notifications are derived
//! from the records that need attention, and disappear once they no longer do.

pub mod wire;

use axum::extract::{Path, State};
use axum::response::Response;
use domain::money::views::notices;
use domain::paging::Listed;
use domain::people::employees;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CompanyCustomFields, EmployeeCustomFields, InformationRequest, Notification};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id};
use crate::named::Enum;
use crate::sort::Sort;
use crate::{names, query};

/// Operations on notifications and their like.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_information_requests))
        .routes(routes!(list_company_custom_fields))
        .routes(routes!(list_employee_custom_fields))
        .routes(routes!(list_notifications))
        .routes(routes!(get_notification))
}

query! {
    /// Which custom fields are listed.
    ListCustomFields { ..page }
}

query! {
    /// The order of the information requests.
    ListInformationRequests {
        /// payroll_blocker, status and type, separated by commas, each with :asc or :desc
        sort_by: Sort<InformationRequestKey>,
    }
}

names! {
    /// What information requests can be sorted by.
    InformationRequestKey { PayrollBlocker = "payroll_blocker", Status = "status", Type = "type" }
}

/// List a company's information requests
///
/// Always empty: the service asks only for the steps of the onboarding.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/information_requests", tag = "Notices",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListInformationRequests),
    responses((status = 200, description = "The information requests: none", body = Vec<InformationRequest>)),
    security(("company_access" = ["information_requests:read"])))]
async fn list_information_requests(
    State(app): State<App>,
    call: Call,
    _: ListInformationRequests,
) -> Result<Response, Error> {
    app.read_all(call, |_, _| Ok(Vec::<InformationRequest>::new())).await
}

/// List a company's custom fields
///
/// Always empty: custom fields cannot be created.
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

/// List the values of an employee's custom fields
///
/// Always empty, like the company's list of custom fields.
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
        employees::service::find_employee(tx, caller, id)?;
        let Listed { items, paging, .. } = Listed::slice(query.page, Vec::new());
        Ok((EmployeeCustomFields { custom_fields: items }, paging))
    })
    .await
}

names! {
    /// The status of a notification.
    NotificationStatus { Open = "open", Expired = "expired", Resolved = "resolved" }
}

query! {
    /// Which notifications are listed.
    ListNotifications {
        /// Only this status; `expired` and `resolved` ones are not kept
        status: Option<Enum<NotificationStatus>>,
        ..page
    }
}

/// List a company's open notifications
///
/// Conditions that somebody at the company should resolve, each announced by the events
/// `notification.<category>.created` and `.resolved`: a returned debit, until it is recovered (`recovery_case`); an
/// employee's account that returned a payment, until it is corrected (`employee_bank_verification_failure`); a
/// regular payroll whose deadline has passed, until it is submitted or skipped (`missed_anchor_pay_day`); days
/// between two pay schedules, until they are paid or skipped (`pay_schedule_transition`); the account that payroll is
/// paid from, until it is verified, and payments held for lack of one (`bank_account`); a returned child support
/// payment by the service, until it is paid in another way (`child_support_returned`); an unsigned company form
/// (`sign_company_documents`); what was paid in a closed quarter or year, until the correction is settled
/// (`tax_form_correction`); from November on, what the close of the year still needs, such as Social Security numbers, until nothing is
/// missing (`year_end_preparation`); the home of somebody who is paid whose county, city or district is not known, as after a
/// move, until the questions are answered (`home_address_questions`); an hourly rate that is below the minimum wage of the
/// workplace, today or within 45 days, until it is raised (`update_min_wages`); an employee who has completed every step, until an
/// administrator finishes the review (`employee_review`).
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
    app.list_json(call, move |tx, caller| {
        if !open {
            return Ok(Listed::slice(query.page, Vec::new()));
        }
        Ok(notices::list_notices(tx, caller, query.page)?
            .map(|notice| Notification::new(caller.company, &notice)))
    })
    .await
}

/// Read a notification
///
/// Refused (422) once it is resolved.
#[utoipa::path(get, path = "/v1/notifications/{notification_uuid}", tag = "Notices",
    params(("notification_uuid" = Uuid, Path, description = "The notification")),
    responses((status = 200, description = "The notification", body = Notification)),
    security(("company_access" = ["notifications:read"])))]
async fn get_notification(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(Notification::new(caller.company, &notices::find_notice(tx, caller, id)?))
    })
    .await
}
