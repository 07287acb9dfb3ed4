//! Rows of webhook subscriptions. A subscription belongs to an application, and every query names it.

use jiff::Timestamp;
use rules::Named;
use store::record::Cursor;
use store::{Place, Row, Tx, Unread, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::types::{SubscriptionStatus, Types};
use crate::error::Error;

store::statements! {
    INSERT = "INSERT INTO webhook_subscriptions (application_id, id, url, subscription_types, status, secret, created_at, updated_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $7)";
    FIND = "SELECT application_id, id, url, subscription_types, status, secret, previous_secret, previous_until, last_success_at, last_failure_at \
            FROM webhook_subscriptions WHERE application_id = $1 AND id = $2";
    LIST = "SELECT application_id, id, url, subscription_types, status, secret, previous_secret, previous_until, last_success_at, last_failure_at \
            FROM webhook_subscriptions WHERE application_id = $1 AND status <> 'removed' ORDER BY id LIMIT $2";
    SET_TYPES = "UPDATE webhook_subscriptions SET subscription_types = $1, updated_at = $2 \
                 WHERE application_id = $3 AND id = $4 AND status <> 'removed'";
    SET_VERIFIED = "UPDATE webhook_subscriptions SET status = 'verified', verified_at = $1, updated_at = $1 \
                    WHERE application_id = $2 AND id = $3 AND status IN ('pending', 'unreachable', 'paused')";
    SET_REMOVED = "UPDATE webhook_subscriptions SET status = 'removed', updated_at = $1 \
                   WHERE application_id = $2 AND id = $3 AND status <> 'removed'";
    SET_UNREACHABLE = "UPDATE webhook_subscriptions SET status = 'unreachable', updated_at = $1 \
                       WHERE application_id = $2 AND id = $3 AND status = 'verified'";
    SET_PAUSED = "UPDATE webhook_subscriptions SET status = 'paused', updated_at = $1 \
                  WHERE application_id = $2 AND id = $3 AND status = 'verified'";
    // The start of its events is unchanged: events of the meantime are delivered by a replay.
    SET_RESUMED = "UPDATE webhook_subscriptions SET status = 'verified', updated_at = $1 \
                   WHERE application_id = $2 AND id = $3 AND status = 'paused'";
    SET_SECRET = "UPDATE webhook_subscriptions SET secret = $1, previous_secret = $2, previous_until = $3, updated_at = $4 \
                  WHERE application_id = $5 AND id = $6 AND status <> 'removed'";
    NOTE_SUCCESS = "UPDATE webhook_subscriptions SET last_success_at = $1 WHERE application_id = $2 AND id = $3";
    NOTE_FAILURE = "UPDATE webhook_subscriptions SET last_failure_at = $1 WHERE application_id = $2 AND id = $3";
    INTERESTED = "SELECT s.application_id, s.id, s.subscription_types, s.verified_at, c.connected_at, c.ended_at \
                  FROM connections c JOIN webhook_subscriptions s ON s.application_id = c.application_id \
                  JOIN applications a ON a.id = c.application_id \
                  WHERE c.company_id = $1 AND s.status = 'verified' AND a.disabled_at IS NULL ORDER BY s.id";
    PAST = "SELECT application_id, connected_at, ended_at FROM past_connections WHERE company_id = $1 ORDER BY application_id, connected_at LIMIT 1000";
    IS_DISABLED = "SELECT 1 FROM applications WHERE id = $1 AND disabled_at IS NOT NULL";
    REMOVE_ALL = "UPDATE webhook_subscriptions SET status = 'removed', updated_at = $1 \
                  WHERE application_id = $2 AND status <> 'removed'";
}

/// A subscription of an application.
#[derive(Debug, Clone)]
pub struct Subscription {
    /// the application
    pub application: Uuid,
    /// identifier
    pub id: Uuid,
    /// where deliveries go
    pub url: String,
    /// the types of events that are delivered
    pub types: Types,
    /// whether events are delivered to it
    pub status: SubscriptionStatus,
    /// the verification token, sealed; it is also the signing secret
    pub secret: Vec<u8>,
    /// the previous token, sealed, and until when it is valid
    pub previous: Option<(Vec<u8>, Timestamp)>,
    /// end of the last successful attempt
    pub last_success_at: Option<Timestamp>,
    /// end of the last failed attempt
    pub last_failure_at: Option<Timestamp>,
}

const TABLE: &str = "webhook_subscriptions";

fn read_subscription(row: &Row<'_>) -> Result<Subscription, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    Ok(Subscription {
        application: next.read_plain("application_id")?,
        id: next.read_plain("id")?,
        url: next.read_plain("url")?,
        types: Types(next.read_plain("subscription_types")?),
        status: next.read_text("status", SubscriptionStatus::parse)?,
        secret: next.read_plain("secret")?,
        previous: next
            .read_plain::<Option<Vec<u8>>>("previous_secret")?
            .zip(next.read_plain("previous_until")?),
        last_success_at: next.read_plain("last_success_at")?,
        last_failure_at: next.read_plain("last_failure_at")?,
    })
}

