//! Time off requests on the wire. Hours are decimal text with three decimal places.

use std::collections::BTreeMap;

use domain::pay::time_off::requests::commands;
use domain::pay::time_off::requests::service;
use domain::pay::time_off::requests::service::RequestDetails;
use rules::Amount;
use serde::Serialize;
use serde_json::Value;
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::field::{Field, Wire};
use crate::input;
use crate::values::{DateText, IdText, NoteText, PolicyKind, TimeOffRequestStatus};

/// Maximum days read from a request.
const MOST_DAYS: usize = 366;

/// Hours by day.
#[derive(Debug)]
pub enum Days {}

impl Wire for Days {
    type Value = BTreeMap<String, Amount>;
    const EXPECTED: &'static str =
        "an object of hours by day, such as {\"2026-07-06\": \"8.000\"}, with at most 366 days";

    fn from_json(value: Value) -> Option<Self::Value> {
        let Value::Object(days) = value else { return None };
        if days.len() > MOST_DAYS {
            return None;
        }
        let read = |(day, hours): (String, Value)| Some((day, Amount::from_json(hours)?));
        days.into_iter().map(read).collect()
    }

    fn schema() -> RefOr<Schema> {
        let hours = ObjectBuilder::new().schema_type(utoipa::openapi::Type::String);
        ObjectBuilder::new().additional_properties(Some(Schema::from(hours.build()))).into()
    }
}

impl ComposeSchema for Days {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        Self::schema()
    }
}

impl ToSchema for Days {}

/// A request for time off.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimeOffRequest {
    /// identifier
    pub uuid: Uuid,
    /// its status; consumed once payrolls of all its days are processed
    pub status: TimeOffRequestStatus,
    /// note from the employee to the employer
    pub employee_note: Option<String>,
    /// note from the employer to the employee
    pub employer_note: Option<String>,
    /// vacation or sick
    pub policy_type: PolicyKind,
    /// the policy
    pub policy_uuid: Uuid,
    /// hours by day, YYYY-MM-DD
    pub days: BTreeMap<String, String>,
    /// the employee
    pub employee: NamedPerson,
    /// who created the request: the employee, or an administrator
    pub initiator: Option<NamedPerson>,
    /// the administrator who decided
    pub approver: Option<NamedPerson>,
}

/// A person.
#[derive(Debug, Serialize, ToSchema)]
pub struct NamedPerson {
    /// identifier
    pub uuid: Uuid,
    /// first and last name
    pub full_name: String,
}

/// A time off request, in the form of the older list.
#[derive(Debug, Serialize, ToSchema)]
pub struct OlderTimeOffRequest {
    /// the request
    #[serde(flatten)]
    pub request: TimeOffRequest,
    /// as policy_type
    pub request_type: PolicyKind,
}

fn named_person((id, name): (Option<Uuid>, Option<String>)) -> Option<NamedPerson> {
    Some(NamedPerson { uuid: id?, full_name: name? })
}

impl From<RequestDetails> for TimeOffRequest {
    fn from(RequestDetails { request, name, days }: RequestDetails) -> Self {
        Self {
            uuid: request.id,
            status: request.status.into(),
            employee_note: request.employee_note,
            employer_note: request.employer_note,
            policy_type: request.policy_type.into(),
            policy_uuid: request.policy,
            days: days.into_iter().map(|day| (day.day.to_string(), day.hours.to_text(3))).collect(),
            employee: NamedPerson { uuid: request.employee, full_name: name },
            initiator: named_person((request.initiator, request.initiator_name)),
            approver: named_person((request.approver, request.approver_name)),
        }
    }
}

impl From<RequestDetails> for OlderTimeOffRequest {
    fn from(details: RequestDetails) -> Self {
        Self { request_type: details.request.policy_type.into(), request: details.into() }
    }
}

/// The balance after a request.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimeOffRequestPreview {
    /// the balance; null where time off is unlimited
    pub balance_hours: Option<String>,
    /// hours of this request
    pub this_request_hours: String,
    /// hours of other pending or approved requests of the type that are not paid yet
    pub other_requested_hours: String,
    /// the remaining balance, negative if more is requested; null if time off is unlimited
    pub remaining_balance_hours: Option<String>,
    /// whether the balance can become negative
    pub allow_negative_balance: bool,
    /// whether time off is unlimited
    pub unlimited: bool,
}

impl From<service::Preview> for TimeOffRequestPreview {
    fn from(service::Preview { reserve, allow_negative_balance }: service::Preview) -> Self {
        Self {
            balance_hours: reserve.balance.map(|hours| hours.to_text(3)),
            this_request_hours: reserve.this.to_text(3),
            other_requested_hours: reserve.others.to_text(3),
            remaining_balance_hours: reserve.remaining_balance().map(|hours| hours.to_text(3)),
            allow_negative_balance,
            unlimited: reserve.balance.is_none(),
        }
    }
}

/// Declares bodies that request time off: their own fields, and the common ones.
macro_rules! asking {
    ($($(#[$about:meta])* $name:ident => $command:ty { $($(#[$field_about:meta])* $field:ident: $type:ty,)* })+) => {
        input! {$(
            $(#[$about])*
            $name => $command { $($(#[$field_about])* $field: $type,)* } + asked: commands::RequestTimeOff {
                /// the employee
                #[schema(required)]
                employee_uuid: IdText,
                /// an active policy of the employee
                #[schema(required)]
                policy_uuid: IdText,
                /// YYYY-MM-DD: first day
                #[schema(required)]
                start_date: DateText,
                /// YYYY-MM-DD: last day, at most 365 days after the first
                #[schema(required)]
                end_date: DateText,
                /// hours by day, YYYY-MM-DD, from the first day to the last; at most 24 a day
                #[schema(required)]
                days: Days,
            }
        )+}
    };
}

asking! {
    /// An employee's request for time off.
    CreateTimeOffRequest => commands::CreateRequest {
        /// note from the employee to the employer, at most 1,000 characters
        #[schema(nullable)]
        employee_note: NoteText,
    }

    /// Time off that an administrator grants.
    CreateApprovedTimeOffRequest => commands::CreateApproved {
        /// note from the employer to the employee, at most 1,000 characters
        #[schema(nullable)]
        employer_note: NoteText,
        /// an administrator of the company; the primary one when left out
        #[schema(nullable)]
        approver_uuid: IdText,
    }

    /// The request to preview.
    PreviewTimeOffRequest => commands::PreviewRequest {
        /// an existing request that this one would replace
        #[schema(nullable)]
        request_uuid: IdText,
    }
}

input! {
    /// The approval of a request.
    ApproveTimeOffRequest => commands::Approve {
        /// an administrator of the company; the primary one when left out
        #[schema(nullable)]
        approver_uuid: IdText,
        /// note from the employer to the employee, at most 1,000 characters
        #[schema(nullable)]
        employer_note: NoteText,
        /// hours by day if they differ from those requested, from the first day of the request to the last
        #[schema(nullable)]
        days: Days,
    }

    /// The refusal of a request.
    DeclineTimeOffRequest => commands::Decline {
        /// note from the employer to the employee, at most 1,000 characters
        #[schema(required)]
        employer_note: NoteText,
        /// an administrator of the company; the primary one when left out
        #[schema(nullable)]
        approver_uuid: IdText,
    }
}
