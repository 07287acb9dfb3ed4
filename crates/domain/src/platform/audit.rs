//! The audit log: who did what, when and from where, as one entry in the transaction of each change. Entries contain the fields before and
//! after, without secrets; every read of a whole SSN is an entry, too.

pub mod seals;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use store::record::{Cursor, JsonText};
use store::{Json, Row, Tx, lowest_id, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;

store::statements! {
    INSERT = "INSERT INTO audit (company_id, id, actor_kind, actor_id, action, entity_type, entity_id, request_id, from_ip, changes, created_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    BEFORE = "SELECT id, actor_kind, actor_id, action, entity_type, entity_id, request_id, from_ip, changes, created_at \
              FROM audit WHERE company_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    OF_ACTION = "SELECT id, actor_kind, actor_id, action, entity_type, entity_id, request_id, from_ip, changes, created_at \
                 FROM audit WHERE company_id = $1 AND id >= $2 AND id < $3 AND entity_id = $4 AND action = $5 ORDER BY id LIMIT 1";
    NEWEST = "SELECT id FROM audit WHERE company_id = $1 ORDER BY id DESC LIMIT 1";
}

/// Returns the newest entry of a company; of the operator for `Uuid::nil`.
pub fn newest_entry(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.find_row(NEWEST, params![company], |row| row.get::<Uuid>(0))?)
}

/// Writes an entry; `action` is a word such as `created`, `changes` an object of field to [before, after].
pub fn record_audit_entry(
    tx: &mut Tx<'_>,
    caller: &Caller,
    action: &'static str,
    (entity_type, entity): (&'static str, Uuid),
    changes: &Value,
) -> Result<(), Error> {
    let (kind, actor) = caller.actor.kind_and_id();
    let (id, now) = (tx.new_id(), tx.now());
    let (ip, changes) = (caller.ip.to_string(), changes.to_string());
    let parameters = params![
        caller.company,
        id,
        kind,
        actor,
        action,
        entity_type,
        entity,
        &*caller.request_id,
        &ip,
        Json(&changes),
        now
    ];
    tx.insert_row(INSERT, parameters)?;
    Ok(())
}

/// Writes an entry for what the operator did at the command line, if it concerns no company.
pub fn by_operator(
    tx: &mut Tx<'_>,
    action: &'static str,
    entity: (&'static str, Uuid),
    changes: &Value,
) -> Result<(), Error> {
    record_audit_entry(tx, &Caller::for_operator(Uuid::nil(), TimeZone::UTC), action, entity, changes)
}

/// An entry, as it is read.
#[derive(Debug, Clone)]
pub struct Entry {
    /// id
    pub id: Uuid,
    /// kind of the actor, such as `application`
    pub actor_kind: String,
    /// the actor
    pub actor: Uuid,
    /// such as `created`
    pub action: String,
    /// table of the record
    pub entity_type: String,
    /// the record
    pub entity: Uuid,
    /// request id
    pub request_id: String,
    /// IP address
    pub ip: String,
    /// JSON: an object of field to [before, after]
    pub changes: String,
    /// time
    pub created_at: Timestamp,
}

impl Entry {
    /// Reads the columns in the order of the fields.
    fn read_entry(row: &Row<'_>) -> Result<Self, store::Error> {
        let mut next = Cursor::new(row, "audit", 0);
        Ok(Self {
            id: next.read_plain("id")?,
            actor_kind: next.read_plain("actor_kind")?,
            actor: next.read_plain("actor_id")?,
            action: next.read_plain("action")?,
            entity_type: next.read_plain("entity_type")?,
            entity: next.read_plain("entity_id")?,
            request_id: next.read_plain("request_id")?,
            ip: next.read_plain("from_ip")?,
            changes: next.read_stored::<JsonText, _>("changes")?,
            created_at: next.read_plain("created_at")?,
        })
    }
}

/// Returns the entry of what was done to a record at `at`; `None` if the log has none any more. Ids begin with the time of their unit, or
/// one shortly after it where a clock stands still, so that only the entries of a minute are read.
pub fn find_action(
    tx: &mut Tx<'_>,
    company: Uuid,
    record: Uuid,
    action: &str,
    at: Timestamp,
) -> Result<Option<Entry>, Error> {
    let [from, until] = [at, at + SignedDuration::from_mins(1)].map(lowest_id);
    Ok(tx.try_find(OF_ACTION, params![company, from, until, record, action], Entry::read_entry)?)
}

/// Entries of a company before a cursor, newest first.
pub fn entries_before(tx: &mut Tx<'_>, company: Uuid, id: Uuid, limit: i64) -> Result<Vec<Entry>, Error> {
    Ok(tx.try_query(BEFORE, params![company, id, limit], Entry::read_entry)?)
}
