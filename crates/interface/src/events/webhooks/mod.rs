//! Operations on webhook subscriptions.

pub mod deliveries;
pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::access::tokens::{Caller, Token};
use domain::events::webhooks::service;
use domain::records::parse_id;
use store::Clock;
use url::Url;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use self::wire::{HealthCheck, NewSubscription, Requested, Subscription, UpdateSubscription, Verification};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::rate::{self, Limiter};

/// Operations on subscriptions.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_webhook_subscriptions, create_webhook_subscription))
        .routes(routes!(get_webhook_subscription, update_webhook_subscription, delete_webhook_subscription))
        .routes(routes!(verify_webhook_subscription))
        .routes(routes!(request_webhook_verification_token))
        .routes(routes!(get_webhooks_health_check))
        .merge(deliveries::routes())
}

/// Subscribe to events
///
/// The subscription is pending. A verification token is posted to its URL, as `verification_token` and
/// `webhook_subscription_uuid`; sent back, it verifies the subscription, and it is the secret that signs each event.
#[utoipa::path(post, path = "/v1/webhook_subscriptions", tag = "Webhooks",
    request_body = NewSubscription,
    responses((status = 201, description = "The new subscription", body = Subscription)),
    security(("system_access" = ["webhook_subscriptions:write"])))]
async fn create_webhook_subscription(
    State(app): State<App>,
    call: Call,
    Input(input): Input<NewSubscription>,
) -> Result<Response, Error> {
    if let Some(host) = host_of(&input) {
        count_verification(&app, &host)?;
    }
    let unroutable = is_unroutable(&app, &input).await;
    let policy = app.courier.policy.clone();
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        service::create_subscription(tx, caller, &policy, unroutable, &command).map(Subscription::from)
    })
    .await
}

/// The host that a new subscription names.
fn host_of(input: &NewSubscription) -> Option<String> {
    input.url.0.value().and_then(|url| Url::parse(url).ok()?.host_str().map(str::to_owned))
}

/// Counts a verification call, per host and across applications: otherwise creating and deleting subscriptions could be
/// used to flood a host with calls.
fn count_verification(app: &App, host: &str) -> Result<(), Error> {
    Limiter::admit_request(app.verifications.as_ref(), &rate::host_key(host), Clock::monotonic())
}

/// As [`count_verification`], for the host of a subscription.
async fn count_verification_of(app: &App, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let caller = caller.clone();
    let found = app.store.read(move |tx| service::find_subscription(tx, &caller, id)).await?;
    match Url::parse(&found.url).ok().as_ref().and_then(Url::host_str) {
        Some(host) => count_verification(app, host),
        None => Ok(()),
    }
}

/// Whether the URL's host is already known to have no public address.
async fn is_unroutable(app: &App, input: &NewSubscription) -> bool {
    match host_of(input) {
        Some(host) if !app.courier.policy.private => app.courier.sender.is_forbidden_host(&host).await,
        _ => false,
    }
}

/// List the application's subscriptions
///
/// All subscriptions of the token's application, whatever their status.
#[utoipa::path(get, path = "/v1/webhook_subscriptions", tag = "Webhooks",
    responses((status = 200, description = "The subscriptions, in the order of creation", body = Vec<Subscription>)),
    security(("system_access" = ["webhook_subscriptions:read"])))]
async fn list_webhook_subscriptions(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, |tx, caller| {
        let subscriptions = service::list_subscriptions(tx, caller)?;
        Ok(subscriptions.into_iter().map(Subscription::from).collect::<Vec<_>>())
    })
    .await
}

/// Read a subscription
///
/// Its URL, its event types, and its status.
#[utoipa::path(get, path = "/v1/webhook_subscriptions/{webhook_subscription_uuid}", tag = "Webhooks",
    params(("webhook_subscription_uuid" = Uuid, Path, description = "A subscription of the application")),
    responses((status = 200, description = "The subscription", body = Subscription)),
    security(("system_access" = ["webhook_subscriptions:read"])))]
async fn get_webhook_subscription(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| service::find_subscription(tx, caller, id).map(Subscription::from))
        .await
}

/// Change the event types of a subscription
///
/// Earlier events are not delivered; replay a period for that.
#[utoipa::path(put, path = "/v1/webhook_subscriptions/{webhook_subscription_uuid}", tag = "Webhooks",
    params(("webhook_subscription_uuid" = Uuid, Path, description = "A subscription of the application")),
    request_body = UpdateSubscription,
    responses((status = 200, description = "The subscription as updated", body = Subscription)),
    security(("system_access" = ["webhook_subscriptions:write"])))]
