//! The list of events, in the order of their numbers: each later read goes on where the last one ended and passes
//! nothing over. An application sees the events of a company while they are connected, for thirty days.

use jiff::{Timestamp, ToSpan};
use rules::{Checks, Violation};
use serde_json::value::RawValue;
use store::record::{Cursor, JsonText};
use store::{Row, Tx, Unread, params};
use uuid::Uuid;

use crate::access::connections;
use crate::access::tokens::Caller;
use crate::error::Error;

store::statements! {
    BEFORE = "SELECT id, event_type, entity_type, entity_id, payload, created_at FROM events \
              WHERE company_id = $1 AND seq < $2 AND event_type LIKE $3 ESCAPE '!' ORDER BY seq DESC LIMIT $4";
    SEQ_IN_COMPANY = "SELECT seq FROM events WHERE company_id = $1 AND id = $2";
    ONE = "SELECT id, event_type, entity_type, entity_id, payload, created_at FROM events WHERE company_id = $1 AND id = $2";
    SEQ = "SELECT e.company_id, e.seq FROM events e CROSS JOIN connections c WHERE e.id = $2 AND c.company_id = e.company_id AND c.application_id = $1";
    LIST = "SELECT e.company_id, e.payload FROM events e CROSS JOIN connections c \
            WHERE e.seq > $1 AND e.seq < $2 AND e.created_at >= $3 AND e.event_type LIKE $4 ESCAPE '!' \
            AND c.company_id = e.company_id AND c.application_id = $5 AND c.connected_at <= e.created_at \
            AND (c.ended_at IS NULL OR c.ended_at >= e.created_at) ORDER BY e.seq LIMIT $6";
    LIST_DOWN = "SELECT e.company_id, e.payload FROM events e CROSS JOIN connections c \
                 WHERE e.seq > $1 AND e.seq < $2 AND e.created_at >= $3 AND e.event_type LIKE $4 ESCAPE '!' \
                 AND c.company_id = e.company_id AND c.application_id = $5 AND c.connected_at <= e.created_at \
                 AND (c.ended_at IS NULL OR c.ended_at >= e.created_at) ORDER BY e.seq DESC LIMIT $6";
    OF_COMPANY = "SELECT e.company_id, e.payload FROM events e CROSS JOIN connections c \
                  WHERE e.company_id = $7 AND e.seq > $1 AND e.seq < $2 AND e.created_at >= $3 AND e.event_type LIKE $4 ESCAPE '!' \
                  AND c.company_id = e.company_id AND c.application_id = $5 AND c.connected_at <= e.created_at \
                  AND (c.ended_at IS NULL OR c.ended_at >= e.created_at) ORDER BY e.seq LIMIT $6";
    OF_COMPANY_DOWN = "SELECT e.company_id, e.payload FROM events e CROSS JOIN connections c \
                       WHERE e.company_id = $7 AND e.seq > $1 AND e.seq < $2 AND e.created_at >= $3 AND e.event_type LIKE $4 ESCAPE '!' \
                       AND c.company_id = e.company_id AND c.application_id = $5 AND c.connected_at <= e.created_at \
                       AND (c.ended_at IS NULL OR c.ended_at >= e.created_at) ORDER BY e.seq DESC LIMIT $6";
}

/// Days for which events are listed.
const DAYS: i64 = 30;
/// Maximum characters of a pattern.
const LONGEST: usize = 100;

/// Which events are listed.
#[derive(Debug, Clone)]
pub struct EventFilter {
    /// those after this one, in the order of the list
    pub after: Option<Uuid>,
    /// those of this company
    pub company: Option<Uuid>,
    /// at most so many
    pub limit: i64,
    /// those whose type matches this pattern of SQL, as [`like`] makes it
    pub pattern: String,
    /// newest first
    pub descending: bool,
}

/// The pattern of SQL that every event type matches.
pub const ANY_TYPE: &str = "%";

/// The name of an event type, or a pattern with `*` for any letters, as a pattern of SQL.
///
/// # Errors
/// The violation of a text that is neither.
pub fn like(key: &str, text: &str) -> Result<String, Violation> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._*".contains(c);
    if text.is_empty() || text.len() > LONGEST || !text.chars().all(fits) {
        let message =
            format!("{key} must be an event type such as employee.created, or a pattern such as employee.*");
        return Err(Violation::invalid(key, message));
    }
    Ok(text.replace('_', "!_").replace('*', "%"))
}

/// The number of an event, if it has one yet; nothing if the application may not see the event.
///
/// # Errors
/// A store error.
pub fn number_of(tx: &mut Tx<'_>, application: Uuid, event: Uuid) -> Result<Option<Option<i64>>, Error> {
    Ok(tx.find(SEQ, params![application, event], |row| row.get::<Option<i64>>(1))?)
}

fn payload(row: &Row<'_>) -> Result<Box<RawValue>, store::Error> {
    let read = || {
        let text = row.try_json(1)?.ok_or_else(|| Unread::new("is NULL"))?;
        RawValue::from_string(text.to_owned()).map_err(|_| Unread::new("holds no JSON"))
    };
    read().map_err(|why| why.of("events", "payload"))
}

/// Lists events, byte for byte as they are delivered.
///
/// # Errors
/// 422 for a cursor or a company that the application does not know; a store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller, filter: &EventFilter) -> Result<Vec<Box<RawValue>>, Error> {
    let application = caller.application()?;
    let mut checks = Checks::new();
    let cursor = match filter.after {
        None => None,
        Some(event) => {
            let found = number_of(tx, application, event)?.flatten();
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
        let known = connections::known(tx, company, application)?;
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
    let all = params![above, below, since, &filter.pattern, application, filter.limit, filter.company];
    let statement = match (filter.company, filter.descending) {
        (None, false) => LIST,
        (None, true) => LIST_DOWN,
        (Some(_), false) => OF_COMPANY,
        (Some(_), true) => OF_COMPANY_DOWN,
    };
    let parameters = if filter.company.is_some() { all } else { &all[..6] };
    Ok(tx.try_query(statement, parameters, payload)?)
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

fn event(row: &Row<'_>) -> Result<Event, store::Error> {
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

/// Events of a company before `event_before`, or all of them without it, newest first, whose types match a pattern of
/// SQL, whoever was connected. Before an event that was deleted by retention there is none.
///
/// # Errors
/// A store error.
pub fn before(
    tx: &mut Tx<'_>,
    company: Uuid,
    event_before: Option<Uuid>,
    pattern: &str,
    limit: i64,
) -> Result<Vec<Event>, Error> {
    let below = match event_before {
        None => i64::MAX,
        Some(id) => {
            let seq = tx.find(SEQ_IN_COMPANY, params![company, id], |row| row.get::<Option<i64>>(0))?;
            seq.flatten().unwrap_or(0)
        }
    };
    Ok(tx.try_query(BEFORE, params![company, below, pattern, limit], event)?)
}

/// An event of a company.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Event>, Error> {
    Ok(tx.try_find(ONE, params![company, id], event)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters_and_nothing_else_does() {
        assert_eq!(like("event_type", "employee.*").unwrap(), "employee.%");
        assert_eq!(like("event_type", "*.home_address.created").unwrap(), "%.home!_address.created");
        for wrong in ["", "employee.%", "Employee.created", "a b", "a!b", &"a".repeat(101)] {
            assert_eq!(like("event_type", wrong).unwrap_err().key, "event_type");
        }
    }
}
