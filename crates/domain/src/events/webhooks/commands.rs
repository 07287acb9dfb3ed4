//! Inputs of the use cases on webhook subscriptions.

use crate::patch::Patch;

/// Creates a subscription.
#[derive(Debug, Clone, Default)]
pub struct CreateSubscription {
    /// where events are posted: a publicly routable https URL
    pub url: Patch<String>,
    /// names of [`NAMES`](super::types::NAMES), at least one
    pub subscription_types: Patch<Vec<String>>,
}

/// Changes the types of events that are delivered.
#[derive(Debug, Clone, Default)]
pub struct UpdateSubscription {
    /// as for a new subscription
    pub subscription_types: Patch<Vec<String>>,
}

/// Verifies a subscription.
#[derive(Debug, Clone, Default)]
pub struct VerifySubscription {
    /// the token that was posted to the subscription's url
    pub verification_token: Patch<String>,
}

/// Delivers past events again.
#[derive(Debug, Clone, Default)]
pub struct ReplayEvents {
    /// events from this time on, such as 2026-12-01T09:00:00Z
    pub from: Patch<String>,
    /// and before this one; by default until now
    pub to: Patch<String>,
    /// an event type, or a pattern such as employee.*; by default all types of the subscription
    pub event_type: Patch<String>,
    /// continue after this event
    pub starting_after_uuid: Patch<String>,
}

/// Replaces the secret of a subscription.
#[derive(Debug, Clone, Default)]
pub struct RotateSecret {
    /// how long both secrets sign; a day by default, a week at most
    pub overlap_seconds: Patch<i64>,
}
