//! Operations on payrolls.

mod disbursements;
mod opening;
pub mod query;
pub mod receipts;
mod stubs;
pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::query::{DeletePayroll, GetPayroll, ListPayPeriods, ListPayrolls, OfYear, PrepareQuery};
use self::wire::{
    Blocker, ChangedSinceCalculation, CreatePayroll, FutaCreditReductions, Include, OtherWarning, PayPeriod,
    Payroll, PayrollSettings, PreparePayroll, SubmitPayroll, UnprocessedTerminationPayPeriod, UpdatePayroll,
    UpdatePayrollSettings,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, InCompany, Input};
use domain::money::views::expected;
use domain::paging::{AskedDays, Page};
use domain::pay::external_payrolls::listed;
use domain::pay::external_payrolls::listed::ListedPayroll;
use domain::pay::payrolls::calendar::{dismissals, periods};
use domain::pay::payrolls::closing::lifecycle;
use domain::pay::payrolls::closing::processing::credit_reductions;
use domain::pay::payrolls::record::settings;
use domain::pay::payrolls::run::since_calculated;
use domain::pay::payrolls::service;
use domain::pay::payrolls::service::blockers;
use domain::pay::payrolls::views::outside;
use domain::version::Change;

/// Operations on payrolls.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_pay_periods))
        .routes(routes!(list_termination_pay_periods))
        .routes(routes!(list_payrolls, create_payroll))
        .routes(routes!(list_blockers))
        .routes(routes!(get_payroll_settings, update_payroll_settings))
        .routes(routes!(get_futa_credit_reductions))
        .routes(routes!(get_payroll, update_payroll, delete_payroll))
        .routes(routes!(prepare_payroll))
        .routes(routes!(calculate_payroll))
        .routes(routes!(fail_payroll))
        .routes(routes!(submit_payroll))
        .routes(routes!(cancel_payroll))
        .merge(stubs::routes())
        .merge(opening::routes())
        .merge(receipts::routes())
        .merge(disbursements::routes())
}

/// List the pay periods of a company
///
/// From six months back to at most three months ahead, with their payrolls. Days between two regular payrolls that
/// neither pays, after a change of schedule, are a `transition`.
#[utoipa::path(get, path = "/v1/companies/{company_id}/pay_periods", tag = "Pay schedules",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListPayPeriods),
    responses((status = 200, description = "The pay periods", body = Vec<PayPeriod>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_pay_periods(
    State(app): State<App>,
    call: Call,
    query: ListPayPeriods,
) -> Result<Response, Error> {
    let days = AskedDays { from: query.start_date, until: query.end_date };
    let kinds = query.kinds();
    app.read_all(call, move |tx, caller| {
        let found = periods::list_pay_periods(tx, caller, days, kinds)?;
        Ok(found.into_iter().map(PayPeriod::from).collect::<Vec<_>>())
    })
    .await
}

/// List unprocessed final pay periods
///
/// For employees whose termination has `run_termination_payroll`, until a payroll with `off_cycle_reason` `Dismissed
/// employee` is submitted for them. Such a payroll takes its `start_date`, `end_date` and `check_date` from here.
#[utoipa::path(get, path = "/v1/companies/{company_id}/pay_periods/unprocessed_termination_pay_periods", tag = "Pay schedules",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "By last day of work", body = Vec<UnprocessedTerminationPayPeriod>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_termination_pay_periods(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let found = dismissals::unprocessed_last_periods(tx, caller)?;
        Ok(found.into_iter().map(UnprocessedTerminationPayPeriod::from).collect::<Vec<_>>())
    })
    .await
}

/// List payrolls
///
/// By default the processed regular payrolls of the last six months.
#[utoipa::path(get, path = "/v1/companies/{company_id}/payrolls", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListPayrolls),
    responses((status = 200, description = "The payrolls by pay date", body = Vec<Payroll>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_payrolls(State(app): State<App>, call: Call, query: ListPayrolls) -> Result<Response, Error> {
    let include = Include::from_names(&query.include);
    let mut page = query.page;
    if page == Page::Whole && call.caller()?.version.includes_change(Change::PayrollsInPages) {
        page = page.or_first();
    }
    let filter = query.into();
    app.list_json(call, move |tx, caller| {
        let (listed, ways) = (
            listed::list_all_payrolls(tx, caller, &filter, page)?,
            expected::payment_ways(tx, caller.company)?,
        );
        listed.try_map(|ListedPayroll { payroll, external }| {
            let shown = Payroll { external, ..Payroll::new(caller, &payroll, include) };
            if external { Ok(shown) } else { shown.with_payments(tx, caller, (&payroll, &ways), include) }
        })
    })
    .await
}

/// Create an off-cycle payroll
///
/// For a bonus, a correction or an employee's final pay. It includes the given employees, with nothing entered yet.
#[utoipa::path(post, path = "/v1/companies/{company_id}/payrolls", tag = "Payrolls",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreatePayroll,
    responses((status = 200, description = "The new payroll with its first employees", body = Payroll)),
    security(("company_access" = ["payrolls:run"])))]
