//! Operations on the industry and the onboarding of a company, and their shapes.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use rules::Checks;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::{industry, service};
use crate::app::App;
use crate::companies::api::Company;
use crate::error::Error;
use crate::field::{Field, Wire};
use crate::http::{Call, Input};
use crate::paging::Query;

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

/// The industry of a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct Industry {
    /// the company
    pub company_uuid: Uuid,
    /// six digits of the North American Industry Classification System; null while none was said
    pub naics_code: Option<String>,
    /// codes of the older Standard Industrial Classification
    pub sic_codes: Vec<String>,
    /// for people
    pub title: Option<String>,
}

/// The industry of a company, as a whole.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateIndustry {
    /// for people, at most 200 characters
    pub title: Field<String>,
    /// six digits of the North American Industry Classification System
    #[schema(required)]
    pub naics_code: Field<String>,
    /// codes of four digits of the older Standard Industrial Classification, at most 20
    pub sic_codes: Field<Codes>,
}

/// A list of codes.
#[derive(Debug, Clone, ToSchema)]
#[schema(value_type = Vec<String>)]
pub struct Codes(pub Vec<String>);

/// Codes at the most.
const MOST_CODES: usize = 20;

impl Wire for Codes {
    const EXPECTED: &'static str = "a list of texts with at most 20 items";
    fn from_json(value: Value) -> Option<Self> {
        let codes: Vec<String> = serde_json::from_value(value).ok()?;
        (codes.len() <= MOST_CODES).then_some(Self(codes))
    }
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(<String as Wire>::schema()).max_items(Some(MOST_CODES)).into()
    }
}

/// How far a company is on the way to its first payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyOnboardingStatus {
    /// the company
    pub uuid: Uuid,
    /// whether it has finished its onboarding
    pub onboarding_completed: bool,
    /// what there is to do
    pub onboarding_steps: Vec<OnboardingStep>,
}

/// A step of a company's onboarding.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CompanyOnboardingStep)]
pub struct OnboardingStep {
    /// for people
    pub title: &'static str,
    /// for programs
    pub id: &'static str,
    /// whether payroll cannot be run without it
    pub required: bool,
    /// whether what it asks for is held
    pub completed: bool,
    /// since when
    pub completed_at: Option<String>,
    /// the opposite of `required`
    pub skippable: bool,
    /// the steps that come before it
    pub requirements: Vec<&'static str>,
}

/// Read a company's industry
///
/// The NAICS and SIC codes that were chosen, with their title.
#[utoipa::path(get, path = "/v1/companies/{company_id}/industry_selection", tag = "Company onboarding",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The industry", body = Industry)),
    security(("company_access" = ["companies:read"])))]
async fn get_industry(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read(call, industry::get).await
}

/// Say a company's industry
///
/// States rate unemployment insurance by industry; it is part of the company's onboarding.
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
    app.write(call, StatusCode::CREATED, move |tx, caller| industry::update(tx, caller, &input)).await
}

/// Read how far a company's onboarding is
///
/// Each step with what it needs before; `onboarding_completed` is true once the company finished.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/onboarding_status", tag = "Company onboarding",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("additional_steps" = Option<String>, Query, description = "`external_payroll`, for the step of payrolls that were run elsewhere")),
    responses((status = 200, description = "The steps", body = CompanyOnboardingStatus)),
    security(("company_access" = ["company_onboarding_status:read"])))]
async fn get_company_onboarding_status(
    State(app): State<App>,
    call: Call,
    query: Query,
) -> Result<Response, Error> {
    let mut checks = Checks::new();
    let external = !query.words("additional_steps", &["external_payroll"], &mut checks).is_empty();
    checks.finish()?;
    app.read(call, move |tx, caller| service::get(tx, caller, external)).await
}

/// Finish a company's onboarding
///
/// Every required step must be complete. Afterwards the company waits to be approved.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/finish_onboarding", tag = "Company onboarding",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The steps", body = CompanyOnboardingStatus)),
    security(("company_access" = ["companies:write"])))]
async fn finish_company_onboarding(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.write(call, StatusCode::OK, service::finish).await
}

/// Approve a company
///
/// For developers: stands in for whoever approves companies, and is there only where the setting `test_helpers` says
/// so.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/approve", tag = "Company onboarding",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The company, approved", body = Company)),
    security(("company_access" = ["companies:write"])))]
async fn approve_company(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.settings.for_developers()?;
    app.write(call, StatusCode::OK, service::approve).await
}

/// Suspend a company
///
/// For developers: stands in for the operator, and is there only where the setting `test_helpers` says so.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/suspend", tag = "Company onboarding",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The company, suspended: it can neither run payroll nor move", body = Company)),
    security(("company_access" = ["companies:write"])))]
async fn suspend_company(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.settings.for_developers()?;
    app.write(call, StatusCode::OK, service::suspend).await
}

/// End the suspension of a company
///
/// For developers: stands in for the operator, and is there only where the setting `test_helpers` says so.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/reinstate", tag = "Company onboarding",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The company, as it stood before", body = Company)),
    security(("company_access" = ["companies:write"])))]
async fn reinstate_company(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.settings.for_developers()?;
    app.write(call, StatusCode::OK, service::reinstate).await
}
