//! Operations on paper checks.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::checks::{rows, service};
use domain::pay::reports::{checks, links};
use serde::Deserialize;
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
/// Assigns a check number to every employee who is paid by check in a processed payroll, and creates the pages in the
/// background: poll the document with `request_uuid`. An employee who has a number keeps it; with
/// `starting_check_number` every check is issued anew, and the previous ones are void. No number is used twice.
#[utoipa::path(post, path = "/v1/payrolls/{payroll_id}/generated_documents/printable_payroll_checks", tag = "Reports",
    params(("payroll_id" = Uuid, Path, description = "The payroll")),
    request_body = PrintPayrollChecks,
    responses((status = 200, description = "The numbers, and the request_uuid of the document", body = PayrollChecks)),
    security(("company_access" = ["generated_documents:write"])))]
async fn print_payroll_checks(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<PrintPayrollChecks>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(PayrollChecks::from(checks::create_printed_checks(tx, caller, id, &command)?))
    })
    .await
}

/// A generated document in a path.
#[derive(Debug, Deserialize)]
struct DocumentPath {
    document_type: String,
    request_uuid: Id,
}

/// Read the status of a generated document
///
/// For documents of the type `printable_payroll_checks`. Once it has succeeded the response includes a URL, which works
/// for ten minutes without a token; each request creates a new one. Documents are kept for seven days.
#[utoipa::path(get, path = "/v1/generated_documents/{document_type}/{request_uuid}", tag = "Reports",
    params(
        ("document_type" = String, Path, description = "`printable_payroll_checks`"),
        ("request_uuid" = Uuid, Path, description = "The request")),
    responses((status = 200, description = "Its status, and the URL at which it can be downloaded", body = GeneratedDocument)),
    security(("company_access" = ["generated_documents:read"])))]
async fn get_generated_document(
    State(app): State<App>,
    call: Call,
    Path(document): Path<DocumentPath>,
) -> Result<Response, Error> {
    let Id(id) = document.request_uuid;
    if document.document_type != "printable_payroll_checks" {
        return Err(Error::NotFound);
    }
    let base = app.settings.flow_url.clone().unwrap_or_default();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(GeneratedDocument::new(&base, links::report_with_link(tx, caller, id, true)?))
    })
    .await
}

/// List the checks of a company
///
/// Extension: every check that was assigned a number, including void ones, highest number first.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/checks", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListChecks),
    responses((status = 200, description = "The checks", body = Vec<Check>)),
    security(("company_access" = ["generated_documents:read"])))]
async fn list_checks(State(app): State<App>, call: Call, query: ListChecks) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| Ok(service::list_checks(tx, caller, query.page)?.map(Check::from)))
        .await
}

/// A check in a path.
#[derive(Debug, Deserialize)]
struct CheckPath {
    check_number: String,
}

/// Void a check
///
/// Extension. Its number is never used again; whoever printed it must destroy it. The pay is still owed: print the
/// checks of the payroll again.
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
    Path(check): Path<CheckPath>,
    Input(input): Input<VoidCheck>,
) -> Result<Response, Error> {
    let number: i64 = check.check_number.parse().map_err(|_| Error::NotFound)?;
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Check::from(service::void_check(tx, caller, number, &command)?))
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
    app.read_json(call, |tx, caller| Ok(CheckSettings { micr_line: rows::micr_line(tx, caller.company)? }))
        .await
}

/// Change how checks are printed
///
/// Extension. `micr_line` adds the MICR line with the routing and account number of the company's bank account, for
/// blank check stock; without it, checks are printed on stock that already has the line.
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
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(CheckSettings { micr_line: service::update_settings(tx, caller, &command)? })
    })
    .await
}
