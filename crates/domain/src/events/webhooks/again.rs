//! What became of deliveries, and what is done once more: one delivery, the events of a time, a secret.

use jiff::{Timestamp, ToSpan};
use rules::{Category, Checks, Violation};
use serde_json::json;
use store::{Tx, params};
use uuid::Uuid;

use super::log::{Attempt, Delivery, ReplayInput, Replayed, RotateInput};
use super::rows;
use super::rows::Subscription;
use super::service;
use super::service::{ENTITY, application_of};
use super::types::Status;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events::delivery::rows as deliveries;
use crate::events::delivery::rows::{Key, Page};
use crate::events::list::{down, like, limit, number_of};
use crate::field::{Field, as_is};
use crate::paging::Query;
use crate::platform::audit;
use crate::records::id_of;

store::statements! {
    RANGE_OF_COMPANY = "SELECT e.company_id, e.id, e.event_type, e.entity_type FROM events e CROSS JOIN connections c \
             WHERE e.company_id = $7 AND e.seq > $1 AND e.created_at >= $2 AND e.created_at < $3 AND e.event_type LIKE $4 ESCAPE '!' \
             AND c.company_id = e.company_id AND c.application_id = $5 AND c.connected_at <= e.created_at \
             AND (c.ended_at IS NULL OR c.ended_at >= e.created_at) ORDER BY e.seq LIMIT $6";
    RANGE = "SELECT e.company_id, e.id, e.event_type, e.entity_type FROM events e CROSS JOIN connections c \
             WHERE e.seq > $1 AND e.created_at >= $2 AND e.created_at < $3 AND e.event_type LIKE $4 ESCAPE '!' \
             AND c.company_id = e.company_id AND c.application_id = $5 AND c.connected_at <= e.created_at \
             AND (c.ended_at IS NULL OR c.ended_at >= e.created_at) ORDER BY e.seq LIMIT $6";
}

/// Events looked at in one call of a replay.
const AT_ONCE: i64 = 500;
/// Seconds for which both secrets sign: by default, and at the most.
const OVERLAP: i64 = 24 * 3_600;
const LONGEST_OVERLAP: i64 = 7 * OVERLAP;

/// Reads the parameters of a list of deliveries.
///
/// # Errors
/// 422 with every violation.
pub fn page(query: &Query) -> Result<Page, Error> {
    let mut checks = Checks::new();
    let states = ["open", "delivered", "failed", "abandoned"];
    let state = query.text("status").and_then(|text| {
        let known = states.into_iter().find(|state| *state == text);
        checks.require(known.is_some(), || {
            let message = format!("status may be only {}", states.join(", "));
            Violation::new("status", Category::InvalidParameter, message)
        });
        known
    });
    let page = Page {
        state,
        after: query.text("starting_after_uuid").map(id_of),
        limit: limit(query, &mut checks),
        down: down(query, &mut checks),
    };
    Query::checked(checks, page)
}

/// A delivery with its tries.
///
/// # Errors
/// A store error.
pub fn view(tx: &mut Tx<'_>, row: deliveries::Delivery) -> Result<Delivery, Error> {
    let tries = deliveries::tries(tx, row.key)?;
    Ok(Delivery {
        event_uuid: row.key.event,
        webhook_subscription_uuid: row.key.subscription,
        resource_uuid: (!row.is_verification()).then_some(row.company),
        event_type: row.event_type,
        status: row.state,
        created_at: row.created_at,
        finished_at: row.finished_at,
        attempts: tries
            .into_iter()
            .map(|one| Attempt {
                number: one.number,
                at: one.at,
                response_status: one.status,
                failure: one.failure,
                duration_ms: one.micros / 1_000,
                response_start: one.response_start,
                next_try_at: one.next_try_at,
            })
            .collect(),
    })
}

/// The deliveries of a subscription.
///
/// # Errors
/// "Not found"; a store error.
pub fn of_subscription(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    page: &Page,
) -> Result<Vec<Delivery>, Error> {
    let found = service::find(tx, caller, id)?;
    let rows = deliveries::of_subscription(tx, found.application, id, page)?;
    rows.into_iter().map(|row| view(tx, row)).collect()
}

/// The deliveries of an event.
///
/// # Errors
/// "Not found"; a store error.
pub fn of_event(tx: &mut Tx<'_>, caller: &Caller, event: Uuid) -> Result<Vec<Delivery>, Error> {
    let application = application_of(caller)?;
    number_of(tx, application, event)?.ok_or(Error::NotFound)?;
    let mut found = Vec::new();
    for subscription in rows::list(tx, application, service::MOST)? {
        let key = Key { application, subscription: subscription.id, event };
        if let Some((row, _)) = deliveries::find(tx, key)? {
            found.push(view(tx, row)?);
        }
    }
    Ok(found)
}

/// A verified subscription: to others nothing is delivered.
fn receiving(tx: &mut Tx<'_>, application: Uuid, id: Uuid) -> Result<Subscription, Error> {
    let found = service::find_of(tx, application, id)?;
    if found.status == Status::Verified {
        return Ok(found);
    }
    Err(Error::from(Violation::operation(format!(
        "The subscription is {}; nothing is delivered to it before it is verified.",
        found.status.as_str()
    ))))
}

/// Delivers an event once more.
///
/// # Errors
/// "Not found"; 422 when the subscription receives nothing, or the event is kept no more; a store error.
pub fn redeliver(
    tx: &mut Tx<'_>,
    caller: &Caller,
    subscription: Uuid,
    event: Uuid,
) -> Result<Delivery, Error> {
    let application = service::find(tx, caller, subscription)?.application;
    redeliver_to(tx, caller, Key { application, subscription, event }, None)
}

