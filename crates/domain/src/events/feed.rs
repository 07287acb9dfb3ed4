//! The feed: the number of each event, in a table of its own.
//!
//! Events are placed with the companies that they are about. In a distributed database those are several servers, whose commits become
//! visible one by one, so a reader of numbers there would miss events. The feed is in one place, with the guard under which numbers are
//! assigned ([`super::webhooks::outbox`]). To read events in order, read the feed, and then the events themselves. In a file store, where
//! units commit one after the other, the feed is a view of the numbered events.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use store::record::{Cursor, JsonText};
use store::{Row, Sql, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::rows_of;

/// Sixteen parameters for ids after the company ([`rows_of`]).
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
    /// Deletes entries from before a given time, a few at once; not in a file store, where they go with their events.
    pub SWEEP = "DELETE FROM event_feed WHERE (seq, numbers_id) IN \
             (SELECT seq, numbers_id FROM (SELECT seq, numbers_id, created_at FROM event_feed \
             WHERE seq < (SELECT newest FROM event_numbers) ORDER BY seq, numbers_id LIMIT $2) AS oldest WHERE created_at < $1)";
    LAST = "SELECT max(seq) FROM event_feed WHERE numbers_id = $1";
    SEQ_IN_COMPANY = "SELECT seq FROM event_feed WHERE numbers_id = $1 AND id = $2 AND company_id = $3";
    EVENTS = of_these!("id, event_type, entity_type, entity_id, payload, created_at");
    PAYLOADS = of_these!("id, payload");
}

/// The row of the number up to which deliveries are created, which is the guard under which numbers are assigned, and determines the feed's
/// placement.
pub const NUMBERS: Uuid = Uuid::nil();

/// What the feed stores of an event.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'e> {
    /// the event's company
    pub company: Uuid,
    /// its id
    pub id: Uuid,
    /// such as `employee.created`
    pub event_type: &'e str,
    /// such as `Employee`
    pub entity_type: &'e str,
    /// when it occurred
    pub at: Timestamp,
    /// the only application that it is for, if any
    pub application: Option<Uuid>,
}

/// An event of a company, from the company's own records.
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
    /// when it occurred
    pub created_at: Timestamp,
}

pub(super) fn read_event(row: &Row<'_>) -> Result<Event, store::Error> {
    let mut next = Cursor::new(row, "events", 0);
    Ok(Event {
        id: next.read_plain("id")?,
        event_type: next.read_plain("event_type")?,
        entity_type: next.read_plain("entity_type")?,
        entity: next.read_plain("entity_id")?,
        payload: next.read_stored::<JsonText, _>("payload")?,
        created_at: next.read_plain("created_at")?,
    })
}

/// Adds an event's number to the feed. In a file store it is there as soon as the event is numbered.
pub fn insert_feed_entry(tx: &mut Tx<'_>, number: i64, entry: &Entry<'_>) -> Result<(), Error> {
    if tx.one_after_the_other() {
        return Ok(());
    }
    let Entry { company, id, event_type, entity_type, at, application } = *entry;
    let row = params![NUMBERS, number, company, id, event_type, entity_type, at, application];
    Ok(tx.insert_row(INSERT, row)?)
}

/// The newest number in the feed; 0 if there is none.
pub fn last_feed_number(tx: &mut Tx<'_>) -> Result<i64, Error> {
    Ok(tx.find_row(LAST, params![NUMBERS], |row| row.get::<Option<i64>>(0))?.flatten().unwrap_or(0))
}

/// Announces the query of [`last_feed_number`] (see [`Tx::announce`]).
pub fn announce_last(tx: &mut Tx<'_>) -> Result<(), Error> {
    Ok(tx.announce_query(LAST, params![NUMBERS])?)
}

/// The number of an event of a company; `None` before it has one, and after it was deleted.
pub fn number_in(tx: &mut Tx<'_>, company: Uuid, event: Uuid) -> Result<Option<i64>, Error> {
    Ok(tx.find_row(SEQ_IN_COMPANY, params![NUMBERS, event, company], |row| row.get(0))?)
}

/// The delivered bytes of those of the events (company and id) that still exist.
pub fn event_payloads(tx: &mut Tx<'_>, keys: &[(Uuid, Uuid)]) -> Result<HashMap<Uuid, String>, Error> {
    let found = read_by_company(tx, PAYLOADS, keys, |row| {
        let mut next = Cursor::new(row, "events", 0);
        Ok((next.read_plain("id")?, next.read_stored::<JsonText, _>("payload")?))
    })?;
    Ok(found.into_iter().collect())
}

/// Those of the events (company and id) that still exist.
pub fn find_events(tx: &mut Tx<'_>, keys: &[(Uuid, Uuid)]) -> Result<HashMap<Uuid, Event>, Error> {
    let found = read_by_company(tx, EVENTS, keys, read_event)?;
    Ok(found.into_iter().map(|event| (event.id, event)).collect())
}

/// Reads rows by company, a few at once: each statement stays on one server.
fn read_by_company<T>(
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