/// A verification token, opened. Its `Debug` does not show it.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// A token as text.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

store::hidden!(Secret);

fn secret_place(application: Uuid, id: Uuid, column: &'static str) -> Place {
    Place { owner: application, table: TABLE, row: id, column }
}

impl Subscription {
    /// Opens the current secret, and the previous one while it is valid.
    pub fn valid_secrets(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<(Secret, Option<Secret>), Error> {
        let mut open = |column: &'static str, sealed: &[u8]| {
            let plain = tx.unseal_field(secret_place(self.application, self.id, column), sealed)?;
            let text = std::str::from_utf8(&plain)
                .map_err(|_| Unread::new("holds no text").into_error(TABLE, column))?;
            Ok::<_, Error>(Secret::new(text.to_owned()))
        };
        let current = open("secret", &self.secret)?;
        let previous = self.previous.as_ref().filter(|(_, until)| *until > now);
        let previous = previous.map(|(sealed, _)| open("previous_secret", sealed)).transpose()?;
        Ok((current, previous))
    }
}

/// Stores a new subscription.
pub fn insert_subscription(
    tx: &mut Tx<'_>,
    (application, id): (Uuid, Uuid),
    url: &str,
    types: Types,
    secret: &Secret,
) -> Result<(), Error> {
    let sealed = tx.seal_field(secret_place(application, id, "secret"), secret.text().as_bytes())?;
    let (now, status) = (tx.now(), SubscriptionStatus::Pending.as_str());
    Ok(tx.insert_row(INSERT, params![application, id, url, types.0, status, &sealed, now])?)
}

/// The subscription, whatever its status.
pub fn find_subscription(
    tx: &mut Tx<'_>,
    application: Uuid,
    id: Uuid,
) -> Result<Option<Subscription>, Error> {
    Ok(tx.try_find(FIND, params![application, id], read_subscription)?)
}

/// The subscription as deliveries see it: one of a disabled application receives nothing, like a deleted one.
pub fn find_for_delivery(
    tx: &mut Tx<'_>,
    application: Uuid,
    id: Uuid,
) -> Result<Option<Subscription>, Error> {
    let Some(mut found) = find_subscription(tx, application, id)? else { return Ok(None) };
    if tx.find_row(IS_DISABLED, params![application], |_| ())?.is_some() {
        found.status = SubscriptionStatus::Removed;
    }
    Ok(Some(found))
}

/// Removes every subscription of an application; returns how many.
pub fn remove_all(tx: &mut Tx<'_>, application: Uuid) -> Result<u64, Error> {
    let now = tx.now();
    Ok(tx.change_rows(REMOVE_ALL, params![now, application])?.rows())
}

/// The application's subscriptions that were not deleted, in the order of creation.
pub fn list_subscriptions(tx: &mut Tx<'_>, application: Uuid, most: i64) -> Result<Vec<Subscription>, Error> {
    Ok(tx.try_query(LIST, params![application, most], read_subscription)?)
}

/// Changes the types of a subscription; returns whether it exists.
pub fn set_types(tx: &mut Tx<'_>, application: Uuid, id: Uuid, types: Types) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change_rows(SET_TYPES, params![types.0, now, application, id])?.is_one())
}

