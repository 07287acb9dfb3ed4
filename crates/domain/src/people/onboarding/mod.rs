//! Onboarding of an employee: the status, the steps that are still open, and the moves from one status to the next.
//!
//! Which steps are complete and which moves are allowed is decided in `rules::onboarding`; here the facts are read
//! and the moves are stored, each with its event. Services that change an employee's data call
//! [`service::after_change`] in the same unit of work, so that the status follows the data wherever they come from.

use rules::onboarding::{Status, StepState};
use uuid::Uuid;

pub mod commands;
pub mod reviews;
pub mod service;

/// The onboarding of an employee.
#[derive(Debug, Clone)]
pub struct OnboardingDetails {
    /// the employee
    pub employee: Uuid,
    /// where it stands
    pub status: Status,
    /// the steps that concern this employee
    pub steps: Vec<StepState>,
    /// whether another employee of the company has the same SSN, which blocks onboarding that is not finished
    pub duplicate_ssn: bool,
}
