//! Subscriptions: creating, updating, verifying and deleting them, and replacing their secrets.

use jiff::{Timestamp, ToSpan};
use rules::Named;
use rules::{Category, Checks, Violation};
use serde_json::json;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::commands::{CreateSubscription, RotateSecret, UpdateSubscription, VerifySubscription};
use super::rows;
use super::rows::{Secret, Subscription};
use super::types::{NAMES, SubscriptionStatus, Types};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events::delivery::address::{Policy, not_public};
use crate::events::delivery::rows as deliveries;
use crate::events::delivery::rows::{Key, NOBODY, VERIFICATION};
use crate::patch::{Patch, as_is};
use crate::platform::audit;
use crate::records::{parse_id, room_for};

/// Maximum subscriptions of one application.
pub const MOST: i64 = 100;
/// Wrong verification tokens per minute that are compared, for one subscription.
pub const GUESSES: usize = 5;
/// Minutes over which the health of deliveries is determined.
const HEALTH_MINUTES: i64 = 10;
/// Seconds for which both secrets sign: default and maximum.
const OVERLAP: i64 = 24 * 3_600;
const LONGEST_OVERLAP: i64 = 7 * OVERLAP;
/// The entity in audit entries.
pub(super) const ENTITY: &str = "WebhookSubscription";

/// A subscription that was not deleted.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_subscription(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Subscription, Error> {
    find_of(tx, caller.application_id()?, id)
}

/// A subscription of an application that was not deleted.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_of(tx: &mut Tx<'_>, application: Uuid, id: Uuid) -> Result<Subscription, Error> {
    let found = rows::find_subscription(tx, application, id)?;
    found.filter(|found| found.status != SubscriptionStatus::Removed).ok_or(Error::NotFound)
}

/// Checks the types of a request: at least one, and known ones only.
fn check_event_types(field: &Patch<Vec<String>>, checks: &mut Checks) -> Types {
    let key = "subscription_types";
    let checked = field.required(key, checks, |_, names| {
        let mut types = Types::default();
        if names.is_empty() {
            return Err(Violation::invalid(key, format!("{key} can't be blank")));
        }
        if names.iter().all(|name| types.add_type(name)) {
            return Ok(types);
        }
        Err(Violation::invalid(key, format!("{key} may name only {}", NAMES.join(", "))))
    });
    checked.unwrap_or_default()
}

/// Creates a subscription, and posts the token to its URL. `unroutable`: its host has no public address.
///
/// # Errors
/// 422; a store error.
pub fn create_subscription(
    tx: &mut Tx<'_>,
    caller: &Caller,
    policy: &Policy,
    unroutable: bool,
    command: &CreateSubscription,
) -> Result<Subscription, Error> {
    let mut checks = Checks::new();
    let url = command.url.required("url", &mut checks, |key, text| policy.check_url(key, text));
    if unroutable && url.is_some() {
        checks.push(not_public("url"));
    }
    let types = check_event_types(&command.subscription_types, &mut checks);
    checks.finish()?;
    let url = url.map(String::from).unwrap_or_default();
    let application = caller.application_id()?;
    tx.take_guard(application, "webhook_subscriptions", application)?;
    room_for("webhook subscriptions", rows::list_subscriptions(tx, application, MOST)?.len(), MOST as usize)?;
    let id = tx.new_id();
    let secret = new_secret(tx);
    rows::insert_subscription(tx, (application, id), &url, types, &secret)?;
    call_for_verification(tx, application, id)?;
    audit::record_audit_entry(
        tx,
        caller,
        "created",
        (ENTITY, id),
        &json!({ "url": [null, url], "subscription_types": [null, types.names()] }),
    )?;
    rows::find_subscription(tx, application, id)?.ok_or(Error::NotFound)
}

