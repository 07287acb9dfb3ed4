//! Operations on bank accounts of companies.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::company::banks::service;
use domain::company::banks::service::Verified;
use serde_json::json;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CompanyBankAccount, CreateAccount, TestDeposits, VerifyAccount};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, InCompany, Input};

/// Operations on bank accounts of companies.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_company_bank_accounts, create_company_bank_account))
        .routes(routes!(delete_company_bank_account))
        .routes(routes!(send_test_deposits))
        .routes(routes!(verify_company_bank_account))
}

/// List a company's bank accounts
///
/// The account that payroll is paid from, if there is one: a new account replaces the previous one. Its number is
/// masked.
#[utoipa::path(get, path = "/v1/companies/{company_id}/bank_accounts", tag = "Company bank accounts",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The account that payroll is paid from, or none", body = Vec<CompanyBankAccount>)),
    security(("company_access" = ["company_bank_accounts:read"])))]
async fn list_company_bank_accounts(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, |tx, caller| {
        let accounts = service::list_accounts(tx, caller)?.into_iter();
        Ok(accounts.map(|account| CompanyBankAccount::new(caller.company, account)).collect::<Vec<_>>())
    })
    .await
}

/// Add the bank account that payroll is paid from
///
/// It replaces the previous account and must be verified; until then payrolls are still paid from the previous one.
#[utoipa::path(post, path = "/v1/companies/{company_id}/bank_accounts", tag = "Company bank accounts",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreateAccount,
    responses(
        (status = 201, description = "The new account", body = CompanyBankAccount),
        (status = 200, description = "The account, which existed already", body = CompanyBankAccount)),
    security(("company_access" = ["company_bank_accounts:write"])))]
async fn create_company_bank_account(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateAccount>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_or(call, move |tx, caller| {
        let (new, account) = service::create_account(tx, caller, &command)?;
        let status = if new { StatusCode::CREATED } else { StatusCode::OK };
        Ok((status, CompanyBankAccount::new(caller.company, account)))
    })
    .await
}

/// Delete the bank account that payroll is paid from
///
/// The company has no account until it adds another one. Refused (422) while payments of submitted payrolls, or
/// deposits of their taxes, are still to be made from it.
#[utoipa::path(delete, path = "/v1/companies/{company_id}/bank_accounts/{company_bank_account_uuid}",
    tag = "Company bank accounts",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("company_bank_account_uuid" = Uuid, Path, description = "The bank account")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["company_bank_accounts:write"])))]
async fn delete_company_bank_account(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| service::delete_account(tx, caller, id))
        .await
}

/// Make the test deposits and return their amounts
///
/// For developers: stands in for the bank; available only with the setting `test_helpers`.
#[utoipa::path(post, path = "/v1/companies/{company_id}/bank_accounts/{company_bank_account_uuid}/send_test_deposits",
    tag = "Company bank accounts",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("company_bank_account_uuid" = Uuid, Path, description = "The bank account")),
    responses((status = 200, description = "The amounts", body = TestDeposits)),
    security(("company_access" = ["company_bank_accounts:write"])))]
async fn send_test_deposits(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.settings.for_developers()?;
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(TestDeposits::from(service::send_test_deposits(tx, caller, id)?))
    })
    .await
}

/// Verify a bank account by the amounts of its test deposits
///
/// After five wrong answers the account must be added again.
#[utoipa::path(put, path = "/v1/companies/{company_id}/bank_accounts/{company_bank_account_uuid}/verify",
    tag = "Company bank accounts",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("company_bank_account_uuid" = Uuid, Path, description = "The bank account")),
    request_body = VerifyAccount,
    responses((status = 200, description = "The account, verified", body = CompanyBankAccount)),
    security(("company_access" = ["company_bank_accounts:write"])))]
async fn verify_company_bank_account(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
    Input(input): Input<VerifyAccount>,
) -> Result<Response, Error> {
    let public_url = app.public_url.clone();
    let command = input.into();
    // Wrong amounts are committed, too, because failed attempts are counted.
    app.write_or(call, move |tx, caller| {
        Ok(match service::verify_account(tx, caller, id, &command)? {
            Verified::Right(account) => {
                (StatusCode::OK, json!(CompanyBankAccount::new(caller.company, *account)))
            }
            Verified::Wrong(violation) => {
                let refusal = Error::from(violation);
                (refusal.status(), refusal.body(&public_url))
            }
        })
    })
    .await
}