async fn update_webhook_subscription(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateSubscription>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        service::update_subscription(tx, caller, id, &command).map(Subscription::from)
    })
    .await
}

/// Delete a subscription
///
/// Pending deliveries to it are abandoned.
#[utoipa::path(delete, path = "/v1/webhook_subscriptions/{webhook_subscription_uuid}", tag = "Webhooks",
    params(("webhook_subscription_uuid" = Uuid, Path, description = "A subscription of the application")),
    responses((status = 204, description = "Deleted; nothing more is delivered to it")),
    security(("system_access" = ["webhook_subscriptions:write"])))]
async fn delete_webhook_subscription(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        service::delete_subscription(tx, caller, id)
    })
    .await
}

/// Verify a subscription with the token that its URL received
///
/// Also with a company's token of the same application. At most five wrong tokens are checked per minute; further ones
/// are refused unchecked.
#[utoipa::path(put, path = "/v1/webhook_subscriptions/{webhook_subscription_uuid}/verify", tag = "Webhooks",
    params(("webhook_subscription_uuid" = Uuid, Path, description = "A subscription of the application")),
    request_body = Verification,
    responses((status = 200, description = "The subscription, now verified", body = Subscription)),
    security(("system_access" = ["webhook_subscriptions:write"]),
             ("company_access" = ["webhook_subscriptions:write"])))]
async fn verify_webhook_subscription(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<Verification>,
) -> Result<Response, Error> {
    let guess = Guess::begin_attempt(&app, &call, id, &input)?;
    let command = input.into();
    let response = app
        .write_json(call, StatusCode::OK, move |tx, caller| {
            service::verify_subscription(tx, caller, id, &command).map(Subscription::from)
        })
        .await;
    guess.count_outcome(&app, &response);
    response
}

/// Post the verification token again
///
/// For a receiver that missed it: the same token is posted to the URL again. A host is called at most twenty times a
/// minute, including calls for new subscriptions.
#[utoipa::path(get, path = "/v1/webhook_subscriptions/{webhook_subscription_uuid}/request_verification_token", tag = "Webhooks",
    params(("webhook_subscription_uuid" = Uuid, Path, description = "A subscription of the application")),
    responses((status = 200, description = "It will be posted", body = Requested)),
    security(("system_access" = ["webhook_subscriptions:read"])))]
async fn request_webhook_verification_token(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    const MESSAGE: &str = "The verification token is posted to the url of the subscription.";
    count_verification_of(&app, call.caller()?, id).await?;
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        service::request_token(tx, caller, id).map(|()| Requested { message: MESSAGE })
    })
    .await
}

/// Read the health of deliveries
///
/// All deliveries of the application in the last ten minutes.
#[utoipa::path(get, path = "/v1/webhooks/health_check", tag = "Webhooks",
    responses((status = 200, description = "The health of the application's deliveries in the last ten minutes", body = HealthCheck)),
    security(("system_access" = ["webhook_subscriptions:read"])))]
async fn get_webhooks_health_check(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| service::delivery_health(tx, caller).map(HealthCheck::from)).await
}

/// A token that may be right, and the subscription for which a wrong one is counted.
struct Guess(Option<[u8; 32]>);

impl Guess {
    fn begin_attempt(app: &App, call: &Call, id: Uuid, input: &Verification) -> Result<Self, Error> {
        let could_be = input.verification_token.0.value().is_some_and(|token| parse_id(token).is_some());
        let key = Token::hash_of(&format!("{} {id}", call.caller()?.data_key_owner()));
        let wait = app.guesses.as_ref().map(|guesses| guesses.time_to_wait(&key, Clock::monotonic()));
        match wait.filter(|wait| could_be && !wait.is_zero()) {
            Some(wait) => Err(Error::TooManyRequests(wait.as_secs() + 1)),
            None => Ok(Self(could_be.then_some(key))),
        }
    }

    fn count_outcome(self, app: &App, response: &Result<Response, Error>) {
        let wrong = matches!(response, Err(Error::Violations(_)));
        if let (true, Some(key), Some(guesses)) = (wrong, self.0, &app.guesses) {
            guesses.count_request(&key, Clock::monotonic());
        }
    }
}
