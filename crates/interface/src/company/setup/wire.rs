//! The industry and the onboarding of a company on the wire.

use domain::company::setup::service::{OnboardingStatus, StepStatus};
use domain::company::setup::{commands, rows};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::field::{Field, Wire};
use crate::input;
use crate::values::{CompanyStep, IndustryTitleText, NaicsText, SicText};

/// Maximum number of SIC codes.
const MOST_CODES: usize = 20;

/// The industry of a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct Industry {
    /// the company
    pub company_uuid: Uuid,
    /// six digits of the North American Industry Classification System; null until one is selected
    pub naics_code: Option<String>,
    /// codes of the older Standard Industrial Classification
    pub sic_codes: Vec<String>,
    /// human-readable title
    pub title: Option<String>,
}

impl Industry {
    /// The answer for `company`. Without a selection, its fields are empty.
    pub fn new(company: Uuid, industry: Option<rows::Industry>) -> Self {
        let (naics_code, sic_codes, title) = match industry {
            Some(industry) => (Some(industry.naics_code), industry.sic_codes, industry.title),
            None => (None, Vec::new(), None),
        };
        Self { company_uuid: company, naics_code, sic_codes, title }
    }
}

input! {
    /// The industry of a company.
    UpdateIndustry => commands::UpdateIndustry {
        /// human-readable title, at most 200 characters
        #[schema(nullable)]
        title: IndustryTitleText,
        /// six digits of the North American Industry Classification System
        #[schema(required)]
        naics_code: NaicsText,
        /// codes of four digits of the older Standard Industrial Classification, at most 20
        #[schema(nullable)]
        sic_codes: Codes,
    }
}

/// A list of codes.
#[derive(Debug, ToSchema)]
#[schema(value_type = Vec<String>)]
pub struct Codes(());

impl Wire for Codes {
    type Value = Vec<String>;
    const EXPECTED: &'static str = "a list of texts with at most 20 items";
    fn from_json(value: Value) -> Option<Vec<String>> {
        let codes: Vec<String> = serde_json::from_value(value).ok()?;
        (codes.len() <= MOST_CODES).then_some(codes)
    }
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(SicText::schema()).max_items(Some(MOST_CODES)).into()
    }
}

/// The status of a company's onboarding.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyOnboardingStatus {
    /// the company
    pub uuid: Uuid,
    /// whether it has finished its onboarding
    pub onboarding_completed: bool,
    /// the steps
    pub onboarding_steps: Vec<OnboardingStep>,
}

impl CompanyOnboardingStatus {
    /// The answer for `company`.
    pub fn new(company: Uuid, status: OnboardingStatus) -> Self {
        Self {
            uuid: company,
            onboarding_completed: status.finished,
            onboarding_steps: status.steps.into_iter().map(Into::into).collect(),
        }
    }
}

/// A step of a company's onboarding.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CompanyOnboardingStep)]
pub struct OnboardingStep {
    /// human-readable title
    pub title: &'static str,
    /// machine-readable id
    pub id: CompanyStep,
    /// whether payroll is blocked until it is complete
    pub required: bool,
    /// whether it is complete
    pub completed: bool,
    /// when it was completed
    #[schema(format = DateTime)]
    pub completed_at: Option<String>,
    /// the opposite of `required`
    pub skippable: bool,
    /// the steps that must be completed first
    pub requirements: Vec<CompanyStep>,
}

impl From<StepStatus> for OnboardingStep {
    fn from(status: StepStatus) -> Self {
        let StepStatus { step, required, completed_at } = status;
        Self {
            title: step.title(),
            id: step.into(),
            required,
            completed: completed_at.is_some(),
            completed_at: completed_at.map(|moment| moment.to_string()),
            skippable: !required,
            requirements: step.requirements().iter().copied().map(CompanyStep::from).collect(),
        }
    }
}
