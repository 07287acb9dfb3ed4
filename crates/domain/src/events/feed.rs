//! The feed: which number belongs to which event, in a table of its own.
//!
//! Events lie with the companies that they are about. In a database that is spread over several servers those are many
//! places, whose commits become visible one by one, so that whoever read numbers there would pass events over. The feed
//! lies in one place, beside the guard under which numbers are given ([`super::webhooks::outbox`]). Whoever wants events
//! in order reads the feed, and then what is kept of them. In a file, where units commit one after the other, the feed is a
//! view of the events that have numbers.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use store::record::{Cursor, JsonText};
use store::{Row, Sql, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::rows_of;

/// Sixteen places for identifiers after the company ([`rows_of`]).
macro_rules! of_these {
    ($columns:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM events WHERE company_id = $1 \
             AND id IN ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
        )
    };
}

store::statements! {
    INSERT = "INSERT INTO event_feed (numbers_id, seq, company_id, id, event_type, entity_type, created_at, application_id) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    /// Deletes entries from before a moment, some at once; not in a file, where they go with their events.
    pub SWEEP = "DELETE FROM event_feed WHERE (seq, numbers_id) IN \
             (SELECT seq, numbers_id FROM (SELECT seq, numbers_id, created_at FROM event_feed \
             WHERE seq < (SELECT newest FROM event_numbers) ORDER BY seq, numbers_id LIMIT $2) AS oldest WHERE created_at < $1)";
    LAST = "SELECT max(seq) FROM event_feed WHERE numbers_id = $1";
    SEQ_IN_COMPANY = "SELECT seq FROM event_feed WHERE numbers_id = $1 AND id = $2 AND company_id = $3";
    EVENTS = of_these!("id, event_type, entity_type, entity_id, payload, created_at");
    PAYLOADS = of_these!("id, payload");
}

/// The row of the number up to which deliveries are made, the guard under which numbers are given, and where the feed
/// lies.
pub const NUMBERS: Uuid = Uuid::nil();

/// What the feed holds of an event.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'e> {
    /// whose event it is
    pub company: Uuid,
    /// its identifier
    pub id: Uuid,
    /// such as `employee.created`
    pub event_type: &'e str,
    /// such as `Employee`
    pub entity_type: &'e str,
    /// when it happened
    pub at: Timestamp,
    /// the only application that it is for, if it is for one alone
    pub application: Option<Uuid>,
}

/// An event of a company, as the company's own records have it.
#[derive(Debug, Clone)]
pub struct Event {
    /// identifier
    pub id: Uuid,
    /// such as `employee.created`
    pub event_type: String,
    /// such as `Employee`
    pub entity_type: String,
    /// the record
    pub entity: Uuid,
    /// the bytes that are delivered
    pub payload: String,
    /// when it happened
    pub created_at: Timestamp,
}

pub(super) fn event(row: &Row<'_>) -> Result<Event, store::Error> {
    let mut next = Cursor::new(row, "events", 0);
    Ok(Event {
        id: next.plain("id")?,
        event_type: next.plain("event_type")?,
        entity_type: next.plain("entity_type")?,
        entity: next.plain("entity_id")?,
        payload: next.stored::<JsonText, _>("payload")?,
        created_at: next.plain("created_at")?,
    })
}

/// Enters an event's number into the feed. In a file it is there as soon as the event has it.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, number: i64, entry: &Entry<'_>) -> Result<(), Error> {
    if tx.one_after_the_other() {
        return Ok(());
    }
    let Entry { company, id, event_type, entity_type, at, application } = *entry;
    let row = params![NUMBERS, number, company, id, event_type, entity_type, at, application];
    Ok(tx.insert(INSERT, row)?)
}

/// The newest number in the feed; 0 where there is none.
///
/// # Errors
/// A store error.
pub fn last(tx: &mut Tx<'_>) -> Result<i64, Error> {
    Ok(tx.find(LAST, params![NUMBERS], |row| row.get::<Option<i64>>(0))?.flatten().unwrap_or(0))
}

/// Announces what [`last`] will ask (see [`Tx::announce`]).
///
/// # Errors
/// A store error.
pub fn announce_last(tx: &mut Tx<'_>) -> Result<(), Error> {
    Ok(tx.announce(LAST, params![NUMBERS])?)
}

/// The number of an event of a company; none before it has one, and after it was swept.
///
/// # Errors
/// A store error.
pub fn number_in(tx: &mut Tx<'_>, company: Uuid, event: Uuid) -> Result<Option<i64>, Error> {
    Ok(tx.find(SEQ_IN_COMPANY, params![NUMBERS, event, company], |row| row.get(0))?)
}

/// The bytes that are delivered, of those of the events (company and identifier) that are kept.
///
/// # Errors
/// A store error.
pub fn payloads(tx: &mut Tx<'_>, keys: &[(Uuid, Uuid)]) -> Result<HashMap<Uuid, String>, Error> {
    let found = read(tx, PAYLOADS, keys, |row| {
        let mut next = Cursor::new(row, "events", 0);
        Ok((next.plain("id")?, next.stored::<JsonText, _>("payload")?))
    })?;
    Ok(found.into_iter().collect())
}

/// The events, of those (company and identifier) that are kept.
///
/// # Errors
/// A store error.
pub fn events(tx: &mut Tx<'_>, keys: &[(Uuid, Uuid)]) -> Result<HashMap<Uuid, Event>, Error> {
    let found = read(tx, EVENTS, keys, event)?;
    Ok(found.into_iter().map(|event| (event.id, event)).collect())
}

/// Reads rows by company, a few at once: one statement stays in one place.
fn read<T>(
    tx: &mut Tx<'_>,
    sql: Sql,
    keys: &[(Uuid, Uuid)],
    one: impl Fn(&Row<'_>) -> Result<T, store::Error>,
) -> Result<Vec<T>, Error> {
    let mut of_companies: BTreeMap<Uuid, Vec<Uuid>> = BTreeMap::new();
    for (company, id) in keys {
        of_companies.entry(*company).or_default().push(*id);
    }
    let mut found = Vec::with_capacity(keys.len());
    for (company, ids) in of_companies {
        found.extend(rows_of(tx, sql, params![company], &ids, &one)?);
    }
    Ok(found)
}
