//! Operations beyond the specification: the record of every try, delivering again, and replacing the secret.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;

/// One event on its way to one subscription, or a verification call.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Delivery {
    /// the event; of a verification call, an identifier of its own. The header `webhook-id` carries it
    pub event_uuid: Uuid,
    /// the subscription
    pub webhook_subscription_uuid: Uuid,
    /// such as `employee.created`, or `webhook_subscription.verification`
    pub event_type: String,
    /// whose event; null of a verification call
    pub resource_uuid: Option<Uuid>,
    /// `open` while it is tried, `delivered`, `failed` after the last retry, `abandoned` when the subscription did not
    /// receive any more
    pub status: String,
    /// when it was made
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// when it was delivered or given up
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// every try, oldest first
    pub attempts: Vec<Attempt>,
}

/// One try.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Attempt {
    /// from 1 on
    pub number: i64,
    /// when it began
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// the HTTP status that was answered
    pub response_status: Option<i64>,
    /// why nothing was answered
    pub failure: Option<String>,
    /// how long it took
    pub duration_ms: i64,
    /// the beginning of the answer's body
    pub response_start: String,
    /// when the next try was planned
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_try_at: Option<Timestamp>,
}

/// Which events to deliver again.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ReplayInput {
    /// events from this moment on, such as 2026-12-01T09:00:00Z
    #[schema(required)]
    pub from: Field<String>,
    /// and before this one; by default until now
    pub to: Field<String>,
    /// an event type, or a pattern such as employee.*; by default all types that the subscription asks for
    pub event_type: Field<String>,
    /// go on after this event, when an earlier answer said that there are more
    pub starting_after_uuid: Field<String>,
}

/// What is delivered again.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Replayed {
    /// how many events
    pub replayed: usize,
    /// where to go on with `starting_after_uuid`; null when these were all
    pub continue_after_uuid: Option<Uuid>,
}

/// How to replace a secret.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct RotateInput {
    /// for how long both secrets sign, 0 to 604800 (a week); a day by default
    pub overlap_seconds: Field<i64>,
}
