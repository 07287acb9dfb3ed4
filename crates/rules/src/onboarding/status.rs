//! Onboarding status of an employee.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// The onboarding status of an employee (specification, States and transitions).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum Status {
    /// The employer enters the data; initial status without self-onboarding.
    #[default]
    #[strum(serialize = "admin_onboarding_incomplete")]
    AdminOnboardingIncomplete,
    /// Self-onboarding enabled, not yet invited; initial status with self-onboarding.
    #[strum(serialize = "self_onboarding_pending_invite")]
    SelfOnboardingPendingInvite,
    /// The partner has sent the invitation.
    #[strum(serialize = "self_onboarding_invited")]
    SelfOnboardingInvited,
    /// The employee has opened the link.
    #[strum(serialize = "self_onboarding_invited_started")]
    SelfOnboardingInvitedStarted,
    /// The start date has passed and the employee has not started.
    #[strum(serialize = "self_onboarding_invited_overdue")]
    SelfOnboardingInvitedOverdue,
    /// The employee's own steps are complete.
    #[strum(serialize = "self_onboarding_completed_by_employee")]
    SelfOnboardingCompletedByEmployee,
    /// The employer reviews what was entered.
    #[strum(serialize = "self_onboarding_awaiting_admin_review")]
    SelfOnboardingAwaitingAdminReview,
    /// Completed; the employee can be paid.
    #[strum(serialize = "onboarding_completed")]
    OnboardingCompleted,
}

impl Status {
    /// Whether self-onboarding is in progress.
    pub fn is_self_onboarding(self) -> bool {
        !matches!(self, Self::AdminOnboardingIncomplete | Self::OnboardingCompleted)
    }

    /// Whether the employee's part is done and the employer has to act.
    pub fn awaits_employer(self) -> bool {
        Self::AWAITING_EMPLOYER.contains(&self)
    }

    /// The statuses in which the employer has to act.
    pub const AWAITING_EMPLOYER: [Self; 2] =
        [Self::SelfOnboardingCompletedByEmployee, Self::SelfOnboardingAwaitingAdminReview];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Named;

    #[test]
    fn the_words_of_requests_and_answers_are_the_same() {
        for &status in Status::ALL {
            assert_eq!(Status::parse(status.as_str()), Some(status));
            assert_eq!(status.is_self_onboarding(), status.as_str().starts_with("self_onboarding_"));
        }
        assert_eq!(Status::parse("onboarded"), None);
    }
}
