//! The list of events, in the order of their numbers: each read continues where the last one ended and misses nothing. An application sees
//! the events of a company while they are connected, for thirty days.

use jiff::{Timestamp, ToSpan};
use rules::{Checks, Violation};
use serde_json::value::RawValue;
use store::record::Cursor;
use store::{Row, Tx, Unread, params};
use uuid::Uuid;

use super::answering::{Answering, COMPANIES};
use super::feed;
use super::feed::{Event, NUMBERS, read_event};
use crate::access::connections;
use crate::access::tokens::Caller;
use crate::error::Error;

/// Entries of the feed between two numbers, of companies while the application `$5` was connected to them, now or before.
macro_rules! listed {
    ($company:literal, $order:literal) => {
        concat!(
            "SELECT f.company_id, f.id FROM event_feed f CROSS JOIN connections c \
             WHERE f.seq > $1 AND f.seq < $2 AND f.created_at >= $3 AND f.event_type LIKE $4 ESCAPE '!' \
             AND c.company_id = f.company_id AND c.application_id = $5 AND f.numbers_id = $7 \
             AND (f.application_id IS NULL OR f.application_id = c.application_id) \
             AND ((c.connected_at <= f.created_at AND (c.ended_at IS NULL OR c.ended_at >= f.created_at)) \
             OR EXISTS (SELECT 1 FROM past_connections p WHERE p.company_id = f.company_id AND p.application_id = $5 \
             AND p.connected_at <= f.created_at AND p.ended_at >= f.created_at))",
            $company,
            " ORDER BY f.seq",
            $order,
            " LIMIT $6"
        )
    };
}

store::statements! {
    BEFORE = "SELECT company_id, id FROM event_feed WHERE numbers_id = $1 AND company_id = $2 AND seq < $3 \
              AND event_type LIKE $4 ESCAPE '!' ORDER BY seq DESC LIMIT $5";
    ONE = "SELECT id, event_type, entity_type, entity_id, payload, created_at FROM events WHERE company_id = $1 AND id = $2";
    // An event without a number has no entry yet.
    SEQ = "SELECT f.company_id, f.seq FROM event_feed f CROSS JOIN connections c \
           WHERE f.numbers_id = $1 AND f.id = $2 AND c.company_id = f.company_id AND c.application_id = $3 \
           AND (f.application_id IS NULL OR f.application_id = c.application_id)";
    LIST = listed!("", "");
    LIST_DOWN = listed!("", " DESC");
    OF_COMPANY = listed!(" AND f.company_id = $8", "");
    OF_COMPANY_DOWN = listed!(" AND f.company_id = $8", " DESC");
}

/// Days for which events are listed.
const DAYS: i64 = 30;
/// Maximum characters of a pattern.
const LONGEST: usize = 100;

/// Which events are listed.
#[derive(Debug, Clone)]
pub struct EventFilter {
    /// those after this one, in list order
    pub after: Option<Uuid>,
    /// those of this company
    pub company: Option<Uuid>,
    /// at most this many
    pub limit: i64,
    /// those whose type matches this SQL pattern, as made by [`like_pattern`]
    pub pattern: String,
    /// newest first
    pub descending: bool,
}

/// The SQL pattern that every event type matches.
pub const ANY_TYPE: &str = "%";

/// Converts the name of an event type, or a pattern with `*` for any letters, to an SQL pattern.
///
/// # Errors
/// The violation of a text that is neither.
pub fn like_pattern(key: &str, text: &str) -> Result<String, Violation> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._*".contains(c);
    if text.is_empty() || text.len() > LONGEST || !text.chars().all(fits) {
        let message =
            format!("{key} must be an event type such as employee.created, or a pattern such as employee.*");
        return Err(Violation::invalid(key, message));
    }
    Ok(text.replace('_', "!_").replace('*', "%"))
}

/// The number of an event; `None` if it has none yet, or the application may not see it.
pub fn number_of(tx: &mut Tx<'_>, application: Uuid, event: Uuid) -> Result<Option<i64>, Error> {
    Ok(tx.find_row(SEQ, params![NUMBERS, event, application], |row| row.get(1))?)
}

fn read_event_key(row: &Row<'_>) -> Result<(Uuid, Uuid), store::Error> {
    let mut next = Cursor::new(row, "event_feed", 0);
    Ok((next.read_plain("company_id")?, next.read_plain("id")?))
}

