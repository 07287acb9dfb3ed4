//! Due jobs, and how nodes share them.
//!
//! A job of many units holds a lease with an owner and an end, which the owner extends while it works. When a node dies, its lease expires,
//! and another takes over the job; a node that lost its lease stops. A company's jobs run in order: while a node holds one of them, no
//! other node starts the next.

use std::collections::BTreeMap;

use jiff::{Timestamp, ToSpan};
use rules::Named;
use store::record::Cursor;
use store::{Row, Store, Tx, params};
use uuid::Uuid;

use super::JobKind;
use crate::error::Error;

/// The kinds that this version knows, as in statements: others are left to newer nodes, and must not block these.
macro_rules! known {
    () => {
        "('minimum_wages.reviewed', 'year_end.reviewed', 'employee.self_onboarding_overdue', 'employee.terminated_effective', 'employee.rehire_effective', 'contractor.deactivation_effective', 'contractor.reactivation_effective', 'time_off.year', 'flow_link.expired', 'payroll.created', 'payroll.calculated', 'payroll.auto', 'payroll.missed', \
         'payroll.processed', 'payroll.forgotten', 'payroll.credits', 'contractor.credits', 'contractor.paid', 'tax_deposit.staged', 'reduced_credit.accrued', 'bank.file', 'bank.pickup', 'redebit.settled', 'payroll.paid', \
         'report.made', 'payroll_sync.completed', 'external_payrolls.finished', 'audit.sealed', 'retention')"
    };
}

/// As in [`known!`].
#[cfg(test)]
pub(super) const KNOWN: &str = known!();

store::statements! {
    DUE = concat!("SELECT company_id, id, kind, entity_id, due, attempt, leased_by FROM jobs \
           WHERE state = 'open' AND due <= $1 AND (due > $2 OR (due = $2 AND id > $3)) AND kind IN ", known!(), " \
           AND NOT EXISTS (SELECT 1 FROM jobs held WHERE held.company_id = jobs.company_id AND held.state = 'open' \
           AND held.lease_until > $4) ORDER BY due, id LIMIT $5");
    ONE = concat!("SELECT company_id, id, kind, entity_id, due, attempt, leased_by FROM jobs \
           WHERE company_id = $1 AND id = $2 AND state = 'open' AND kind IN ", known!());
    // Across companies, like the worker.
    UNKNOWN = concat!("SELECT kind, count(company_id) FROM jobs WHERE state = 'open' AND due <= $1 AND kind NOT IN ", known!(), " \
               GROUP BY kind ORDER BY kind LIMIT 100");
    TAKE = "UPDATE jobs SET attempt = attempt + 1, state = 'done', finished_at = $1, lease_until = NULL, leased_by = NULL \
            WHERE company_id = $2 AND id = $3 AND attempt = $4 AND state = 'open'";
    PUT_OFF = "UPDATE jobs SET attempt = attempt + 1, due = $1, lease_until = NULL, leased_by = NULL \
               WHERE company_id = $2 AND id = $3 AND attempt = $4 AND state = 'open'";
    GIVE_UP = "UPDATE jobs SET attempt = attempt + 1, state = 'failed', finished_at = $1, lease_until = NULL, leased_by = NULL \
               WHERE company_id = $2 AND id = $3 AND attempt = $4 AND state = 'open'";
    LEASE = "UPDATE jobs SET lease_until = $1, leased_by = $2 WHERE company_id = $3 AND id = $4 AND attempt = $5 \
             AND state = 'open' AND (lease_until IS NULL OR lease_until <= $6)";
    RENEW = "UPDATE jobs SET lease_until = $1 WHERE company_id = $2 AND id = $3 AND attempt = $4 AND state = 'open' \
             AND leased_by = $5";
    RELEASE = "UPDATE jobs SET lease_until = NULL, leased_by = NULL WHERE company_id = $1 AND id = $2 AND attempt = $3 \
               AND state = 'open' AND leased_by = $4";
    // Across companies: a node that ends releases everything it holds.
    RELEASE_ALL = "UPDATE jobs SET lease_until = NULL, leased_by = NULL WHERE state = 'open' AND lease_until IS NOT NULL \
                   AND leased_by = $1";
    HELD = "SELECT count(*) FROM jobs WHERE state = 'open' AND lease_until > $1";
    END_LEASES = "UPDATE jobs SET lease_until = $1 WHERE state = 'open' AND lease_until > $1";
    FAILURES = "SELECT tries, first_failed_at FROM job_failures WHERE company_id = $1 AND id = $2 AND attempt = $3";
    NOTE = "INSERT INTO job_failures (company_id, id, attempt, tries, reason, first_failed_at, failed_at) \
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (company_id, id) DO UPDATE SET attempt = excluded.attempt, \
            tries = excluded.tries, reason = excluded.reason, first_failed_at = excluded.first_failed_at, \
            failed_at = excluded.failed_at";
}

