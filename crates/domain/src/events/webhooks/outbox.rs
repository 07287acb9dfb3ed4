//! From events to deliveries, one step at a time under a guard: the events that were committed since the last step get
//! their deliveries, in the order of their numbers, and the newest of those numbers is noted in the same unit. The
//! worker takes this step, and so does whoever lists events.
//!
//! A later number is a later commit. Where units commit one after the other an event is numbered as it is written;
//! elsewhere the step numbers what it finds without a number, and only then is the event seen by readers. A store that was copied
//! from the other engine may begin with events of the other kind.

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
use crate::events::feed;
use crate::events::feed::NUMBERS;

store::statements! {
    NUMBERED = "SELECT company_id, id, event_type, entity_type, created_at, seq FROM event_feed \
                WHERE numbers_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    NEW = "SELECT company_id, id, event_type, entity_type, created_at, seq FROM events WHERE seq IS NULL ORDER BY created_at, id LIMIT $1";
    NUMBER = "UPDATE events SET seq = $1 WHERE company_id = $2 AND id = $3 AND seq IS NULL";
    // What a node of the version before has numbered: it knows no feed.
    NOT_IN_FEED = "SELECT company_id, id, event_type, entity_type, created_at, seq FROM events \
                   WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3";
    NEWEST = "SELECT newest FROM event_numbers WHERE id = $1";
    SOMEBODY = "SELECT 1 FROM webhook_subscriptions LIMIT 1";
    SET_NEWEST = "INSERT INTO event_numbers (id, newest) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET newest = excluded.newest";
}

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

impl New {
    fn read(row: &Row<'_>) -> Result<Self, store::Error> {
        let mut next = Cursor::new(row, "events", 0);
        Ok(Self {
            company: next.plain("company_id")?,
            id: next.plain("id")?,
            event_type: next.plain("event_type")?,
            entity_type: next.plain("entity_type")?,
            at: next.plain("created_at")?,
            number: next.plain::<Option<i64>>("seq")?.unwrap_or_default(),
        })
    }

    fn entry(&self) -> feed::Entry<'_> {
        let Self { company, id, event_type, entity_type, at, .. } = self;
        feed::Entry { company: *company, id: *id, event_type, entity_type, at: *at }
    }
}

/// Events that have no deliveries yet, in the order in which they get them: those that were numbered as they were written, here
/// or in the file from which this store was copied; then those that wait for a number, here or in the store of a server from which it
/// was copied.
fn new_events(tx: &mut Tx<'_>, newest: i64, last: i64, most: i64) -> Result<Vec<New>, Error> {
    Ok(match last > newest {
        true => tx.try_query(NUMBERED, params![NUMBERS, newest, most], New::read)?,
        false => tx.try_query(NEW, params![most], New::read)?,
    })
}

/// Brings numbers after the last one into the feed that were given without it, some at once; how many.
fn catch_up(tx: &mut Tx<'_>, last: i64, newest: i64) -> Result<usize, Error> {
    let missing = tx.try_query(NOT_IN_FEED, params![last, newest, AT_ONCE], New::read)?;
    for event in &missing {
        feed::insert(tx, event.number, &event.entry())?;
    }
    Ok(missing.len())
}

/// Up to which number events have their deliveries, and up to which they are in the feed; asked for together.
fn reached(tx: &mut Tx<'_>) -> Result<(i64, i64), Error> {
    feed::announce_last(tx)?;
    let newest = tx.find(NEWEST, params![NUMBERS], |row| row.get(0))?.unwrap_or(0);
    Ok((newest, feed::last(tx)?))
}

/// Whether events wait for their deliveries.
///
/// # Errors
/// A store error.
pub fn some_wait(tx: &mut Tx<'_>) -> Result<bool, Error> {
    let (newest, last) = reached(tx)?;
    Ok(!new_events(tx, newest, last, 1)?.is_empty())
}

/// Numbers events in their order, from `last` on; which of them got theirs. Of two who number, one may have found what the
/// other is about to commit: that event keeps the number of the other, and one number is left out.
fn give_numbers(tx: &mut Tx<'_>, last: i64, events: &[New]) -> Result<Vec<bool>, Error> {
    let numbers = events.iter().zip(last + 1..);
    let each: Vec<_> =
        numbers.map(|(event, number)| [number.into(), event.company.into(), event.id.into()]).collect();
    Ok(tx.change_each(NUMBER, &each)?.into_iter().map(|rows| rows == 1).collect())
}

/// Makes the deliveries of some events. Reaches across companies: see ARCHITECTURE.md.
///
/// # Errors
/// A store error.
pub fn number_some(tx: &mut Tx<'_>) -> Result<Numbered, Error> {
    tx.guard(NUMBERS, "event_numbers", NUMBERS)?;
    let (mut number, last) = reached(tx)?;
    if tx.one_after_the_other() && last > number && tx.find(SOMEBODY, params![], |_| ())?.is_none() {
        // Whoever subscribes later hears of nothing that happened before.
        tx.insert(SET_NEWEST, params![NUMBERS, last])?;
        return Ok(Numbered::default());
    }
    if last < number && !tx.one_after_the_other() {
        let events = catch_up(tx, last, number)?;
        if events > 0 {
            return Ok(Numbered { events, lanes: Vec::new() });
        }
    }
    let new = new_events(tx, number, last, AT_ONCE)?;
    let mut subscriptions: HashMap<Uuid, Vec<Interested>> = HashMap::new();
    let mut lanes: Vec<Lane> = Vec::new();
    let numbers_are_given = last <= number;
    let numbered = if numbers_are_given { give_numbers(tx, number, &new)? } else { Vec::new() };
    for (place, event) in new.iter().enumerate() {
        if numbers_are_given {
            number += 1;
            if !numbered[place] {
                continue;
            }
            feed::insert(tx, number, &event.entry())?;
        } else {
            number = event.number;
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
    // Most of the time there is nothing to do, and a look does not wait for a writer. Many who list events at once would
    // only queue for the guard, each with a connection.
    store
        .together("event_numbers", async {
            while store.read(some_wait).await? {
                if store.write(number_some).await?.events < AT_ONCE as usize {
                    break;
                }
            }
            Ok(())
        })
        .await
}
