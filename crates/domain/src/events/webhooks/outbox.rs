//! From events to deliveries, one step at a time under a guard: the events committed since the last step get their deliveries, in the order
//! of their numbers, and the newest of those numbers is stored in the same unit. The worker takes this step, and so does each listing of
//! events.
//!
//! A later number is a later commit. Where units commit one after the other, an event is numbered as it is written; elsewhere the step
//! numbers the events without a number, and only then can readers see them. A store that was copied from the other engine may begin with
//! events of the other kind.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use store::record::Cursor;
use store::{Row, Store, Tx, Value, params};
use uuid::Uuid;

use super::rows::{Interested, announce_interested, interested_subscriptions};
use crate::error::Error;
use crate::events::answering::Answering;
use crate::events::delivery::rows;
use crate::events::delivery::rows::{Key, Lane};
use crate::events::feed;
use crate::events::feed::NUMBERS;

store::statements! {
    NUMBERED = "SELECT company_id, id, event_type, entity_type, created_at, application_id, seq FROM event_feed \
                WHERE numbers_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    NEW = "SELECT company_id, id, event_type, entity_type, created_at, application_id, seq FROM events WHERE seq IS NULL \
           AND created_at >= $1 AND (created_at > $1 OR id > $2) ORDER BY created_at, id LIMIT $3";
    // The number of each of eight ids of a company. Citus does not pass on the shorter form of CASE unchanged.
    NUMBER = "UPDATE events SET seq = CASE WHEN id = $1 THEN CAST($2 AS bigint) WHEN id = $3 THEN CAST($4 AS bigint) \
              WHEN id = $5 THEN CAST($6 AS bigint) WHEN id = $7 THEN CAST($8 AS bigint) WHEN id = $9 THEN CAST($10 AS bigint) \
              WHEN id = $11 THEN CAST($12 AS bigint) WHEN id = $13 THEN CAST($14 AS bigint) WHEN id = $15 THEN CAST($16 AS bigint) END \
              WHERE company_id = $17 AND id IN ($1, $3, $5, $7, $9, $11, $13, $15) AND seq IS NULL";
    NUMBER_OF = "SELECT seq FROM events WHERE company_id = $1 AND id = $2";
    NEWEST = "SELECT newest FROM event_numbers WHERE id = $1";
    SOMEBODY = "SELECT 1 FROM webhook_subscriptions LIMIT 1";
    SET_NEWEST = "INSERT INTO event_numbers (id, newest) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET newest = excluded.newest";
}

/// Events handled in one unit.
pub const AT_ONCE: i64 = 256;
/// Events of one company that are numbered by one statement.
const EIGHT: usize = 8;
/// Pages of events without a number that are searched for some that can have one, while a server of a cluster does not answer.
const PAGES: usize = 40;
/// Companies whose subscriptions are read together.
const COMPANIES: usize = 16;

/// The result of a step.
#[derive(Debug, Default)]
pub struct Numbered {
    /// events handled
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
    application: Option<Uuid>,
    /// 0 if there is none yet
    number: i64,
}

impl New {
    fn read_new_event(row: &Row<'_>) -> Result<Self, store::Error> {
        let mut next = Cursor::new(row, "events", 0);
        Ok(Self {
            company: next.read_plain("company_id")?,
            id: next.read_plain("id")?,
            event_type: next.read_plain("event_type")?,
            entity_type: next.read_plain("entity_type")?,
            at: next.read_plain("created_at")?,
            application: next.read_plain("application_id")?,
            number: next.read_plain::<Option<i64>>("seq")?.unwrap_or_default(),
        })
    }

    /// The subscriptions that receive it.
    fn receivers<'s>(
        &self,
        subscriptions: &'s HashMap<Uuid, Vec<Interested>>,
    ) -> impl Iterator<Item = &'s Interested> {
        let of_company = subscriptions.get(&self.company).into_iter().flatten();
        let addressed = of_company.filter(|s| self.application.is_none_or(|to| to == s.application));
        addressed.filter(|s| s.hears_of(&self.event_type, &self.entity_type, self.at))
    }

    fn feed_entry(&self) -> feed::Entry<'_> {
        let Self { company, id, event_type, entity_type, at, application, .. } = self;
        feed::Entry {
            company: *company,
            id: *id,
            event_type,
            entity_type,
            at: *at,
            application: *application,
        }
    }
}

