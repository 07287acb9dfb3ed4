//! Operations on federal tax details and on what states ask, and their shapes.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use rules::Checks;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::{federal, state};
use crate::app::App;
use crate::error::Error;
use crate::field::Field;
use crate::http::{Call, Id, Input};
use crate::paging::Query;
use crate::taxes::api::{AnswerValue, answer_value};

/// Operations on a company's taxes.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_federal_tax_details, update_federal_tax_details))
        .routes(routes!(list_tax_requirements))
        .routes(routes!(get_tax_requirements, update_tax_requirements))
}

/// What a company tells the federal government.
#[derive(Debug, Serialize, ToSchema)]
pub struct FederalTaxDetails {
    /// concurrency token, to be sent with an update
    pub version: String,
    /// legal form
    pub tax_payer_type: Option<String>,
    /// whether it is taxed as an S corporation
    pub taxable_as_scorp: bool,
    /// `941` or `944`
    pub filing_form: &'static str,
    /// whether the employer identification number is held
    pub has_ein: bool,
    /// whether the number was looked at when the company was approved
    pub ein_verified: bool,
    /// the same, as a word
    pub ein_verification: EinVerification,
    /// legal name
    pub legal_name: String,
    /// YYYY-MM-DD, since when these details hold
    pub effective_date: String,
    /// how often withheld taxes are deposited
    pub deposit_schedule: &'static str,
}

/// Where the verification of the employer identification number stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct EinVerification {
    /// `pending` or `verified`
    pub status: &'static str,
}

/// Federal tax details as they are to be; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateFederalTaxDetails {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// at most 200 characters
    pub legal_name: Field<String>,
    /// nine digits, a dash after the second allowed
    pub ein: Field<String>,
    /// `C-Corporation`, `S-Corporation`, `Sole proprietor`, `LLC`, `LLP`, `Limited partnership`, `Co-ownership`,
    /// `Association`, `Trusteeship`, `General partnership`, `Joint venture` or `Non-Profit`
    pub tax_payer_type: Field<String>,
    /// `941` or `944`
    pub filing_form: Field<String>,
    /// whether it is taxed as an S corporation
    pub taxable_as_scorp: Field<bool>,
}

/// How far a company is with a state.
#[derive(Debug, Serialize, ToSchema)]
pub struct StateSetup {
    /// two letters
    pub state: String,
    /// whether everything is answered
    pub setup_complete: bool,
    /// `not_started`, `in_progress` or `complete`
    pub setup_status: &'static str,
    /// always false: no rate is assumed
    pub default_rates_applied: bool,
    /// whether payroll can be run in the state
    pub ready_to_run_payroll: bool,
}

/// What a state asks.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirements {
    /// who is asked
    pub company_uuid: Uuid,
    /// two letters
    pub state: String,
    /// what is asked, in groups
    pub requirement_sets: Vec<TaxRequirementSet>,
}

/// Things that a state asks together.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirementSet {
    /// two letters
    pub state: String,
    /// `registrations`, `taxrates` or `depositschedules`
    pub key: &'static str,
    /// for people
    pub label: &'static str,
    /// YYYY-MM-DD: since when the answers hold; null where they do not change from a day on
    pub effective_from: Option<String>,
    /// what is asked
    pub requirements: Vec<TaxRequirement>,
}

/// One thing that a state asks.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirement {
    /// for programs
    pub key: &'static str,
    /// always empty: what is asked does not depend on other answers
    #[schema(value_type = Vec<Object>)]
    pub applicable_if: Vec<Value>,
    /// for people
    pub label: &'static str,
    /// more for people
    pub description: Option<&'static str>,
    /// the answer; null while there is none
    #[schema(value_type = Option<String>)]
    pub value: Value,
    /// how it is answered
    pub metadata: TaxRequirementMetadata,
    /// always true
    pub editable: bool,
}

