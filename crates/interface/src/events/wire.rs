//! Events on the wire.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::values::EventType;

/// An event of a company, as it is delivered.
#[derive(Debug, Serialize, ToSchema)]
pub struct Event {
    /// identifier; a receiver may get an event twice, with the same identifier
    pub uuid: Uuid,
    /// such as `employee.created`
    #[schema(value_type = EventType)]
    pub event_type: String,
    /// always `Company`
    pub resource_type: String,
    /// the company
    pub resource_uuid: Uuid,
    /// kind of the record whose state changed
    pub entity_type: String,
    /// that record
    pub entity_uuid: Uuid,
    /// Unix seconds
    pub timestamp: i64,
    /// the owner of a bank account or a form
    #[schema(value_type = Option<Object>)]
    pub references: Option<serde_json::Value>,
}