/// Events without deliveries, in the order in which they get them: first those numbered as they were written, here or in the file from
/// which this store was copied; then those that wait for a number, here or in the server's store from which it was copied.
fn new_events(tx: &mut Tx<'_>, newest: i64, last: i64, most: i64) -> Result<Vec<New>, Error> {
    Ok(match last > newest {
        true => tx.try_query(NUMBERED, params![NUMBERS, newest, most], New::read_new_event)?,
        false => unnumbered_events(tx, (Timestamp::UNIX_EPOCH, Uuid::nil()), most)?,
    })
}

/// Events without a number after a moment and an id, of companies whose server answers.
fn unnumbered_events(tx: &mut Tx<'_>, (at, id): (Timestamp, Uuid), most: i64) -> Result<Vec<New>, Error> {
    let mut found = tx.query_by_server(&["events"], NEW, params![at, id, most], New::read_new_event)?;
    // Each server of a cluster may have answered by itself.
    found.sort_by_key(|event| (event.at, event.id));
    found.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(found)
}

/// Leaves out the events with deliveries to an application whose own server does not answer; if none is left, the next ones are searched.
/// What is left out gets a number, and its deliveries, when the server is back.
fn that_can_be_delivered(tx: &mut Tx<'_>, first: Vec<New>) -> Result<Vec<New>, Error> {
    let (mut answering, mut page) = (Answering::default(), first);
    for _ in 0..PAGES {
        let Some(last) = page.last().map(|event| (event.at, event.id)) else { break };
        let is_last = page.len() < AT_ONCE as usize;
        let subscriptions = subscriptions_by_company(tx, &page)?;
        let mut kept = Vec::with_capacity(page.len());
        for event in page {
            let mut all = true;
            for to in event.receivers(&subscriptions) {
                all &= answering.is_row_available(tx, rows::TABLE, to.application)?;
            }
            if all {
                kept.push(event);
            }
        }
        if !kept.is_empty() || is_last {
            return Ok(kept);
        }
        page = unnumbered_events(tx, last, AT_ONCE)?;
    }
    Ok(Vec::new())
}

/// The number up to which events have their deliveries, and the number up to which they are in the feed; read together.
fn delivered_and_fed_numbers(tx: &mut Tx<'_>) -> Result<(i64, i64), Error> {
    feed::announce_last(tx)?;
    let newest = tx.find_row(NEWEST, params![NUMBERS], |row| row.get(0))?.unwrap_or(0);
    Ok((newest, feed::last_feed_number(tx)?))
}

/// Whether events wait for their deliveries.
pub fn some_wait(tx: &mut Tx<'_>) -> Result<bool, Error> {
    let (newest, last) = delivered_and_fed_numbers(tx)?;
    Ok(!new_events(tx, newest, last, 1)?.is_empty())
}

/// Numbers events in order, starting after `last`; returns those that got a number. If two number at once, one may have found an event that
/// the other is about to commit: that event keeps the other's number, and one number is skipped.
fn give_numbers(tx: &mut Tx<'_>, last: i64, events: Vec<New>) -> Result<Vec<New>, Error> {
    let mut of_companies: BTreeMap<Uuid, Vec<New>> = BTreeMap::new();
    for (event, number) in events.into_iter().zip(last + 1..) {
        of_companies.entry(event.company).or_default().push(New { number, ..event });
    }
    let some: Vec<&[New]> = of_companies.values().flat_map(|events| events.chunks(EIGHT)).collect();
    let each: Vec<_> = some.iter().map(|events| numbers_of(events)).collect();
    let mut taken = HashSet::new();
    for (rows, events) in tx.change_each(NUMBER, &each)?.into_iter().zip(some) {
        if rows == events.len() as u64 {
            continue;
        }
        for event in events {
            let has =
                tx.find_row(NUMBER_OF, params![event.company, event.id], |row| row.get::<Option<i64>>(0))?;
            if has.flatten() != Some(event.number) {
                taken.insert(event.id);
            }
        }
    }
    let mut numbered: Vec<New> = of_companies.into_values().flatten().collect();
    numbered.retain(|event| !taken.contains(&event.id));
    numbered.sort_unstable_by_key(|event| event.number);
    Ok(numbered)
}