/// How a requirement is answered.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirementMetadata {
    /// `account_number`, `tax_rate` or `select`
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// label and value of what can be chosen; only with `select`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub options: Option<Vec<Value>>,
    /// bounds; only with `tax_rate`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub validation: Option<Value>,
}

/// Answers to a state; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateTaxRequirements {
    /// the groups that are answered
    #[schema(required)]
    pub requirement_sets: Field<Vec<SetInput>>,
}

/// Answers of one group.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct SetInput {
    /// `registrations`, `taxrates` or `depositschedules`
    #[schema(required)]
    pub key: Field<String>,
    /// as in the address
    #[schema(required)]
    pub state: Field<String>,
    /// YYYY-MM-DD: for `taxrates` the first day of a quarter; by default the beginning of the year
    pub effective_from: Field<String>,
    /// the answers
    pub requirements: Field<Vec<RequirementInput>>,
}

/// One answer.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct RequirementInput {
    /// which requirement
    #[schema(required)]
    pub key: Field<String>,
    /// the answer; null takes it back
    #[schema(required, schema_with = answer_value)]
    pub value: Field<AnswerValue>,
}

/// Read federal tax details
///
/// What the federal government knows the company by. The EIN itself is never told, only whether one is held.
#[utoipa::path(get, path = "/v1/companies/{company_id}/federal_tax_details", tag = "Company taxes",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The details", body = FederalTaxDetails)),
    security(("company_access" = ["company_federal_taxes:read"])))]
async fn get_federal_tax_details(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read(call, federal::get).await
}

/// Update federal tax details
///
/// What is left out stays. The details are part of the company's onboarding.
#[utoipa::path(put, path = "/v1/companies/{company_id}/federal_tax_details", tag = "Company taxes",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = UpdateFederalTaxDetails,
    responses((status = 200, description = "The details as updated", body = FederalTaxDetails)),
    security(("company_access" = ["company_federal_taxes:write"])))]
async fn update_federal_tax_details(
    State(app): State<App>,
    call: Call,
    Input(input): Input<UpdateFederalTaxDetails>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::OK, move |tx, caller| federal::update(tx, caller, &input)).await
}

/// List the states that ask something, and how far each is settled
///
/// A state appears when somebody works there. `setup_status` says whether everything is answered.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/tax_requirements", tag = "Company taxes",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The states of the company's active locations", body = Vec<StateSetup>)),
    security(("company_access" = ["company_tax_requirements:read"])))]
async fn list_tax_requirements(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read(call, state::list).await
}

/// Read what a state asks
///
/// Questions in groups, each with the type of its answer, its choices or bounds, and the answer that is held.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/tax_requirements/{state}", tag = "Company taxes",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("state" = String, Path, description = "Two letters"),
        ("scheduling" = Option<bool>, Query, description = "Whether to tell the groups that can be answered for the next year, too")),
    responses((status = 200, description = "What is asked, with the answers", body = TaxRequirements)),
    security(("company_access" = ["company_tax_requirements:read"])))]
async fn get_tax_requirements(
    State(app): State<App>,
    call: Call,
    Path(place): Path<(Id, String)>,
    query: Query,
) -> Result<Response, Error> {
    let mut checks = Checks::new();
    let scheduling = query.flag("scheduling", &mut checks).unwrap_or(false);
    checks.finish()?;
    app.read(call, move |tx, caller| state::get(tx, caller, &place.1, scheduling)).await
}

/// Answer what a state asks
///
/// Only the requirements that are sent change. Rates count from the first day of a quarter.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/tax_requirements/{state}", tag = "Company taxes",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("state" = String, Path, description = "Two letters")),
    request_body = UpdateTaxRequirements,
    responses((status = 200, description = "Answered")),
    security(("company_access" = ["company_tax_requirements:write"])))]
async fn update_tax_requirements(
    State(app): State<App>,
    call: Call,
    Path(place): Path<(Id, String)>,
    Input(input): Input<UpdateTaxRequirements>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::OK, move |tx, caller| state::update(tx, caller, &place.1, &input)).await
}