/// Lists events, byte for byte as they are delivered. While a server of a cluster does not answer, the list ends before the first event of
/// which the bytes are there: whoever goes on from its end misses nothing.
///
/// # Errors
/// 422 for an unknown cursor, or a company that is not the application's; a store error.
pub fn list_events(
    tx: &mut Tx<'_>,
    caller: &Caller,
    filter: &EventFilter,
) -> Result<Vec<Box<RawValue>>, Error> {
    let application = caller.application_id()?;
    let mut checks = Checks::new();
    let cursor = match filter.after {
        None => None,
        Some(event) => {
            let found = number_of(tx, application, event)?;
            checks.require(found.is_some(), || {
                Violation::invalid(
                    "starting_after_uuid",
                    "starting_after_uuid is not the uuid of an event of the last 30 days",
                )
            });
            found
        }
    };
    if let Some(company) = filter.company {
        let known = connections::was_ever_connected(tx, company, application)?;
        checks.require(known, || {
            Violation::invalid("resource_uuid", "resource_uuid is not a company of this application")
        });
    }
    checks.finish()?;
    let (above, below) = match (cursor, filter.descending) {
        (None, _) => (0, i64::MAX),
        (Some(seq), false) => (seq, i64::MAX),
        (Some(seq), true) => (0, seq),
    };
    let since: Timestamp = tx.now() - (DAYS * 24).hours();
    let all =
        params![above, below, since, &filter.pattern, application, filter.limit, NUMBERS, filter.company];
    let statement = match (filter.company, filter.descending) {
        (None, false) => LIST,
        (None, true) => LIST_DOWN,
        (Some(_), false) => OF_COMPANY,
        (Some(_), true) => OF_COMPANY_DOWN,
    };
    let parameters = if filter.company.is_some() { all } else { &all[..7] };
    let mut keys = tx.try_query(statement, parameters, read_event_key)?;
    if !tx.all_servers_answer() {
        keys.truncate(count_readable(tx, &keys)?);
    }
    let mut payloads = feed::event_payloads(tx, &keys)?;
    // Missing ones have been deleted in the meantime.
    let kept = keys.into_iter().filter_map(|(_, id)| payloads.remove(&id));
    kept.map(|text| {
        let read = RawValue::from_string(text).map_err(|_| Unread::new("holds no JSON"));
        read.map_err(|why| Error::from(why.into_error("events", "payload")))
    })
    .collect()
}

/// How many events from the first one on can be read; the first one always, so that its absence is an error and not an empty list.
fn count_readable(tx: &mut Tx<'_>, keys: &[(Uuid, Uuid)]) -> Result<usize, Error> {
    let mut answering = Answering::default();
    for (count, (company, _)) in keys.iter().enumerate().skip(1) {
        if !answering.is_row_available(tx, COMPANIES, *company)? {
            return Ok(count);
        }
    }
    Ok(keys.len())
}

/// Events of a company before `event_before`, or all without it, newest first, whose types match an SQL pattern, regardless of connections.
/// Before an event that retention has deleted there are none.
pub fn events_before(
    tx: &mut Tx<'_>,
    company: Uuid,
    event_before: Option<Uuid>,
    pattern: &str,
    limit: i64,
) -> Result<Vec<Event>, Error> {
    let below = match event_before {
        None => i64::MAX,
        Some(id) => feed::number_in(tx, company, id)?.unwrap_or(0),
    };
    let keys = tx.try_query(BEFORE, params![NUMBERS, company, below, pattern, limit], read_event_key)?;
    let mut events = feed::find_events(tx, &keys)?;
    Ok(keys.into_iter().filter_map(|(_, id)| events.remove(&id)).collect())
}

/// An event of a company.
pub fn find_event(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Event>, Error> {
    Ok(tx.try_find(ONE, params![company, id], read_event)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_star_matches_any_letters() {
        assert_eq!(like_pattern("event_type", "employee.*").unwrap(), "employee.%");
        assert_eq!(like_pattern("event_type", "*.home_address.created").unwrap(), "%.home!_address.created");
        for wrong in ["", "employee.%", "Employee.created", "a b", "a!b", &"a".repeat(101)] {
            assert_eq!(like_pattern("event_type", wrong).unwrap_err().key, "event_type");
        }
    }
}
