//! Employee onboarding: which steps are complete, and which status may come next.
//!
//! The records say what is known of an employee ([`Facts`]); the steps follow from that ([`steps`]); the
//! status moves by what somebody does. Each move is one function from a status and facts to the next status,
//! so that there is one place to look it up (statuses without their `self_onboarding_` and `onboarding_`):
//!
//! | move | from | to | by |
//! |---|---|---|---|
//! | mark for self-onboarding | admin_onboarding_incomplete | pending_invite | [`requested`] |
//! | invite | admin_onboarding_incomplete, pending_invite | invited | [`requested`] |
//! | cancel self-onboarding | pending_invite, invited | admin_onboarding_incomplete | [`requested`] |
//! | link opened | pending_invite, invited, invited_overdue | invited_started | [`opened`] |
//! | start date passed | invited | invited_overdue | [`became_overdue`] |
//! | employee's steps complete | pending_invite, invited, invited_started, invited_overdue | completed_by_employee | [`employee_finished`] |
//! | begin review | completed_by_employee | awaiting_admin_review | [`requested`] |
//! | every step marked | every status of self-onboarding | awaiting_admin_review | [`after_marking`] |
//! | finish | every status | completed | [`requested`] |
//!
//! Sources: specification, Onboarding status record (steps) and States and transitions (moves). Both leave
//! gaps; what is decided here:
//! - Besides the specification's seven statuses there is `admin_onboarding_incomplete`, the start of an
//!   employee whose data the employer enters.
//! - A partner may ask only for the moves in [`allowed`]. Started, overdue and completed_by_employee come about
//!   by themselves and are refused as a wish. Asking for the present status changes nothing and is fine.
//! - Nothing leads out of `onboarding_completed`.
//! - To finish, every required step but admin_review has to be complete; finishing is the review's own end.
//! - A step that the partner marks counts as complete even where its data are not held. A mark is never taken
//!   back, and after the end nothing is marked.
//! - Marks alone bring an employee before the employer only when every step but admin_review is complete, the
//!   optional ones included: the specification says "every step", and where only an optional one is open the
//!   employee's own part is done and the partner may ask for the review.
//! - Steps come before a status: where one call brings both, callers apply [`mark`], then [`after_marking`]
//!   (or, where that moves nothing, [`employee_finished`]), then [`requested`]. Without marks
//!   [`after_marking`] is not asked.

mod moves;
mod status;
mod steps;

pub use moves::{
    InviteFacts, after_marking, allowed, became_overdue, employee_finished, mark, opened, requested,
};
pub use status::Status;
pub use steps::{Facts, Step, StepSet, StepState, employee_is_done, steps};
