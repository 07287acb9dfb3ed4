//! Operations on bank accounts and payment methods of contractors.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::contractors::accounts::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use self::wire::{
    ContractorBankAccount, ContractorBankAccountInput, ContractorPaymentDetails, ContractorPaymentMethod,
    UpdateContractorPaymentMethod,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::query;

/// Operations on bank accounts and payment methods of contractors.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_contractor_payment_details))
        .routes(routes!(list_contractor_bank_accounts, create_contractor_bank_account))
        .routes(routes!(get_contractor_payment_method, update_contractor_payment_method))
}

query! {
    /// Whose payment details are listed.
    ListContractorPaymentDetails {
        /// Only this contractor
        contractor_uuid: Option<Uuid>,
        ..page
    }
}

/// List how contractors are paid
///
/// With their bank accounts, whose numbers are masked, in the order of the contractors' creation.
#[utoipa::path(get, path = "/v1/companies/{company_id}/contractors/payment_details", tag = "Contractors",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListContractorPaymentDetails),
    responses((status = 200, description = "How each contractor is paid", body = Vec<ContractorPaymentDetails>)),
    security(("company_access" = ["contractor_payment_methods:read"])))]
async fn list_contractor_payment_details(
    State(app): State<App>,
    call: Call,
    query: ListContractorPaymentDetails,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let only = query.contractor_uuid;
        let listed =
            service::list_details(tx, caller, |one| only.is_none_or(|only| only == one.id), query.page)?;
        Ok(listed.map(ContractorPaymentDetails::from))
    })
    .await
}

/// List the bank account of a contractor
///
/// At most one. Its number is masked.
#[utoipa::path(get, path = "/v1/contractors/{contractor_uuid}/bank_accounts", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 200, description = "The account, if there is one", body = Vec<ContractorBankAccount>)),
    security(("company_access" = ["contractor_payment_methods:read"])))]
async fn list_contractor_bank_accounts(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let held = service::contractor_account(tx, caller, id)?;
        Ok(held.into_iter().map(ContractorBankAccount::from).collect::<Vec<_>>())
    })
    .await
}

/// Enter the bank account of a contractor, and switch to direct deposit
///
/// A contractor has one account: a second one replaces the first, and keeps its identifier.
#[utoipa::path(post, path = "/v1/contractors/{contractor_uuid}/bank_accounts", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    request_body = ContractorBankAccountInput,
    responses((status = 201, description = "The account", body = ContractorBankAccount)),
    security(("company_access" = ["contractor_payment_methods:write"])))]
async fn create_contractor_bank_account(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<ContractorBankAccountInput>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        service::set_account(tx, caller, id, &command).map(ContractorBankAccount::from)
    })
    .await
}

/// Read how a contractor is paid
///
/// By check, or by direct deposit to the bank account.
#[utoipa::path(get, path = "/v1/contractors/{contractor_uuid}/payment_method", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 200, description = "The payment method", body = ContractorPaymentMethod)),
    security(("company_access" = ["contractor_payment_methods:read"])))]
async fn get_contractor_payment_method(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        service::get_method(tx, caller, id).map(ContractorPaymentMethod::from)
    })
    .await
}

/// Set how a contractor is paid
///
/// Direct deposit is refused while there is no bank account. The account is kept for later.
#[utoipa::path(put, path = "/v1/contractors/{contractor_uuid}/payment_method", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    request_body = UpdateContractorPaymentMethod,
    responses((status = 200, description = "The payment method as updated", body = ContractorPaymentMethod)),
    security(("company_access" = ["contractor_payment_methods:write"])))]
async fn update_contractor_payment_method(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateContractorPaymentMethod>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        service::update_method(tx, caller, id, &command).map(ContractorPaymentMethod::from)
    })
    .await
}
