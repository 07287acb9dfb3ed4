//! Work that falls due: an employee who becomes overdue, a link that expires, old rows that are swept away.
//!
//! A piece of work is a row of `jobs`, named by its kind and the record that it is about: scheduling it again
//! moves it. Several nodes may look at the same rows. Work that only changes the database is taken, done and
//! closed in one unit of work, so that it happens once; the row's `attempt` decides between two nodes. What each kind
//! does, and when it is tried again, is `background::worker`'s.

use jiff::{Timestamp, ToSpan};
use rules::Named;
use sha2::{Digest, Sha256};
use store::{Store, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    SCHEDULE = "INSERT INTO jobs (company_id, id, kind, entity_id, due, attempt, state, created_at) \
                VALUES ($1, $2, $3, $4, $5, 0, 'open', $6) ON CONFLICT (company_id, id) DO UPDATE \
                SET due = excluded.due, attempt = jobs.attempt + 1, state = 'open', finished_at = NULL";
    SCHEDULE_ONCE = "INSERT INTO jobs (company_id, id, kind, entity_id, due, attempt, state, created_at) \
                     VALUES ($1, $2, $3, $4, $5, 0, 'open', $6) ON CONFLICT (company_id, id) DO NOTHING";
    CANCEL = "UPDATE jobs SET state = 'cancelled', finished_at = $1 WHERE company_id = $2 AND id = $3 AND state = 'open'";
    DUE = "SELECT company_id, id, kind, entity_id, due, attempt FROM jobs WHERE state = 'open' AND due <= $1 \
           ORDER BY due, id LIMIT $2";
    TAKE = "UPDATE jobs SET attempt = attempt + 1, state = 'done', finished_at = $1 \
            WHERE company_id = $2 AND id = $3 AND attempt = $4 AND state = 'open'";
    PUT_OFF = "UPDATE jobs SET attempt = attempt + 1, due = $1 WHERE company_id = $2 AND id = $3 AND attempt = $4 AND state = 'open'";
    GIVE_UP = "UPDATE jobs SET attempt = attempt + 1, state = 'failed', finished_at = $1 \
               WHERE company_id = $2 AND id = $3 AND attempt = $4 AND state = 'open'";
}

/// Kinds of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Kind {
    /// an invited employee has not started by the start date
    #[strum(serialize = "employee.self_onboarding_overdue")]
    EmployeeOverdue,
    /// a link to a hosted page has not been used for too long
    #[strum(serialize = "flow_link.expired")]
    FlowLinkExpired,
    /// a pay period of a schedule begins
    #[strum(serialize = "payroll.created")]
    PayrollBegins,
    /// a payroll is to be calculated
    #[strum(serialize = "payroll.calculated")]
    PayrollCalculate,
    /// a payroll is to be run without anybody's doing
    #[strum(serialize = "payroll.auto")]
    PayrollAuto,
    /// a payroll was submitted
    #[strum(serialize = "payroll.processed")]
    PayrollProcess,
    /// what a cancelled payroll took and gave is undone
    #[strum(serialize = "payroll.forgotten")]
    PayrollForget,
    /// the pay date of a processed payroll has come
    #[strum(serialize = "payroll.paid")]
    PayrollPaid,
    /// what was written to the audit log is sealed
    #[strum(serialize = "audit.sealed")]
    AuditSeal,
    /// old rows are swept away
    #[strum(serialize = "retention")]
    Retention,
}

impl Kind {
    /// The same piece of work has the same id, however often it is scheduled.
    fn id(self, company: Uuid, entity: Uuid) -> Uuid {
        let mut hash = Sha256::new();
        hash.update(self.as_str());
        hash.update(company.as_bytes());
        hash.update(entity.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }
}

/// Schedules work on a record, or moves it when it was scheduled before.
///
/// # Errors
/// A store error.
pub fn schedule(
    tx: &mut Tx<'_>,
    company: Uuid,
    kind: Kind,
    entity: Uuid,
    due: Timestamp,
) -> Result<(), Error> {
    let (id, now) = (kind.id(company, entity), tx.now());
    tx.insert(SCHEDULE, params![company, id, kind.as_str(), entity, due, now])?;
    tx.wake();
    Ok(())
}

/// Takes back what was scheduled; work that is not scheduled is none.
///
/// # Errors
/// A store error.
pub fn cancel(tx: &mut Tx<'_>, company: Uuid, kind: Kind, entity: Uuid) -> Result<(), Error> {
    let now = tx.now();
    let _was_scheduled = tx.change(CANCEL, params![now, company, kind.id(company, entity)])?.rows();
    Ok(())
}

/// A piece of work that is due.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// the company that it is about
    pub company: Uuid,
    /// identifier of the work
    pub id: Uuid,
    /// what is to be done
    pub kind: Kind,
    /// the record that it is about
    pub entity: Uuid,
    /// since when
    pub due: Timestamp,
    /// how often it was taken before
    pub attempt: i64,
}

/// Up to `most` pieces of work that are due at `moment`, the earliest first. Kinds that this version does not know are left
/// to nodes that do.
///
/// # Errors
/// A store error.
pub fn due_until(tx: &mut Tx<'_>, moment: Timestamp, most: i64) -> Result<Vec<Due>, store::Error> {
    let rows = tx.query(DUE, params![moment, most], |row| {
        let kind = row.get::<&str>(2);
        let kind = Kind::parse(kind)?;
        Some(Due {
            company: row.get(0),
            id: row.get(1),
            kind,
            entity: row.get(3),
            due: row.get(4),
            attempt: row.get(5),
        })
    })?;
    Ok(rows.into_iter().flatten().collect())
}

/// Takes a piece of work and closes it, in the unit that does it. False where another node was quicker, or it was moved.
///
/// # Errors
/// A store error.
pub fn take(tx: &mut Tx<'_>, piece: &Due) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change(TAKE, params![now, piece.company, piece.id, piece.attempt])?.one())
}

/// Puts a piece of work off until `at`, or gives it up then where this was its `last` attempt.
///
/// # Errors
/// A store error.
pub fn put_off(tx: &mut Tx<'_>, piece: &Due, at: Timestamp, last: bool) -> Result<(), store::Error> {
    let statement = if last { GIVE_UP } else { PUT_OFF };
    let _may_have_moved = tx.change(statement, params![at, piece.company, piece.id, piece.attempt])?.rows();
    Ok(())
}

/// Schedules what is done again and again, in a store in which it is not scheduled yet.
///
/// # Errors
/// A store error.
pub async fn begin_housekeeping(store: &Store) -> Result<(), Error> {
    let nobody = Uuid::nil();
    let once = move |tx: &mut Tx<'_>| {
        let now = tx.now();
        for (kind, due) in [(Kind::Retention, now + 24.hours()), (Kind::AuditSeal, now + 1.hour())] {
            let row = params![nobody, kind.id(nobody, nobody), kind.as_str(), nobody, due, now];
            let _is_new = tx.change(SCHEDULE_ONCE, row)?.rows();
        }
        Ok(())
    };
    store.write(once).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_work_on_the_same_record_is_scheduled_once() {
        let (company, employee) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let id = |kind: Kind| kind.id(company, employee);
        assert_eq!(id(Kind::EmployeeOverdue), id(Kind::EmployeeOverdue));
        assert_ne!(id(Kind::EmployeeOverdue), id(Kind::FlowLinkExpired));
    }
}