/// Changes the status of a subscription; returns whether its previous status allowed that.
pub fn set_status(
    tx: &mut Tx<'_>,
    application: Uuid,
    id: Uuid,
    status: SubscriptionStatus,
) -> Result<bool, Error> {
    let statement = match status {
        SubscriptionStatus::Verified => SET_VERIFIED,
        SubscriptionStatus::Removed => SET_REMOVED,
        SubscriptionStatus::Unreachable => SET_UNREACHABLE,
        SubscriptionStatus::Paused => SET_PAUSED,
        SubscriptionStatus::Pending => return Ok(false), // nothing becomes pending again
    };
    let now = tx.now();
    Ok(tx.change_rows(statement, params![now, application, id])?.is_one())
}

/// Ends a pause; returns whether there was one.
pub fn set_resumed(tx: &mut Tx<'_>, application: Uuid, id: Uuid) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change_rows(SET_RESUMED, params![now, application, id])?.is_one())
}

/// Replaces the secret; the current one stays valid until `until`. Returns whether the subscription exists. If an even older one is still
/// valid, it stays valid instead: receivers may not know any of those between.
pub fn set_secret(
    tx: &mut Tx<'_>,
    before: &Subscription,
    new: &Secret,
    until: Timestamp,
) -> Result<bool, Error> {
    let (application, id, now) = (before.application, before.id, tx.now());
    let (current, previous) = before.valid_secrets(tx, now)?;
    let counts = previous.unwrap_or(current);
    let sealed = tx.seal_field(secret_place(application, id, "secret"), new.text().as_bytes())?;
    let previous =
        tx.seal_field(secret_place(application, id, "previous_secret"), counts.text().as_bytes())?;
    Ok(tx.change_rows(SET_SECRET, params![&sealed, &previous, until, now, application, id])?.is_one())
}

/// Records the end of a subscription's newest attempt.
pub fn note_try(
    tx: &mut Tx<'_>,
    application: Uuid,
    id: Uuid,
    succeeded: bool,
    at: Timestamp,
) -> Result<(), Error> {
    let statement = if succeeded { NOTE_SUCCESS } else { NOTE_FAILURE };
    let _there = tx.change_rows(statement, params![at, application, id])?.rows();
    Ok(())
}

/// A verified subscription of an application that is or was connected to a company.
#[derive(Debug, Clone)]
pub struct Interested {
    /// the application
    pub application: Uuid,
    /// the subscription
    pub id: Uuid,
    types: Types,
    verified: Option<Timestamp>,
    /// when its application was connected to the company, and until when
    times: Vec<(Timestamp, Option<Timestamp>)>,
}

impl Interested {
    /// Whether it gets an event that occurred at `at`: after its verification, and while its application was connected to the company, now
    /// or before. An earlier event may get its number only after they were connected again.
    pub fn hears_of(&self, event_type: &str, entity_type: &str, at: Timestamp) -> bool {
        let within = |(since, until): &(Timestamp, Option<Timestamp>)| {
            *since <= at && until.is_none_or(|until| at <= until)
        };
        self.verified.is_none_or(|verified| verified <= at)
            && self.times.iter().any(within)
            && self.types.hear_of(event_type, entity_type)
    }
}

/// Announces the query of [`interested_subscriptions`] (see [`Tx::announce`]).
pub fn announce_interested(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    tx.announce_query(INTERESTED, params![company])?;
    Ok(tx.announce_query(PAST, params![company])?)
}

/// The verified subscriptions that may get a company's events.
pub fn interested_subscriptions(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Interested>, Error> {
    let mut found = tx.try_query(INTERESTED, params![company], |row| {
        let mut next = Cursor::new(row, TABLE, 0);
        let (application, id) = (next.read_plain("application_id")?, next.read_plain("id")?);
        let types = Types(next.read_plain("subscription_types")?);
        let verified = next.read_plain("verified_at")?;
        let times = vec![(next.read_plain("connected_at")?, next.read_plain("ended_at")?)];
        Ok::<_, store::Error>(Interested { application, id, types, verified, times })
    })?;
    let past = tx.try_query(PAST, params![company], |row| {
        let mut next = Cursor::new(row, "past_connections", 0);
        let application: Uuid = next.read_plain("application_id")?;
        Ok::<_, store::Error>((application, next.read_plain("connected_at")?, next.read_plain("ended_at")?))
    })?;
    for one in &mut found {
        let own = past.iter().filter(|(application, ..)| *application == one.application);
        one.times.extend(own.map(|(_, since, until)| (*since, Some(*until))));
    }
    Ok(found)
}
