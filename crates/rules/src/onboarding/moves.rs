//! Status transitions; see the table of the parent module.

use super::Status;
use super::Status::{
    AdminOnboardingIncomplete, OnboardingCompleted, SelfOnboardingAwaitingAdminReview,
    SelfOnboardingCompletedByEmployee, SelfOnboardingInvited, SelfOnboardingInvitedOverdue,
    SelfOnboardingInvitedStarted, SelfOnboardingPendingInvite,
};
use super::steps::{Facts, Step, StepSet, StepState, employee_is_done, employee_steps};
use crate::Named;
use crate::violation::{Category, Checks, Violation};
use jiff::Span;
use jiff::civil::Date;
use serde_json::json;

/// Data required to invite an employee (specification, Employee: data needed before an employee can be
/// invited). An e-mail address is not part of it: the partner can also invite in its app.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct InviteFacts {
    /// First and last name.
    pub names: bool,
    /// Start date.
    pub start_date: bool,
    /// Work address.
    pub work_address: bool,
    /// A job with pay terms, as in [`Facts::compensation`].
    pub compensation: bool,
}

/// Returns the statuses that a partner may request; empty after completion.
pub fn allowed_statuses(status: Status) -> &'static [Status] {
    match status {
        AdminOnboardingIncomplete => {
            &[SelfOnboardingPendingInvite, SelfOnboardingInvited, OnboardingCompleted]
        }
        SelfOnboardingPendingInvite => {
            &[AdminOnboardingIncomplete, SelfOnboardingInvited, OnboardingCompleted]
        }
        SelfOnboardingInvited => &[AdminOnboardingIncomplete, OnboardingCompleted],
        SelfOnboardingCompletedByEmployee => &[SelfOnboardingAwaitingAdminReview, OnboardingCompleted],
        SelfOnboardingInvitedStarted | SelfOnboardingInvitedOverdue | SelfOnboardingAwaitingAdminReview => {
            &[OnboardingCompleted]
        }
        OnboardingCompleted => &[],
    }
}

/// Returns the status after a partner requested `to`; a no-op if it is the current one.
///
/// # Errors
/// - `onboarding_status`, invalid_operation: the transition is not in [`allowed_statuses`].
/// - one violation per field that is missing for an invitation.
/// - `base`, invalid_operation: completion with open steps, listed in the metadata's `open_steps`.
pub fn requested_status(
    status: Status,
    to: Status,
    facts: &Facts,
    invite: &InviteFacts,
) -> Result<Status, Vec<Violation>> {
    if to == status {
        return Ok(status);
    }
    if !allowed_statuses(status).contains(&to) {
        return Err(vec![not_allowed(status, to)]);
    }
    match to {
        SelfOnboardingInvited => can_be_invited(invite)?,
        OnboardingCompleted => can_be_finished(status, facts)?,
        _ => {}
    }
    Ok(to)
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

fn can_be_invited(invite: &InviteFacts) -> Result<(), Vec<Violation>> {
    let needed = [
        (invite.names, "first_name", "first_name and last_name"),
        (invite.start_date, "start_date", "a start date (the hire date of the job)"),
        (invite.work_address, "work_address", "a work address"),
        (
            invite.compensation,
            "compensation",
            "a job with a compensation (flsa_status, rate and payment_unit)",
        ),
    ];
    let mut checks = Checks::new();
    for (held, key, what) in needed {
        checks.require(held, || {
            let message = format!("the employee cannot be invited without {what}");
            Violation::new(key, Category::InvalidOperation, message)
        });
    }
    checks.finish()
}

fn can_be_finished(status: Status, facts: &Facts) -> Result<(), Vec<Violation>> {
    let open = open_steps(status, facts);
    if open.is_empty() {
        return Ok(());
    }
    let message = format!("onboarding cannot be completed before these steps are: {}", open.join(", "));
    Err(vec![Violation::invalid_operation(message).with_metadata(json!({ "open_steps": open }))])
}

/// Returns the required steps that are not complete, other than the review.
fn open_steps(status: Status, facts: &Facts) -> Vec<&'static str> {
    let open = |state: &&StepState| state.required && state.step != Step::AdminReview && !state.completed;
    employee_steps(status, facts).iter().filter(open).map(|state| state.step.as_str()).collect()
}

