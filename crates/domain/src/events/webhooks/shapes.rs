//! Operations on webhook subscriptions, and their shapes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, Words};

/// A subscription to events.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Subscription {
    /// identifier
    pub uuid: Uuid,
    /// where events are posted
    pub url: String,
    /// `pending` until verified, `verified`, `unreachable` after deliveries failed for three days, `removed`
    pub status: &'static str,
    /// the types of events that are delivered
    pub subscription_types: Vec<&'static str>,
}

/// A new subscription.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct NewSubscription {
    /// an https address that is publicly routable
    #[schema(required)]
    pub url: Field<String>,
    /// one or more of BankAccount, Company, CompanyBenefit, Contractor, ContractorPayment, Employee, EmployeeBenefit,
    /// EmployeeJobCompensation, ExternalPayroll, Form, Location, Notification, Payroll, PayrollSync, PaySchedule,
    /// Signatory, PeopleBatch, TimeOffRequest
    #[schema(required)]
    pub subscription_types: Field<Words>,
}

/// What a subscription is to ask for.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateSubscription {
    /// as for a new subscription
    #[schema(required)]
    pub subscription_types: Field<Words>,
}

/// The token that was posted to the subscription's url.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Verification {
    /// as it was received
    #[schema(required)]
    pub verification_token: Field<String>,
}

/// That something was asked for.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Requested {
    /// for people
    pub message: &'static str,
}

/// How deliveries go.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct HealthCheck {
    /// of the last ten minutes: `healthy`, `unhealthy` or, without any try, `unknown`
    pub status: &'static str,
    /// when this was found, ISO 8601 with milliseconds
    pub last_checked_at: String,
}