async fn create_payroll(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreatePayroll>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let details = service::create_off_cycle_payroll(tx, caller, &command)?;
        Ok(Payroll::open_for_entries(caller, details))
    })
    .await
}

/// List what blocks a company's payrolls
///
/// Empty if payroll can run. The same blockers prevent the submission of a payroll.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/payrolls/blockers", tag = "Payrolls",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The blockers; empty when payroll can be run", body = Vec<Blocker>)),
    security(("company_access" = ["payrolls:run"])))]
async fn list_blockers(State(app): State<App>, call: Call) -> Result<Response, Error> {
    // A record that cannot be read yet may be a blocker, so none is skipped as in a list.
    app.read_json(call, |tx, caller| {
        let blockers = blockers::list_blockers(tx, caller)?;
        Ok(blockers.into_iter().map(Blocker::from).collect::<Vec<_>>())
    })
    .await
}

/// Read a company's payroll settings
///
/// Extension: what the company decided about cases in which payrolls could not run otherwise.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/payroll_settings", tag = "Payrolls",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The settings", body = PayrollSettings)),
    security(("company_access" = ["payrolls:read"])))]
async fn get_payroll_settings(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| Ok(PayrollSettings::from(settings::of_company(tx, caller.company)?)))
        .await
}

/// Update a company's payroll settings
///
/// Extension. With `previous_year_tables` a payroll whose check date no tax table covers is calculated with the tables
/// of an earlier year, and has the warning `previous_year_tables`; without it, the payroll is
/// blocked. With `block_unworked_taxes` a payroll that has `taxes_not_worked_out` cannot be submitted.
/// With `recover_missed_premiums` paychecks recover premiums of insurance that earlier ones did not deduct (`premiums_missed`).
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/payroll_settings", tag = "Payrolls",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = UpdatePayrollSettings,
    responses((status = 200, description = "The settings as updated", body = PayrollSettings)),
    security(("company_access" = ["payrolls:write"])))]
async fn update_payroll_settings(
    State(app): State<App>,
    call: Call,
    Input(input): Input<UpdatePayrollSettings>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(PayrollSettings::from(settings::update_settings(tx, caller, &command)?))
    })
    .await
}

/// Read what is owed for FUTA credit reductions
///
/// Extension. If a state has not repaid its federal loans for unemployment insurance, the credit against federal
/// unemployment tax (FUTA) is reduced for a year. The reduction is announced in November and paid with Form 940,
/// Schedule A, by January 31; it is not charged in payrolls. It is based on the FUTA wages of processed payrolls, by
/// the state that covers the work.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/futa_credit_reductions", tag = "Payrolls",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), OfYear),
    responses((status = 200, description = "What is owed for the year", body = FutaCreditReductions)),
    security(("company_access" = ["payrolls:read"])))]
async fn get_futa_credit_reductions(
    State(app): State<App>,
    call: Call,
    query: OfYear,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(FutaCreditReductions::from(credit_reductions::of_year(tx, caller, &query.year)?))
    })
    .await
}

/// Read a payroll with a page of its employees
///
/// Employees are paged. The results are included once the payroll is calculated.
#[utoipa::path(get, path = "/v1/companies/{company_id}/payrolls/{payroll_id}", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll"),
        GetPayroll),
    responses((status = 200, description = "The payroll", body = Payroll)),
    security(("company_access" = ["payrolls:read"])))]
async fn get_payroll(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
    query: GetPayroll,
) -> Result<Response, Error> {
    let (page, include, order) = (
        query.page.or_first(),
        Include { reading: true, ..Include::from_names(&query.include) },
        query.sort_by.ascending_order(),
    );
    app.read_paged(call, move |tx, caller| {
        let (details, paging) = service::payroll_with_members(tx, caller, id, &order, page)?;
        let (payroll, ways) = (details.payroll.clone(), expected::payment_ways(tx, caller.company)?);
        let changed = since_calculated::changes_since_calculation(tx, caller.company, &payroll)?;
        let outside = outside::unpaid_people_with_warnings(tx, caller.company, &payroll)?;
        let shown = Payroll {
            warnings_of_others: outside.into_iter().flat_map(OtherWarning::person_warnings).collect(),
            changed_since_calculation: changed.map(ChangedSinceCalculation::from),
            ..Payroll::with_employees(caller, details, include)
        };
        Ok((shown.with_payments(tx, caller, (&payroll, &ways), include)?, paging))
    })
    .await
}

