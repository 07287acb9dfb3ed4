//! Salary estimates on the wire.

use domain::salary::estimates::rows::Estimate;
use domain::salary::estimates::{commands, explain};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rules::Amount;
use rules::salary::{Alternative, Area, Occupation, Wage};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::values::{
    AreaKind, Decimal, DecimalText, ExperienceLevel, FiveDigitsText, IdText, OccupationCodeText, WageBasis,
};

/// An estimate of a reasonable salary.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SalaryEstimate {
    /// identifier
    pub uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// the job for which it was accepted
    pub employee_job_uuid: Option<Uuid>,
    /// the company's yearly revenue after expenses, in dollars
    pub annual_net_revenue: Option<String>,
    /// ZIP code of the business
    pub zip_code: String,
    /// cents per year
    pub result: i64,
    /// when it was accepted; an accepted estimate never changes
    #[schema(format = DateTime)]
    pub accepted_at: Option<String>,
    /// when it was created
    #[schema(format = DateTime)]
    pub created_at: String,
    /// when it was last changed
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// the owner's occupations
    pub occupations: Vec<EstimateOccupation>,
}

impl SalaryEstimate {
    /// The response for an estimate, with times in the company's time zone.
    pub fn new(estimate: Estimate, zone: &TimeZone) -> Self {
        Self {
            uuid: estimate.id,
            employee_uuid: estimate.employee,
            employee_job_uuid: estimate.job,
            annual_net_revenue: estimate.revenue.map(|revenue| revenue.to_text(2)),
            zip_code: estimate.zip_code,
            result: estimate.result.cents_half_up(),
            accepted_at: estimate.accepted_at.map(|at| date_time(at, zone)),
            created_at: date_time(estimate.created_at, zone),
            updated_at: date_time(estimate.updated_at, zone),
            occupations: estimate.basis.occupations.into_iter().map(EstimateOccupation::from).collect(),
        }
    }
}

/// One of the occupations of an estimate.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EstimateOccupation {
    /// with a hyphen, such as `15-1252`
    pub code: String,
    /// its title
    pub name: String,
    /// its description
    pub description: String,
    /// `novice`, `intermediate`, `average`, `skilled` or `expert`
    pub experience_level: ExperienceLevel,
    /// share of time, from 0 to 1
    pub time_percentage: String,
    /// whether it is the primary one
    pub primary: bool,
}

impl From<Occupation> for EstimateOccupation {
    fn from(occupation: Occupation) -> Self {
        Self {
            code: occupation.code,
            name: occupation.name,
            description: occupation.description,
            experience_level: occupation.level.into(),
            time_percentage: occupation.share.to_text(1),
            primary: occupation.primary,
        }
    }
}

input! {
    /// The inputs of an estimate.
    EstimateInput => commands::EstimateSalary {
        /// the company's yearly revenue after expenses, in dollars, above 0; stored for comparison, without effect on
        /// the result
        #[schema(nullable, value_type = DecimalText)]
        annual_net_revenue: Amount,
        /// ZIP code of the business, five digits
        #[schema(required)]
        zip_code: FiveDigitsText,
        /// the owner's occupations, 1 to 20, whose shares of time add up to 1
        #[schema(required)]
        occupations: List<OccupationInput>,
    }

    /// An occupation of the owner.
    OccupationInput => commands::OccupationShare {
        /// `151252` or `15-1252`
        #[schema(required)]
        code: OccupationCodeText,
        /// `novice`, `intermediate`, `average`, `skilled` or `expert`
        #[schema(required)]
        experience_level: ExperienceLevel,
        /// share of time, from 0 to 1, at most six decimal places
        #[schema(value_type = Decimal)]
        time_percentage: Amount,
        /// whether it is the primary one, as exactly one is; required where several occupations are sent
        primary: bool,
    }

    /// For which job an estimate is accepted.
    AcceptInput => commands::AcceptEstimate {
        /// a job of the employee; defaults to the primary one
        #[schema(nullable)]
        employee_job_uuid: IdText,
    }
}

/// How an estimate was calculated.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SalaryEstimateExplanation {
    /// the estimate
    pub uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// ZIP code of the business
    pub zip_code: String,
    /// cents per year
    pub result: i64,
    /// when it was accepted
    #[schema(format = DateTime)]
    pub accepted_at: Option<String>,
    /// the statistics that it uses
    pub statistics: EstimateStatistics,
    /// the contribution of each occupation
    pub occupations: Vec<ExplainedOccupation>,
    /// how the sum is rounded
    pub rounding: &'static str,
    /// the net revenue compared with the result, if known
    pub annual_net_revenue: Option<RevenueComparison>,
    /// every figure with its inputs: enough to recalculate it
    #[schema(value_type = Object)]
    pub calculation: Value,
}

