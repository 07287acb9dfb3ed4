//! From events to deliveries, one step at a time under a guard: the events that were committed since the last step get
//! their deliveries, in the order of their numbers, and the newest of those numbers is noted in the same unit. The
//! worker takes this step, and so does whoever lists events.
//!
//! A later number is a later commit. Where units commit one after the other an event is numbered as it is written;
//! elsewhere the step numbers what it finds without a number, and only then is the event seen by readers.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use jiff::Timestamp;
use store::record::Cursor;
use store::{Row, Store, Tx, params};
use uuid::Uuid;

use super::rows::{Interested, interested};
use crate::error::Error;
use crate::events::delivery::rows;
use crate::events::delivery::rows::{Key, Lane};

store::statements! {
    NUMBERED = "SELECT company_id, id, event_type, entity_type, created_at, seq FROM events WHERE seq > $1 ORDER BY seq LIMIT $2";
    NEW = "SELECT company_id, id, event_type, entity_type, created_at, seq FROM events WHERE seq IS NULL ORDER BY created_at, id LIMIT $1";
    NUMBER = "UPDATE events SET seq = $1 WHERE company_id = $2 AND id = $3";
    NEWEST = "SELECT newest FROM event_numbers WHERE id = $1";
    LAST = "SELECT max(seq) FROM events";
    SOMEBODY = "SELECT 1 FROM webhook_subscriptions LIMIT 1";
    SET_NEWEST = "INSERT INTO event_numbers (id, newest) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET newest = excluded.newest";
}

/// The row of the number up to which deliveries are made.
pub const NUMBERS: Uuid = Uuid::nil();
/// Events looked at in one unit.
pub const AT_ONCE: i64 = 256;

/// What a step did.
#[derive(Debug, Default)]
pub struct Numbered {
    /// events that were looked at
    pub events: usize,
    /// lanes that have new deliveries
    pub lanes: Vec<Lane>,
}

struct New {
    company: Uuid,
    id: Uuid,
    event_type: String,
    entity_type: String,
    at: Timestamp,
    /// none yet is 0
    number: i64,
}

/// Events that have no deliveries yet, in the order in which they get them.
fn new_events(tx: &mut Tx<'_>, newest: i64, most: i64) -> Result<Vec<New>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "events", 0);
        Ok::<_, store::Error>(New {
            company: next.plain("company_id")?,
            id: next.plain("id")?,
            event_type: next.plain("event_type")?,
            entity_type: next.plain("entity_type")?,
            at: next.plain("created_at")?,
            number: next.plain::<Option<i64>>("seq")?.unwrap_or_default(),
        })
    };
    Ok(match tx.one_after_the_other() {
        true => tx.try_query(NUMBERED, params![newest, most], read)?,
        false => tx.try_query(NEW, params![most], read)?,
    })
}

/// Up to which number events have their deliveries.
fn newest(tx: &mut Tx<'_>) -> Result<i64, Error> {
    Ok(tx.find(NEWEST, params![NUMBERS], |row| row.get(0))?.unwrap_or(0))
}

/// Whether events wait for their deliveries.
///
/// # Errors
/// A store error.
pub fn some_wait(tx: &mut Tx<'_>) -> Result<bool, Error> {
    let newest = newest(tx)?;
    Ok(!new_events(tx, newest, 1)?.is_empty())
}

/// Makes the deliveries of some events. Reaches across companies: see ARCHITECTURE.md.
///
/// # Errors
/// A store error.
pub fn number_some(tx: &mut Tx<'_>) -> Result<Numbered, Error> {
    tx.guard(NUMBERS, "event_numbers", NUMBERS)?;
    let mut number = newest(tx)?;
    if tx.one_after_the_other() && tx.find(SOMEBODY, params![], |_| ())?.is_none() {
        // Whoever subscribes later hears of nothing that happened before.
        let last = tx.find(LAST, params![], |row| row.get::<Option<i64>>(0))?.flatten();
        if let Some(last) = last.filter(|last| *last > number) {
            tx.insert(SET_NEWEST, params![NUMBERS, last])?;
        }
        return Ok(Numbered::default());
    }
    let new = new_events(tx, number, AT_ONCE)?;
    let mut subscriptions: HashMap<Uuid, Vec<Interested>> = HashMap::new();
    let mut lanes: Vec<Lane> = Vec::new();
    for event in &new {
        if tx.one_after_the_other() {
            number = event.number;
        } else {
            number += 1;
            if !tx.change(NUMBER, params![number, event.company, event.id])?.one() {
                continue; // swept meanwhile
            }
        }
        let of_company = match subscriptions.entry(event.company) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(interested(tx, event.company)?),
        };
        let hearing =
            of_company.iter().filter(|s| s.hears_of(&event.event_type, &event.entity_type, event.at));
        for Interested { application, id, .. } in hearing {
            let (application, subscription) = (*application, *id);
            let key = Key { application, subscription, event: event.id };
            rows::insert(tx, key, event.company, &event.event_type, event.at)?;
            let lane = Lane { application, subscription, retries: false };
            if lanes.last() != Some(&lane) && !lanes.contains(&lane) {
                lanes.push(lane);
            }
        }
    }
    if !new.is_empty() {
        tx.insert(SET_NEWEST, params![NUMBERS, number])?;
    }
    Ok(Numbered { events: new.len(), lanes })
}

/// Makes the deliveries of every event that was committed when this was called, and perhaps of later ones.
///
/// # Errors
/// A store error.
pub async fn number_all(store: &Store) -> Result<(), Error> {
    // Most of the time there is nothing to do, and a look does not wait for a writer.
    while store.read(some_wait).await? {
        if store.write(number_some).await?.events < AT_ONCE as usize {
            break;
        }
    }
    Ok(())
}
