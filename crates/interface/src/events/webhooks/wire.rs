//! Webhook subscriptions and deliveries on the wire.

use std::borrow::Cow;

use domain::events::delivery::tries::Try;
use domain::events::webhooks::redelivery::DeliveryLog;
use domain::events::webhooks::service::Health;
use domain::events::webhooks::{commands, redelivery, rows};
use jiff::Timestamp;
use rules::Named;
use serde::Serialize;
use serde_json::Value;
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::field::{Field, LIST, Wire, Words};
use crate::input;
use crate::values::{
    IdText, LineText, LongLineText, MomentText, SubscriptionStatus, SubscriptionType, UrlText,
};

/// A subscription to events.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Subscription {
    /// identifier
    pub uuid: Uuid,
    /// URL to which events are posted
    pub url: String,
    /// `pending` until verified, `verified`, `unreachable` after deliveries failed for three days, `removed`
    #[schema(value_type = SubscriptionStatus)]
    pub status: &'static str,
    /// the event types that are delivered
    #[schema(value_type = Vec<SubscriptionType>)]
    pub subscription_types: Vec<&'static str>,
}

impl From<rows::Subscription> for Subscription {
    fn from(row: rows::Subscription) -> Self {
        Self {
            uuid: row.id,
            url: row.url,
            status: row.status.public_name(),
            subscription_types: row.types.names(),
        }
    }
}

/// A list of groups of events.
#[derive(Debug)]
pub enum SubscriptionTypes {}

impl Wire for SubscriptionTypes {
    type Value = Vec<String>;
    const EXPECTED: &'static str = Words::EXPECTED;
    fn from_json(value: Value) -> Option<Vec<String>> {
        Words::from_json(value)
    }
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(<SubscriptionType as Wire>::schema()).max_items(Some(LIST)).into()
    }
}

impl ComposeSchema for SubscriptionTypes {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        Self::schema()
    }
}

impl ToSchema for SubscriptionTypes {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Enum_SubscriptionTypes")
    }
}

input! {
    /// A new subscription.
    NewSubscription => commands::CreateSubscription {
        /// a publicly routable https URL
        #[schema(required)]
        url: UrlText,
        /// one or more of BankAccount, Company, CompanyBenefit, Contractor, ContractorPayment, Employee, EmployeeBenefit,
        /// EmployeeJobCompensation, ExternalPayroll, Form, Location, Notification, Payroll, PayrollSync, PaySchedule,
        /// Signatory, PeopleBatch, TimeOffRequest
        #[schema(required)]
        subscription_types: SubscriptionTypes,
    }

    /// The event types of a subscription.
    UpdateSubscription => commands::UpdateSubscription {
        /// as for a new subscription
        #[schema(required)]
        subscription_types: SubscriptionTypes,
    }

    /// The token that was posted to the subscription's url.
    Verification => commands::VerifySubscription {
        /// as it was received
        #[schema(required)]
        verification_token: LongLineText,
    }

    /// Which events to redeliver.
    ReplayInput => commands::ReplayEvents {
        /// events from this moment, such as 2026-12-01T09:00:00Z
        #[schema(required)]
        from: MomentText,
        /// events before this moment; defaults to now
        #[schema(nullable)]
        to: MomentText,
        /// an event type, or a pattern such as employee.*; defaults to all types of the subscription
        #[schema(nullable)]
        event_type: LineText,
        /// continue after this event, if an earlier response said that there are more
        #[schema(nullable)]
        starting_after_uuid: IdText,
    }

    /// How to replace a secret.
    RotateInput => commands::RotateSecret {
        /// for how long both secrets sign, 0 to 604800 seconds (a week); a day by default
        #[schema(nullable)]
        overlap_seconds: i64,
    }
}

/// A confirmation.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Requested {
    /// human-readable text
    pub message: &'static str,
}

/// The health of deliveries.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct HealthCheck {
    /// in the last ten minutes: `healthy`, `unhealthy` or, without any attempt, `unknown`
    pub status: &'static str,
    /// when this was determined, ISO 8601 with milliseconds
    pub last_checked_at: String,
}

impl From<(Health, Timestamp)> for HealthCheck {
    fn from((health, at): (Health, Timestamp)) -> Self {
        Self { status: health.as_str(), last_checked_at: at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string() }
    }
}

/// One event on its way to one subscription, or a verification call.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Delivery {
    /// the event; for a verification call, an identifier of its own. Sent as the header `webhook-id`
    pub event_uuid: Uuid,
    /// the subscription
    pub webhook_subscription_uuid: Uuid,
    /// such as `employee.created`, or `webhook_subscription.verification`
    pub event_type: String,
    /// the company of the event; null for a verification call
    pub resource_uuid: Option<Uuid>,
    /// `open` while it is attempted, `delivered`, `failed` after the last retry, `abandoned` if the subscription no
    /// longer received
    pub status: &'static str,
    /// when it was created
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// when it was delivered or abandoned
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// every attempt, oldest first
    pub attempts: Vec<Attempt>,
}

impl From<DeliveryLog> for Delivery {
    fn from(DeliveryLog { delivery, tries }: DeliveryLog) -> Self {
        Self {
            event_uuid: delivery.key.event,
            webhook_subscription_uuid: delivery.key.subscription,
            resource_uuid: (!delivery.is_verification()).then_some(delivery.company),
            event_type: delivery.event_type,
            status: delivery.state.as_str(),
            created_at: delivery.created_at,
            finished_at: delivery.finished_at,
            attempts: tries.into_iter().map(Attempt::from).collect(),
        }
    }
}

impl Delivery {
    /// The deliveries of a list.
    pub fn of_all(logs: Vec<DeliveryLog>) -> Vec<Self> {
        logs.into_iter().map(Self::from).collect()
    }
}

/// One attempt.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Attempt {
    /// from 1 on
    pub number: i64,
    /// when it began
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// the HTTP status of the response
    pub response_status: Option<i64>,
    /// why there was no response
    pub failure: Option<String>,
    /// its duration
    pub duration_ms: i64,
    /// the beginning of the response body
    pub response_start: String,
    /// when the next attempt was scheduled
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_try_at: Option<Timestamp>,
}

impl From<Try> for Attempt {
    fn from(row: Try) -> Self {
        Self {
            number: row.number,
            at: row.at,
            response_status: row.status,
            failure: row.failure,
            duration_ms: row.micros / 1_000,
            response_start: row.response_start,
            next_try_at: row.next_try_at,
        }
    }
}

/// The result of a redelivery.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Replayed {
    /// how many events
    pub replayed: usize,
    /// where to continue; null if these were all
    pub continue_after_uuid: Option<Uuid>,
}

impl From<redelivery::Replayed> for Replayed {
    fn from(replayed: redelivery::Replayed) -> Self {
        Self { replayed: replayed.events, continue_after_uuid: replayed.continue_after }
    }
}
