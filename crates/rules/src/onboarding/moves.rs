//! The moves from one onboarding status to the next. The table of the module above lists them all.

use super::Status;
use super::Status::{
    AdminOnboardingIncomplete, OnboardingCompleted, SelfOnboardingAwaitingAdminReview,
    SelfOnboardingCompletedByEmployee, SelfOnboardingInvited, SelfOnboardingInvitedOverdue,
    SelfOnboardingInvitedStarted, SelfOnboardingPendingInvite,
};
use super::steps::{Facts, Step, StepSet, employee_is_done, steps};
use crate::Named;
use crate::violation::{Category, Checks, Violation};
use jiff::Span;
use jiff::civil::Date;
use serde_json::json;

/// What the records hold of the data without which an employee cannot be invited (specification, Employee:
/// data needed before an employee can be invited; the e-mail is where the partner's invitation goes).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct InviteFacts {
    /// First and last name.
    pub names: bool,
    /// E-mail address.
    pub email: bool,
    /// The day on which the employee starts.
    pub start_date: bool,
    /// Where the employee works.
    pub work_address: bool,
    /// A job with terms of pay, in the sense of [`Facts::compensation`].
    pub compensation: bool,
}

/// The statuses that a partner may ask for from this one; none at the end.
pub fn allowed(status: Status) -> &'static [Status] {
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

/// The status after a partner has asked for `to`; the present one when that is what was asked for.
///
/// # Errors
/// - `onboarding_status`, invalid_operation: a move that is not in [`allowed`].
/// - one violation for each thing that is missing for an invitation, under its own key.
/// - `base`, invalid_operation: finishing with open steps, their ids in the metadata's `open_steps`.
pub fn requested(
    status: Status,
    to: Status,
    facts: &Facts,
    invite: &InviteFacts,
) -> Result<Status, Vec<Violation>> {
    if to == status {
        return Ok(status);
    }
    if !allowed(status).contains(&to) {
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
    let names: Vec<_> = allowed(status).iter().map(|status| status.as_str()).collect();
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
        (invite.email, "email", "email"),
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
    let is_open = |step: Step, completed: bool| step.required() && step != Step::AdminReview && !completed;
    let open: Vec<_> = steps(status, facts)
        .iter()
        .filter(|state| is_open(state.step, state.completed))
        .map(|state| state.step.as_str())
        .collect();
    if open.is_empty() {
        return Ok(());
    }
    let message = format!("onboarding cannot be completed before these steps are: {}", open.join(", "));
    Err(vec![Violation::operation(message).with_metadata(json!({ "open_steps": open }))])
}

/// The marks to be kept after a partner has marked `marks` as completed in one call: the earlier ones
/// and the new ones. Steps of one call meet each other's requirements, in any order. Marking a step that is
/// complete changes nothing, and no marks are always fine.
///
/// # Errors
/// All under `onboarding_steps`, invalid_operation, one for each step: its requirements are not complete
/// (the metadata's `id` is the step, `requirements` the open ones); there is no such step in this status.
pub fn mark(status: Status, facts: &Facts, marks: &[Step]) -> Result<StepSet, Vec<Violation>> {
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
            .filter(|step| !after.completed(**step))
            .map(|step| step.as_str())
            .collect();
        checks.require(open.is_empty(), || {
            refuse(format!("{id} cannot be completed before these steps are: {}", open.join(", ")))
                .with_metadata(json!({ "id": id, "requirements": open }))
        });
    }
    checks.finish().map(|()| after.marked)
}

/// The status that marks bring about: before the employer, once every step but the review is complete, from
/// any status of self-onboarding. `None`: the status stays. `facts` hold the new marks already.
pub fn after_marking(status: Status, facts: &Facts) -> Option<Status> {
    let complete = Step::ALL.iter().copied().all(|step| step == Step::AdminReview || facts.completed(step));
    let moves = status.is_self_onboarding() && status != SelfOnboardingAwaitingAdminReview && complete;
    moves.then_some(SelfOnboardingAwaitingAdminReview)
}

/// The status after the employee has opened the link. `None`: the status stays.
pub fn opened(status: Status) -> Option<Status> {
    let waiting =
        matches!(status, SelfOnboardingPendingInvite | SelfOnboardingInvited | SelfOnboardingInvitedOverdue);
    waiting.then_some(SelfOnboardingInvitedStarted)
}

/// The status when time passes: overdue, where an invited employee has not started and `start_date` plus
/// `grace_days` lies before `today`. `None`: the status stays, as it does without a start date.
pub fn became_overdue(
    status: Status,
    start_date: Option<Date>,
    today: Date,
    grace_days: i32,
) -> Option<Status> {
    let grace = Span::new().try_days(grace_days).ok()?;
    // A last day beyond the end of the calendar never passes.
    let last_day = start_date?.checked_add(grace).ok()?;
    (status == SelfOnboardingInvited && last_day < today).then_some(SelfOnboardingInvitedOverdue)
}

/// The status after the employee has entered something: completed by the employee, once the employee's own
/// steps are. `None`: the status stays.
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

#[cfg(test)]
#[path = "moves_tests.rs"]
mod tests;
