//! Operations on salary estimates, and their shapes.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use rules::Amount;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::input::Tables;
use super::{explain, report, service};
use crate::app::App;
use crate::error::Error;
use crate::field::Field;
use crate::http::{Call, Id, Input};
use crate::paging::Query;

/// Operations on salary estimates.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_salary_estimate))
        .routes(routes!(get_salary_estimate, update_salary_estimate))
        .routes(routes!(accept_salary_estimate))
        .routes(routes!(explain_salary_estimate))
        .routes(routes!(report_salary_estimate))
}

/// An estimate of a reasonable salary.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SalaryEstimate {
    /// identifier
    pub uuid: Uuid,
    /// whose salary it is
    pub employee_uuid: Uuid,
    /// the job for which it was accepted
    pub employee_job_uuid: Option<Uuid>,
    /// the company's revenue of a year after expenses, in dollars
    pub annual_net_revenue: Option<String>,
    /// where the business is
    pub zip_code: String,
    /// whole cents a year
    pub result: i64,
    /// when it was accepted; from then on it never changes
    #[schema(format = DateTime)]
    pub accepted_at: Option<String>,
    /// when it was made
    #[schema(format = DateTime)]
    pub created_at: String,
    /// when it was changed last
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// what the owner does
    pub occupations: Vec<EstimateOccupation>,
}

/// One of the occupations of an estimate.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EstimateOccupation {
    /// with a hyphen, such as `15-1252`
    pub code: String,
    /// its title
    pub name: String,
    /// what people in it do
    pub description: String,
    /// `novice`, `intermediate`, `average`, `skilled` or `expert`
    pub experience_level: &'static str,
    /// part of the time, from 0 to 1
    pub time_percentage: String,
    /// whether it is the main one
    pub primary: bool,
}

/// What an estimate is made of.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct EstimateInput {
    /// the company's revenue of a year after expenses, in dollars, above 0; kept and compared, without effect on the
    /// result
    #[schema(value_type = Option<String>)]
    pub annual_net_revenue: Field<Amount>,
    /// where the business is: five digits
    #[schema(required)]
    pub zip_code: Field<String>,
    /// what the owner does, 1 to 20 occupations whose parts of the time add up to 1
    #[schema(required)]
    pub occupations: Field<Vec<OccupationInput>>,
}

/// An occupation of the owner.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct OccupationInput {
    /// `151252` or `15-1252`
    #[schema(required)]
    pub code: Field<String>,
    /// `novice`, `intermediate`, `average`, `skilled` or `expert`
    #[schema(required)]
    pub experience_level: Field<String>,
    /// part of the time, from 0 to 1, at most six places
    #[schema(value_type = String)]
    pub time_percentage: Field<Amount>,
    /// whether it is the main one; at most one is
    pub primary: Field<bool>,
}

/// For which job an estimate is accepted.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct AcceptInput {
    /// a job of the employee; by default the primary one
    pub employee_job_uuid: Field<String>,
}

/// How an estimate comes about.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SalaryEstimateExplanation {
    /// the estimate
    pub uuid: Uuid,
    /// whose salary it is
    pub employee_uuid: Uuid,
    /// where the business is
    pub zip_code: String,
    /// whole cents a year
    pub result: i64,
    /// when it was accepted
    #[schema(format = DateTime)]
    pub accepted_at: Option<String>,
    /// the statistics that it rests on
    pub statistics: EstimateStatistics,
    /// how each occupation counts
    pub occupations: Vec<ExplainedOccupation>,
    /// how the sum is rounded
    pub rounding: &'static str,
    /// the net revenue beside the result, where it is known
    pub annual_net_revenue: Option<RevenueComparison>,
    /// every figure with what it was worked out from: enough to work it out again
    #[schema(value_type = Object)]
    pub calculation: Value,
}

/// A vintage of the wage statistics.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EstimateStatistics {
    /// what they are and who publishes them
    pub source: &'static str,
    /// year and month of the survey
    pub vintage: String,
    /// SHA-256 of the data
    pub checksum: String,
}

/// How an occupation counts.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExplainedOccupation {
    /// with a hyphen
    pub code: String,
    /// its title
    pub name: String,
    /// the code under which its wages are published
    pub published_as: String,
    /// the level of experience
    pub experience_level: &'static str,
    /// the percentile of the wage distribution that the level stands for
    pub percentile: u8,
    /// the area whose wage counts
    pub area: EstimateArea,
    /// why this wage of this area
    pub why: String,
    /// `yearly`, `hourly` (times 2,080 hours) or `floor` (only "at least" is published)
    pub wage_basis: &'static str,
    /// dollars a year
    pub yearly_wage: String,
    /// part of the time
    pub time_percentage: String,
    /// wage times part of the time, exact
    pub product: String,
    /// the result one level lower, all else the same
    pub lower: Option<EstimateAlternative>,
    /// the result one level higher, all else the same
    pub higher: Option<EstimateAlternative>,
}

