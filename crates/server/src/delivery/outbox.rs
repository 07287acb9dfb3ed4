//! From events to deliveries. An event is written without a number, in the transaction of what caused it; here, one
//! step at a time under a guard, the committed ones are numbered and the deliveries of each are made, in one unit:
//! an event with a number has its deliveries. The worker takes this step, and so does whoever lists events.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use jiff::Timestamp;
use store::{Store, Tx, params};
use uuid::Uuid;

use super::rows::{self, Key, Lane};
use crate::error::Error;
use crate::webhooks::rows::{Interested, interested};

store::statements! {
    NEW = "SELECT company_id, id, event_type, entity_type, created_at FROM events WHERE seq IS NULL ORDER BY created_at, id LIMIT $1";
    NUMBER = "UPDATE events SET seq = $1 WHERE company_id = $2 AND id = $3";
    NEWEST = "SELECT newest FROM event_numbers WHERE id = $1";
    SET_NEWEST = "INSERT INTO event_numbers (id, newest) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET newest = excluded.newest";
}

/// Events numbered in one unit.
pub const AT_ONCE: i64 = 256;

/// What a step did.
#[derive(Debug, Default)]
pub struct Numbered {
    /// events that were numbered
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
}

fn new_events(tx: &mut Tx<'_>, most: i64) -> Result<Vec<New>, Error> {
    Ok(tx.query(NEW, params![most], |row| New {
        company: row.get(0),
        id: row.get(1),
        event_type: row.get(2),
        entity_type: row.get(3),
        at: row.get(4),
    })?)
}

/// Numbers some events and makes their deliveries. Reaches across companies: see ARCHITECTURE.md.
///
/// # Errors
/// A store error.
pub fn number_some(tx: &mut Tx<'_>) -> Result<Numbered, Error> {
    let nobody = Uuid::nil();
    tx.guard(nobody, "event_numbers", nobody)?;
    let new = new_events(tx, AT_ONCE)?;
    if new.is_empty() {
        return Ok(Numbered::default());
    }
    let mut number = tx.find(NEWEST, params![nobody], |row| row.get::<i64>(0))?.unwrap_or(0);
    let mut subscriptions: HashMap<Uuid, Vec<Interested>> = HashMap::new();
    let mut lanes: Vec<Lane> = Vec::new();
    for event in &new {
        number += 1;
        if !tx.change(NUMBER, params![number, event.company, event.id])?.one() {
            continue; // swept meanwhile
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
    tx.insert(SET_NEWEST, params![nobody, number])?;
    Ok(Numbered { events: new.len(), lanes })
}

/// Numbers every event that was committed when this was called, and perhaps later ones.
///
/// # Errors
/// A store error.
pub async fn number_all(store: &Store) -> Result<(), Error> {
    // Most of the time there is nothing to do, and a look does not wait for a writer.
    while !store.read(|tx| new_events(tx, 1)).await?.is_empty() {
        if store.write(number_some).await?.events < AT_ONCE as usize {
            break;
        }
    }
    Ok(())
}
