//! Receipts of processed payrolls, grossing up, and skipping payrolls.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::money::views::expected;
use domain::pay::payrolls::service;
use domain::pay::payrolls::service::gross_up;
use domain::pay::payrolls::views::receipt;
use domain::version::Change;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::wire::receipt::{GrossUp, GrossUpResult, PayrollReceipt, SkipPayroll};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::query;

/// The operations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_payroll_receipt))
        .routes(routes!(gross_up_pay))
        .routes(routes!(skip_payroll))
}

query! {
    /// Which employees of a receipt are shown.
    GetPayrollReceipt { ..page }
}

/// Read the receipt of a payroll
///
/// What the company pays for a processed payroll, and what each employee receives; 404 before it is processed. From
/// version 2026-06-15 the employees are paged.
#[utoipa::path(get, path = "/v1/payrolls/{payroll_id}/receipt", tag = "Payrolls",
    params(("payroll_id" = Uuid, Path, description = "The payroll"), GetPayrollReceipt),
    responses((status = 200, description = "The receipt", body = PayrollReceipt)),
    security(("company_access" = ["payrolls:read"])))]
async fn get_payroll_receipt(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: GetPayrollReceipt,
) -> Result<Response, Error> {
    let in_pages = call.caller()?.version.includes_change(Change::ReceiptInPages);
    let page = if in_pages { query.page.or_first() } else { query.page };
    let base = app.public_url.clone();
    app.read_paged(call, move |tx, caller| {
        let mut receipt = receipt::of_payroll(tx, caller, id, page)?;
        let paging = receipt.paging.take();
        let debited_on = expected::debited_on(tx, caller.company, &receipt.details.payroll)?;
        Ok((PayrollReceipt::new(caller, &base, receipt, debited_on), paging))
    })
    .await
}

/// Gross up a net amount
///
/// For an unsubmitted off-cycle payroll. Returns the gross amount that, as the only pay of the payroll, results in the
/// given net pay after all taxes and deductions. Nothing is stored: enter the amount, for example as a bonus.
#[utoipa::path(post, path = "/v1/payrolls/{payroll_id}/gross_up", tag = "Payrolls",
    params(("payroll_id" = Uuid, Path, description = "The payroll")),
    request_body = GrossUp,
    responses((status = 200, description = "The gross amount", body = GrossUpResult)),
    security(("company_access" = ["payrolls:run"])))]
async fn gross_up_pay(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<GrossUp>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(GrossUpResult { gross_up: gross_up::gross_up(tx, caller, id, &command)?.to_text(2) })
    })
    .await
}

/// Skip the payroll of a pay period
///
/// A skipped payroll pays nobody, and is calculated and submitted in the background like any other; cancel it to undo
/// that. `Regular` skips a payroll of the schedule, `Transition from old pay schedule` the days of a transition pay
/// period, `Dismissed employee` the final pay periods of terminated employees who are paid separately. Other payrolls
/// are created only on demand, and need no skipping.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/payrolls/skip", tag = "Payrolls",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = SkipPayroll,
    responses((status = 202, description = "Being processed")),
    security(("company_access" = ["payrolls:run"])))]
async fn skip_payroll(
    State(app): State<App>,
    call: Call,
    Input(input): Input<SkipPayroll>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::ACCEPTED, move |tx, caller| service::skip_payroll(tx, caller, &command))
        .await
}
