//! The log of deliveries, and redelivery: of one event, or of the events of a period.

use jiff::Timestamp;
use rules::Named;
use rules::{Checks, Violation, check};
use serde_json::json;
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use super::commands::ReplayEvents;
use super::rows;
use super::rows::Subscription;
use super::service;
use super::service::ENTITY;
use super::types::SubscriptionStatus;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events::delivery::rows as deliveries;
use crate::events::delivery::rows::{DeliveryFilter, Key};
use crate::events::delivery::tries::{self, Try};
use crate::events::feed::NUMBERS;
use crate::events::list::{ANY_TYPE, like_pattern, number_of};
use crate::platform::audit;
use crate::records::id_of;

/// Entries of the feed after a number and of a period, of companies while the application `$5` was connected to them, now or before.
macro_rules! range {
    ($company:literal) => {
        concat!(
            "SELECT f.company_id, f.id, f.event_type, f.entity_type FROM event_feed f CROSS JOIN connections c \
             WHERE f.seq > $1 AND f.created_at >= $2 AND f.created_at < $3 AND f.event_type LIKE $4 ESCAPE '!' \
             AND c.company_id = f.company_id AND c.application_id = $5 AND f.numbers_id = $7 \
             AND (f.application_id IS NULL OR f.application_id = c.application_id) \
             AND ((c.connected_at <= f.created_at AND (c.ended_at IS NULL OR c.ended_at >= f.created_at)) \
             OR EXISTS (SELECT 1 FROM past_connections p WHERE p.company_id = f.company_id AND p.application_id = $5 \
             AND p.connected_at <= f.created_at AND p.ended_at >= f.created_at))",
            $company,
            " ORDER BY f.seq LIMIT $6"
        )
    };
}

store::statements! {
    RANGE_OF_COMPANY = range!(" AND f.company_id = $8");
    RANGE = range!("");
}

/// Events handled in one call of a replay.
const AT_ONCE: i64 = 500;
/// A delivery with its attempts.
#[derive(Debug, Clone)]
pub struct DeliveryLog {
    /// the delivery
    pub delivery: deliveries::Delivery,
    /// every attempt, oldest first
    pub tries: Vec<Try>,
}

/// The result of a replay.
#[derive(Debug, Clone, Copy)]
pub struct Replayed {
    /// number of events that are delivered again
    pub events: usize,
    /// the event after which to continue; `None` if these were all
    pub continue_after: Option<Uuid>,
}

/// Adds the attempts to a delivery.
pub fn with_tries(tx: &mut Tx<'_>, delivery: deliveries::Delivery) -> Result<DeliveryLog, Error> {
    let tries = tries::of_delivery(tx, delivery.key)?;
    Ok(DeliveryLog { delivery, tries })
}

/// The deliveries of a subscription.
///
/// # Errors
/// "Not found"; 422 if the cursor is not an event; a store error.
pub fn of_subscription(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    filter: &DeliveryFilter,
) -> Result<Vec<DeliveryLog>, Error> {
    let found = service::find_subscription(tx, caller, id)?;
    // The event itself may have been deleted by retention, or delivered in the meantime.
    if filter.after.is_some_and(|event| event.is_nil()) {
        let message = "starting_after_uuid is not the uuid of an event";
        return Err(Error::from(Violation::invalid("starting_after_uuid", message)));
    }
    let rows = deliveries::of_subscription(tx, found.application, id, filter)?;
    rows.into_iter().map(|row| with_tries(tx, row)).collect()
}

/// The deliveries of an event.
///
/// # Errors
/// "Not found"; a store error.
pub fn of_event(tx: &mut Tx<'_>, caller: &Caller, event: Uuid) -> Result<Vec<DeliveryLog>, Error> {
    let application = caller.application_id()?;
    number_of(tx, application, event)?.ok_or(Error::NotFound)?;
    let mut found = Vec::new();
    for subscription in rows::list_subscriptions(tx, application, service::MOST)? {
        let key = Key { application, subscription: subscription.id, event };
        if let Some((row, _)) = deliveries::find_delivery(tx, key)? {
            found.push(with_tries(tx, row)?);
        }
    }
    Ok(found)
}

/// The subscription, which must be verified to receive anything.
fn find_receiving_subscription(tx: &mut Tx<'_>, application: Uuid, id: Uuid) -> Result<Subscription, Error> {
    let found = service::find_of(tx, application, id)?;
    if found.status == SubscriptionStatus::Verified {
        return Ok(found);
    }
    Err(Error::from(Violation::invalid_operation(format!(
        "The subscription is {}; nothing is delivered to it before it is verified.",
        found.status.as_str()
    ))))
}

