//! Operations on garnishments.

pub mod notices;
pub mod preview;
pub mod remittances;
pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::withholding::garnishments::{agencies, service};
use domain::withholding::previews;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::notices::ChildSupportTerminationNotice;
use self::preview::{GarnishmentExplanation, GarnishmentPreview, PreviewPay};
use self::remittances::{ChildSupportRemittance, ListChildSupportRemittances};
use self::wire::{ChildSupportData, CreateGarnishment, Garnishment, UpdateGarnishment};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::query;

/// Operations on garnishments.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_child_support_data))
        .routes(routes!(list_garnishments, create_garnishment))
        .routes(routes!(get_garnishment, update_garnishment))
        .routes(routes!(explain_garnishment))
        .routes(routes!(preview_garnishments))
        .routes(routes!(list_child_support_remittances))
        .routes(routes!(list_termination_notices))
}

/// List the child support agencies
///
/// For each state: the agency, its FIPS codes, and the identifiers that an order requires.
#[utoipa::path(get, path = "/v1/garnishments/child_support", tag = "Garnishments",
    responses((status = 200, description = "The agencies with their codes and what an order needs", body = ChildSupportData)),
    security(("company_access" = ["garnishments:read"])))]
async fn get_child_support_data(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, _| Ok(ChildSupportData::new(&agencies::as_paid(tx)?))).await
}

query! {
    /// Which garnishments are listed.
    ListGarnishments { ..page }
}

/// List an employee's garnishments
///
/// Active and inactive ones, oldest first.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/garnishments", tag = "Garnishments",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ListGarnishments),
    responses((status = 200, description = "The garnishments, in the order of creation", body = Vec<Garnishment>)),
    security(("company_access" = ["garnishments:read"])))]
async fn list_garnishments(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ListGarnishments,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        Ok(service::list_garnishments(tx, caller, id, query.page)?.map(Garnishment::from))
    })
    .await
}

/// Add a garnishment
///
/// The description of child support is derived from its case number.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/garnishments", tag = "Garnishments",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = CreateGarnishment,
    responses((status = 201, description = "The new garnishment", body = Garnishment)),
    security(("company_access" = ["garnishments:write"])))]
async fn create_garnishment(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<CreateGarnishment>,
) -> Result<Response, Error> {
    let fields = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Garnishment::from(service::create_garnishment(tx, caller, id, &fields)?))
    })
    .await
}

/// Read a garnishment
///
/// With the details of a child support order, and how it is remitted.
#[utoipa::path(get, path = "/v1/garnishments/{garnishment_id}", tag = "Garnishments",
    params(("garnishment_id" = Uuid, Path, description = "The garnishment")),
    responses((status = 200, description = "The garnishment", body = Garnishment)),
    security(("company_access" = ["garnishments:read"])))]
async fn get_garnishment(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| Ok(Garnishment::from(service::get_garnishment(tx, caller, id)?)))
        .await
}

/// Update a garnishment
///
/// Omitted fields keep their values. The defaults that generated clients add to an update (times null, recurring false,
/// annual_maximum null, pay_period_maximum null, deduct_as_percentage false, all of them together) do not clear what an
/// order says. A garnishment cannot be deleted: set active to false.
#[utoipa::path(put, path = "/v1/garnishments/{garnishment_id}", tag = "Garnishments",
    params(("garnishment_id" = Uuid, Path, description = "The garnishment")),
    request_body = UpdateGarnishment,
    responses((status = 200, description = "The garnishment as updated", body = Garnishment)),
    security(("company_access" = ["garnishments:write"])))]
async fn update_garnishment(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateGarnishment>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Garnishment::from(service::update_garnishment(tx, caller, id, &command)?))
    })
    .await
}

/// Explain the withholding for a garnishment
///
/// Simulates a payroll: from the given gross pay, or by default the pay of the employee's primary job (requires the
/// scope `compensations:read`), with the employee's certificates and benefits, and with what was paid and withheld
/// earlier in the year.
#[utoipa::path(get, path = "/v1/garnishments/{garnishment_id}/explain", tag = "Garnishments",
    params(
        ("garnishment_id" = Uuid, Path, description = "The garnishment"),
        PreviewPay),
    responses((status = 200, description = "What would be withheld, and why", body = GarnishmentExplanation)),
    security(
        ("company_access" = ["garnishments:read"]),
        ("company_access" = ["garnishments:read", "compensations:read"])))]
async fn explain_garnishment(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: PreviewPay,
) -> Result<Response, Error> {
    let pay = query.for_caller(call.caller()?)?;
    app.read_json(call, move |tx, caller| {
        Ok(GarnishmentExplanation::from(previews::explain_garnishment(tx, caller, id, &pay)?))
    })
    .await
}

/// Preview the withholding for all garnishments of an employee
///
/// Simulates a payroll: from the given gross pay, or by default the pay of the employee's primary job (requires the
/// scope `compensations:read`), with the employee's certificates and benefits, and with what was paid and withheld
/// earlier in the year.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/garnishments/preview", tag = "Garnishments",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        PreviewPay),
    responses((status = 200, description = "What would be withheld, and why", body = GarnishmentPreview)),
    security(
        ("company_access" = ["garnishments:read"]),
        ("company_access" = ["garnishments:read", "compensations:read"])))]
async fn preview_garnishments(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: PreviewPay,
) -> Result<Response, Error> {
    let pay = query.for_caller(call.caller()?)?;
    app.read_json(call, move |tx, caller| {
        Ok(GarnishmentPreview::from(previews::preview_garnishments(tx, caller, id, &pay)?))
    })
    .await
}

/// List notices to child support agencies about terminations and lump sums
///
/// One notice for each active order of a terminated employee, as the federal income withholding order requires, and one
/// for each order whose state requires notice of a bonus or another lump sum before it is paid, once a payroll is
/// calculated. The service does not send them. The addendum of remittances reports the end of employment with `Y` (an
/// extension).
#[utoipa::path(get, path = "/v1/companies/{company_id}/child_support_termination_notices", tag = "Garnishments",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The latest first", body = Vec<ChildSupportTerminationNotice>)),
    security(("company_access" = ["garnishments:read"])))]
async fn list_termination_notices(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let found = domain::withholding::notices::list_notices(tx, caller)?;
        Ok(found.into_iter().map(ChildSupportTerminationNotice::from).collect::<Vec<_>>())
    })
    .await
}

/// List child support remittances
///
/// What processed payrolls withheld, and who pays it to the agency. With `format=csv` as a table for a spreadsheet or a
/// bank.
#[utoipa::path(get, path = "/v1/companies/{company_id}/child_support_remittances", tag = "Garnishments",
    params(
        ("company_id" = Uuid, Path, description = "The company"),
        ListChildSupportRemittances),
    responses((status = 200, description = "The remittances, by check date",
               content((Vec<ChildSupportRemittance> = "application/json"), (String = "text/csv")))),
    security(("company_access" = ["garnishments:read"])))]
async fn list_child_support_remittances(
    State(app): State<App>,
    call: Call,
    query: ListChildSupportRemittances,
) -> Result<Response, Error> {
    remittances::answer_remittances(&app, call, query).await
}
