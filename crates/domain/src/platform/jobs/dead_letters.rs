//! Jobs that failed permanently, for the operator: what they were, why they failed, and how to retry them.
//!
//! Kinds are shown as stored: an older node shows those of a newer one.

use jiff::Timestamp;
use serde::Serialize;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::platform::audit;

macro_rules! columns {
    () => {
        "SELECT j.company_id, j.id, j.kind, j.entity_id, j.due, j.state, j.finished_at, j.lease_until, f.tries, f.reason, \
         f.first_failed_at, f.failed_at FROM jobs j LEFT JOIN job_failures f ON f.company_id = j.company_id AND f.id = j.id \
         AND f.attempt = j.attempt "
    };
}

// The operator's list and counts reach across companies; the console's list is of one company.
store::statements! {
    GIVEN_UP = concat!(columns!(), "WHERE j.state = 'failed' ORDER BY j.finished_at DESC, j.id LIMIT $1 OFFSET $2");
    GIVEN_UP_OF = concat!(columns!(), "WHERE j.company_id = $1 AND j.state = 'failed' ORDER BY j.finished_at DESC, j.id LIMIT $2 OFFSET $3");
    BY_ID = concat!(columns!(), "WHERE j.id = $1 LIMIT 1");
    COUNT = "SELECT count(*) FROM jobs WHERE state = 'failed'";
    RETRY = "UPDATE jobs SET state = 'open', attempt = attempt + 1, due = $1, finished_at = NULL \
             WHERE company_id = $2 AND id = $3 AND state = 'failed'";
}

/// Maximum jobs in a list.
pub const MOST: i64 = 1_000;

/// A job as the operator sees it.
#[derive(Debug, Clone, Serialize)]
pub struct JobRecord {
    /// the company; nil if it concerns all of them
    pub company: Uuid,
    /// id of the job
    pub id: Uuid,
    /// its kind
    pub kind: String,
    /// the record that it is about
    pub entity: Uuid,
    /// when it was last due
    pub due: Timestamp,
    /// open, done, cancelled, or failed, which means permanently
    pub state: String,
    /// when it was closed or failed permanently
    pub finished_at: Option<Timestamp>,
    /// until when a node holds its lease
    pub lease_until: Option<Timestamp>,
    /// number of failures
    pub tries: i64,
    /// why it last failed
    pub reason: Option<String>,
    /// when it first failed
    pub first_failed_at: Option<Timestamp>,
    /// when it last failed
    pub failed_at: Option<Timestamp>,
}

impl JobRecord {
    fn read_record(row: &Row<'_>) -> Result<Self, store::Error> {
        let mut next = Cursor::new(row, "jobs", 0);
        Ok(Self {
            company: next.read_plain("company_id")?,
            id: next.read_plain("id")?,
            kind: next.read_plain("kind")?,
            entity: next.read_plain("entity_id")?,
            due: next.read_plain("due")?,
            state: next.read_plain("state")?,
            finished_at: next.read_plain("finished_at")?,
            lease_until: next.read_plain("lease_until")?,
            tries: next.read_plain::<Option<i64>>("tries")?.unwrap_or(0),
            reason: next.read_plain("reason")?,
            first_failed_at: next.read_plain("first_failed_at")?,
            failed_at: next.read_plain("failed_at")?,
        })
    }
}

/// Permanently failed jobs, newest first, of one company or of all, after the first `offset`; at most [`MOST`].
pub fn given_up(tx: &mut Tx<'_>, company: Option<Uuid>, offset: i64) -> Result<Vec<JobRecord>, Error> {
    let found = match company {
        Some(company) => tx.try_query(GIVEN_UP_OF, params![company, MOST, offset], JobRecord::read_record)?,
        None => tx.try_query(GIVEN_UP, params![MOST, offset], JobRecord::read_record)?,
    };
    Ok(found)
}

/// A job in any state.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_job(tx: &mut Tx<'_>, id: Uuid) -> Result<JobRecord, Error> {
    tx.try_find(BY_ID, params![id], JobRecord::read_record)?.ok_or(Error::NotFound)
}

/// Number of permanently failed jobs.
pub fn count_failed_jobs(tx: &mut Tx<'_>) -> Result<i64, Error> {
    let read = |row: &Row<'_>| Ok::<_, store::Error>(row.get::<i64>(0));
    Ok(tx.query_by_server(&["jobs"], COUNT, params![], read)?.into_iter().sum())
}

/// Retries a permanently failed job of the caller's company at once, with an audit entry; false if it had not failed.
pub fn retry_job(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<bool, Error> {
    let now = tx.now();
    let begun = tx.change_rows(RETRY, params![now, caller.company, id])?.is_one();
    if begun {
        audit::record_audit_entry(tx, caller, "retried", ("jobs", id), &serde_json::json!({}))?;
        tx.wake_workers();
    }
    Ok(begun)
}
