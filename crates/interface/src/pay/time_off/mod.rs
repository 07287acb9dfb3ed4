//! Operations on time off policies and balances.

pub mod query;
pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::payrolls::facts::leave;
use domain::pay::time_off::{balances, ledger, members, service};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::query::{ListActivities, ListBalances};
use self::wire::{
    Activity, AddEmployees, CreateTimeOffPolicy, EmployeeBalances, HoursEarned, HoursWorked, RemoveEmployees,
    SetBalances, TimeOffPolicy, UpdateTimeOffPolicy,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, InPayroll, Input};

/// Operations on time off policies and balances.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_policies, create_policy))
        .routes(routes!(get_policy, update_policy))
        .routes(routes!(add_employees))
        .routes(routes!(remove_employees))
        .routes(routes!(set_balances))
        .routes(routes!(deactivate_policy))
        .routes(routes!(list_activities))
        .routes(routes!(list_balances))
        .routes(routes!(calculate_accruing_hours))
}

/// List the time off policies of a company
///
/// Oldest first, including inactive ones, each with its employees and their balances.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/time_off_policies", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The policies", body = Vec<TimeOffPolicy>)),
    security(("company_access" = ["time_off_policies:read"])))]
async fn list_policies(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, |tx, caller| {
        let found = service::list_policies(tx, caller)?;
        Ok(found.into_iter().map(|one| TimeOffPolicy::new(caller, one)).collect::<Vec<_>>())
    })
    .await
}

/// Create a time off policy
///
/// Vacation or sick leave, with its accrual method. It takes effect once it is `complete`; employees can be added
/// before.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/time_off_policies", tag = "Time off",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateTimeOffPolicy,
    responses((status = 201, description = "The policy", body = TimeOffPolicy)),
    security(("company_access" = ["time_off_policies:write"])))]
async fn create_policy(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateTimeOffPolicy>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(TimeOffPolicy::new(caller, service::create_policy(tx, caller, &command)?))
    })
    .await
}

/// Read a time off policy
///
/// With its employees and their balances.
#[utoipa::path(get, path = "/v1/time_off_policies/{time_off_policy_uuid}", tag = "Time off",
    params(("time_off_policy_uuid" = Uuid, Path, description = "The policy")),
    responses((status = 200, description = "The policy", body = TimeOffPolicy)),
    security(("company_access" = ["time_off_policies:read"])))]
async fn get_policy(State(app): State<App>, call: Call, Path(Id(id)): Path<Id>) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(TimeOffPolicy::new(caller, service::get_policy(tx, caller, id)?))
    })
    .await
}

/// Update a time off policy
///
/// Balances are unchanged, also those above a new limit: they stop accruing. The type cannot be changed.
#[utoipa::path(put, path = "/v1/time_off_policies/{time_off_policy_uuid}", tag = "Time off",
    params(("time_off_policy_uuid" = Uuid, Path, description = "The policy")),
    request_body = UpdateTimeOffPolicy,
    responses((status = 200, description = "The policy as updated", body = TimeOffPolicy)),
    security(("company_access" = ["time_off_policies:write"])))]
async fn update_policy(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateTimeOffPolicy>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(TimeOffPolicy::new(caller, service::update_policy(tx, caller, id, &command)?))
    })
    .await
}

/// Add employees to a time off policy
///
/// An employee has at most one policy of each type: one in another policy leaves it, and the balance moves along unless
/// one is given.
#[utoipa::path(put, path = "/v1/time_off_policies/{time_off_policy_uuid}/add_employees", tag = "Time off",
    params(("time_off_policy_uuid" = Uuid, Path, description = "The policy")),
    request_body = AddEmployees,
    responses((status = 200, description = "The policy", body = TimeOffPolicy)),
    security(("company_access" = ["time_off_policies:write"])))]
async fn add_employees(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<AddEmployees>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(TimeOffPolicy::new(caller, members::add_members(tx, caller, id, &command)?))
    })
    .await
}

/// Remove employees from a time off policy
///
/// Their balances in it are lost. Those not in it are ignored.
#[utoipa::path(put, path = "/v1/time_off_policies/{time_off_policy_uuid}/remove_employees", tag = "Time off",
    params(("time_off_policy_uuid" = Uuid, Path, description = "The policy")),
    request_body = RemoveEmployees,
    responses((status = 200, description = "The policy", body = TimeOffPolicy)),
    security(("company_access" = ["time_off_policies:write"])))]
