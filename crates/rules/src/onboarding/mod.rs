//! Employee onboarding: steps and status transitions.
//!
//! Records are summarized as [`Facts`]; steps (`steps`) are derived from them. Each transition is a
//! function from a status and facts to the next status (statuses without `self_onboarding_` and
//! `onboarding_`):
//!
//! | transition | from | to | by |
//! |---|---|---|---|
//! | enable self-onboarding | admin_onboarding_incomplete | pending_invite | [`requested`] |
//! | invite | admin_onboarding_incomplete, pending_invite | invited | [`requested`] |
//! | cancel self-onboarding | pending_invite, invited | admin_onboarding_incomplete | [`requested`] |
//! | link opened | pending_invite, invited, invited_overdue | invited_started | [`opened`] |
//! | start date and day of invitation passed | invited | invited_overdue | [`became_overdue`] |
//! | employee's steps done | pending_invite, invited, invited_started, invited_overdue | completed_by_employee | [`employee_finished`] |
//! | begin review | completed_by_employee | awaiting_admin_review | [`requested`] |
//! | every step marked | every status before it | awaiting_admin_review | [`after_marking`] |
//! | administrator's steps complete | admin_onboarding_incomplete | completed | [`administrator_finished`] |
//! | finish | every status | completed | [`requested`] |
//!
//! Sources: specification, Onboarding status record (steps) and States and transitions. Decisions where they
//! are silent:
//! - In addition to the seven statuses of the specification there is `admin_onboarding_incomplete`, the
//!   initial status of employees entered by the employer.
//! - Partners may only request the transitions in [`allowed`]. Started, overdue and completed_by_employee
//!   result from events and cannot be requested. Requesting the current status is a no-op.
//! - `onboarding_completed` is final.
//! - Completion requires every required step except admin_review, which it implies.
//! - If an administrator onboards an employee alone, employee_form_signing is required only if the employer asks for documents
//!   (onboarding_documents_config), because that employee has signed on paper.
//! - A step marked by the partner is complete even without its data. Marks cannot be removed, or added after
//!   completion.
//! - Marks alone lead to the employer's review only if every step except admin_review is complete, including
//!   optional ones: the specification says "every step". If only an optional step is open, the employee's
//!   part is done and the partner may request the review. The specification says "any" status: marks also lead
//!   there for an employee whom an administrator onboards, and the employer finishes with one more request.
//! - Nobody is overdue on the day of the invitation, even if the start date has long passed.
//! - Steps are processed before a status: if a call has both, callers apply [`mark`], then [`after_marking`]
//!   (or, if the status stays, [`employee_finished`]), then [`requested`]. Without marks [`after_marking`] is
//!   not called.

mod moves;
mod status;
mod steps;

pub use moves::{
    InviteFacts, administrator_finished, after_marking, allowed_statuses, became_overdue, employee_finished,
    last_day_to_start, mark_steps, requested_status, status_once_opened,
};
pub use status::Status;
pub use steps::{Facts, Step, StepSet, StepState, employee_is_done, employee_steps};
