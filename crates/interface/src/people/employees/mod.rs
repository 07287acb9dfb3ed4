//! Operations on employees.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::payrolls::schedule::members;
use domain::people::employees;
use domain::people::profiles::rows::{EmployeeKey, Filter};
use domain::people::profiles::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use self::wire::{CreateEmployee, Employee, Include, UpdateEmployee};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::named::Enum;
use crate::sort::Sort;
use crate::{names, query};

/// Operations on employees.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_employees, create_employee)).routes(routes!(
        get_employee,
        update_employee,
        delete_employee
    ))
}

names! {
    /// What an answer with employees may include.
    EmployeeInclude {
        AllCompensations = "all_compensations",
        AllHomeAddresses = "all_home_addresses",
        CompanyName = "company_name",
        CurrentHomeAddress = "current_home_address",
        CustomFields = "custom_fields",
        PortalInvitations = "portal_invitations",
    }
}

query! {
    /// Which employees are listed, and with what.
    ListEmployees {
        /// A part of first and last name
        search_term: Option<String>,
        /// created_at, name and onboarding_status, separated by commas, each with :asc or :desc
        sort_by: Sort<EmployeeKey>,
        /// Only those whose onboarding is (not) finished
        onboarded: Option<bool>,
        /// Only those who are (not) finished and employed
        onboarded_active: Option<bool>,
        /// Only those whose employment has (not) ended, and is (not) going to
        terminated: Option<bool>,
        /// Only those whose employment has (not) ended as of today
        terminated_today: Option<bool>,
        /// Only those who work at this location
        location_uuid: Option<Uuid>,
        /// Only those on this payroll, as the payroll itself lists them; nobody for a payroll that the company does not have
        payroll_uuid: Option<Uuid>,
        /// Only these, separated by commas
        uuids: Option<Vec<Uuid>>,
        /// all_compensations, all_home_addresses, company_name, current_home_address, custom_fields, portal_invitations,
        /// separated by commas
        include: Vec<Enum<EmployeeInclude>>,
        ..page_after
    }

    /// What an employee is shown with.
    GetEmployee {
        /// As in the list of employees
        include: Vec<Enum<EmployeeInclude>>,
    }
}

impl From<&[Enum<EmployeeInclude>]> for Include {
    fn from(asked: &[Enum<EmployeeInclude>]) -> Self {
        let named = |one| asked.contains(&Enum(one));
        Self {
            all_compensations: named(EmployeeInclude::AllCompensations),
            all_home_addresses: named(EmployeeInclude::AllHomeAddresses),
            company_name: named(EmployeeInclude::CompanyName),
            current_home_address: named(EmployeeInclude::CurrentHomeAddress),
            custom_fields: named(EmployeeInclude::CustomFields),
            portal_invitations: named(EmployeeInclude::PortalInvitations),
        }
    }
}

impl From<ListEmployees> for Filter {
    fn from(query: ListEmployees) -> Self {
        Self {
            search_term: query.search_term,
            onboarded: query.onboarded,
            leaving: query.terminated,
            left: query.terminated_today,
            active: query.onboarded_active,
            location: query.location_uuid,
            payroll: None,
            ids: query.uuids,
            sort: query.sort_by.upwards(),
        }
    }
}

/// List employees
///
/// Oldest first, or as `sort_by` says. Without `page` and `per` the list is whole, up to 10,000 employees; several filters have
/// to be met together. In the order of creation X-Next-Cursor names the employee after whom the next page begins: sent as
/// `starting_after_uuid`, it makes each page cost what the first one does, and nobody is passed over or given twice.
/// X-Total-Count is exact without filters and under `onboarded`, `onboarded_active`, `terminated` or `terminated_today` alone;
/// under other filters rows are counted up to 10,000 beyond the page, and X-Total-Count-At-Least: true says that there are more.
#[utoipa::path(get, path = "/v1/companies/{company_id}/employees", tag = "Employees",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListEmployees),
    responses((status = 200, description = "The employees", body = Vec<Employee>)),
    security(("company_access" = ["employees:read"])))]
async fn list_employees(State(app): State<App>, call: Call, query: ListEmployees) -> Result<Response, Error> {
    let (page, include) = (query.page_after, Include::from(query.include.as_slice()));
    let (payroll, filter) = (query.payroll_uuid, Filter::from(query));
    app.list(call, move |tx, caller| {
        let payroll = payroll.map(|id| members::of_payroll(tx, caller.company, id)).transpose()?;
        let filter = Filter { payroll, ..filter.clone() };
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
        GetEmployee),
    responses((status = 200, description = "The employee", body = Employee)),
    security(("company_access" = ["employees:read"])))]
async fn get_employee(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: GetEmployee,
) -> Result<Response, Error> {
    let include = Include::from(query.include.as_slice());
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
/// Somebody who is onboarded can no longer be deleted. Who was entered as somebody who left before the company came to the service can be, until
/// pay is told of the person.
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