impl SalaryEstimateExplanation {
    /// The response for the explanation of an estimate, with times in the company's time zone.
    pub fn new(estimate: Estimate, explanation: explain::Explanation, zone: &TimeZone) -> Self {
        let result = explanation.result;
        let occupations = explanation.occupations.into_iter();
        Self {
            uuid: estimate.id,
            employee_uuid: estimate.employee,
            zip_code: estimate.zip_code,
            result: estimate.result.cents_half_up(),
            accepted_at: estimate.accepted_at.map(|at| date_time(at, zone)),
            statistics: EstimateStatistics {
                source: explain::SOURCE,
                vintage: estimate.basis.vintage,
                checksum: estimate.basis.checksum,
            },
            occupations: occupations.map(|occupation| ExplainedOccupation::new(occupation, result)).collect(),
            rounding: explain::ROUNDING,
            annual_net_revenue: explanation.revenue.map(RevenueComparison::from),
            calculation: explanation.calculation.to_json(),
        }
    }
}

/// A vintage of the wage statistics.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EstimateStatistics {
    /// their name and publisher
    pub source: &'static str,
    /// year and month of the survey
    pub vintage: String,
    /// SHA-256 digest of the data
    pub checksum: String,
}

/// The contribution of an occupation.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExplainedOccupation {
    /// with a hyphen
    pub code: String,
    /// its title
    pub name: String,
    /// the code under which its wages are published
    pub published_as: String,
    /// the level of experience
    pub experience_level: ExperienceLevel,
    /// the percentile of the wage distribution that corresponds to the level
    pub percentile: u8,
    /// the area of the wage
    pub area: EstimateArea,
    /// why this area and wage were chosen
    pub why: String,
    /// `yearly`, `hourly` (times 2,080 hours) or `floor` (only "at least" is published)
    #[schema(value_type = WageBasis)]
    pub wage_basis: &'static str,
    /// dollars per year
    pub yearly_wage: String,
    /// share of time
    pub time_percentage: String,
    /// wage times share of time, exact
    pub product: String,
    /// the result one level lower, all else the same
    pub lower: Option<EstimateAlternative>,
    /// the result one level higher, all else the same
    pub higher: Option<EstimateAlternative>,
}

impl ExplainedOccupation {
    fn new(explained: explain::ExplainedOccupation, result: Amount) -> Self {
        let explain::ExplainedOccupation { occupation, area, wage, .. } = explained;
        Self {
            code: occupation.code,
            name: occupation.name,
            published_as: occupation.published_as,
            experience_level: occupation.level.into(),
            percentile: occupation.level.percentile(),
            area: EstimateArea::from(area),
            why: explained.reason,
            wage_basis: wage_basis(wage),
            yearly_wage: explained.yearly_wage.to_text(2),
            time_percentage: occupation.share.to_text(1),
            product: explained.product,
            lower: explained.lower.map(|other| EstimateAlternative::new(other, result)),
            higher: explained.higher.map(|other| EstimateAlternative::new(other, result)),
        }
    }
}

/// The values of [`ExplainedOccupation::wage_basis`].
pub const WAGE_BASES: [&str; 3] = ["yearly", "hourly", "floor"];

const fn wage_basis(wage: Wage) -> &'static str {
    match wage {
        Wage::Yearly(_) => WAGE_BASES[0],
        Wage::Hourly(_) => WAGE_BASES[1],
        Wage::AtLeast => WAGE_BASES[2],
    }
}

/// An area for which wages are published.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EstimateArea {
    /// seven digits
    pub code: String,
    /// its name
    pub name: String,
    /// `national`, `state`, `metropolitan` or `nonmetropolitan`
    pub kind: AreaKind,
}

impl From<Area> for EstimateArea {
    fn from(area: Area) -> Self {
        Self { code: area.code, name: area.name, kind: area.kind.into() }
    }
}

/// The result with another level.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EstimateAlternative {
    /// the other level
    pub experience_level: ExperienceLevel,
    /// cents per year
    pub result: i64,
    /// difference in cents
    pub difference: i64,
}

impl EstimateAlternative {
    fn new(other: Alternative, result: Amount) -> Self {
        let cents = other.result.cents_half_up();
        Self {
            experience_level: other.level.into(),
            result: cents,
            difference: cents - result.cents_half_up(),
        }
    }
}

/// The net revenue compared with the result.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RevenueComparison {
    /// dollars per year
    pub amount: String,
    /// the result as a fraction of it, rounded half up to four places
    pub part: String,
    /// whether the result exceeds it
    pub exceeded: bool,
}

impl From<explain::RevenueComparison> for RevenueComparison {
    fn from(compared: explain::RevenueComparison) -> Self {
        Self {
            amount: compared.revenue.to_text(2),
            part: compared.ratio.to_text(4),
            exceeded: compared.exceeded,
        }
    }
}

/// A date and time with the offset of the time zone, to the millisecond.
fn date_time(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
}
