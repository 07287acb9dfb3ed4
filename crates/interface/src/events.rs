//! `GET /v1/events`.

pub mod webhook_log;
pub mod webhooks;

use axum::extract::State;
use axum::response::Response;
use domain::events::shapes::Event;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::Error;
use crate::http::Call;
use crate::query::Query;
use domain::events::delivery::outbox;
use domain::events::list;
use domain::events::list::Wanted;

/// Operations on events.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_events))
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