/// Enter hours, amounts and other values for employees
///
/// Each employee needs the `version` from preparing the payroll. Omitted fields keep their values; the response includes the
/// employees that were sent.
#[utoipa::path(put, path = "/v1/companies/{company_id}/payrolls/{payroll_id}", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll")),
    request_body = UpdatePayroll,
    responses((status = 200, description = "The payroll with the employees that were sent", body = Payroll)),
    security(("company_access" = ["payrolls:write"])))]
async fn update_payroll(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
    Input(input): Input<UpdatePayroll>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let details = service::update_payroll(tx, caller, id, &command)?;
        Ok(Payroll::open_for_entries(caller, details))
    })
    .await
}

/// Delete an unsubmitted off-cycle payroll
///
/// Payrolls of a schedule belong to their pay periods and cannot be deleted.
#[utoipa::path(delete, path = "/v1/companies/{company_id}/payrolls/{payroll_id}", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll"),
        DeletePayroll),
    responses((status = 204, description = "Deleted"), (status = 202, description = "Deleted, with async=true")),
    security(("company_access" = ["payrolls:run"])))]
async fn delete_payroll(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
    query: DeletePayroll,
) -> Result<Response, Error> {
    let status = if query.r#async { StatusCode::ACCEPTED } else { StatusCode::NO_CONTENT };
    app.write_json(call, status, move |tx, caller| lifecycle::delete_payroll(tx, caller, id)).await
}

/// Prepare a payroll for entries
///
/// Discards its calculation. Employees are paged, as in `GET`; employees named in the body are returned together.
#[utoipa::path(put, path = "/v1/companies/{company_id}/payrolls/{payroll_id}/prepare", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll"),
        PrepareQuery),
    request_body = PreparePayroll,
    responses((status = 200, description = "The payroll with a page of its employees", body = Payroll)),
    security(("company_access" = ["payrolls:write"])))]
async fn prepare_payroll(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
    Input(input): Input<PreparePayroll>,
    query: PrepareQuery,
) -> Result<Response, Error> {
    let (page, order) = (query.page.or_first(), query.sort_by.ascending_order());
    let command = input.into();
    app.write_paged(call, move |tx, caller| {
        let (details, paging) = service::prepare_payroll(tx, caller, id, &command, &order, page)?;
        Ok((StatusCode::OK, Payroll::open_for_entries(caller, details), paging))
    })
    .await
}

/// Calculate a payroll in the background
///
/// Answers at once. Poll the payroll until `processing_request` is `calculate_success`, or listen for
/// `payroll.calculated`.
#[utoipa::path(put, path = "/v1/companies/{company_id}/payrolls/{payroll_id}/calculate", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll")),
    responses((status = 202, description = "Being calculated; its processing_request shows when it is done")),
    security(("company_access" = ["payrolls:run"])))]
async fn calculate_payroll(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::ACCEPTED, move |tx, caller| lifecycle::calculate_payroll(tx, caller, id))
        .await
}

/// Make a payroll fail
///
/// For developers: puts the payroll into the state after a failed calculation, with the event
/// `payroll.processing_failed`. Calculate it again to continue. Available only with the setting `test_helpers`.
#[utoipa::path(put, path = "/v1/companies/{company_id}/payrolls/{payroll_id}/fail", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll")),
    responses((status = 200, description = "The payroll, whose calculation failed", body = Payroll)),
    security(("company_access" = ["payrolls:run"])))]
async fn fail_payroll(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.settings.for_developers()?;
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let payroll = lifecycle::mark_payroll_failed(tx, caller, id)?;
        Ok(Payroll::new(caller, &payroll, Include::default()))
    })
    .await
}

/// Submit a calculated payroll
///
/// Answers at once; the payroll is processed in the background, and paid on its check date. It must be calculated, and
/// nothing may block it. Changes of its employees' records since the calculation are not included:
/// `changed_since_calculation` of the payroll shows them, before and after the submission.
#[utoipa::path(put, path = "/v1/companies/{company_id}/payrolls/{payroll_id}/submit", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll")),
    request_body = SubmitPayroll,
    responses((status = 202, description = "Being processed; its processing_request shows when it is done")),
    security(("company_access" = ["payrolls:run"])))]
async fn submit_payroll(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
    Input(input): Input<SubmitPayroll>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::ACCEPTED, move |tx, caller| {
        lifecycle::submit_payroll(tx, caller, id, &command)
    })
    .await
}

/// Cancel a processed payroll, until its deadline
///
/// It is unprocessed again, and its entries are kept.
#[utoipa::path(put, path = "/v1/companies/{company_id}/payrolls/{payroll_id}/cancel", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll")),
    responses((status = 200, description = "The payroll, unprocessed again", body = Payroll)),
    security(("company_access" = ["payrolls:run"])))]
async fn cancel_payroll(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let payroll = lifecycle::cancel_payroll(tx, caller, id)?;
        Ok(Payroll::new(caller, &payroll, Include::default()))
    })
    .await
}
