//! Onboarding of an employee: the status, the open steps, and the transitions between statuses.
//!
//! `rules::onboarding` decides which steps are complete and which transitions are allowed; here the facts are read and
//! the transitions stored, each with its event. [`service::employee_changed`] follows every change of an employee's data
//! in the same unit of work, so that the status always matches the data.

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
    /// its status
    pub status: Status,
    /// the steps that concern this employee
    pub steps: Vec<StepState>,
    /// whether another employee of the company has the same SSN, which blocks onboarding that is not finished
    pub duplicate_ssn: bool,
}
