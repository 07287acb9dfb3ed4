//! Operations on bank accounts and payment methods of employees.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::payrolls::calendar::members;
use domain::people::payment_methods::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use self::wire::{
    BankAccountInput, EmployeeBankAccount, EmployeePaymentDetails, EmployeePaymentMethod,
    UpdateEmployeePaymentMethod,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input, Owned};
use crate::query;

/// Operations on bank accounts and payment methods.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_employee_payment_details))
        .routes(routes!(list_employee_bank_accounts, create_employee_bank_account))
        .routes(routes!(update_employee_bank_account, delete_employee_bank_account))
        .routes(routes!(get_employee_payment_method, update_employee_payment_method))
}

query! {
    /// Which bank accounts are listed.
    ListEmployeeBankAccounts { ..page }

    /// Whose payment details are listed.
    ListEmployeePaymentDetails {
        /// Only this employee; not together with payroll_uuid
        employee_uuid: Option<Uuid>,
        /// Only the employees of this payroll; not together with employee_uuid
        payroll_uuid: Option<Uuid>,
        ..page { "Number of the page, from 1", "Rows on a page, 1 to 100; 25 when left out" }
    }
}

/// List how employees are paid
///
/// With their bank accounts, whose numbers are masked. Always paged, in the order of the employees' creation.
#[utoipa::path(get, path = "/v1/companies/{company_id}/employees/payment_details", tag = "Employee payment methods",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListEmployeePaymentDetails),
    responses((status = 200, description = "How each employee is paid", body = Vec<EmployeePaymentDetails>)),
    security(("company_access" = ["employee_payment_methods:read"])))]
async fn list_employee_payment_details(
    State(app): State<App>,
    call: Call,
    query: ListEmployeePaymentDetails,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let on = query.payroll_uuid.map(|id| members::of_payroll(tx, caller.company, id)).transpose()?;
        let of = (query.employee_uuid, on);
        Ok(service::list_details(tx, caller, of, query.page.or_first())?.map(EmployeePaymentDetails::from))
    })
    .await
}

/// List an employee's bank accounts
///
/// In the order of creation. Account numbers are masked.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/bank_accounts", tag = "Employee payment methods",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ListEmployeeBankAccounts),
    responses((status = 200, description = "The accounts, in the order of creation", body = Vec<EmployeeBankAccount>)),
    security(("company_access" = ["employee_payment_methods:read"])))]
async fn list_employee_bank_accounts(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ListEmployeeBankAccounts,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        Ok(service::list_accounts(tx, caller, id, query.page)?.map(EmployeeBankAccount::from))
    })
    .await
}

/// Add a bank account, and switch to direct deposit
///
/// The first account receives all pay; a further one receives nothing until the payment method gives it a share.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/bank_accounts", tag = "Employee payment methods",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = BankAccountInput,
    responses((status = 201, description = "The new account", body = EmployeeBankAccount)),
    security(("company_access" = ["employee_payment_methods:write"])))]
async fn create_employee_bank_account(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<BankAccountInput>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        service::create_account(tx, caller, id, &command).map(EmployeeBankAccount::from)
    })
    .await
}

/// Replace the data of a bank account
///
/// Send all fields. The account keeps its identifier.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/bank_accounts/{bank_account_uuid}", tag = "Employee payment methods",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ("bank_account_uuid" = Uuid, Path, description = "One of the employee's bank accounts")),
    request_body = BankAccountInput,
    responses((status = 200, description = "The account as updated", body = EmployeeBankAccount)),
    security(("company_access" = ["employee_payment_methods:write"])))]
async fn update_employee_bank_account(
    State(app): State<App>,
    call: Call,
    Path(Owned { owner: employee, id }): Path<Owned>,
    Input(input): Input<BankAccountInput>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        service::update_account(tx, caller, employee, id, &command).map(EmployeeBankAccount::from)
    })
    .await
}

/// Delete a bank account
///
/// Its share goes to the last remaining account. Without any account the employee is paid by check.
#[utoipa::path(delete, path = "/v1/employees/{employee_id}/bank_accounts/{bank_account_uuid}", tag = "Employee payment methods",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ("bank_account_uuid" = Uuid, Path, description = "One of the employee's bank accounts")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["employee_payment_methods:write"])))]
async fn delete_employee_bank_account(
    State(app): State<App>,
    call: Call,
    Path(Owned { owner: employee, id }): Path<Owned>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        service::delete_account(tx, caller, employee, id)
    })
    .await
}

/// Read how an employee is paid
///
/// By check, or by direct deposit with the split among bank accounts.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/payment_method", tag = "Employee payment methods",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The payment method, with the split of pay", body = EmployeePaymentMethod)),
    security(("company_access" = ["employee_payment_methods:read"])))]
async fn get_employee_payment_method(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        service::get_method(tx, caller, id).map(EmployeePaymentMethod::from)
    })
    .await
}

/// Set how an employee is paid
///
/// From version 2025-11-15, direct deposit is refused while there is no bank account.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/payment_method", tag = "Employee payment methods",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = UpdateEmployeePaymentMethod,
    responses((status = 200, description = "The payment method as updated", body = EmployeePaymentMethod)),
    security(("company_access" = ["employee_payment_methods:write"])))]
async fn update_employee_payment_method(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateEmployeePaymentMethod>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        service::update_method(tx, caller, id, &command).map(EmployeePaymentMethod::from)
    })
    .await
}

#[cfg(test)]
mod tests;
