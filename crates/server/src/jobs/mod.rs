//! Work that falls due: an employee who becomes overdue, a link that expires, old rows that are swept away.
//!
//! A piece of work is a row of `jobs`, named by its kind and the record that it is about: scheduling it again
//! moves it. Several nodes may look at the same rows. Work that only changes the database is taken, done and
//! closed in one unit of work, so that it happens once; the row's `attempt` decides between two nodes.
//!
//! Workers are woken by a commit in their own process and look each second besides. While the test clock is being
//! advanced ([`advance`]) it alone drives due work, one piece at a time in order of (due, id), with the clock at
//! the moment at which the piece falls due.

mod retention;

use std::time::Duration;

use jiff::{Timestamp, ToSpan};
use serde::Serialize;
use sha2::{Digest, Sha256};
use store::{Store, Tx, params};
use tokio::sync::{Mutex, watch};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::Caller;
use crate::delivery::{outbox, rows as deliveries};
use crate::error::Error;
use crate::{audit, companies};
use crate::{flows, onboarding, payrolls};

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

pub(crate) use retention::ALL as RETENTION_STATEMENTS;

/// Pieces of work looked up at once.
const AT_ONCE: i64 = 100;
/// Attempts before a piece of work is given up and reported.
const ATTEMPTS: i64 = 12;
/// How long a worker sleeps when nothing wakes it.
const NAP: Duration = Duration::from_secs(1);
/// After a commit, how long further ones are waited for: under load they share one look at the due work.
const GATHER: Duration = Duration::from_millis(10);
/// How far one call may move the test clock.
pub const FARTHEST_DAYS: i64 = 400;

/// Kinds of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// an invited employee has not started by the start date
    EmployeeOverdue,
    /// a link to a hosted page has not been used for too long
    FlowLinkExpired,
    /// a pay period of a schedule begins
    PayrollBegins,
    /// a payroll is to be calculated
    PayrollCalculate,
    /// a payroll is to be run without anybody's doing
    PayrollAuto,
    /// a payroll was submitted
    PayrollProcess,
    /// what a cancelled payroll took and gave is undone
    PayrollForget,
    /// the pay date of a processed payroll has come
    PayrollPaid,
    /// what was written to the audit log is sealed
    AuditSeal,
    /// old rows are swept away
    Retention,
}

impl Kind {
    const ALL: [Self; 10] = [
        Self::EmployeeOverdue,
        Self::FlowLinkExpired,
        Self::PayrollBegins,
        Self::PayrollCalculate,
        Self::PayrollAuto,
        Self::PayrollProcess,
        Self::PayrollForget,
        Self::PayrollPaid,
        Self::AuditSeal,
        Self::Retention,
    ];

    /// The text in the store and in the log of the test clock.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EmployeeOverdue => "employee.self_onboarding_overdue",
            Self::FlowLinkExpired => "flow_link.expired",
            Self::PayrollBegins => "payroll.created",
            Self::PayrollCalculate => "payroll.calculated",
            Self::PayrollAuto => "payroll.auto",
            Self::PayrollProcess => "payroll.processed",
            Self::PayrollForget => "payroll.forgotten",
            Self::PayrollPaid => "payroll.paid",
            Self::AuditSeal => "audit.sealed",
            Self::Retention => "retention",
        }
    }

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

#[derive(Debug, Clone, Copy)]
struct Due {
    company: Uuid,
    id: Uuid,
    kind: Kind,
    entity: Uuid,
    due: Timestamp,
    attempt: i64,
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

/// A piece of work that was done while the test clock was moved.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Fired {
    /// when it fell due
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// what it was
    pub kind: &'static str,
    /// the record that it was about
    pub uuid: Uuid,
}

/// Who may run due work at the moment: the worker's loop or the test clock.
pub struct Worker {
    store: Store,
    driver: Mutex<()>,
}

impl Worker {
    /// A worker on `store`.
    pub fn new(store: &Store) -> Self {
        Self { store: store.clone(), driver: Mutex::new(()) }
    }

