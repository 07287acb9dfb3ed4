//! Inputs of the use cases of onboarding.

use crate::patch::Patch;

/// Marks steps as completed, then changes the status; at least one of the two is required.
#[derive(Debug, Clone, Default)]
pub struct UpdateOnboardingStatus {
    /// the name of a [`rules::onboarding::Status`]
    pub onboarding_status: Patch<String>,
    /// steps to mark
    pub onboarding_steps: Patch<Vec<StepMark>>,
}

/// A step to mark as completed.
#[derive(Debug, Clone, Default)]
pub struct StepMark {
    /// the name of a [`rules::onboarding::Step`]
    pub id: Patch<String>,
    /// always true, because a mark cannot be removed
    pub completed: Patch<bool>,
}