async fn remove_employees(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<RemoveEmployees>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(TimeOffPolicy::new(caller, members::remove_members(tx, caller, id, &command)?))
    })
    .await
}

/// Set balances of employees in a time off policy
///
/// The hours replace the balance. Refused (422) for an unlimited policy.
#[utoipa::path(put, path = "/v1/time_off_policies/{time_off_policy_uuid}/balance", tag = "Time off",
    params(("time_off_policy_uuid" = Uuid, Path, description = "The policy")),
    request_body = SetBalances,
    responses((status = 200, description = "The policy", body = TimeOffPolicy)),
    security(("company_access" = ["time_off_policies:write"])))]
async fn set_balances(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<SetBalances>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(TimeOffPolicy::new(caller, members::set_balances(tx, caller, id, &command)?))
    })
    .await
}

/// Deactivate a time off policy
///
/// Refused (422) while requests for its hours are pending. Nothing is accrued or taken any more, and it cannot be
/// changed again. Balances are kept; an employee who joins another policy of the type takes the balance along.
#[utoipa::path(put, path = "/v1/time_off_policies/{time_off_policy_uuid}/deactivate", tag = "Time off",
    params(("time_off_policy_uuid" = Uuid, Path, description = "The policy")),
    responses((status = 200, description = "The policy, inactive", body = TimeOffPolicy)),
    security(("company_access" = ["time_off_policies:write"])))]
async fn deactivate_policy(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(TimeOffPolicy::new(caller, service::deactivate_policy(tx, caller, id)?))
    })
    .await
}

/// List the changes of an employee's time off balances
///
/// For one type, newest first, each with its reason and the balance after it.
#[utoipa::path(get, path = "/v1/employees/{employee_uuid}/time_off_activities", tag = "Time off",
    params(
        ("employee_uuid" = Uuid, Path, description = "The employee"),
        ListActivities),
    responses((status = 200, description = "The changes", body = Vec<Activity>)),
    security(("company_access" = ["employee_time_off_activities:read"])))]
async fn list_activities(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ListActivities,
) -> Result<Response, Error> {
    let asked = query.time_off_type.0.text.named();
    app.read_all(call, move |tx, caller| {
        let found = ledger::list_activities(tx, caller, id, &asked)?;
        Ok(found.into_iter().map(Activity::from).collect::<Vec<_>>())
    })
    .await
}

/// List the time off balances of a company's employees
///
/// One row for each employee in an active policy, in the order of employees, with the hours accrued and used in the
/// calendar year, and the hours of pending requests.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/time_off/balances", tag = "Time off",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ListBalances),
    responses((status = 200, description = "The balances", body = Vec<EmployeeBalances>)),
    security(("company_access" = ["time_off_requests:read"])))]
async fn list_balances(State(app): State<App>, call: Call, query: ListBalances) -> Result<Response, Error> {
    let filter = balances::BalanceFilter { employees: query.employee_uuids, policies: query.policy_uuids };
    app.list_json(call, move |tx, caller| {
        Ok(balances::list_balances(tx, caller, &filter, query.page)?.map(EmployeeBalances::from))
    })
    .await
}

/// Calculate how much time off a payroll's hours would accrue
///
/// Nothing is stored. Without any hours every result is 0.
#[utoipa::path(post, path = "/v1/payrolls/{payroll_id}/employees/{employee_id}/calculate_accruing_time_off_hours",
    tag = "Time off",
    params(
        ("payroll_id" = Uuid, Path, description = "The payroll"),
        ("employee_id" = Uuid, Path, description = "An employee of the payroll")),
    request_body = HoursWorked,
    responses((status = 200, description = "Hours by policy", body = HoursEarned)),
    security(("company_access" = ["payrolls:read"])))]
async fn calculate_accruing_hours(
    State(app): State<App>,
    call: Call,
    Path(InPayroll { payroll, employee }): Path<InPayroll>,
    Input(input): Input<HoursWorked>,
) -> Result<Response, Error> {
    let command = input.into();
    app.read_json(call, move |tx, caller| {
        Ok(HoursEarned::from(leave::would_earn(tx, caller, (payroll, employee), &command)?))
    })
    .await
}
