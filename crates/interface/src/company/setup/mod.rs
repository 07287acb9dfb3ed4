//! Operations on the industry and the onboarding of a company.

pub mod wire;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::company::setup::{industry, service};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CompanyOnboardingStatus, Industry, UpdateIndustry};
use crate::app::App;
use crate::company::companies::wire::Company;
use crate::error::Error;
use crate::http::{Call, Input};
use crate::named::Enum;
use crate::{names, query};

/// Operations on the industry and the onboarding of a company.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_industry, update_industry))
        .routes(routes!(get_company_onboarding_status))
        .routes(routes!(finish_company_onboarding))
        .routes(routes!(approve_company))
        .routes(routes!(suspend_company))
        .routes(routes!(reinstate_company))
}

/// Read a company's industry
///
/// The selected NAICS and SIC codes, with their title.
#[utoipa::path(get, path = "/v1/companies/{company_id}/industry_selection", tag = "Company onboarding",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The industry", body = Industry)),
    security(("company_access" = ["companies:read"])))]
async fn get_industry(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| Ok(Industry::new(caller.company, industry::get_industry(tx, caller)?)))
        .await
}

/// Select a company's industry
///
/// States set unemployment insurance rates by industry; the selection is a step of the company's onboarding.
#[utoipa::path(put, path = "/v1/companies/{company_id}/industry_selection", tag = "Company onboarding",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = UpdateIndustry,
    responses((status = 201, description = "The industry", body = Industry)),
    security(("company_access" = ["companies:write"])))]
async fn update_industry(
    State(app): State<App>,
    call: Call,
    Input(input): Input<UpdateIndustry>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Industry::new(caller.company, industry::update_industry(tx, caller, &command)?))
    })
    .await
}

names! {
    /// A step that is shown only on request.
    AdditionalStep { ExternalPayroll = "external_payroll" }
}

query! {
    /// Which steps are shown.
    GetCompanyOnboardingStatus {
        /// `external_payroll`, for the step about payrolls run by another provider
        additional_steps: Vec<Enum<AdditionalStep>>,
    }
}

/// Read the status of a company's onboarding
///
/// Each step with its prerequisites; `onboarding_completed` is true once the company has finished.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/onboarding_status", tag = "Company onboarding",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        GetCompanyOnboardingStatus),
    responses((status = 200, description = "The steps", body = CompanyOnboardingStatus)),
    security(("company_access" = ["company_onboarding_status:read"])))]
async fn get_company_onboarding_status(
    State(app): State<App>,
    call: Call,
    query: GetCompanyOnboardingStatus,
) -> Result<Response, Error> {
    let external = !query.additional_steps.is_empty();
    app.read_json(call, move |tx, caller| {
        Ok(CompanyOnboardingStatus::new(caller.company, service::onboarding_status(tx, caller, external)?))
    })
    .await
}

/// Finish a company's onboarding
///
/// Every required step must be complete. Afterwards the company awaits approval.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/finish_onboarding", tag = "Company onboarding",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The steps", body = CompanyOnboardingStatus)),
    security(("company_access" = ["companies:write"])))]
async fn finish_company_onboarding(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.write_json(call, StatusCode::OK, |tx, caller| {
        Ok(CompanyOnboardingStatus::new(caller.company, service::finish_onboarding(tx, caller)?))
    })
    .await
}

/// Approve a company
///
/// For developers: stands in for the operator who approves companies; available only with the setting `test_helpers`.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/approve", tag = "Company onboarding",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The company, approved", body = Company)),
    security(("company_access" = ["companies:write"])))]
async fn approve_company(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.settings.for_developers()?;
    app.write_json(call, StatusCode::OK, |tx, caller| {
        Ok(Company::new(caller, service::approve_company(tx, caller)?))
    })
    .await
}

/// Suspend a company
///
/// For developers: stands in for the operator; available only with the setting `test_helpers`.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/suspend", tag = "Company onboarding",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The company, suspended: it can neither run payroll nor migrate", body = Company)),
    security(("company_access" = ["companies:write"])))]
async fn suspend_company(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.settings.for_developers()?;
    app.write_json(call, StatusCode::OK, |tx, caller| {
        Ok(Company::new(caller, service::suspend_company(tx, caller)?))
    })
    .await
}

/// End the suspension of a company
///
/// For developers: stands in for the operator; available only with the setting `test_helpers`.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/reinstate", tag = "Company onboarding",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The company, with its previous status", body = Company)),
    security(("company_access" = ["companies:write"])))]
async fn reinstate_company(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.settings.for_developers()?;
    app.write_json(call, StatusCode::OK, |tx, caller| {
        Ok(Company::new(caller, service::reinstate_company(tx, caller)?))
    })
    .await
}
