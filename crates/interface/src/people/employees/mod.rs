//! Operations on employees.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::people::employees;
use domain::people::profiles::rows::{Filter, Sort};
use domain::people::profiles::service;
use rules::Checks;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreateEmployee, Employee, Include, UpdateEmployee};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::query::Query;

const SORTS: [(&str, Sort); 9] = [
    ("created_at", Sort::Created),
    ("created_at:asc", Sort::Created),
    ("created_at:desc", Sort::CreatedDesc),
    ("name", Sort::Name),
    ("name:asc", Sort::Name),
    ("name:desc", Sort::NameDesc),
    ("onboarding_status", Sort::Status),
    ("onboarding_status:asc", Sort::Status),
    ("onboarding_status:desc", Sort::StatusDesc),
];

const INCLUDES: [&str; 6] = [
    "all_compensations",
    "all_home_addresses",
    "company_name",
    "current_home_address",
    "custom_fields",
    "portal_invitations",
];

/// Operations on employees.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_employees, create_employee)).routes(routes!(
        get_employee,
        update_employee,
        delete_employee
    ))
}

fn include(query: &Query, checks: &mut Checks) -> Include {
    let words = query.words("include", &INCLUDES, checks);
    Include {
        all_compensations: words.contains(&"all_compensations"),
        all_home_addresses: words.contains(&"all_home_addresses"),
        company_name: words.contains(&"company_name"),
        current_home_address: words.contains(&"current_home_address"),
        custom_fields: words.contains(&"custom_fields"),
        portal_invitations: words.contains(&"portal_invitations"),
    }
}

fn filter(query: &Query, checks: &mut Checks) -> Filter {
    let sorts = SORTS.map(|(name, _)| name);
    let sort = query.words("sort_by", &sorts, checks).last().copied();
    let sort =
        SORTS.into_iter().find(|(name, _)| Some(*name) == sort).map_or(Sort::Created, |(_, sort)| sort);
    let nobody = query.flag("terminated", checks) == Some(true)
        || query.flag("terminated_today", checks) == Some(true)
        || query.text("payroll_uuid").is_some();
    Filter {
        search_term: query.text("search_term").map(str::to_owned),
        onboarded: query.flag("onboarded_active", checks).or(query.flag("onboarded", checks)),
        location: query.ids("location_uuid").and_then(|ids| ids.first().copied()),
        // No employment has ended yet, and no payroll holds anybody: such a list is empty.
        ids: if nobody { Some(Vec::new()) } else { query.ids("uuids") },
        sort,
    }
}

/// List employees
///
/// Oldest first, or as `sort_by` says. Without `page` and `per` the list is whole; several filters have to be met
/// together.
#[utoipa::path(get, path = "/v1/companies/{company_id}/employees", tag = "Employees",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("search_term" = Option<String>, Query, description = "A part of first and last name"),
        ("sort_by" = Option<String>, Query, description = "created_at, name or onboarding_status, with :asc or :desc"),
        ("onboarded" = Option<bool>, Query, description = "Only those whose onboarding is (not) finished"),
        ("onboarded_active" = Option<bool>, Query, description = "Only those who are (not) finished and employed"),
        ("terminated" = Option<bool>, Query, description = "true: only those whose employment has ended"),
        ("terminated_today" = Option<bool>, Query, description = "true: only those whose employment ended today"),
        ("location_uuid" = Option<Uuid>, Query, description = "Only those who work at this location"),
        ("payroll_uuid" = Option<Uuid>, Query, description = "Only those on this payroll"),
        ("uuids" = Option<String>, Query, description = "Only these, separated by commas"),
        ("include" = Option<String>, Query, description = "all_compensations, all_home_addresses, company_name, current_home_address, custom_fields, portal_invitations, separated by commas"),
        ("page" = Option<i64>, Query, description = "Number of the page, from 1"),
        ("per" = Option<i64>, Query, description = "Rows on a page, 1 to 100; 25 when only page is given")),
    responses((status = 200, description = "The employees", body = Vec<Employee>)),
    security(("company_access" = ["employees:read"])))]
async fn list_employees(State(app): State<App>, call: Call, query: Query) -> Result<Response, Error> {
    let mut checks = Checks::new();
    let (page, filter, include) =
        (query.page(&mut checks), filter(&query, &mut checks), include(&query, &mut checks));
    checks.finish()?;
    app.list(call, move |tx, caller| {
        let employees = service::list(tx, caller, &filter, include.into(), page)?;
        Ok(employees.map(|employee| Employee::new(caller, employee, include)))
    })
    .await
}

/// Create an employee
///
/// With `self_onboarding` the employee enters personal data alone, behind a link. A job, its compensation and a work
/// address follow by operations of their own.
#[utoipa::path(post, path = "/v1/companies/{company_id}/employees", tag = "Employees",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreateEmployee,
    responses((status = 201, description = "The new employee", body = Employee)),
    security(("company_access" = ["employees:manage"])))]
async fn create_employee(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateEmployee>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Employee::new(caller, service::create(tx, caller, &command)?, Include::default()))
    })
    .await
}

/// Read an employee
///
/// With jobs and their present compensations; `include` adds more.
#[utoipa::path(get, path = "/v1/employees/{employee_id}", tag = "Employees",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ("include" = Option<String>, Query, description = "As in the list of employees")),
    responses((status = 200, description = "The employee", body = Employee)),
    security(("company_access" = ["employees:read"])))]
async fn get_employee(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: Query,
) -> Result<Response, Error> {
    let mut checks = Checks::new();
    let include = include(&query, &mut checks);
    checks.finish()?;
    app.read(call, move |tx, caller| {
        Ok(Employee::new(caller, service::get(tx, caller, id, include.into())?, include))
    })
    .await
}

/// Update an employee
///
/// What is left out stays, null clears what may be empty. An update that changes nothing gives the same version back.
#[utoipa::path(put, path = "/v1/employees/{employee_id}", tag = "Employees",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = UpdateEmployee,
    responses((status = 200, description = "The employee as updated", body = Employee)),
    security(("company_access" = ["employees:write"])))]
async fn update_employee(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateEmployee>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write(call, StatusCode::OK, move |tx, caller| {
        Ok(Employee::new(caller, service::update(tx, caller, id, &command)?, Include::default()))
    })
    .await
}

/// Delete an employee whose onboarding is not finished
///
/// Somebody who is onboarded can no longer be deleted.
#[utoipa::path(delete, path = "/v1/employees/{employee_id}", tag = "Employees",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["employees:manage"])))]
async fn delete_employee(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::NO_CONTENT, move |tx, caller| employees::service::delete(tx, caller, id))
        .await
}