/// Failures before a job fails permanently: after a little more than an hour.
pub const TRIES: i64 = 12;
/// Maximum seconds until a retry.
const LONGEST_WAIT: i64 = 3_600;
/// Maximum characters of a reason that are stored.
const LONGEST_REASON: usize = 1_000;
/// Seconds until a lease must be renewed.
pub const LEASE_SECONDS: i64 = 60;

/// Seconds until a job is tried again for which a server was missing.
const MISSED_SECONDS: i64 = 30;

/// The cursor before all due jobs.
pub const EARLIEST: (Timestamp, Uuid) = (Timestamp::UNIX_EPOCH, Uuid::nil());

/// A due job.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// its company
    pub company: Uuid,
    /// its id
    pub id: Uuid,
    /// its kind
    pub kind: JobKind,
    /// the record that it is about
    pub entity: Uuid,
    /// due since
    pub due: Timestamp,
    /// how often the row was scheduled, taken or rescheduled before: a node that sees another number was too late
    pub attempt: i64,
    /// the holder of an expired lease
    pub held_by: Option<Uuid>,
}

impl Due {
    fn read(row: &Row<'_>) -> Result<Self, Error> {
        let mut next = Cursor::new(row, "jobs", 0);
        Ok(Self {
            company: next.read_plain("company_id")?,
            id: next.read_plain("id")?,
            kind: next.read_text("kind", JobKind::parse)?,
            entity: next.read_plain("entity_id")?,
            due: next.read_plain("due")?,
            attempt: next.read_plain("attempt")?,
            held_by: next.read_plain("leased_by")?,
        })
    }
}

/// When the same job is due next, if it is.
pub fn again(tx: &mut Tx<'_>, piece: &Due) -> Result<Option<Due>, Error> {
    tx.try_find(ONE, params![piece.company, piece.id], Due::read)
}

/// Up to `most` jobs that are due at `moment`, earliest first, after the cursor `after`. Excludes kinds that this version does not know,
/// and companies of which a node holds a job, or whose server does not answer.
pub fn due_until(
    tx: &mut Tx<'_>,
    moment: Timestamp,
    (due, id): (Timestamp, Uuid),
    most: i64,
) -> Result<Vec<Due>, Error> {
    let now = tx.now();
    let mut found = tx.query_by_server(&["jobs"], DUE, params![moment, due, id, now, most], Due::read)?;
    // Each server of a cluster may have answered by itself.
    found.sort_by_key(|due: &Due| (due.due, due.id));
    found.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(found)
}

/// Kinds of due jobs that this version does not know, with their numbers: a newer node runs them.
pub fn unknown_job_kinds(tx: &mut Tx<'_>) -> Result<Vec<(String, i64)>, Error> {
    let now = tx.now();
    let found = tx.query_by_server(&["jobs"], UNKNOWN, params![now], |row| {
        let mut next = Cursor::new(row, "jobs", 0);
        Ok::<(String, i64), store::Error>((next.read_plain("kind")?, next.read_plain("count")?))
    })?;
    let mut sums = BTreeMap::new();
    for (kind, count) in found {
        *sums.entry(kind).or_default() += count;
    }
    Ok(sums.into_iter().collect())
}

/// Takes a job and closes it, in the unit that runs it. False if another node was quicker, or it was rescheduled.
pub fn take_job(tx: &mut Tx<'_>, piece: &Due) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change_rows(TAKE, params![now, piece.company, piece.id, piece.attempt])?.is_one())
}

/// The result of requesting a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leased {
    /// the lease is held
    Held,
    /// another node was quicker, or it was rescheduled
    No,
    /// too many nodes died while running it
    GivenUp,
}

/// Leases a job to `node`, until the lease expires or is released. Another node's expired lease counts as a failure: a job that kills the
/// process must not do so for ever.
pub fn lease_job(tx: &mut Tx<'_>, piece: &Due, node: Uuid) -> Result<Leased, Error> {
    let (now, until) = (tx.now(), lease_end(tx));
    let row = params![until, node, piece.company, piece.id, piece.attempt, now];
    if !tx.change_rows(LEASE, row)?.is_one() {
        return Ok(Leased::No);
    }
    if piece.held_by.is_none() {
        return Ok(Leased::Held);
    }
    let reason = "the process ended, or was interrupted, while it ran this job";
    let (before, _) = job_failures(tx, piece)?;
    if before + 1 < TRIES {
        record_failure(tx, piece, piece.attempt, reason)?;
        return Ok(Leased::Held);
    }
    let given_up = put_off(tx, piece, reason)?;
    Ok(if given_up { Leased::GivenUp } else { Leased::No })
}