/// An area with wages of its own.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EstimateArea {
    /// seven digits
    pub code: String,
    /// its name
    pub name: String,
    /// `national`, `state`, `metropolitan` or `nonmetropolitan`
    pub kind: &'static str,
}

/// The result with another level.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EstimateAlternative {
    /// the level instead
    pub experience_level: &'static str,
    /// whole cents a year
    pub result: i64,
    /// whole cents more or less
    pub difference: i64,
}

/// The net revenue beside the result.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RevenueComparison {
    /// dollars a year
    pub amount: String,
    /// the result as a part of it, rounded half up to four places
    pub part: String,
    /// whether the result is more than the company has
    pub exceeded: bool,
}

/// Estimate a reasonable salary
///
/// From the newest wage statistics, for the area of the ZIP code. An employee has one open estimate at the most.
/// A missing field and an unknown occupation are answered 400, other faults 422.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/salary_estimates", tag = "Salary estimates",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = EstimateInput,
    responses((status = 201, description = "The estimate", body = SalaryEstimate)),
    security(("company_access" = ["salary_estimates:write"])))]
async fn create_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(employee)): Path<Id>,
    Input(input): Input<EstimateInput>,
) -> Result<Response, Error> {
    let tables = Tables::newest(&app).await?;
    app.write(call, StatusCode::CREATED, move |tx, caller| {
        service::create(tx, caller, employee, &tables, &input)
    })
    .await
}

/// Read a salary estimate
///
/// With its occupations, and the result as text: dollars a year.
#[utoipa::path(get, path = "/v1/salary_estimates/{salary_estimate_id}", tag = "Salary estimates",
    params(("salary_estimate_id" = Uuid, Path, description = "The estimate")),
    responses((status = 200, description = "The estimate", body = SalaryEstimate)),
    security(("company_access" = ["salary_estimates:read"])))]
async fn get_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read(call, move |tx, caller| service::get(tx, caller, id)).await
}

/// Change a salary estimate that is not accepted yet
///
/// It is worked out anew from the newest wage statistics. An accepted one is answered 409.
#[utoipa::path(put, path = "/v1/salary_estimates/{salary_estimate_id}", tag = "Salary estimates",
    params(("salary_estimate_id" = Uuid, Path, description = "The estimate")),
    request_body = EstimateInput,
    responses((status = 200, description = "The estimate as changed", body = SalaryEstimate)),
    security(("company_access" = ["salary_estimates:write"])))]
async fn update_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<EstimateInput>,
) -> Result<Response, Error> {
    let tables = Tables::newest(&app).await?;
    app.write(call, StatusCode::OK, move |tx, caller| service::update(tx, caller, id, &tables, &input)).await
}

/// Accept a salary estimate, for ever
///
/// For the job that is named, or else the primary one. A second time is answered 409.
#[utoipa::path(post, path = "/v1/salary_estimates/{salary_estimate_id}/accept", tag = "Salary estimates",
    params(("salary_estimate_id" = Uuid, Path, description = "The estimate")),
    request_body = AcceptInput,
    responses((status = 200, description = "The accepted estimate", body = SalaryEstimate)),
    security(("company_access" = ["salary_estimates:write"])))]
async fn accept_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<AcceptInput>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::OK, move |tx, caller| service::accept(tx, caller, id, &input)).await
}

/// Explain a salary estimate
///
/// Area, percentile, wage and part of the time of each occupation, and what the result would be one level of experience
/// lower and higher. Rests on what is kept with the estimate, so that it stays the same when newer statistics come.
#[utoipa::path(get, path = "/v1/salary_estimates/{salary_estimate_id}/explain", tag = "Salary estimates",
    params(("salary_estimate_id" = Uuid, Path, description = "The estimate")),
    responses((status = 200, description = "How the result comes about", body = SalaryEstimateExplanation)),
    security(("company_access" = ["salary_estimates:read"])))]
async fn explain_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read(call, move |tx, caller| {
        explain::explanation(&service::find(tx, caller, id)?, &caller.zone).ok_or(Error::Internal)
    })
    .await
}

/// Print the explanation of a salary estimate
///
/// For the company's file: as a page to be printed, or with `format=pdf` as PDF.
#[utoipa::path(get, path = "/v1/salary_estimates/{salary_estimate_id}/report", tag = "Salary estimates",
    params(
        ("salary_estimate_id" = Uuid, Path, description = "The estimate"),
        ("format" = Option<String>, Query, description = "`html` or `pdf`")),
    responses((status = 200, description = "The report", content_type = "text/html", body = String)),
    security(("company_access" = ["salary_estimates:read"])))]
async fn report_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: Query,
) -> Result<Response, Error> {
    report::answer(&app, call, id, report::Format::of(&query)?).await
}
