//! Operations on paper checks.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::checks::{rows, service};
use domain::pay::reports::{checks, links};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{
    Check, CheckSettings, GeneratedDocument, PayrollChecks, PrintPayrollChecks, UpdateCheckSettings,
    VoidCheck,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::query;

/// Operations on checks.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(print_payroll_checks))
        .routes(routes!(get_generated_document))
        .routes(routes!(list_checks))
        .routes(routes!(void_check))
        .routes(routes!(get_check_settings, update_check_settings))
}

query! {
    /// Which checks are listed.
    ListChecks { ..page }
}

/// Print the checks of a payroll
///
/// Gives everybody who is paid by check in a processed payroll a number, and makes the pages in the background: ask for the
/// document of `request_uuid`. Who has a number keeps it; with `starting_check_number` every check is issued anew, and those before
/// are void. No number is given twice.
#[utoipa::path(post, path = "/v1/payrolls/{payroll_id}/generated_documents/printable_payroll_checks", tag = "Reports",
    params(("payroll_id" = Uuid, Path, description = "The payroll")),
    request_body = PrintPayrollChecks,
    responses((status = 200, description = "The numbers, and what to ask for the pages", body = PayrollChecks)),
    security(("company_access" = ["generated_documents:write"])))]
async fn print_payroll_checks(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<PrintPayrollChecks>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write(call, StatusCode::OK, move |tx, caller| {
        Ok(PayrollChecks::from(checks::create(tx, caller, id, &command)?))
    })
    .await
}

/// Read how far a document is
///
/// Of the type `printable_payroll_checks`. Once it has succeeded there is an address, which works for ten minutes without a token; each
/// question makes a new one. Documents are kept for seven days.
#[utoipa::path(get, path = "/v1/generated_documents/{document_type}/{request_uuid}", tag = "Reports",
    params(
        ("document_type" = String, Path, description = "`printable_payroll_checks`"),
        ("request_uuid" = Uuid, Path, description = "The request")),
    responses((status = 200, description = "How far it is, and where it can be fetched", body = GeneratedDocument)),
    security(("company_access" = ["generated_documents:read"])))]
async fn get_generated_document(
    State(app): State<App>,
    call: Call,
    Path(ids): Path<(String, Id)>,
) -> Result<Response, Error> {
    let (kind, Id(id)) = ids;
    if kind != "printable_payroll_checks" {
        return Err(Error::NotFound);
    }
    let base = app.settings.flow_url.clone().unwrap_or_default();
    app.write(call, StatusCode::OK, move |tx, caller| {
        Ok(GeneratedDocument::new(&base, links::ask(tx, caller, id, true)?))
    })
    .await
}

/// List the checks of a company
///
/// Extension: every check that got a number, the highest first, those that are void among them.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/checks", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListChecks),
    responses((status = 200, description = "The checks", body = Vec<Check>)),
    security(("company_access" = ["generated_documents:read"])))]
async fn list_checks(State(app): State<App>, call: Call, query: ListChecks) -> Result<Response, Error> {
    app.list(call, move |tx, caller| Ok(service::list(tx, caller, query.page)?.map(Check::from))).await
}

/// Say that a check is void
///
/// Extension. Its number is never given again; who printed it destroys it. The pay that it was for is still owed: print the checks of the
/// payroll again.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/checks/{check_number}/void", tag = "Reports",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("check_number" = i64, Path, description = "The check")),
    request_body = VoidCheck,
    responses((status = 200, description = "The check, void", body = Check)),
    security(("company_access" = ["generated_documents:write"])))]
async fn void_check(
    State(app): State<App>,
    call: Call,
    Path(ids): Path<(Id, String)>,
    Input(input): Input<VoidCheck>,
) -> Result<Response, Error> {
    let number: i64 = ids.1.parse().map_err(|_| Error::NotFound)?;
    let command = input.into();
    app.write(call, StatusCode::OK, move |tx, caller| {
        Ok(Check::from(service::void(tx, caller, number, &command)?))
    })
    .await
}

/// Read how checks are printed
///
/// Extension.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/check_settings", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The settings", body = CheckSettings)),
    security(("company_access" = ["generated_documents:read"])))]
async fn get_check_settings(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read(call, |tx, caller| Ok(CheckSettings { micr_line: rows::micr_line(tx, caller.company)? })).await
}

/// Change how checks are printed
///
/// Extension. `micr_line` adds the line for machines, with the routing and account number of the company's bank account, for blank
/// stock; without it checks are printed on stock that has the line already.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/check_settings", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = UpdateCheckSettings,
    responses((status = 200, description = "The settings as updated", body = CheckSettings)),
    security(("company_access" = ["generated_documents:write"])))]
async fn update_check_settings(
    State(app): State<App>,
    call: Call,
    Input(input): Input<UpdateCheckSettings>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write(call, StatusCode::OK, move |tx, caller| {
        Ok(CheckSettings { micr_line: service::update_settings(tx, caller, &command)? })
    })
    .await
}
