//! Operations on external payrolls.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::external_payrolls::{finish, liabilities, service};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{
    CreateExternalPayroll, ExternalPayroll, ExternalPayrollSummary, ExternalPayrollTaxSuggestions,
    SelectTaxLiabilities, TaxLiability, UpdateExternalPayroll,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, InCompany, Input};
use crate::query;

/// Operations on external payrolls.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_external_payrolls, create_external_payroll))
        .routes(routes!(list_tax_liabilities, select_tax_liabilities))
        .routes(routes!(finish_external_payrolls))
        .routes(routes!(get_external_payroll, update_external_payroll, delete_external_payroll))
        .routes(routes!(calculate_external_taxes))
}

query! {
    /// Which external payrolls are listed.
    ListExternalPayrolls { ..page }
}

/// List the payrolls run by another provider
///
/// By check date.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/external_payrolls", tag = "External payrolls",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListExternalPayrolls),
    responses((status = 200, description = "The external payrolls", body = Vec<ExternalPayrollSummary>)),
    security(("company_access" = ["external_payrolls:read"])))]
async fn list_external_payrolls(
    State(app): State<App>,
    call: Call,
    query: ListExternalPayrolls,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let company = caller.company;
        Ok(service::list_external_payrolls(tx, caller, query.page)?
            .map(move |row| ExternalPayrollSummary::new(company, &row)))
    })
    .await
}

/// Create an external payroll
///
/// One for each check date of another provider in this year, before the company's first payroll here. Report what
/// employees were paid with an update.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/external_payrolls", tag = "External payrolls",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateExternalPayroll,
    responses((status = 200, description = "The external payroll, still empty", body = ExternalPayroll)),
    security(("company_access" = ["external_payrolls:write"])))]
async fn create_external_payroll(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateExternalPayroll>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(ExternalPayroll::new(caller.company, service::create_external_payroll(tx, caller, &command)?))
    })
    .await
}

/// Read an external payroll
///
/// Includes the earnings, benefits and taxes that its lines can refer to.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/external_payrolls/{external_payroll_id}", tag = "External payrolls",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("external_payroll_id" = Uuid, Path, description = "The external payroll")),
    responses((status = 200, description = "The external payroll", body = ExternalPayroll)),
    security(("company_access" = ["external_payrolls:read"])))]
async fn get_external_payroll(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(ExternalPayroll::new(caller.company, service::find_external_payroll(tx, caller, id)?))
    })
    .await
}

/// Report what employees were paid on a check date
///
/// Replaces everything reported before, unless `replace_fields` is true: then each line replaces the line of the same
/// earning, benefit or tax, and a line of zero removes it.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/external_payrolls/{external_payroll_id}", tag = "External payrolls",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("external_payroll_id" = Uuid, Path, description = "The external payroll")),
    request_body = UpdateExternalPayroll,
    responses((status = 200, description = "The external payroll", body = ExternalPayroll)),
    security(("company_access" = ["external_payrolls:write"])))]
async fn update_external_payroll(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
    Input(input): Input<UpdateExternalPayroll>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(ExternalPayroll::new(caller.company, service::update_external_payroll(tx, caller, id, &command)?))
    })
    .await
}

/// Delete an external payroll
///
/// Refused once it is processed.
#[utoipa::path(delete, path = "/v1/companies/{company_uuid}/external_payrolls/{external_payroll_id}", tag = "External payrolls",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("external_payroll_id" = Uuid, Path, description = "The external payroll")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["external_payrolls:write"])))]
async fn delete_external_payroll(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        service::delete_external_payroll(tx, caller, id)
    })
    .await
}

/// Calculate the taxes of an external payroll
///
/// From its earnings and benefits, and from the year's earlier external payrolls as reported. Nothing is stored.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/external_payrolls/{external_payroll_id}/calculate_taxes",
    tag = "External payrolls",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("external_payroll_id" = Uuid, Path, description = "The external payroll")),
    responses((status = 200, description = "By employee", body = Vec<ExternalPayrollTaxSuggestions>)),
    security(("company_access" = ["external_payrolls:read"])))]
async fn calculate_external_taxes(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let found = service::calculate_taxes(tx, caller, id)?;
        Ok(found.into_iter().map(ExternalPayrollTaxSuggestions::from).collect::<Vec<_>>())
    })
    .await
}

/// List the possible tax liabilities of all external payrolls
///
/// For each tax: zero, or the sum up to and including each check date.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/external_payrolls/tax_liabilities", tag = "External payrolls",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "By tax", body = Vec<TaxLiability>)),
    security(("company_access" = ["external_payrolls:read"])))]
async fn list_tax_liabilities(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let found = liabilities::list_tax_liabilities(tx, caller)?;
        Ok(found.into_iter().map(TaxLiability::from).collect::<Vec<_>>())
    })
    .await
}

/// Set the tax liabilities of all external payrolls
///
/// Omitted taxes are unchanged.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/external_payrolls/tax_liabilities", tag = "External payrolls",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = SelectTaxLiabilities,
    responses((status = 200, description = "By tax", body = Vec<TaxLiability>)),
    security(("company_access" = ["external_payrolls:write"])))]
async fn select_tax_liabilities(
    State(app): State<App>,
    call: Call,
    Input(input): Input<SelectTaxLiabilities>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let found = liabilities::select_liabilities(tx, caller, &command)?;
        Ok(found.into_iter().map(TaxLiability::from).collect::<Vec<_>>())
    })
    .await
}

/// Finish the external payrolls
///
/// In the background their totals become the employees' opening balances, which count towards wage bases, yearly limits
/// and year-to-date totals. Then they are `processed` and cannot be changed. Refused if a payroll of the year has
/// already paid one of the employees.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/external_payrolls/tax_liabilities/finish", tag = "External payrolls",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 202, description = "They are being finished")),
    security(("company_access" = ["external_payrolls:write"])))]
async fn finish_external_payrolls(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.write_json(call, StatusCode::ACCEPTED, finish::request_finish).await
}
