//! Independent contractors: what they are, how they are paid, and their onboarding.
//!
//! A contractor is an individual or a business whose pay is reported on Form 1099-NEC and from which nothing is withheld, unless backup
//! withholding applies (26 USC 3406).
//!
//! | transition | from | to | by |
//! |---|---|---|---|
//! | enable self-onboarding | admin_onboarding_incomplete | self_onboarding_not_invited | [`requested`] |
//! | invite | admin_onboarding_incomplete, self_onboarding_not_invited | self_onboarding_invited | [`requested`] |
//! | cancel self-onboarding | self_onboarding_not_invited, self_onboarding_invited | admin_onboarding_incomplete | [`requested`] |
//! | data complete, or no longer | admin_onboarding_incomplete, admin_onboarding_review | each other | [`after_change`] |
//! | contractor begins | self_onboarding_not_invited, self_onboarding_invited | self_onboarding_started | [`began`] |
//! | contractor's steps done | self_onboarding_started | self_onboarding_review | [`requested`] |
//! | finish | admin_onboarding_review, self_onboarding_review | onboarding_completed | [`requested`] |
//!
//! Decisions where the public table is silent:
//! - Somebody whom an administrator onboards alone has given Form W-9 on paper: the signature here is required only in self-onboarding.
//! - An administrator's review begins as soon as every required step is complete, and ends if that is no longer so.
//! - The review of self-onboarding needs the contractor's own steps, and finishing needs every required step.

mod moves;
mod steps;

use strum::{EnumString, IntoStaticStr, VariantArray};

pub use moves::{after_change, allowed_statuses, requested_status, status_once_begun};
pub use steps::{Facts, Step, StepState, contractor_steps};

use crate::named::serde_by_name;

/// What a contractor is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum ContractorType {
    /// a person, known to the tax authorities by a Social Security number
    #[default]
    #[strum(serialize = "Individual")]
    Individual,
    /// a business, known to them by an employer identification number
    #[strum(serialize = "Business")]
    Business,
}

/// What a contractor is paid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum WageType {
    /// an amount that is agreed for each payment
    #[default]
    #[strum(serialize = "Fixed")]
    Fixed,
    /// hours, at a rate
    #[strum(serialize = "Hourly")]
    Hourly,
}

/// How a contractor is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum PayBy {
    /// by transfer to the contractor's bank account
    #[strum(serialize = "Direct Deposit")]
    DirectDeposit,
    /// by check, which the company hands over
    #[strum(serialize = "Check")]
    Check,
}

serde_by_name!(ContractorType, WageType, PayBy);

/// The onboarding status of a contractor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Status {
    /// the employer enters the data; initial status without self-onboarding
    #[default]
    #[strum(serialize = "admin_onboarding_incomplete")]
    AdminOnboardingIncomplete,
    /// the data that the employer entered is complete
    #[strum(serialize = "admin_onboarding_review")]
    AdminOnboardingReview,
    /// self-onboarding enabled, not yet invited; initial status with self-onboarding
    #[strum(serialize = "self_onboarding_not_invited")]
    SelfOnboardingNotInvited,
    /// the contractor was invited
    #[strum(serialize = "self_onboarding_invited")]
    SelfOnboardingInvited,
    /// the contractor has begun
    #[strum(serialize = "self_onboarding_started")]
    SelfOnboardingStarted,
    /// the contractor's part is done, and the employer reviews it
    #[strum(serialize = "self_onboarding_review")]
    SelfOnboardingReview,
    /// completed; the contractor can be paid
    #[strum(serialize = "onboarding_completed")]
    OnboardingCompleted,
}

impl Status {
    /// Whether self-onboarding is in progress.
    pub fn is_self_onboarding(self) -> bool {
        matches!(
            self,
            Self::SelfOnboardingNotInvited
                | Self::SelfOnboardingInvited
                | Self::SelfOnboardingStarted
                | Self::SelfOnboardingReview
        )
    }
}