/// Delivers an event again.
///
/// # Errors
/// "Not found"; 422 if the subscription does not receive events, or the event is no longer kept; a store error.
pub fn redeliver_event(
    tx: &mut Tx<'_>,
    caller: &Caller,
    subscription: Uuid,
    event: Uuid,
) -> Result<DeliveryLog, Error> {
    let application = service::find_subscription(tx, caller, subscription)?.application;
    redeliver_to(tx, caller, Key { application, subscription, event }, None)
}

/// As [`redeliver_event`], for a caller who is not the application; with a company, only an event of that company.
///
/// # Errors
/// As [`redeliver_event`].
pub fn redeliver_to(
    tx: &mut Tx<'_>,
    caller: &Caller,
    key: Key,
    company: Option<Uuid>,
) -> Result<DeliveryLog, Error> {
    let Key { application, subscription, event } = key;
    let found = deliveries::find_delivery(tx, key)?;
    let of_company = |row: &deliveries::Delivery| company.is_none_or(|company| row.company == company);
    let (before, payload) = found.filter(|(row, _)| of_company(row)).ok_or(Error::NotFound)?;
    find_receiving_subscription(tx, application, subscription)?;
    if payload.is_none() && !before.is_verification() {
        return Err(Error::from(Violation::invalid_operation("The event is no longer kept.")));
    }
    if !deliveries::reopen_delivery(tx, key)? {
        return Err(Error::NotFound);
    }
    tx.wake_workers();
    audit::record_audit_entry(
        tx,
        caller,
        "redelivered",
        (ENTITY, subscription),
        &json!({ "event_uuid": event }),
    )?;
    let (row, _) = deliveries::find_delivery(tx, key)?.ok_or(Error::NotFound)?;
    with_tries(tx, row)
}

/// Delivers the events of a period again, including those that were never delivered to the subscription.
///
/// # Errors
/// "Not found"; 422; a store error.
pub fn replay_events(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    command: &ReplayEvents,
) -> Result<Replayed, Error> {
    let application = service::find_subscription(tx, caller, id)?.application;
    replay_to(tx, caller, (application, id), None, command)
}

/// As [`replay_events`], for a caller who is not the application; with a company, only the events of that company.
///
/// # Errors
/// As [`replay_events`].
pub fn replay_to(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (application, id): (Uuid, Uuid),
    company: Option<Uuid>,
    command: &ReplayEvents,
) -> Result<Replayed, Error> {
    let mut checks = Checks::new();
    let from = command.from.required("from", &mut checks, |key, text| check::parse_moment(key, text));
    let to = command
        .to
        .optional("to", &mut checks, |key, text| check::parse_moment(key, text))
        .unwrap_or(Timestamp::MAX);
    let pattern = command.event_type.optional("event_type", &mut checks, |key, text| like_pattern(key, text));
    let after =
        command.starting_after_uuid.optional("starting_after_uuid", &mut checks, |_, text| Ok(id_of(text)));
    let cursor = match after {
        None => Some(0),
        Some(event) => number_of(tx, application, event)?,
    };
    checks.require(cursor.is_some(), || {
        Violation::invalid("starting_after_uuid", "starting_after_uuid is not the uuid of a retained event")
    });
    checks.finish()?;
    let subscription = find_receiving_subscription(tx, application, id)?;
    let pattern = pattern.unwrap_or_else(|| ANY_TYPE.to_owned());
    let from = from.unwrap_or(Timestamp::MIN);
    let range = params![cursor.unwrap_or(0), from, to, &pattern, application, AT_ONCE, NUMBERS, company];
    let (statement, range) = if company.is_some() { (RANGE_OF_COMPANY, range) } else { (RANGE, &range[..7]) };
    let found = tx.try_query(statement, range, |row| {
        let mut next = Cursor::new(row, "event_feed", 0);
        let (company, event): (Uuid, Uuid) = (next.read_plain("company_id")?, next.read_plain("id")?);
        let (event_type, entity_type): (String, String) =
            (next.read_plain("event_type")?, next.read_plain("entity_type")?);
        Ok::<_, Error>((company, event, event_type, entity_type))
    })?;
    let (mut replayed, now) = (0, tx.now());
    for (company, event, event_type, entity_type) in &found {
        if subscription.types.hear_of(event_type, entity_type) {
            let key = Key { application, subscription: id, event: *event };
            if !deliveries::reopen_delivery(tx, key)? {
                deliveries::insert_delivery(tx, key, *company, event_type, now)?;
            }
            replayed += 1;
        }
    }
    tx.wake_workers();
    audit::record_audit_entry(tx, caller, "replayed", (ENTITY, id), &json!({ "events": replayed }))?;
    let full = found.len() as i64 == AT_ONCE;
    let last = found.last().map(|(_, event, ..)| *event);
    Ok(Replayed { events: replayed, continue_after: last.filter(|_| full) })
}
