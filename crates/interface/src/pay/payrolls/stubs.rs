//! Pay stubs, and the explanation of a paycheck.

use axum::extract::{Path, State};
use axum::response::Response;
use domain::pay::payrolls::views::{explain, stub, stubs};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::query::ListPayStubs;
use super::wire::{Explanation, PayStub};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, InPayroll, InPayrollOfCompany};
use crate::values::PdfFile;

/// The operations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(explain_paycheck))
        .routes(routes!(get_pay_stub))
        .routes(routes!(get_pay_stub_of_payroll))
        .routes(routes!(list_pay_stubs))
}

/// Explain a calculated paycheck
///
/// Every figure with its inputs, the rule and its source, back to the entries and to the records at the time of the
/// calculation. Without `employee_benefits:read`, only the amounts of benefits are included; without
/// `employee_benefits:read:phi`, only the amounts of health plans.
#[utoipa::path(get, path = "/v1/companies/{company_id}/payrolls/{payroll_id}/employees/{employee_id}/explain", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll"),
        ("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The explanation", body = Explanation)),
    security(("company_access" = ["payrolls:read"])))]
async fn explain_paycheck(
    State(app): State<App>,
    call: Call,
    Path(InPayrollOfCompany { payroll: id, employee, .. }): Path<InPayrollOfCompany>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(Explanation::new(explain::paycheck_of(tx, caller, id, employee)?))
    })
    .await
}

/// Download a pay stub as PDF
///
/// As the employee receives it: earnings, taxes, deductions, and year-to-date totals.
#[utoipa::path(get, path = "/v1/companies/{company_id}/payrolls/{payroll_id}/employees/{employee_id}/pay_stub", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll"),
        ("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The pay stub", body = PdfFile, content_type = "application/pdf")),
    security(("company_access" = ["pay_stubs:read"])))]
async fn get_pay_stub(
    State(app): State<App>,
    call: Call,
    Path(InPayrollOfCompany { payroll: id, employee, .. }): Path<InPayrollOfCompany>,
) -> Result<Response, Error> {
    app.read_pdf(call, "pay-stub", move |tx, caller| stub::pay_stub_pdf(tx, caller, id, employee)).await
}

/// Download a pay stub of a payroll as PDF
///
/// The same without the company in the path.
#[utoipa::path(get, path = "/v1/payrolls/{payroll_id}/employees/{employee_id}/pay_stub", tag = "Payrolls",
    params(
        ("payroll_id" = Uuid, Path, description = "The payroll"),
        ("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The pay stub", body = PdfFile, content_type = "application/pdf")),
    security(("company_access" = ["pay_stubs:read"])))]
async fn get_pay_stub_of_payroll(
    State(app): State<App>,
    call: Call,
    Path(InPayroll { payroll: id, employee }): Path<InPayroll>,
) -> Result<Response, Error> {
    app.read_pdf(call, "pay-stub", move |tx, caller| stub::pay_stub_pdf(tx, caller, id, employee)).await
}

/// List the pay stubs of an employee
///
/// One for each processed payroll that paid the employee, the newest first.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/pay_stubs", tag = "Payrolls",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ListPayStubs),
    responses((status = 200, description = "The pay stubs", body = Vec<PayStub>)),
    security(("company_access" = ["pay_stubs:read"])))]
async fn list_pay_stubs(
    State(app): State<App>,
    call: Call,
    Path(Id(employee)): Path<Id>,
    query: ListPayStubs,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        Ok(stubs::list_pay_stubs(tx, caller, employee, query.page)?.map(PayStub::from))
    })
    .await
}
