//! One attempt: claiming a delivery, making the call, and storing the outcome. Used by the worker, which makes many at
//! once, and by the test clock, which makes them in the order of their time.

use std::time::Duration;

use hyper::body::Bytes;
use jiff::{Timestamp, ToSpan};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::{Clock, Tx};
use uuid::Uuid;

use super::client::{Reply, Sender};
use super::sign;
use domain::error::Error;
use domain::events::delivery::rows;
use domain::events::delivery::rows::{Delivery, Key, Lane, Next, WithPayload};
use domain::events::delivery::tries::{self, Try};
use domain::events::webhooks::rows as subscriptions;
use domain::events::webhooks::rows::{Secret, Subscription};
use domain::events::webhooks::types::SubscriptionStatus;

/// Lease of a claimed delivery: the time of an attempt and of storing its outcome, with a margin.
pub const LEASE_SECONDS: i64 = 60;
/// Deliveries abandoned in one unit when a subscription no longer receives.
const ABANDONED_AT_ONCE: i64 = 256;

/// A claimed delivery, with all that the call needs.
#[derive(Debug, Clone)]
pub struct Parcel {
    /// the delivery; `claims` is the number of our claim
    pub delivery: Delivery,
    url: String,
    body: Option<String>,
    secret: Secret,
    previous: Option<Secret>,
}

/// The outcome of an attempt.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// the delivery as it was claimed
    pub delivery: Delivery,
    /// when the attempt began
    pub at: Timestamp,
    /// when it ended, on the same clock
    pub ended: Timestamp,
    /// its real duration
    pub took: Duration,
    /// the response, or why there was none
    pub result: Result<Reply, String>,
}

impl Outcome {
    /// The claim under which it was attempted.
    pub fn claim_key(&self) -> (Key, i64) {
        (self.delivery.key, self.delivery.claims)
    }

    /// Whether the call was acknowledged.
    pub fn is_acknowledged(&self) -> bool {
        self.result.as_ref().is_ok_and(Reply::is_acknowledged)
    }

    fn first_try_at(&self) -> Timestamp {
        self.delivery.first_try_at.unwrap_or(self.at)
    }

    /// The state that follows from it.
    fn next(&self) -> Next {
        if self.is_acknowledged() {
            return Next::Delivered;
        }
        let first = self.first_try_at();
        let elapsed = self.ended.as_millisecond() - first.as_millisecond();
        let asked = self.result.as_ref().map_or(0, |reply| reply.retry_after);
        let used = u32::try_from(self.delivery.used).unwrap_or(rules::retry::RETRIES);
        match rules::retry::next(used, elapsed, asked, jitter_byte(self.delivery.key, used)) {
            Some(retry) => Next::Retry(first + retry.at.milliseconds(), retry.used),
            None => Next::Failed,
        }
    }
}

/// Reproducible jitter: the test clock must give the same times again.
fn jitter_byte(key: Key, used: u32) -> u8 {
    let mut hash = Sha256::new();
    hash.update(key.subscription.as_bytes());
    hash.update(key.event.as_bytes());
    hash.update(used.to_be_bytes());
    hash.finalize()[0]
}

/// What a lane had to offer.
#[derive(Debug, Default)]
pub struct Taken {
    /// deliveries that may be attempted now
    pub parcels: Vec<Parcel>,
    /// whether there may be more
    pub more: bool,
}

/// Claims due deliveries of a lane, at most `room`. If the subscription does not receive, they are abandoned.
pub fn claim_due_deliveries(tx: &mut Tx<'_>, lane: Lane, now: Timestamp, room: i64) -> Result<Taken, Error> {
    let Some(subscription) = subscriptions::find_for_delivery(tx, lane.application, lane.subscription)?
    else {
        return Ok(Taken::default());
    };
    let receives = subscription.status == SubscriptionStatus::Verified;
    // A subscription that no longer receives drops everything open, not only what is due.
    let (until, most) = if receives { (now, room) } else { (Timestamp::MAX, ABANDONED_AT_ONCE) };
    let found = rows::due_deliveries(tx, lane, until, most)?;
    let more = found.len() as i64 == most;
    let mut parcels = Vec::new();
    for found in found {
        parcels.extend(take_one(tx, &subscription, found, now)?);
    }
    Ok(Taken { parcels, more })
}

/// Claims one delivery, or abandons it; `None` if someone else claimed it first, or there is nothing to send.
pub fn take_one(
    tx: &mut Tx<'_>,
    subscription: &Subscription,
    (mut delivery, payload): WithPayload,
    now: Timestamp,
) -> Result<Option<Parcel>, Error> {
    let wanted = match subscription.status {
        SubscriptionStatus::Verified => delivery.is_verification() || payload.is_some(),
        SubscriptionStatus::Pending | SubscriptionStatus::Unreachable => delivery.is_verification(),
        SubscriptionStatus::Removed | SubscriptionStatus::Paused => false,
    };
    if !wanted {
        rows::abandon_delivery(tx, &delivery)?;
        return Ok(None);
    }
    if delivery.due > now || !rows::claim_delivery(tx, &delivery, now + LEASE_SECONDS.seconds())? {
        return Ok(None);
    }
    delivery.claims += 1;
    let (secret, previous) = subscription.valid_secrets(tx, now)?;
    let body = if delivery.is_verification() { None } else { payload };
    Ok(Some(Parcel { delivery, url: subscription.url.clone(), body, secret, previous }))
}