/// As [`redeliver`], for a caller who is not the application; with a company, only an event of that company.
///
/// # Errors
/// As [`redeliver`].
pub fn redeliver_to(
    tx: &mut Tx<'_>,
    caller: &Caller,
    key: Key,
    company: Option<Uuid>,
) -> Result<Delivery, Error> {
    let Key { application, subscription, event } = key;
    let found = deliveries::find(tx, key)?;
    let of_company = |row: &deliveries::Delivery| company.is_none_or(|company| row.company == company);
    let (before, payload) = found.filter(|(row, _)| of_company(row)).ok_or(Error::NotFound)?;
    receiving(tx, application, subscription)?;
    if payload.is_none() && !before.is_verification() {
        return Err(Error::from(Violation::operation("The event is not kept any more.")));
    }
    if !deliveries::reopen(tx, key)? {
        return Err(Error::NotFound);
    }
    tx.wake();
    audit::record(tx, caller, "redelivered", (ENTITY, subscription), &json!({ "event_uuid": event }))?;
    let (row, _) = deliveries::find(tx, key)?.ok_or(Error::NotFound)?;
    view(tx, row)
}

fn moment(key: &str, text: &str) -> Result<Timestamp, Violation> {
    text.parse()
        .map_err(|_| Violation::invalid(key, format!("{key} must be a moment such as 2026-12-01T09:00:00Z")))
}

/// Delivers the events of a time once more, those that were never delivered to the subscription among them.
///
/// # Errors
/// "Not found"; 422; a store error.
pub fn replay(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, input: &ReplayInput) -> Result<Replayed, Error> {
    let application = service::find(tx, caller, id)?.application;
    replay_to(tx, caller, (application, id), None, input)
}

/// As [`replay`], for a caller who is not the application; with a company, only the events of that company.
///
/// # Errors
/// As [`replay`].
pub fn replay_to(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (application, id): (Uuid, Uuid),
    company: Option<Uuid>,
    input: &ReplayInput,
) -> Result<Replayed, Error> {
    let mut checks = Checks::new();
    let from = input.from.required("from", &mut checks, |key, text| moment(key, text));
    let to = input.to.optional("to", &mut checks, |key, text| moment(key, text)).unwrap_or(Timestamp::MAX);
    let pattern = input.event_type.optional("event_type", &mut checks, |key, text| like(key, text));
    let after =
        input.starting_after_uuid.optional("starting_after_uuid", &mut checks, |_, text| Ok(id_of(text)));
    let cursor = match after {
        None => Some(0),
        Some(event) => number_of(tx, application, event)?.flatten(),
    };
    checks.require(cursor.is_some(), || {
        Violation::invalid(
            "starting_after_uuid",
            "starting_after_uuid is not the uuid of an event that is kept",
        )
    });
    checks.finish()?;
    let subscription = receiving(tx, application, id)?;
    let pattern = pattern.unwrap_or_else(|| "%".to_owned());
    let from = from.unwrap_or(Timestamp::MIN);
    let range = params![cursor.unwrap_or(0), from, to, &pattern, application, AT_ONCE, company];
    let (statement, range) = if company.is_some() { (RANGE_OF_COMPANY, range) } else { (RANGE, &range[..6]) };
    let found = tx.query(statement, range, |row| {
        (row.get::<Uuid>(0), row.get::<Uuid>(1), row.get::<String>(2), row.get::<String>(3))
    })?;
    let (mut replayed, now) = (0, tx.now());
    for (company, event, event_type, entity_type) in &found {
        if subscription.types.hear_of(event_type, entity_type) {
            let key = Key { application, subscription: id, event: *event };
            if !deliveries::reopen(tx, key)? {
                deliveries::insert(tx, key, *company, event_type, now)?;
            }
            replayed += 1;
        }
    }
    tx.wake();
    audit::record(tx, caller, "replayed", (ENTITY, id), &json!({ "events": replayed }))?;
    let full = found.len() as i64 == AT_ONCE;
    let last = found.last().map(|(_, event, ..)| *event);
    Ok(Replayed { replayed, continue_after_uuid: last.filter(|_| full) })
}

/// Replaces the secret; the old one counts until the overlap ends.
///
/// # Errors
/// "Not found"; 422; a store error.
pub fn rotate(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &RotateInput,
) -> Result<crate::events::webhooks::shapes::Subscription, Error> {
    let before = service::find(tx, caller, id)?;
    let seconds = overlap(&input.overlap_seconds)?;
    let (secret, now) = (service::new_secret(tx), tx.now());
    if !rows::set_secret(tx, &before, &secret, now + seconds.seconds())? {
        return Err(Error::NotFound);
    }
    service::call_for_verification(tx, before.application, id)?;
    audit::record(tx, caller, "rotated_secret", (ENTITY, id), &json!({ "overlap_seconds": seconds }))?;
    service::get(tx, caller, id)
}

fn overlap(field: &Field<i64>) -> Result<i64, Error> {
    let mut checks = Checks::new();
    let seconds = field.optional("overlap_seconds", &mut checks, as_is).unwrap_or(OVERLAP);
    checks.require((0..=LONGEST_OVERLAP).contains(&seconds), || {
        Violation::invalid("overlap_seconds", format!("overlap_seconds must be from 0 to {LONGEST_OVERLAP}"))
    });
    checks.finish()?;
    Ok(seconds)
}
