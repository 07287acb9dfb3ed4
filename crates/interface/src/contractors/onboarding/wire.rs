//! Onboarding of contractors on the wire.

use domain::contractors::onboarding;
use rules::Named;
use rules::contractor::{ContractorType, StepState};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::people::onboarding::wire::Blocker;
use crate::values::{ContractorOnboarding, ContractorStep};

/// The onboarding status of a contractor.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorOnboardingDetails {
    /// the contractor
    pub uuid: Uuid,
    /// one of the seven statuses
    pub onboarding_status: ContractorOnboarding,
    /// the steps that apply to this contractor
    pub onboarding_steps: Vec<ContractorStepRecord>,
    /// extension: another contractor of the company has the same number; omitted otherwise
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<Blocker>,
}

/// A step of a contractor's onboarding.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorStepRecord {
    /// human-readable title
    pub title: &'static str,
    /// machine-readable id
    pub id: ContractorStep,
    /// whether onboarding cannot be finished without it
    pub required: bool,
    /// whether it is complete
    pub completed: bool,
    /// ids of the steps that it depends on
    pub requirements: Vec<&'static str>,
}

impl From<onboarding::OnboardingDetails> for ContractorOnboardingDetails {
    fn from(details: onboarding::OnboardingDetails) -> Self {
        Self {
            uuid: details.contractor,
            onboarding_status: details.status.into(),
            onboarding_steps: details.steps.into_iter().map(ContractorStepRecord::from).collect(),
            blockers: details.duplicate_tin.map(duplicate_blocker).into_iter().collect(),
        }
    }
}

fn duplicate_blocker(kind: ContractorType) -> Blocker {
    let (field, message) = match kind {
        ContractorType::Individual => {
            ("ssn", "Another contractor of this company has the same Social Security number.")
        }
        ContractorType::Business => {
            ("ein", "Another contractor of this company has the same employer identification number.")
        }
    };
    Blocker { field, category: "duplicate_value", message }
}

impl From<StepState> for ContractorStepRecord {
    fn from(state: StepState) -> Self {
        Self {
            title: state.step.title(),
            id: state.step.into(),
            required: state.required,
            completed: state.completed,
            requirements: state.step.requirements().iter().map(|step| step.as_str()).collect(),
        }
    }
}

input! {
    /// The status to set.
    UpdateContractorOnboardingStatus => onboarding::UpdateContractorOnboardingStatus {
        /// the new status, such as `self_onboarding_invited` or `onboarding_completed`
        #[schema(required)]
        onboarding_status: ContractorOnboarding,
    }
}
