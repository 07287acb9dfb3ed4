//! Onboarding on the wire.

use domain::people::onboarding::{OnboardingDetails, commands};
use rules::Named;
use rules::onboarding::StepState;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::values::{Onboarding, OnboardingName, OnboardingStep, OnboardingStepName};

/// The onboarding status of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct OnboardingStatus {
    /// the employee
    pub uuid: Uuid,
    /// one of the eight statuses
    pub onboarding_status: Onboarding,
    /// the steps that apply to this employee; all complete once onboarding is finished
    pub onboarding_steps: Vec<StepRecord>,
    /// other conditions that block onboarding; omitted if there are none
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<Blocker>,
}

impl From<OnboardingDetails> for OnboardingStatus {
    fn from(details: OnboardingDetails) -> Self {
        Self {
            uuid: details.employee,
            onboarding_status: details.status.into(),
            onboarding_steps: details.steps.into_iter().map(StepRecord::from).collect(),
            blockers: details.duplicate_ssn.then(Blocker::duplicate_ssn).into_iter().collect(),
        }
    }
}

/// A step of onboarding.
#[derive(Debug, Serialize, ToSchema)]
pub struct StepRecord {
    /// human-readable title
    pub title: &'static str,
    /// machine-readable id
    pub id: OnboardingStep,
    /// whether onboarding cannot be finished without it
    pub required: bool,
    /// whether it is complete
    pub completed: bool,
    /// ids of the steps that it depends on
    pub requirements: Vec<&'static str>,
}

impl From<StepState> for StepRecord {
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

/// A condition that blocks onboarding.
#[derive(Debug, Serialize, ToSchema)]
pub struct Blocker {
    /// always `ssn`
    pub field: &'static str,
    /// always `duplicate_value`
    pub category: &'static str,
    /// human-readable text
    pub message: &'static str,
}

impl Blocker {
    /// Another employee of the company has the same SSN.
    fn duplicate_ssn() -> Self {
        Self {
            field: "ssn",
            category: "duplicate_value",
            message: "Another employee of this company has the same Social Security number.",
        }
    }
}

input! {
    /// A new status, steps to mark as completed, or both (steps are marked first).
    UpdateOnboardingStatus => commands::UpdateOnboardingStatus {
        /// the new status, such as `self_onboarding_invited` or `onboarding_completed`
        #[schema(nullable)]
        onboarding_status: OnboardingName,
        /// steps to mark as completed
        #[schema(nullable)]
        onboarding_steps: List<StepMark>,
    }

    /// A step to mark as completed.
    StepMark => commands::StepMark {
        /// id of the step
        #[schema(required)]
        id: OnboardingStepName,
        /// always true: a mark cannot be taken back
        #[schema(required)]
        completed: bool,
    }
}
