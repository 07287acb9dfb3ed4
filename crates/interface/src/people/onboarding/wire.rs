//! Onboarding on the wire.

use domain::people::onboarding::{MissingData, OnboardingDetails, commands};
use rules::Named;
use rules::onboarding::StepState;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::values::{Onboarding, OnboardingStep};

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
    /// data that are not on file: an e-mail address for the invitation or, once onboarding is finished, what was only
    /// marked as complete (an extension); omitted if there are none
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<OnboardingWarning>,
}

impl From<OnboardingDetails> for OnboardingStatus {
    fn from(details: OnboardingDetails) -> Self {
        Self {
            uuid: details.employee,
            onboarding_status: details.status.into(),
            onboarding_steps: details.steps.into_iter().map(StepRecord::from).collect(),
            blockers: details.duplicate_ssn.then(Blocker::duplicate_ssn).into_iter().collect(),
            warnings: details.missing.into_iter().map(OnboardingWarning::from).collect(),
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

/// Data of an employee that are not on file.
#[derive(Debug, Serialize, ToSchema)]
pub struct OnboardingWarning {
    /// `email`, `ssn`, `federal_taxes` or `state_taxes`
    pub field: &'static str,
    /// always `missing_value`
    pub category: &'static str,
    /// human-readable text
    pub message: &'static str,
}

impl From<MissingData> for OnboardingWarning {
    fn from(missing: MissingData) -> Self {
        let (field, message) = match missing {
            MissingData::Email => {
                ("email", "The employee has no e-mail address: hand over the link in another way.")
            }
            MissingData::Ssn => (
                "ssn",
                "No Social Security number is on file. Wages cannot be reported without it (Form W-2, new hire report).",
            ),
            MissingData::FederalTaxes => (
                "federal_taxes",
                "No Form W-4 is on file: federal income tax is withheld as for Single without adjustments.",
            ),
            MissingData::StateTaxes => (
                "state_taxes",
                "Questions of the states of work and home are not answered: payroll uses their defaults, or withholds \
                 no income tax of a state where there is none.",
            ),
        };
        Self { field, category: "missing_value", message }
    }
}

input! {
    /// A new status, steps to mark as completed, or both (steps are marked first).
    UpdateOnboardingStatus => commands::UpdateOnboardingStatus {
        /// the new status, such as `self_onboarding_invited` or `onboarding_completed`
        #[schema(nullable)]
        onboarding_status: Onboarding,
        /// steps to mark as completed
        #[schema(nullable)]
        onboarding_steps: List<StepMark>,
    }

    /// A step to mark as completed.
    StepMark => commands::StepMark {
        /// id of the step
        #[schema(required)]
        id: OnboardingStep,
        /// true; false is ignored for a step that was not marked, because a mark cannot be taken back
        #[schema(required)]
        completed: bool,
    }
}
