//! Inputs of the use cases of onboarding.

use rules::onboarding::{Status, Step};

use crate::patch::Patch;

/// Marks steps as completed, then changes the status; at least one of the two is required.
#[derive(Debug, Clone, Default)]
pub struct UpdateOnboardingStatus {
    /// the status that is wanted
    pub onboarding_status: Patch<Status>,
    /// steps to mark
    pub onboarding_steps: Patch<Vec<StepMark>>,
}

/// A step to mark as completed.
#[derive(Debug, Clone, Default)]
pub struct StepMark {
    /// the step
    pub id: Patch<Step>,
    /// always true, because a mark cannot be removed
    pub completed: Patch<bool>,
}
