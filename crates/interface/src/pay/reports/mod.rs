//! Operations on reports.

pub mod bulk;
pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::reports::{links, service};
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{
    AnnualFicaWages, CreateAnnualFicaWages, CreateGeneralLedger, CreateReport, GeneralLedger, Report,
    ReportRequest, ReportTemplate,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};

/// Operations on reports.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_general_ledger))
        .routes(routes!(get_report_template))
        .routes(routes!(create_report))
        .routes(routes!(create_annual_fica_wages))
        .routes(routes!(get_report))
        .merge(bulk::routes())
}

/// Create a general ledger report
///
/// For a processed payroll. It is created in the background as JSON: poll the report with `request_uuid`.
#[utoipa::path(post, path = "/v1/payrolls/{payroll_id}/reports/general_ledger", tag = "Reports",
    params(("payroll_id" = Uuid, Path, description = "The payroll")),
    request_body = CreateGeneralLedger,
    responses((status = 200, description = "The request_uuid of the report", body = GeneralLedger)),
    security(("company_access" = ["company_reports:write"])))]
async fn create_general_ledger(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<CreateGeneralLedger>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let request = service::create_ledger(tx, caller, id, &command)?;
        GeneralLedger::from_request(&request).ok_or(domain::Error::internal("a general ledger was requested"))
    })
    .await
}

/// A template in a path.
#[derive(Debug, Deserialize)]
struct TemplatePath {
    report_type: String,
}

/// Read the template of a report
///
/// The columns and groupings of the report type `payroll_journal`.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/report_templates/{report_type}", tag = "Reports",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("report_type" = String, Path, description = "`payroll_journal`")),
    responses((status = 200, description = "The columns and groupings", body = ReportTemplate)),
    security(("company_access" = ["company_reports:write"])))]
async fn get_report_template(
    State(app): State<App>,
    call: Call,
    Path(template): Path<TemplatePath>,
) -> Result<Response, Error> {
    app.read_json(call, move |_, caller| {
        ReportTemplate::of_kind(caller.company, &template.report_type).ok_or(domain::Error::NotFound)
    })
    .await
}

/// Create a report
///
/// It is created in the background: poll the report with `request_uuid`. Without `report_type` it is the payroll
/// journal: the paychecks of processed payrolls with the selected columns. Without groupings each paycheck is a row;
/// with groupings each combination of them is a row, in which amounts and hours are summed, and text is kept if it is
/// the same for all. The range of days defaults to the year to date. Account numbers are masked.
///
/// Every other `report_type` is created from the books, by check date and for the whole company: groupings, another
/// `date_filter_type` and fields that filter paychecks are refused with it.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/reports", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateReport,
    responses((status = 201, description = "The request_uuid of the report", body = ReportRequest)),
    security(("company_access" = ["company_reports:write"])))]
async fn create_report(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateReport>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(ReportRequest::new(caller.company, service::create_report(tx, caller, &command)?))
    })
    .await
}

/// Create a report of Social Security and Medicare wages
///
/// By employee and year, as CSV. It is created in the background: poll the report with `request_uuid`.
#[utoipa::path(post, path = "/v1/companies/{company_id}/reports/employees_annual_fica_wage", tag = "Reports",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreateAnnualFicaWages,
    responses((status = 202, description = "The request_uuid of the report", body = AnnualFicaWages)),
    security(("company_access" = ["company_reports:write"])))]
async fn create_annual_fica_wages(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateAnnualFicaWages>,
) -> Result<Response, Error> {
    let command = input.into();
    let mut response = app
        .write_json(call, StatusCode::OK, move |tx, caller| {
            let (request, start_year, end_year) = service::create_fica_wages(tx, caller, &command)?;
            Ok(AnnualFicaWages {
                request_uuid: request.id,
                company_uuid: caller.company,
                start_year,
                end_year,
            })
        })
        .await?;
    // Unlike other responses with this status it has a body.
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

/// Read the status of a report
///
/// Once it has succeeded the response includes a URL, which works for ten minutes without a token; each request creates
/// a new one. Reports are kept for seven days.
#[utoipa::path(get, path = "/v1/reports/{request_uuid}", tag = "Reports",
    params(("request_uuid" = Uuid, Path, description = "The request")),
    responses((status = 200, description = "Its status, and the URL at which it can be downloaded", body = Report)),
    security(("company_access" = ["company_reports:read"])))]
async fn get_report(State(app): State<App>, call: Call, Path(Id(id)): Path<Id>) -> Result<Response, Error> {
    let base = app.settings.flow_url.clone().unwrap_or_default();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Report::new(&base, links::report_with_link(tx, caller, id, false)?))
    })
    .await
}
