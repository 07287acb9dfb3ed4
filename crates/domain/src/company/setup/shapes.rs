//! Operations on the industry and the onboarding of a company, and their shapes.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::field::{Field, Wire};

/// Codes at the most.
const MOST_CODES: usize = 20;

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
