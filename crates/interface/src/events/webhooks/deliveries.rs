//! Operations beyond the specification: the log of every attempt, redelivery, and replacing the secret.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::events::delivery::rows::{DeliveryFilter, DeliveryState};
use domain::events::webhooks::outbox;
use domain::events::webhooks::{redelivery, service};
use rules::Checks;
use rules::Named;
use utoipa::openapi::Schema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::wire::{Delivery, ReplayInput, Replayed, RotateInput, Subscription};
use crate::app::App;
use crate::error::Error;
use crate::events::{Limit, Order};
use crate::http::{Call, Id, Input, Owned};
use crate::query::{Parameter, Query, parameter_violation};
use crate::{named, query};

/// Operations on deliveries.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_webhook_deliveries))
        .routes(routes!(list_event_deliveries))
        .routes(routes!(redeliver_event))
        .routes(routes!(replay_events))
        .routes(routes!(rotate_webhook_secret))
}

query! {
    /// Which deliveries are listed.
    ListWebhookDeliveries {
        /// open, delivered, failed or abandoned
        status: Status,
        /// The event after which to continue
        starting_after_uuid: Option<Uuid>,
        /// 1 to 100; 25 by default
        limit: Limit,
        /// asc (oldest first, the default) or desc
        sort_order: Order,
    }
}

impl From<ListWebhookDeliveries> for DeliveryFilter {
    fn from(query: ListWebhookDeliveries) -> Self {
        Self {
            state: query.status.0,
            after: query.starting_after_uuid,
            limit: query.limit.0,
            descending: query.sort_order.is_descending(),
        }
    }
}

/// The status of deliveries.
#[derive(Debug, Clone, Copy)]
pub struct Status(Option<DeliveryState>);

impl Parameter for Status {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let read = query.text_value(key).map(|text| {
            let names = DeliveryState::names().join(", ");
            DeliveryState::parse(text)
                .ok_or_else(|| parameter_violation(key, &format!("may be only {names}")))
        });
        Self(read.and_then(|read| checks.take_value(read)))
    }
    fn schema() -> Schema {
        named::schema_of_names(&DeliveryState::names())
    }
}

/// List a subscription's deliveries with every attempt
///
/// By default in the order of the events, oldest first. `status` narrows the list, for instance to failed deliveries.
#[utoipa::path(get, path = "/v1/webhook_subscriptions/{webhook_subscription_uuid}/deliveries", tag = "Webhooks",
    params(
        ("webhook_subscription_uuid" = Uuid, Path, description = "A subscription of the application"),
        ListWebhookDeliveries),
    responses((status = 200, description = "The deliveries, in the order of their events", body = Vec<Delivery>)),
    security(("system_access" = ["webhook_subscriptions:read"])))]
async fn list_webhook_deliveries(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ListWebhookDeliveries,
) -> Result<Response, Error> {
    let filter = query.into();
    app.read_all(call, move |tx, caller| {
        redelivery::of_subscription(tx, caller, id, &filter).map(Delivery::of_all)
    })
    .await
}

/// List an event's deliveries with every attempt
///
/// Each subscription that receives the event, with each attempt: when, the response, and when the next attempt is due.
#[utoipa::path(get, path = "/v1/events/{event_uuid}/deliveries", tag = "Webhooks",
    params(("event_uuid" = Uuid, Path, description = "An event of one of the application's companies")),
    responses((status = 200, description = "Its deliveries, one for each subscription to it", body = Vec<Delivery>)),
    security(("system_access" = ["webhook_subscriptions:read"])))]
async fn list_event_deliveries(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| redelivery::of_event(tx, caller, id).map(Delivery::of_all)).await
}

/// Redeliver an event
///
/// The retry schedule starts again. The subscription must be verified.
#[utoipa::path(post, path = "/v1/webhook_subscriptions/{webhook_subscription_uuid}/deliveries/{event_uuid}/redeliver", tag = "Webhooks",
    params(
        ("webhook_subscription_uuid" = Uuid, Path, description = "A subscription of the application"),
        ("event_uuid" = Uuid, Path, description = "An event that was delivered to it, or should have been")),
    responses((status = 200, description = "The delivery, open again", body = Delivery)),
    security(("system_access" = ["webhook_subscriptions:write"])))]
async fn redeliver_event(
    State(app): State<App>,
    call: Call,
    Path(Owned { owner: subscription, id: event }): Path<Owned>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        redelivery::redeliver_event(tx, caller, subscription, event).map(Delivery::from)
    })
    .await
}

/// Redeliver the events of a period
///
/// At most 500 in one call; the response says where to continue.
#[utoipa::path(post, path = "/v1/webhook_subscriptions/{webhook_subscription_uuid}/replay", tag = "Webhooks",
    params(("webhook_subscription_uuid" = Uuid, Path, description = "A subscription of the application")),
    request_body = ReplayInput,
    responses((status = 200, description = "How many are redelivered", body = Replayed)),
    security(("system_access" = ["webhook_subscriptions:write"])))]
async fn replay_events(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<ReplayInput>,
) -> Result<Response, Error> {
    outbox::number_all(&app.store).await?;
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        redelivery::replay_events(tx, caller, id, &command).map(Replayed::from)
    })
    .await
}

/// Replace the secret of a subscription
///
/// A new token is posted to the subscription's URL, as for a verification, and counts towards the limit of calls to its
/// host. Until the overlap ends, X-Service-Signature is made with the old secret, and webhook-signature contains both.
#[utoipa::path(post, path = "/v1/webhook_subscriptions/{webhook_subscription_uuid}/rotate_secret", tag = "Webhooks",
    params(("webhook_subscription_uuid" = Uuid, Path, description = "A subscription of the application")),
    request_body = RotateInput,
    responses((status = 200, description = "The subscription; its status is unchanged", body = Subscription)),
    security(("system_access" = ["webhook_subscriptions:write"])))]
async fn rotate_webhook_secret(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<RotateInput>,
) -> Result<Response, Error> {
    super::count_verification_of(&app, call.caller()?, id).await?;
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        service::rotate_secret(tx, caller, id, &command).map(Subscription::from)
    })
    .await
}
