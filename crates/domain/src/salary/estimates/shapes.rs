//! Operations on salary estimates, and their shapes.

use rules::Amount;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;

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
