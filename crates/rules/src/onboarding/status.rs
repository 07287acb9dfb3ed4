//! How far an employee's onboarding has come.

/// The onboarding status of an employee (specification, States and transitions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The employer enters the data; the start without self-onboarding.
    AdminOnboardingIncomplete,
    /// Marked for self-onboarding, the invitation not sent; the start with self-onboarding.
    SelfOnboardingPendingInvite,
    /// The partner has sent the invitation.
    SelfOnboardingInvited,
    /// The employee has opened the link.
    SelfOnboardingInvitedStarted,
    /// The start date has passed and the employee has not begun.
    SelfOnboardingInvitedOverdue,
    /// The employee's own steps are complete.
    SelfOnboardingCompletedByEmployee,
    /// The employer reviews what was entered.
    SelfOnboardingAwaitingAdminReview,
    /// Done; the employee can be paid.
    OnboardingCompleted,
}

impl Status {
    /// Every status, from the start to the end.
    pub const ALL: [Self; 8] = [
        Self::AdminOnboardingIncomplete,
        Self::SelfOnboardingPendingInvite,
        Self::SelfOnboardingInvited,
        Self::SelfOnboardingInvitedStarted,
        Self::SelfOnboardingInvitedOverdue,
        Self::SelfOnboardingCompletedByEmployee,
        Self::SelfOnboardingAwaitingAdminReview,
        Self::OnboardingCompleted,
    ];

    /// The text that stands in requests and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AdminOnboardingIncomplete => "admin_onboarding_incomplete",
            Self::SelfOnboardingPendingInvite => "self_onboarding_pending_invite",
            Self::SelfOnboardingInvited => "self_onboarding_invited",
            Self::SelfOnboardingInvitedStarted => "self_onboarding_invited_started",
            Self::SelfOnboardingInvitedOverdue => "self_onboarding_invited_overdue",
            Self::SelfOnboardingCompletedByEmployee => "self_onboarding_completed_by_employee",
            Self::SelfOnboardingAwaitingAdminReview => "self_onboarding_awaiting_admin_review",
            Self::OnboardingCompleted => "onboarding_completed",
        }
    }

    /// The status of that exact text.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Whether the employee is in the course of self-onboarding.
    pub fn is_self_onboarding(self) -> bool {
        !matches!(self, Self::AdminOnboardingIncomplete | Self::OnboardingCompleted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_requests_and_answers_are_the_same() {
        for status in Status::ALL {
            assert_eq!(Status::parse(status.as_str()), Some(status));
            assert_eq!(status.is_self_onboarding(), status.as_str().starts_with("self_onboarding_"));
        }
        assert_eq!(Status::parse("onboarded"), None);
    }
}
