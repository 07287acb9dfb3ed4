//! Status transitions of contractors; see the table of the parent module.

use serde_json::json;

use super::Status;
use super::Status::{
    AdminOnboardingIncomplete, AdminOnboardingReview, OnboardingCompleted, SelfOnboardingInvited,
    SelfOnboardingNotInvited, SelfOnboardingReview, SelfOnboardingStarted,
};
use super::steps::{Facts, Step};
use crate::Named;
use crate::violation::{Category, Violation};

/// Returns the statuses that a partner may request; empty after completion.
pub fn allowed_statuses(status: Status) -> &'static [Status] {
    match status {
        AdminOnboardingIncomplete => &[SelfOnboardingNotInvited, SelfOnboardingInvited],
        SelfOnboardingNotInvited => &[AdminOnboardingIncomplete, SelfOnboardingInvited],
        SelfOnboardingInvited => &[AdminOnboardingIncomplete],
        SelfOnboardingStarted => &[SelfOnboardingReview],
        AdminOnboardingReview | SelfOnboardingReview => &[OnboardingCompleted],
        OnboardingCompleted => &[],
    }
}

/// Returns the status after a partner requested `to`; a no-op if it is the current one.
///
/// # Errors
/// - `onboarding_status`, invalid_operation: the transition is not in [`allowed_statuses`].
/// - `base`, invalid_operation: open steps, listed in the metadata's `open_steps`.
pub fn requested_status(status: Status, to: Status, facts: &Facts) -> Result<Status, Violation> {
    if to == status {
        return Ok(status);
    }
    if !allowed_statuses(status).contains(&to) {
        return Err(not_allowed(status, to));
    }
    let open = match to {
        OnboardingCompleted => facts.open_steps(status),
        SelfOnboardingReview if !facts.contractor_is_done() => facts.open_steps(status),
        _ => Vec::new(),
    };
    if open.is_empty() { Ok(to) } else { Err(still_open(&open)) }
}

fn not_allowed(status: Status, to: Status) -> Violation {
    let wish = format!("onboarding_status cannot move from {} to {}", status.as_str(), to.as_str());
    let names: Vec<_> = allowed_statuses(status).iter().map(|status| status.as_str()).collect();
    let rest = if names.is_empty() {
        "onboarding is finished and nothing follows it".to_owned()
    } else {
        format!("allowed from here: {}", names.join(", "))
    };
    Violation::new("onboarding_status", Category::InvalidOperation, format!("{wish}; {rest}"))
}

fn still_open(open: &[Step]) -> Violation {
    let open: Vec<_> = open.iter().map(|step| step.as_str()).collect();
    let message = format!("the status cannot be set before these steps are complete: {}", open.join(", "));
    Violation::invalid_operation(message).with_metadata(json!({ "open_steps": open }))
}

/// Returns the status after data was entered or removed for a contractor whom an administrator onboards. `None`: unchanged.
pub fn after_change(status: Status, facts: &Facts) -> Option<Status> {
    match (status, facts.open_steps(status).is_empty()) {
        (AdminOnboardingIncomplete, true) => Some(AdminOnboardingReview),
        (AdminOnboardingReview, false) => Some(AdminOnboardingIncomplete),
        _ => None,
    }
}

/// Returns the status after the contractor opened the link or signed. `None`: unchanged.
pub fn status_once_begun(status: Status) -> Option<Status> {
    matches!(status, SelfOnboardingNotInvited | SelfOnboardingInvited).then_some(SelfOnboardingStarted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: Facts = Facts {
        individual: true,
        basic_details: true,
        address: true,
        compensation: true,
        payment_method: false,
        signed: true,
        to_report: false,
        reportable: false,
    };

    #[test]
    fn a_partner_moves_a_contractor_along_the_public_table_and_nowhere_else() {
        let moves = [
            (AdminOnboardingIncomplete, SelfOnboardingNotInvited),
            (AdminOnboardingIncomplete, SelfOnboardingInvited),
            (SelfOnboardingNotInvited, SelfOnboardingInvited),
            (SelfOnboardingInvited, AdminOnboardingIncomplete),
            (SelfOnboardingNotInvited, AdminOnboardingIncomplete),
            (SelfOnboardingStarted, SelfOnboardingReview),
            (AdminOnboardingReview, OnboardingCompleted),
            (SelfOnboardingReview, OnboardingCompleted),
        ];
        for &from in Status::ALL {
            for &to in Status::ALL {
                let may = from == to || moves.contains(&(from, to));
                assert_eq!(requested_status(from, to, &COMPLETE).is_ok(), may, "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn a_review_and_an_end_wait_for_the_steps_that_they_need() {
        let unsigned = Facts { signed: false, ..COMPLETE };
        let refused = requested_status(SelfOnboardingStarted, SelfOnboardingReview, &unsigned).unwrap_err();
        assert!(refused.message.contains("sign_documents"), "{}", refused.message);
        assert!(requested_status(SelfOnboardingReview, OnboardingCompleted, &unsigned).is_err());
        assert!(
            requested_status(AdminOnboardingReview, OnboardingCompleted, &unsigned).is_ok(),
            "signed on paper"
        );
        let nowhere = Facts { address: false, ..COMPLETE };
        assert!(requested_status(AdminOnboardingReview, OnboardingCompleted, &nowhere).is_err());
    }

    #[test]
    fn an_administrators_review_follows_the_data() {
        assert_eq!(after_change(AdminOnboardingIncomplete, &COMPLETE), Some(AdminOnboardingReview));
        let lacking = Facts { basic_details: false, ..COMPLETE };
        assert_eq!(after_change(AdminOnboardingIncomplete, &lacking), None);
        assert_eq!(after_change(AdminOnboardingReview, &lacking), Some(AdminOnboardingIncomplete));
        for status in [SelfOnboardingInvited, SelfOnboardingReview, OnboardingCompleted] {
            assert_eq!([after_change(status, &COMPLETE), after_change(status, &lacking)], [None, None]);
        }
    }

    #[test]
    fn a_contractor_begins_once() {
        assert_eq!(status_once_begun(SelfOnboardingInvited), Some(SelfOnboardingStarted));
        assert_eq!(status_once_begun(SelfOnboardingNotInvited), Some(SelfOnboardingStarted));
        for status in [AdminOnboardingIncomplete, SelfOnboardingStarted, OnboardingCompleted] {
            assert_eq!(status_once_begun(status), None, "{status:?}");
        }
    }
}
