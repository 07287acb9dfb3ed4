//! `GET /v1/events`.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::list::{self, Wanted};
use crate::app::App;
use crate::delivery::outbox;
use crate::error::Error;
use crate::http::Call;
use crate::paging::Query;

/// Operations on events.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_events))
}

/// Something that happened to a company, as it is delivered.
#[derive(Debug, Serialize, ToSchema)]
pub struct Event {
    /// identifier; a receiver may get an event twice, with the same one
    pub uuid: Uuid,
    /// such as `employee.created`
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
    /// to whom a bank account or a form belongs
    #[schema(value_type = Option<Object>)]
    pub references: Option<serde_json::Value>,
}

/// List events of all companies of the application, whatever it subscribed to
///
/// In the order in which they became known; of the last thirty days.
#[utoipa::path(get, path = "/v1/events", tag = "Webhooks",
    params(
        ("starting_after_uuid" = Option<String>, Query, description = "The event after which to go on"),
        ("resource_uuid" = Option<String>, Query, description = "Only events of this company"),
        ("limit" = Option<String>, Query, description = "1 to 100; 25 by default"),
        ("event_type" = Option<String>, Query, description = "An event type, or a pattern such as employee.* or *.created"),
        ("sort_order" = Option<String>, Query, description = "asc (oldest first, the default) or desc")),
    responses((status = 200, description = "The events", body = Vec<Event>)),
    security(("system_access" = ["events:read"])))]
async fn list_events(State(app): State<App>, call: Call, query: Query) -> Result<Response, Error> {
    let wanted = Wanted::parse(&query)?;
    outbox::number_all(&app.store).await?;
    app.read(call, move |tx, caller| list::list(tx, caller, &wanted)).await
}
