//! Operations on employees.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::access::tokens::Caller;
use domain::pay::payrolls::calendar::members;
use domain::people::employees;
use domain::people::profiles::rows::{EmployeeFilter, EmployeeKey};
use domain::people::profiles::service;
use store::Tx;
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
    /// Which employees are listed, and what is included.
    ListEmployees {
        /// A part of first and last name
        search_term: Option<String>,
        /// created_at, name and onboarding_status, separated by commas, each with :asc or :desc
        sort_by: Sort<EmployeeKey>,
        /// Whether onboarding is finished
        onboarded: Option<bool>,
        /// Whether onboarding is finished and the employee is still employed
        onboarded_active: Option<bool>,
        /// Whether the employment has ended or is going to end
        terminated: Option<bool>,
        /// Whether the employment has ended as of today
        terminated_today: Option<bool>,
        /// Only employees who work at this location
        location_uuid: Option<Uuid>,
        /// Only employees on this payroll, as the payroll itself lists them; none for a payroll of another company
        payroll_uuid: Option<Uuid>,
        /// Only these employees, separated by commas
        uuids: Option<Vec<Uuid>>,
        /// all_compensations, all_home_addresses, company_name, current_home_address, custom_fields, portal_invitations,
        /// separated by commas
        include: Vec<Enum<EmployeeInclude>>,
        ..page_after
    }

    /// What is included with an employee.
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

impl From<ListEmployees> for EmployeeFilter {
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
            sort: query.sort_by.ascending_order(),
        }
    }
}

/// List employees
///
/// Oldest first, or as `sort_by` says. Without `page` and `per` the list is complete, up to 10,000 employees; several
/// filters are combined with "and". In the order of creation X-Next-Cursor names the employee after whom the next page
/// begins: sent as `starting_after_uuid`, it makes every page as cheap as the first, and no employee is skipped or
/// repeated. X-Total-Count is exact without filters and with a single filter `onboarded`, `onboarded_active`,
/// `terminated` or `terminated_today`; with other filters rows are counted up to 10,000 beyond the page, and
/// X-Total-Count-At-Least: true says that there are more.
#[utoipa::path(get, path = "/v1/companies/{company_id}/employees", tag = "Employees",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListEmployees),
    responses((status = 200, description = "The employees", body = Vec<Employee>)),
    security(("company_access" = ["employees:read"])))]
async fn list_employees(State(app): State<App>, call: Call, query: ListEmployees) -> Result<Response, Error> {
    let (page, include) = (query.page_after, Include::from(query.include.as_slice()));
    let (payroll, filter) = (query.payroll_uuid, EmployeeFilter::from(query));
    let listed = move |tx: &mut Tx<'_>, caller: &Caller| {
        let payroll = payroll.map(|id| members::of_payroll(tx, caller.company, id)).transpose()?;
        let filter = EmployeeFilter { payroll, ..filter.clone() };
        service::list_employees(tx, caller, &filter, include.into(), page)
    };
    app.list_as(call, listed, move |caller, employee| Employee::new(caller, employee, include)).await
}

/// Create an employee
///
/// With `self_onboarding` the employee enters personal data on hosted pages, through a link. Create the job, its
/// compensation and a work address with their own operations.
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
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Employee::new(caller, service::create_employee(tx, caller, &command)?, Include::default()))
    })
    .await
}

/// Read an employee
///
/// With jobs and their current compensations; `include` adds more.
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
    app.read_json(call, move |tx, caller| {
        Ok(Employee::new(caller, service::get_employee(tx, caller, id, include.into())?, include))
    })
    .await
}

/// Update an employee
///
/// Omitted fields keep their values, null clears what may be empty. An update without changes returns the same version.
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
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Employee::new(caller, service::update_employee(tx, caller, id, &command)?, Include::default()))
    })
    .await
}

/// Delete an employee whose onboarding is not finished
///
/// Refused once onboarding is finished. An employee who was created as having left before the company moved to the
/// service can be deleted until pay is reported for them.
#[utoipa::path(delete, path = "/v1/employees/{employee_id}", tag = "Employees",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["employees:manage"])))]
async fn delete_employee(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        employees::service::delete_employee(tx, caller, id)
    })
    .await
}
