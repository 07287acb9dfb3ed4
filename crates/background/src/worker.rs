//! Does what falls due.
//!
//! Workers are woken by a commit in their own process and look each second besides. While the test clock is being
//! advanced ([`Worker::advance`]) it alone drives due work, one piece at a time in order of (due, id), with the clock at
//! the moment at which the piece falls due.

use rules::Named;
use std::sync::Arc;
use std::time::Duration;

use domain::access::tokens::Caller;
use domain::company::companies;
use domain::error::Error;
use domain::events::delivery::rows as deliveries;
use domain::events::webhooks::outbox;
use domain::pay::payrolls;
use domain::people::{flows, onboarding};
use domain::platform::audit;
use domain::platform::jobs::{self, Due, Kind};
use jiff::{Timestamp, ToSpan};
use store::Store;
use tokio::sync::{Mutex, watch};
use uuid::Uuid;

use crate::delivery::Courier;
use crate::retention;

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

/// A piece of work that was done while the test clock was moved.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Fired {
    /// when it fell due
    pub at: Timestamp,
    /// what it was
    pub kind: &'static str,
    /// the record that it was about
    pub uuid: Uuid,
}

/// How long things last that the worker ends.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// days after the start date before an invited employee who has not started is overdue
    pub overdue_after_days: i32,
    /// days for which finished deliveries are kept
    pub delivery_days: i64,
}

/// Runs due work, either in its own loop or as the test clock moves.
pub struct Worker {
    store: Store,
    courier: Arc<Courier>,
    terms: Terms,
    driver: Mutex<()>,
}

impl Worker {
    /// A worker on `store`; while the test clock moves, it makes the courier's deliveries too.
    pub fn new(store: &Store, courier: Arc<Courier>, terms: Terms) -> Self {
        Self { store: store.clone(), courier, terms, driver: Mutex::new(()) }
    }

    /// Works until `stop` says so.
    pub async fn run(&self, mut stop: watch::Receiver<bool>) {
        if let Err(error) = jobs::begin_housekeeping(&self.store).await {
            tracing::error!(
                ?error,
                "the sweeping of old rows and the sealing of the audit log could not be scheduled"
            );
        }
        let mut commits = self.store.commits();
        while !*stop.borrow() {
            {
                let _driver = self.driver.lock().await;
                while matches!(self.run_some().await, Ok(done) if done > 0) && !*stop.borrow() {}
            }
            tokio::select! {
                _ = commits.changed() => tokio::time::sleep(GATHER).await,
                () = tokio::time::sleep(NAP) => {}
                _ = stop.changed() => {}
            }
        }
    }

    /// Does what is due now; returns how much it was.
    async fn run_some(&self) -> Result<usize, Error> {
        let due = self.due_until(self.store.clock().now(), AT_ONCE).await?;
        for piece in &due {
            self.attempt(*piece).await?;
        }
        Ok(due.len())
    }

    async fn due_until(&self, moment: Timestamp, most: i64) -> Result<Vec<Due>, Error> {
        Ok(self.store.read(move |tx| jobs::due_until(tx, moment, most)).await?)
    }

    /// Does a piece of work, or puts it off. Where not even that can be stored it is still due: an error, so that
    /// whoever works takes a rest before the next look.
    async fn attempt(&self, piece: Due) -> Result<(), Error> {
        let outcome = async {
            // What takes many units of work does them first; taking the piece closes it.
            match piece.kind {
                Kind::Retention => retention::sweep(&self.store, piece.due, self.terms.delivery_days).await?,
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
            self.finish(piece).await
        };
        match outcome.await {
            Ok(()) => Ok(()),
            Err(error) => self.put_off(piece, &error).await,
        }
    }

    /// Takes the piece, does it and closes it, in one unit of work.
    async fn finish(&self, piece: Due) -> Result<(), Error> {
        let grace = self.terms.overdue_after_days;
        self.store
            .write(move |tx| {
                if !jobs::take(tx, &piece)? {
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
                        jobs::schedule(tx, piece.company, piece.kind, piece.entity, piece.due + 24.hours())
                    }
                    Kind::AuditSeal => {
                        jobs::schedule(tx, piece.company, piece.kind, piece.entity, piece.due + 1.hour())
                    }
                }
            })
            .await
    }

    async fn put_off(&self, piece: Due, error: &Error) -> Result<(), Error> {
        let Due { company, attempt, .. } = piece;
        let last = attempt + 1 >= ATTEMPTS;
        tracing::error!(kind = piece.kind.as_str(), %company, entity = %piece.entity, attempt, ?error, last, "due work failed");
        let put_off = self.store.write(move |tx| {
            let now = tx.now();
            let later = now + (1_i64 << attempt.clamp(0, 12)).seconds();
            jobs::put_off(tx, &piece, if last { now } else { later }, last)
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

    /// Moves the test clock to `to`, doing on the way everything that falls due, in order of its time.
    ///
    /// # Errors
    /// A store error; the clock then stands where the work stopped.
    pub async fn advance(&self, to: Timestamp) -> Result<Vec<Fired>, Error> {
        let _driver = self.driver.lock().await;
        let _alone = self.courier.stand_still().await;
        let clock = self.store.clock();
        let mut fired = Vec::new();
        loop {
            // What was done last may have emitted events: their deliveries are due at that moment.
            outbox::number_all(&self.store).await?;
            let job = self.due_until(to, 1).await?.first().copied();
            let delivery = self.store.read(move |tx| deliveries::first_due(tx, to)).await?;
            let first =
                delivery.filter(|(due, key)| job.is_none_or(|job| (*due, key.event) < (job.due, job.id)));
            if let Some((due, key)) = first {
                clock.advance_to(due);
                self.courier.try_one(&self.store, key, due).await?;
                fired.push(Fired { at: due, kind: "webhook.delivery", uuid: key.event });
                continue;
            }
            let Some(piece) = job else { break };
            clock.advance_to(piece.due);
            self.attempt(piece).await?;
            // Sweeping and sealing are housekeeping, nothing that happened to anybody.
            if !matches!(piece.kind, Kind::Retention | Kind::AuditSeal) {
                fired.push(Fired { at: piece.due, kind: piece.kind.as_str(), uuid: piece.entity });
            }
        }
        clock.advance_to(to);
        Ok(fired)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use store::disk::{Disk, Step, Trouble};
    use store::{Clock, MasterKeys, Options};

    use super::*;
    use domain::SCHEMA;
    use domain::events::delivery::address::Policy;

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
        let mut options = Options::new(clock.clone(), keys, SCHEMA);
        options.disk = Some(Arc::clone(&disk) as Arc<dyn Disk>);
        let url = format!("sqlite:{}", folder.path().join("jobs.db").display());
        let store = Store::open(&url, options).unwrap();
        let courier = Arc::new(Courier::new(Policy { private: false, ports: Vec::new() }));
        let worker = Worker::new(&store, courier, Terms { overdue_after_days: 0, delivery_days: 30 });
        jobs::begin_housekeeping(&store).await.unwrap();
        clock.advance_to(clock.now() + 90.minutes());
        disk.0.store(true, Ordering::SeqCst);
        let full = |done: Result<(), Error>| matches!(done, Err(Error::Store(store::Error::Full)));
        // A look that ended well would be followed by the next one at once.
        assert!(full(worker.run_some().await.map(drop)));
        assert!(full(worker.advance(clock.now()).await.map(drop)));
        disk.0.store(false, Ordering::SeqCst);
        assert_eq!(worker.run_some().await.unwrap(), 1);
        assert!(worker.due_until(clock.now(), 1).await.unwrap().is_empty());
    }
}