/// Returns the marks after a partner marked `marks` as completed: existing and new ones. Steps of one call
/// may satisfy each other's requirements, in any order. Marking a complete step is a no-op.
///
/// # Errors
/// Under `onboarding_steps`, invalid_operation, one per step: its requirements are not complete (the metadata's
/// `id` is the step, `requirements` the open ones), or the step does not exist in this status. A single one if
/// onboarding is completed.
pub fn mark_steps(status: Status, facts: &Facts, marks: &[Step]) -> Result<StepSet, Vec<Violation>> {
    let refuse = |message: String| Violation::new("onboarding_steps", Category::InvalidOperation, message);
    if status == OnboardingCompleted && !marks.is_empty() {
        return Err(vec![refuse(
            "onboarding is finished: every step is complete and none can be marked".to_owned(),
        )]);
    }
    let after = Facts { marked: facts.marked.iter().chain(marks.iter().copied()).collect(), ..facts.clone() };
    let mut checks = Checks::new();
    for step in marks.iter().copied().collect::<StepSet>().iter() {
        let id = step.as_str();
        if step == Step::AdminReview && !status.is_self_onboarding() {
            checks.push(refuse(format!("{id} is a step of self-onboarding only")));
            continue;
        }
        let open: Vec<_> = step
            .requirements()
            .iter()
            .filter(|step| !after.is_complete(**step))
            .map(|step| step.as_str())
            .collect();
        checks.require(open.is_empty(), || {
            refuse(format!("{id} cannot be completed before these steps are: {}", open.join(", ")))
                .with_metadata(json!({ "id": id, "requirements": open }))
        });
    }
    checks.finish().map(|()| after.marked)
}

/// Returns the status after steps were marked: the employer's review, once every other step is complete, from any status before
/// it, also for an employee whom an administrator onboards. `None`: unchanged. `facts` include the new marks.
pub fn after_marking(status: Status, facts: &Facts) -> Option<Status> {
    let complete = Step::ALL.iter().copied().all(|step| step == Step::AdminReview || facts.is_complete(step));
    let before = !matches!(status, SelfOnboardingAwaitingAdminReview | OnboardingCompleted);
    (before && complete).then_some(SelfOnboardingAwaitingAdminReview)
}

/// Returns the status after the employee opened the link. `None`: unchanged.
pub fn status_once_opened(status: Status) -> Option<Status> {
    let waiting =
        matches!(status, SelfOnboardingPendingInvite | SelfOnboardingInvited | SelfOnboardingInvitedOverdue);
    waiting.then_some(SelfOnboardingInvitedStarted)
}

/// Returns the status as time passes: overdue if an invited employee has not started `grace_days` after `start_date` or,
/// if that was later, after the day of the invitation. `None`: unchanged, also without a start date.
pub fn became_overdue(
    status: Status,
    (start_date, invited_on): (Option<Date>, Option<Date>),
    today: Date,
    grace_days: i32,
) -> Option<Status> {
    let last_day = last_day_to_start(start_date?, invited_on, grace_days)?;
    (status == SelfOnboardingInvited && last_day < today).then_some(SelfOnboardingInvitedOverdue)
}

/// Returns the last day on which an invited employee can start without being overdue. `None`: a day beyond the end of the
/// calendar, which never passes.
pub fn last_day_to_start(start_date: Date, invited_on: Option<Date>, grace_days: i32) -> Option<Date> {
    let grace = Span::new().try_days(grace_days).ok()?;
    invited_on.map_or(start_date, |day| day.max(start_date)).checked_add(grace).ok()
}

/// Returns the status after the employee entered data: completed by the employee, once the employee's own
/// steps are complete. `None`: unchanged.
pub fn employee_finished(status: Status, facts: &Facts) -> Option<Status> {
    let underway = matches!(
        status,
        SelfOnboardingPendingInvite
            | SelfOnboardingInvited
            | SelfOnboardingInvitedStarted
            | SelfOnboardingInvitedOverdue
    );
    (underway && employee_is_done(facts)).then_some(SelfOnboardingCompletedByEmployee)
}

/// Returns the status after data was entered for an employee whom an administrator onboards alone: completed, once every
/// required step is complete. `None`: unchanged.
pub fn administrator_finished(status: Status, facts: &Facts) -> Option<Status> {
    let done = status == AdminOnboardingIncomplete && open_steps(status, facts).is_empty();
    done.then_some(OnboardingCompleted)
}

#[cfg(test)]
#[path = "moves_tests.rs"]
mod tests;