    /// Works until `stop` says so.
    pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
        if let Err(error) = begin_housekeeping(&app.store).await {
            tracing::error!(
                ?error,
                "the sweeping of old rows and the sealing of the audit log could not be scheduled"
            );
        }
        let mut commits = app.store.commits();
        while !*stop.borrow() {
            {
                let _driver = app.worker.driver.lock().await;
                while matches!(app.worker.run_some(&app).await, Ok(done) if done > 0) && !*stop.borrow() {}
            }
            tokio::select! {
                _ = commits.changed() => tokio::time::sleep(GATHER).await,
                () = tokio::time::sleep(NAP) => {}
                _ = stop.changed() => {}
            }
        }
    }

    /// Does what is due now; returns how much it was.
    async fn run_some(&self, app: &App) -> Result<usize, Error> {
        let due = self.due_until(self.store.clock().now(), AT_ONCE).await?;
        for piece in &due {
            self.attempt(app, *piece).await?;
        }
        Ok(due.len())
    }

    async fn due_until(&self, moment: Timestamp, most: i64) -> Result<Vec<Due>, Error> {
        let rows = self.store.read(move |tx| {
            tx.query(DUE, params![moment, most], |row| {
                let kind = row.get::<&str>(2);
                let kind = Kind::ALL.into_iter().find(|k| k.as_str() == kind)?;
                Some(Due {
                    company: row.get(0),
                    id: row.get(1),
                    kind,
                    entity: row.get(3),
                    due: row.get(4),
                    attempt: row.get(5),
                })
            })
        });
        Ok(rows.await.map_err(|error: store::Error| error)?.into_iter().flatten().collect())
    }

    /// Does a piece of work, or puts it off. Where not even that can be stored it is still due: an error, so that
    /// whoever works takes a rest before the next look.
    async fn attempt(&self, app: &App, piece: Due) -> Result<(), Error> {
        let outcome = async {
            // What takes many units of work does them first; taking the piece closes it.
            match piece.kind {
                Kind::Retention => {
                    retention::sweep(&self.store, piece.due, app.settings.delivery_days).await?
                }
                Kind::PayrollCalculate => {
                    payrolls::run::calculate(&self.store, piece.company, piece.entity).await?;
                }
                Kind::PayrollAuto => payrolls::auto::run(&self.store, piece.company, piece.entity).await?,
                Kind::PayrollProcess => {
                    payrolls::run::process(&self.store, piece.company, piece.entity).await?
                }
                Kind::PayrollForget => {
                    payrolls::run::forget(&self.store, piece.company, piece.entity).await?
                }
                Kind::AuditSeal => audit::seals::seal_all(&self.store, piece.due).await?,
                _ => {}
            }
            self.finish(app, piece).await
        };
        match outcome.await {
            Ok(()) => Ok(()),
            Err(error) => self.put_off(piece, &error).await,
        }
    }

    /// Takes the piece, does it and closes it, in one unit of work.
    async fn finish(&self, app: &App, piece: Due) -> Result<(), Error> {
        let grace = app.settings.overdue_after_days;
        self.store
            .write(move |tx| {
                let now = tx.now();
                if !tx.change(TAKE, params![now, piece.company, piece.id, piece.attempt])?.one() {
                    return Ok(()); // another node was quicker, or it was moved
                }
                match piece.kind {
                    Kind::EmployeeOverdue => {
                        let caller = Caller::service(piece.company, companies::time_zone(tx, piece.company)?);
                        onboarding::service::became_overdue(tx, &caller, piece.entity, grace)
                    }
                    Kind::FlowLinkExpired => flows::service::expire(tx, piece.company, piece.entity),
                    Kind::PayrollCalculate
                    | Kind::PayrollAuto
                    | Kind::PayrollProcess
                    | Kind::PayrollForget => Ok(()),
                    Kind::PayrollPaid => payrolls::run::paid(tx, piece.company, piece.entity),
                    Kind::PayrollBegins => payrolls::regular::fell_due(tx, piece.company, piece.entity),
                    // Counted from when it was due, so that moving the test clock in one step or two is the same.
                    Kind::Retention => {
                        schedule(tx, piece.company, piece.kind, piece.entity, piece.due + 24.hours())
                    }
                    Kind::AuditSeal => {
                        schedule(tx, piece.company, piece.kind, piece.entity, piece.due + 1.hour())
                    }
                }
            })
            .await
    }

    async fn put_off(&self, piece: Due, error: &Error) -> Result<(), Error> {
        let Due { company, id, attempt, .. } = piece;
        let last = attempt + 1 >= ATTEMPTS;
        tracing::error!(kind = piece.kind.as_str(), %company, entity = %piece.entity, attempt, ?error, last, "due work failed");
        let put_off = self.store.write(move |tx| {
            let now = tx.now();
            let later = now + (1_i64 << attempt.clamp(0, 12)).seconds();
            let statement = if last { GIVE_UP } else { PUT_OFF };
            let at = if last { now } else { later };
            tx.change(statement, params![at, company, id, attempt]).map(|changed| changed.rows())
        });
        put_off.await.map_err(|error: store::Error| {
            tracing::error!(%error, "failed work could not be put off; it is still due");
            error
        })?;
        if last
            && piece.kind == Kind::PayrollCalculate
            && let Err(error) = payrolls::run::give_up(&self.store, company, piece.entity).await
        {
            tracing::error!(?error, "a calculation that was given up could not be noted as failed");
        }
        Ok(())
    }
}

