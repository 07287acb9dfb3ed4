//! Operations on groups of payments of contractors.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::contractors::payments::disbursements::{self, UpdateDisbursements};
use domain::contractors::payments::service;
use domain::paging::AskedDays;
use jiff::civil::Date;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::wire::{
    ContractorPartnerDisbursements, ContractorPaymentGroup, CreateContractorPaymentGroup,
    PreviewContractorPaymentGroup, UpdateContractorDisbursements,
};
use crate::app::App;
use crate::contractors::created_status;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::query;

/// The operations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_contractor_payment_groups, create_contractor_payment_group))
        .routes(routes!(preview_contractor_payment_group))
        .routes(routes!(get_contractor_payment_group, cancel_contractor_payment_group))
        .routes(routes!(fund_contractor_payment_group))
        .routes(routes!(get_contractor_disbursements, update_contractor_disbursements))
}

query! {
    /// Which groups are listed.
    ListContractorPaymentGroups {
        /// YYYY-MM-DD: first check date; six months before the last by default
        start_date: Option<Date>,
        /// YYYY-MM-DD: last check date; today by default
        end_date: Option<Date>,
        ..page
    }
}

/// Preview a group of payments
///
/// Checks the payments, and answers when the company is debited, what blocks the group, and the `creation_token` with which
/// exactly these payments can be created, once. Nothing is stored.
#[utoipa::path(post, path = "/v1/companies/{company_id}/contractor_payment_groups/preview", tag = "Contractor payments",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = PreviewContractorPaymentGroup,
    responses((status = 200, description = "The group as it would be", body = ContractorPaymentGroup)),
    security(("company_access" = ["payrolls:read"])))]
async fn preview_contractor_payment_group(
    State(app): State<App>,
    call: Call,
    Input(input): Input<PreviewContractorPaymentGroup>,
) -> Result<Response, Error> {
    let command = input.into();
    // The token of a preview is new each time, which a unit that only reads cannot make.
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let details = service::preview_group(tx, caller, &command, None)?;
        ContractorPaymentGroup::new(tx, caller, details)
    })
    .await
}

/// Pay a group of contractors
///
/// The payments that were previewed under the `creation_token`. Blockers that have options, such as a contractor without a bank
/// account, are resolved by `submission_blockers`; others must be resolved first.
#[utoipa::path(post, path = "/v1/companies/{company_id}/contractor_payment_groups", tag = "Contractor payments",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreateContractorPaymentGroup,
    responses((status = 201, description = "The group", body = ContractorPaymentGroup)),
    security(("company_access" = ["payrolls:run"])))]
async fn create_contractor_payment_group(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateContractorPaymentGroup>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_or(call, move |tx, caller| {
        let details = service::create_group(tx, caller, &command)?;
        Ok((created_status(caller), ContractorPaymentGroup::new(tx, caller, details)?))
    })
    .await
}

/// List groups of payments
///
/// The newest first, with their totals, without their payments. Single payments are in no group.
#[utoipa::path(get, path = "/v1/companies/{company_id}/contractor_payment_groups", tag = "Contractor payments",
    params(("company_id" = Uuid, Path, description = "The company of the token"), ListContractorPaymentGroups),
    responses((status = 200, description = "The groups", body = Vec<ContractorPaymentGroup>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_contractor_payment_groups(
    State(app): State<App>,
    call: Call,
    query: ListContractorPaymentGroups,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let days = AskedDays { from: query.start_date, until: query.end_date };
        let found = service::list_groups(tx, caller, days, query.page)?;
        found.try_map(|details| ContractorPaymentGroup::without_payments(tx, caller, details))
    })
    .await
}

/// Read a group of payments
///
/// With its payments.
#[utoipa::path(get, path = "/v1/contractor_payment_groups/{contractor_payment_group_uuid}", tag = "Contractor payments",
    params(("contractor_payment_group_uuid" = Uuid, Path, description = "The group")),
    responses((status = 200, description = "The group", body = ContractorPaymentGroup)),
    security(("company_access" = ["payrolls:read"])))]
async fn get_contractor_payment_group(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        let details = service::find_group(tx, caller, id)?;
        ContractorPaymentGroup::new(tx, caller, details)
    })
    .await
}

/// Cancel a group of payments
///
/// With all its payments, each of which must be cancellable and unfunded.
#[utoipa::path(delete, path = "/v1/contractor_payment_groups/{contractor_payment_group_uuid}", tag = "Contractor payments",
    params(("contractor_payment_group_uuid" = Uuid, Path, description = "The group")),
    responses((status = 204, description = "Cancelled")),
    security(("company_access" = ["payrolls:run"])))]
async fn cancel_contractor_payment_group(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| service::cancel_group(tx, caller, id))
        .await
}

/// Fund a group of payments
///
/// For developers: stands in for the bank; available only with the setting `test_helpers`.
#[utoipa::path(put, path = "/v1/contractor_payment_groups/{contractor_payment_group_uuid}/fund", tag = "Contractor payments",
    params(("contractor_payment_group_uuid" = Uuid, Path, description = "The group")),
    responses((status = 200, description = "The group, funded", body = ContractorPaymentGroup)),
    security(("company_access" = ["payrolls:run"])))]
async fn fund_contractor_payment_group(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.settings.for_developers()?;
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let details = service::fund_group(tx, caller, id)?;
        ContractorPaymentGroup::new(tx, caller, details)
    })
    .await
}

/// Read who makes the payments of a group
///
/// If the company's `payment_configs` had `partner_owned_disbursement` when the group was created, the partner makes the
/// payments to accounts; other payments are `Not partner managed`.
#[utoipa::path(get, path = "/v1/contractor_payment_groups/{id}/partner_disbursements", tag = "Contractor payments",
    params(("id" = Uuid, Path, description = "The group")),
    responses((status = 200, description = "By payment", body = ContractorPartnerDisbursements)),
    security(("company_access" = ["partner_disbursements:read"])))]
async fn get_contractor_disbursements(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(ContractorPartnerDisbursements::new(id, disbursements::list_disbursements(tx, caller, id)?))
    })
    .await
}

/// Report the status of payments of a group that the partner makes
///
/// A payment is funded once it is `Paid` or `Converted to check`; reported as `Pending` again, because it was returned, it stays
/// funded.
#[utoipa::path(patch, path = "/v1/contractor_payment_groups/{id}/partner_disbursements", tag = "Contractor payments",
    params(("id" = Uuid, Path, description = "The group")),
    request_body = UpdateContractorDisbursements,
    responses((status = 200, description = "By payment", body = ContractorPartnerDisbursements)),
    security(("company_access" = ["partner_disbursements:write"])))]
async fn update_contractor_disbursements(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateContractorDisbursements>,
) -> Result<Response, Error> {
    let command = Arc::new(UpdateDisbursements::from(input));
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        disbursements::update_disbursements(tx, caller, id, &command)?;
        Ok(ContractorPartnerDisbursements::new(id, disbursements::list_disbursements(tx, caller, id)?))
    })
    .await
}
