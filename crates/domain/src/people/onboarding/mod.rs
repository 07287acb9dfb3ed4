//! Onboarding of an employee: the status, the open steps, and the transitions between statuses.
//!
//! `rules::onboarding` decides which steps are complete and which transitions are allowed; this module reads the facts and
//! stores the transitions, each with its event. [`service::employee_changed`] runs after every change of an employee's
//! data, in the same unit of work, so that the status always matches the data.

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
    /// the onboarding status
    pub status: Status,
    /// the steps that apply to this employee
    pub steps: Vec<StepState>,
    /// whether another employee of the company has the same SSN, which is reported as a blocker until onboarding is finished
    pub duplicate_ssn: bool,
    /// what is missing, of which the caller is warned
    pub missing: Vec<MissingData>,
}

/// Data that are not on file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingData {
    /// the e-mail address of an employee who was invited
    Email,
    /// the Social Security number of an employee whose onboarding is finished
    Ssn,
    /// Form W-4 of such an employee
    FederalTaxes,
    /// answers to the questions of such an employee's states
    StateTaxes,
}