/// Moves the test clock to `to`, doing on the way everything that falls due, in order of its time.
///
/// # Errors
/// A store error; the clock then stands where the work stopped.
pub async fn advance(app: &App, to: Timestamp) -> Result<Vec<Fired>, Error> {
    let _driver = app.worker.driver.lock().await;
    let _alone = app.courier.stand_still().await;
    let clock = app.store.clock();
    let mut fired = Vec::new();
    loop {
        // What was done last may have emitted events: their deliveries are due at that moment.
        outbox::number_all(&app.store).await?;
        let job = app.worker.due_until(to, 1).await?.first().copied();
        let delivery = app.store.read(move |tx| deliveries::first_due(tx, to)).await?;
        let first = delivery.filter(|(due, key)| job.is_none_or(|job| (*due, key.event) < (job.due, job.id)));
        if let Some((due, key)) = first {
            clock.advance_to(due);
            app.courier.try_one(app, key, due).await?;
            fired.push(Fired { at: due, kind: "webhook.delivery", uuid: key.event });
            continue;
        }
        let Some(piece) = job else { break };
        clock.advance_to(piece.due);
        app.worker.attempt(app, piece).await?;
        // Sweeping and sealing are housekeeping, nothing that happened to anybody.
        if !matches!(piece.kind, Kind::Retention | Kind::AuditSeal) {
            fired.push(Fired { at: piece.due, kind: piece.kind.as_str(), uuid: piece.entity });
        }
    }
    clock.advance_to(to);
    Ok(fired)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use store::disk::{Disk, Step, Trouble};
    use store::{Clock, MasterKeys, Options};

    use super::*;
    use crate::config::Settings;
    use crate::{MIGRATIONS, routes};

    /// A disk that can be filled.
    #[derive(Default)]
    struct Room(AtomicBool);

    impl Disk for Room {
        fn meet(&self, step: Step) -> Result<(), Trouble> {
            let full = step == Step::Change && self.0.load(Ordering::SeqCst);
            if full { Err(Trouble::Full { ended: false }) } else { Ok(()) }
        }
    }

    #[tokio::test]
    async fn work_that_cannot_even_be_put_off_is_an_error_and_is_done_once_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
        let clock = Clock::standing("2026-06-15T12:00:00Z".parse().unwrap());
        let disk = Arc::new(Room::default());
        let mut options = Options::new(clock.clone(), keys, MIGRATIONS);
        options.disk = Some(Arc::clone(&disk) as Arc<dyn Disk>);
        let url = format!("sqlite:{}", folder.path().join("jobs.db").display());
        let store = Store::open(&url, options).unwrap();
        let (app, _) = routes::service(store, Settings::default());
        begin_housekeeping(&app.store).await.unwrap();
        clock.advance_to(clock.now() + 90.minutes());
        disk.0.store(true, Ordering::SeqCst);
        let full = |done: Result<(), Error>| matches!(done, Err(Error::Store(store::Error::Full)));
        // A look that ended well would be followed by the next one at once.
        assert!(full(app.worker.run_some(&app).await.map(drop)));
        assert!(full(advance(&app, clock.now()).await.map(drop)));
        disk.0.store(false, Ordering::SeqCst);
        assert_eq!(app.worker.run_some(&app).await.unwrap(), 1);
        assert!(app.worker.due_until(clock.now(), 1).await.unwrap().is_empty());
    }

    #[test]
    fn the_same_work_on_the_same_record_is_scheduled_once() {
        let (company, employee) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let id = |kind: Kind| kind.id(company, employee);
        assert_eq!(id(Kind::EmployeeOverdue), id(Kind::EmployeeOverdue));
        assert_ne!(id(Kind::EmployeeOverdue), id(Kind::FlowLinkExpired));
    }
}
