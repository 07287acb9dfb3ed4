//! `GET /v1/events`.

pub mod webhooks;
pub mod wire;

use axum::extract::State;
use axum::response::Response;
use domain::events::list;
use domain::events::list::{ANY_TYPE, EventFilter, like_pattern};
use domain::events::webhooks::outbox;
use rules::{Checks, Named};
use utoipa::openapi::Schema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use self::wire::Event;
use crate::app::App;
use crate::error::Error;
use crate::http::Call;
use crate::query::{Parameter, Query, number_up_to, parameter_violation};
use crate::{named, names, query};

/// Events in a response by default, and at most.
const LIMIT: i64 = 25;
const MOST: i64 = 100;

/// Operations on events.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_events))
}

query! {
    /// Which events are listed.
    ListEvents {
        /// The event after which to continue
        starting_after_uuid: Option<Uuid>,
        /// Only events of this company
        resource_uuid: Option<Uuid>,
        /// 1 to 100; 25 by default
        limit: Limit,
        /// An event type, or a pattern such as employee.* or *.created
        event_type: TypePattern,
        /// asc (oldest first, the default) or desc
        sort_order: Order,
    }
}

/// List events of all the application's companies, whatever it subscribed to
///
/// The last thirty days, in the order in which events were published.
#[utoipa::path(get, path = "/v1/events", tag = "Webhooks",
    params(ListEvents),
    responses((status = 200, description = "The events", body = Vec<Event>)),
    security(("system_access" = ["events:read"])))]
async fn list_events(State(app): State<App>, call: Call, query: ListEvents) -> Result<Response, Error> {
    let filter = query.into();
    outbox::number_all(&app.store).await?;
    app.read_all(call, move |tx, caller| list::list_events(tx, caller, &filter)).await
}

impl From<ListEvents> for EventFilter {
    fn from(query: ListEvents) -> Self {
        Self {
            after: query.starting_after_uuid,
            company: query.resource_uuid,
            limit: query.limit.0,
            pattern: query.event_type.0,
            descending: query.sort_order.is_descending(),
        }
    }
}

/// How many are listed.
#[derive(Debug, Clone, Copy)]
pub struct Limit(pub i64);

impl Parameter for Limit {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        Self(query.number(key, MOST, checks).unwrap_or(LIMIT))
    }
    fn schema() -> Schema {
        number_up_to(MOST)
    }
}

/// Which types of events are listed.
#[derive(Debug, Clone)]
pub struct TypePattern(String);

impl Parameter for TypePattern {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let pattern = query.text_value(key).and_then(|text| checks.take_value(like_pattern(key, text)));
        Self(pattern.unwrap_or_else(|| ANY_TYPE.to_owned()))
    }
    fn schema() -> Schema {
        Option::<String>::schema()
    }
}

names! {
    /// The order of a list.
    SortOrder { Ascending = "asc", Descending = "desc" }
}

/// The order of a list; ascending by default.
#[derive(Debug, Clone, Copy)]
pub struct Order(SortOrder);

impl Order {
    /// Whether the newest come first.
    pub fn is_descending(self) -> bool {
        self.0 == SortOrder::Descending
    }
}

impl Parameter for Order {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let read = query.text_value(key).map(|text| {
            SortOrder::parse(text).ok_or_else(|| parameter_violation(key, "must be asc or desc"))
        });
        Self(read.and_then(|read| checks.take_value(read)).unwrap_or(SortOrder::Ascending))
    }
    fn schema() -> Schema {
        named::schema_of::<SortOrder>()
    }
}