/// Extends a lease; returns whether it is still held.
pub fn renew_lease(tx: &mut Tx<'_>, piece: &Due, node: Uuid) -> Result<bool, Error> {
    let until = lease_end(tx);
    Ok(tx.change_rows(RENEW, params![until, piece.company, piece.id, piece.attempt, node])?.is_one())
}

/// Releases a job that was not done.
pub fn release_job(tx: &mut Tx<'_>, piece: &Due, node: Uuid) -> Result<(), Error> {
    let _lost = tx.change_rows(RELEASE, params![piece.company, piece.id, piece.attempt, node])?.rows();
    Ok(())
}

/// Releases everything that `node` holds, when it ends.
pub fn release_all(tx: &mut Tx<'_>, node: Uuid) -> Result<(), Error> {
    let _may_hold_none = tx.change_rows(RELEASE_ALL, params![node])?.rows();
    Ok(())
}

/// Ends every lease of a file store when its one worker starts: their holders are dead. On a server, other nodes may be running, and their
/// leases are kept. The holder is remembered, so that a job that kills its process each time fails permanently in the end. Returns how many
/// were ended; nothing is written if there were none.
pub async fn end_leases_of_the_dead(store: &Store) -> Result<i64, Error> {
    let held = store.read(|tx: &mut Tx<'_>| {
        if !tx.one_after_the_other() {
            return Ok(None);
        }
        let now = tx.now();
        tx.find_row(HELD, params![now], |row| row.get::<i64>(0))
    });
    let held = held.await.map_err(|error: store::Error| error)?.unwrap_or(0);
    if held > 0 {
        let end = |tx: &mut Tx<'_>| {
            let now = tx.now();
            tx.change_rows(END_LEASES, params![now]).map(|ended| ended.rows())
        };
        store.write(end).await.map_err(|error: store::Error| error)?;
    }
    Ok(held)
}

fn lease_end(tx: &Tx<'_>) -> Timestamp {
    tx.now() + LEASE_SECONDS.seconds()
}

/// Reschedules a failed job, doubling the delay each time, or fails it permanently after [`TRIES`] failures; returns whether it failed
/// permanently. A job on which payments depend never does: it is retried each hour.
pub fn put_off(tx: &mut Tx<'_>, piece: &Due, reason: &str) -> Result<bool, Error> {
    let tries = record_failure(tx, piece, piece.attempt + 1, reason)?;
    let (now, last) = (tx.now(), tries >= TRIES && !piece.kind.is_owed());
    let later = now + (1_i64 << (tries - 1).clamp(0, TRIES)).min(LONGEST_WAIT).seconds();
    let (statement, at) = if last { (GIVE_UP, now) } else { (PUT_OFF, later) };
    let _may_have_moved =
        tx.change_rows(statement, params![at, piece.company, piece.id, piece.attempt])?.rows();
    Ok(last)
}

/// Reschedules a job for which a server of a cluster was missing: that is no failure of the job. False if it was rescheduled meanwhile.
pub fn defer_job(tx: &mut Tx<'_>, piece: &Due) -> Result<bool, Error> {
    let later = tx.now() + MISSED_SECONDS.seconds();
    Ok(tx.change_rows(PUT_OFF, params![later, piece.company, piece.id, piece.attempt])?.is_one())
}

/// How often a job has failed since it was scheduled, and when first.
fn job_failures(tx: &mut Tx<'_>, piece: &Due) -> Result<(i64, Timestamp), Error> {
    let found = tx.try_find(FAILURES, params![piece.company, piece.id, piece.attempt], |row| {
        let mut next = Cursor::new(row, "job_failures", 0);
        Ok::<_, store::Error>((next.read_plain("tries")?, next.read_plain("first_failed_at")?))
    })?;
    Ok(found.unwrap_or((0, tx.now())))
}

/// Records a failure that leaves the job's attempt at `left`; returns the number of failures since it was scheduled.
fn record_failure(tx: &mut Tx<'_>, piece: &Due, left: i64, reason: &str) -> Result<i64, Error> {
    let (company, id, now) = (piece.company, piece.id, tx.now());
    let (before, first) = job_failures(tx, piece)?;
    let tries = before + 1;
    let reason: String = reason.chars().take(LONGEST_REASON).collect();
    let _upserted = tx.change_rows(NOTE, params![company, id, left, tries, &reason, first, now])?.rows();
    Ok(tries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_every_kind() {
        let named = known!().matches('\'').count() / 2;
        let kinds = <JobKind as strum::VariantArray>::VARIANTS;
        assert_eq!(named, kinds.len());
        assert!(kinds.iter().all(|kind| known!().contains(&format!("'{}'", kind.as_str()))));
    }
}
