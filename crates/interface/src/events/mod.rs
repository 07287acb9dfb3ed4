//! `GET /v1/events`.

pub mod webhooks;
pub mod wire;

use axum::extract::State;
use axum::response::Response;
use domain::events::list;
use domain::events::list::{ANY_TYPE, EventFilter, like};
use domain::events::webhooks::outbox;
use domain::records::id_of;
use rules::{Category, Checks, Violation};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::Event;
use crate::app::App;
use crate::error::Error;
use crate::http::Call;
use crate::query::Query;

/// Events in a response when `limit` is absent, and at the most.
const LIMIT: i64 = 25;
const MOST: i64 = 100;

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
    let filter = filter(&query)?;
    outbox::number_all(&app.store).await?;
    app.read(call, move |tx, caller| list::list(tx, caller, &filter)).await
}

fn filter(query: &Query) -> Result<EventFilter, Error> {
    let mut checks = Checks::new();
    let limit = limit(query, &mut checks);
    let pattern = query.text("event_type").map(|text| like("event_type", text));
    let pattern = pattern.and_then(|pattern| checks.take(pattern)).unwrap_or_else(|| ANY_TYPE.to_owned());
    let descending = descending(query, &mut checks);
    checks.finish()?;
    Ok(EventFilter {
        after: query.text("starting_after_uuid").map(id_of),
        company: query.text("resource_uuid").map(id_of),
        limit,
        pattern,
        descending,
    })
}

/// `limit`, 1 to 100.
fn limit(query: &Query, checks: &mut Checks) -> i64 {
    let Some(text) = query.text("limit") else { return LIMIT };
    let limit = text.parse::<i64>().ok().filter(|limit| (1..=MOST).contains(limit));
    if limit.is_none() {
        let message = format!("limit must be a whole number from 1 to {MOST}");
        checks.push(Violation::new("limit", Category::InvalidParameter, message));
    }
    limit.unwrap_or(LIMIT)
}

/// `sort_order`: whether it is descending.
fn descending(query: &Query, checks: &mut Checks) -> bool {
    match query.text("sort_order") {
        None | Some("asc") => false,
        Some("desc") => true,
        Some(_) => {
            let message = "sort_order must be asc or desc";
            checks.push(Violation::new("sort_order", Category::InvalidParameter, message));
            false
        }
    }
}