/// A verification token: a random UUID (version 4).
fn new_secret(tx: &mut Tx<'_>) -> Secret {
    let bytes = tx.random::<16>();
    Secret::new(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
}

/// Posts the current token to the subscription's URL.
fn call_for_verification(tx: &mut Tx<'_>, application: Uuid, id: Uuid) -> Result<(), Error> {
    let (event, now) = (tx.new_id(), tx.now());
    let key = Key { application, subscription: id, event };
    deliveries::insert_delivery(tx, key, NOBODY, VERIFICATION, now)?;
    tx.wake_workers();
    Ok(())
}

/// The application's subscriptions.
pub fn list_subscriptions(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Subscription>, Error> {
    rows::list_subscriptions(tx, caller.application_id()?, MOST)
}

/// Changes the types of a subscription, and nothing else.
///
/// # Errors
/// "Not found"; 422; a store error.
pub fn update_subscription(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    command: &UpdateSubscription,
) -> Result<Subscription, Error> {
    let before = find_subscription(tx, caller, id)?;
    let mut checks = Checks::new();
    let types = check_event_types(&command.subscription_types, &mut checks);
    checks.finish()?;
    if before.types == types {
        return Ok(before);
    }
    if !rows::set_types(tx, before.application, id, types)? {
        return Err(Error::NotFound);
    }
    let changes = json!({ "subscription_types": [before.types.names(), types.names()] });
    audit::record_audit_entry(tx, caller, "updated", (ENTITY, id), &changes)?;
    Ok(Subscription { types, ..before })
}

/// Deletes a subscription: nothing is sent any more, and it cannot be found.
///
/// # Errors
/// "Not found"; a store error.
pub fn delete_subscription(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let application = caller.application_id()?;
    if !rows::set_status(tx, application, id, SubscriptionStatus::Removed)? {
        return Err(Error::NotFound);
    }
    audit::record_audit_entry(tx, caller, "deleted", (ENTITY, id), &json!({}))
}

/// Pauses the deliveries to a verified subscription of an application, or resumes them. While paused, waiting retries are abandoned and new
/// events get no deliveries; a replay makes up for both.
///
/// # Errors
/// "Not found"; 422 if it is not verified, or not paused; a store error.
pub fn set_paused(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (application, id): (Uuid, Uuid),
    paused: bool,
) -> Result<(), Error> {
    let before = find_of(tx, application, id)?;
    tx.take_guard(application, "webhook_subscription", id)?;
    let (done, action, needed) = if paused {
        (
            rows::set_status(tx, application, id, SubscriptionStatus::Paused)?,
            "paused",
            SubscriptionStatus::Verified,
        )
    } else {
        (rows::set_resumed(tx, application, id)?, "resumed", SubscriptionStatus::Paused)
    };
    if !done {
        let (needed, is) = (needed.as_str(), before.status.as_str());
        return Err(Error::from(Violation::invalid_operation(format!(
            "Only a subscription that is {needed} can be {action}; this one is {is}."
        ))));
    }
    audit::record_audit_entry(tx, caller, action, (ENTITY, id), &json!({}))
}

/// Posts the token again.
///
/// # Errors
/// "Not found"; a store error.
pub fn request_token(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let found = find_subscription(tx, caller, id)?;
    tx.take_guard(found.application, "webhook_subscription", id)?;
    audit::record_audit_entry(tx, caller, "requested_token", (ENTITY, id), &json!({}))?;
    // A waiting call is made now, instead of a second one.
    if found.status == SubscriptionStatus::Pending
        && let Some(key) = deliveries::waiting_call(tx, found.application, id)?
    {
        deliveries::reopen_delivery(tx, key)?;
        tx.wake_workers();
        return Ok(());
    }
    call_for_verification(tx, found.application, id)
}

/// The key of a violation that counts as a guess.
pub const TOKEN: &str = "verification_token";

/// Compares the returned token with the one that was posted. From then on events are delivered.
///
/// # Errors
/// "Not found"; 422 for another token; a store error.
pub fn verify_subscription(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    command: &VerifySubscription,
) -> Result<Subscription, Error> {
    let found = find_subscription(tx, caller, id)?;
    let wrong = || {
        let message = "verification_token is not the one that was posted to the subscription's url";
        Violation::new(TOKEN, Category::InvalidAttributeValue, message)
    };
    let mut checks = Checks::new();
    let token = command
        .verification_token
        .required(TOKEN, &mut checks, |_, token| parse_id(token).map(|_| token.clone()).ok_or_else(wrong));
    checks.finish()?;
    let now = tx.now();
    let (secret, _) = found.valid_secrets(tx, now)?;
    let sent = token.unwrap_or_default();
    if !bool::from(secret.text().as_bytes().ct_eq(sent.as_bytes())) {
        return Err(Error::from(wrong()));
    }
    if found.status != SubscriptionStatus::Verified {
        rows::set_status(tx, found.application, id, SubscriptionStatus::Verified)?;
    }
    let changes = json!({ "status": [found.status.as_str(), SubscriptionStatus::Verified.as_str()] });
    audit::record_audit_entry(tx, caller, "verified", (ENTITY, id), &changes)?;
    find_subscription(tx, caller, id)
}

/// Replaces the secret; the old one stays valid until the overlap ends.
///
/// # Errors
/// "Not found"; 422; a store error.
pub fn rotate_secret(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    command: &RotateSecret,
) -> Result<Subscription, Error> {
    let before = find_subscription(tx, caller, id)?;
    let seconds = check_overlap(&command.overlap_seconds)?;
    let (secret, now) = (new_secret(tx), tx.now());
    if !rows::set_secret(tx, &before, &secret, now + seconds.seconds())? {
        return Err(Error::NotFound);
    }
    call_for_verification(tx, before.application, id)?;
    audit::record_audit_entry(
        tx,
        caller,
        "rotated_secret",
        (ENTITY, id),
        &json!({ "overlap_seconds": seconds }),
    )?;
    find_subscription(tx, caller, id)
}

fn check_overlap(field: &Patch<i64>) -> Result<i64, Error> {
    let mut checks = Checks::new();
    let seconds = field.optional("overlap_seconds", &mut checks, as_is).unwrap_or(OVERLAP);
    checks.require((0..=LONGEST_OVERLAP).contains(&seconds), || {
        Violation::invalid("overlap_seconds", format!("overlap_seconds must be from 0 to {LONGEST_OVERLAP}"))
    });
    checks.finish()?;
    Ok(seconds)
}

/// The health of recent deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Health {
    /// one was acknowledged
    #[strum(serialize = "healthy")]
    Healthy,
    /// there were attempts, and none was acknowledged
    #[strum(serialize = "unhealthy")]
    Unhealthy,
    /// there was no attempt
    #[strum(serialize = "unknown")]
    Unknown,
}

/// The health of the application's deliveries over the last ten minutes, and the time of this statement.
///
/// # Errors
/// "Not found" for a caller that is no application; a store error.
pub fn delivery_health(tx: &mut Tx<'_>, caller: &Caller) -> Result<(Health, Timestamp), Error> {
    let now = tx.now();
    let since = now - HEALTH_MINUTES.minutes();
    let subscriptions = rows::list_subscriptions(tx, caller.application_id()?, MOST)?;
    let lately = |at: Option<Timestamp>| at.is_some_and(|at| at > since);
    let health = if subscriptions.iter().any(|s| lately(s.last_success_at)) {
        Health::Healthy
    } else if subscriptions.iter().any(|s| lately(s.last_failure_at)) {
        Health::Unhealthy
    } else {
        Health::Unknown
    };
    Ok((health, now))
}