/// The values of [`NUMBER`] for some events of a company. Unused parameters repeat the last one.
fn numbers_of(events: &[New]) -> [Value<'_>; 2 * EIGHT + 1] {
    let last = &events[events.len() - 1];
    let mut values = [Value::from(last.company); 2 * EIGHT + 1];
    let filled = events.iter().chain(std::iter::repeat(last));
    for (pair, event) in values.chunks_exact_mut(2).zip(filled) {
        (pair[0], pair[1]) = (event.id.into(), event.number.into());
    }
    values
}

/// The subscribers of companies' events.
fn subscriptions_by_company(
    tx: &mut Tx<'_>,
    events: &[New],
) -> Result<HashMap<Uuid, Vec<Interested>>, Error> {
    let companies: HashSet<Uuid> = events.iter().map(|event| event.company).collect();
    let companies: Vec<Uuid> = companies.into_iter().collect();
    let mut found = HashMap::with_capacity(companies.len());
    for some in companies.chunks(COMPANIES) {
        some.iter().try_for_each(|company| announce_interested(tx, *company))?;
        for company in some {
            found.insert(*company, interested_subscriptions(tx, *company)?);
        }
    }
    Ok(found)
}

/// Creates the deliveries of some events. Reaches across companies: see ARCHITECTURE.md.
pub fn number_some(tx: &mut Tx<'_>) -> Result<Numbered, Error> {
    tx.take_guard(NUMBERS, "event_numbers", NUMBERS)?;
    let (mut number, last) = delivered_and_fed_numbers(tx)?;
    if tx.one_after_the_other() && last > number && tx.find_row(SOMEBODY, params![], |_| ())?.is_none() {
        // Later subscribers get no earlier events.
        tx.insert_row(SET_NEWEST, params![NUMBERS, last])?;
        return Ok(Numbered::default());
    }
    let mut new = new_events(tx, number, last, AT_ONCE)?;
    let numbers_are_given = last <= number;
    if numbers_are_given && !tx.all_servers_answer() {
        new = that_can_be_delivered(tx, new)?;
    }
    let events = new.len();
    if numbers_are_given {
        number += events as i64;
        new = give_numbers(tx, number - events as i64, new)?;
    }
    let subscriptions = subscriptions_by_company(tx, &new)?;
    let mut lanes: Vec<Lane> = Vec::new();
    for event in &new {
        if numbers_are_given {
            feed::insert_feed_entry(tx, event.number, &event.feed_entry())?;
        } else {
            number = event.number;
        }
        for Interested { application, id, .. } in event.receivers(&subscriptions) {
            let (application, subscription) = (*application, *id);
            let key = Key { application, subscription, event: event.id };
            rows::insert_delivery(tx, key, event.company, &event.event_type, event.at)?;
            let lane = Lane { application, subscription, retries: false };
            if lanes.last() != Some(&lane) && !lanes.contains(&lane) {
                lanes.push(lane);
            }
        }
    }
    if events > 0 {
        tx.insert_row(SET_NEWEST, params![NUMBERS, number])?;
    }
    Ok(Numbered { events, lanes })
}

/// Creates the deliveries of every event that was committed when this was called, and perhaps of later ones.
pub async fn number_all(store: &Store) -> Result<(), Error> {
    // Usually there is nothing to do, and checking does not wait for a writer. Many concurrent listings would only queue for the guard,
    // each with a connection.
    store
        .run_together("event_numbers", async {
            while store.read(some_wait).await? {
                if store.write(number_some).await?.events < AT_ONCE as usize {
                    break;
                }
            }
            Ok(())
        })
        .await
}