impl Parcel {
    /// Makes the call. `at` is the time of the attempt; `ended` returns the time of its end.
    pub async fn send_call(
        self,
        sender: &Sender,
        at: Timestamp,
        ended: impl FnOnce() -> Timestamp,
    ) -> Outcome {
        let Self { delivery, url, body, secret, previous } = self;
        let body = body.unwrap_or_else(|| verification_body(&secret, delivery.key.subscription));
        let id = delivery.key.event.to_string();
        let secrets = (secret.text(), previous.as_ref().map(Secret::text));
        let told = sender.receiver_time(at);
        let headers = sign::signature_headers(secrets, &id, told.as_second(), body.as_bytes());
        let started = Clock::monotonic();
        let mut result = sender.post(&url, &headers, Bytes::from(body), told).await;
        let took = Clock::monotonic().saturating_sub(started);
        // A receiver may echo what it got; the record of its response must not reveal the secret.
        if let Ok(reply) = &mut result {
            for secret in [Some(&secret), previous.as_ref()].into_iter().flatten() {
                if reply.start.contains(secret.text()) {
                    reply.start = reply.start.replace(secret.text(), "***");
                }
            }
        }
        Outcome { delivery, at, ended: ended(), took, result }
    }
}

/// The body of a verification call.
fn verification_body(secret: &Secret, subscription: Uuid) -> String {
    json!({ "verification_token": secret.text(), "webhook_subscription_uuid": subscription }).to_string()
}

/// Stores outcomes. Returns the subscriptions that have become unreachable.
pub fn store_outcomes(tx: &mut Tx<'_>, outcomes: &[Outcome]) -> Result<Vec<(Uuid, Uuid)>, Error> {
    let mut newest: Vec<(Uuid, Uuid, bool, Timestamp)> = Vec::new();
    for outcome in outcomes {
        let Key { application, subscription, .. } = outcome.delivery.key;
        let (done, ended) = (outcome.is_acknowledged(), outcome.ended);
        match newest.iter_mut().find(|(a, s, ok, _)| (*a, *s, *ok) == (application, subscription, done)) {
            Some((.., at)) => *at = ended.max(*at),
            None => newest.push((application, subscription, done, ended)),
        }
    }
    // Always in the same order, so that two nodes never deadlock.
    newest.sort_unstable();
    // The record of a subscription is on every server of a cluster: while one does not answer it can only be read, and the
    // deliveries matter more than when the last one succeeded.
    let all_answer = tx.all_servers_answer();
    for (application, subscription, succeeded, at) in newest.into_iter().filter(|_| all_answer) {
        subscriptions::note_try(tx, application, subscription, succeeded, at)?;
    }
    let mut unreachable = Vec::new();
    for outcome in outcomes {
        let next = outcome.next();
        if store_one(tx, outcome, next)? && next == Next::Failed && all_answer && gave_up(tx, outcome)? {
            unreachable.push((outcome.delivery.key.application, outcome.delivery.key.subscription));
        }
    }
    Ok(unreachable)
}

/// Stores one outcome; false if the delivery has been claimed by someone else in the meantime.
fn store_one(tx: &mut Tx<'_>, outcome: &Outcome, next: Next) -> Result<bool, Error> {
    let Outcome { delivery, at, ended, took, result } = outcome;
    if !rows::settle_delivery(tx, (delivery.key, delivery.claims), outcome.first_try_at(), next, *ended)? {
        return Ok(false);
    }
    let done = Try {
        number: delivery.tries + 1,
        at: *at,
        status: result.as_ref().ok().map(|reply| i64::from(reply.status)),
        failure: result.as_ref().err().cloned(),
        micros: i64::try_from(took.as_micros()).unwrap_or(i64::MAX),
        response_start: result.as_ref().map_or_else(|_| String::new(), |reply| reply.start.clone()),
        next_try_at: if let Next::Retry(due, _) = next { Some(due) } else { None },
    };
    tries::insert_attempt(tx, delivery.key, &done)?;
    Ok(true)
}

/// After the last attempt: the receiver is unreachable, unless something else has been acknowledged since the first
/// one.
fn gave_up(tx: &mut Tx<'_>, outcome: &Outcome) -> Result<bool, Error> {
    let Key { application, subscription, .. } = outcome.delivery.key;
    if outcome.delivery.is_verification() {
        return Ok(false); // it stays pending; a new call can be requested
    }
    let found = subscriptions::find_subscription(tx, application, subscription)?;
    let alive = found.is_none_or(|s| s.last_success_at.is_some_and(|at| at > outcome.first_try_at()));
    Ok(!alive && subscriptions::set_status(tx, application, subscription, SubscriptionStatus::Unreachable)?)
}
