//! Runs due jobs.
//!
//! Workers are woken by commits of their own process and poll every second besides. Jobs of different companies run side by side, those of
//! one company in order; a job that takes many units of work holds a lease. Failed jobs are retried at growing intervals and finally given
//! up (`domain::platform::jobs::dead_letters`). While the test clock is being advanced ([`Worker::advance_clock`]) it alone runs due jobs, one at
//! a time in order of (due, id), with the clock at the time at which each becomes due. What was done is kept, with how far the clock
//! came: a process that is killed on the way begins again from there.
//!
//! If the machine's clock may have jumped before the start, no job runs until an operator confirms the clock (`domain::platform::moments`).

mod executor;
mod upkeep;

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use domain::error::Error;
use domain::events::delivery::rows as deliveries;
use domain::events::webhooks::outbox;
use domain::platform::jobs::{self, Due, JobKind};
use domain::platform::moments;
use jiff::{SignedDuration, Timestamp};
use rules::Named;
use store::{Clock, Store, Tx};
use tokio::sync::{Mutex, watch};
use tokio::task::{Id, JoinError, JoinSet};
use uuid::Uuid;

use self::executor::Executor;
pub(crate) use self::executor::end_of;
pub use self::upkeep::update_metrics;
use crate::delivery::Courier;

/// Jobs read at once.
const AT_ONCE: i64 = 100;
/// Pages of due jobs that one poll reads, skipping companies whose jobs are running.
const PAGES: usize = 20;
/// Companies whose jobs run side by side.
const COMPANIES: usize = 4;
/// How long running jobs may take to end when the process is asked to stop.
const GRACE: Duration = Duration::from_secs(9);
/// How long a worker sleeps when nothing wakes it.
const NAP: Duration = Duration::from_secs(1);
/// After a commit, how long to wait for further ones: under load they share one poll.
const GATHER: Duration = Duration::from_millis(10);
/// Deliveries that are made together while the test clock is advanced, if they are due within [`TOGETHER`] of each other.
const DELIVERIES_AT_ONCE: i64 = 64;
/// See [`DELIVERIES_AT_ONCE`].
const TOGETHER: SignedDuration = SignedDuration::from_secs(1);
/// Real time after which it is stored, and logged, how far the test clock has come.
const STEP: Duration = Duration::from_secs(1);
/// How far one call may advance the test clock.
pub const FARTHEST_DAYS: i64 = 400;

/// A job that ran while the test clock was advanced.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Fired {
    /// when it became due
    pub at: Timestamp,
    /// its kind
    pub kind: &'static str,
    /// its company; nil if it concerns none
    pub company: Uuid,
    /// the record that it is about
    pub uuid: Uuid,
}

/// Settings of the jobs.
#[derive(Debug, Clone)]
pub struct Terms {
    /// days after the start date before an invited employee who has not started onboarding is overdue
    pub overdue_after_days: i32,
    /// days for which finished deliveries are kept
    pub delivery_days: i64,
    /// the command that takes bank files from their folder, with its arguments; empty if another tool does
    pub bank_pickup: Vec<String>,
}

/// How many jobs a company's task handled.
type Outcome = Result<usize, Error>;

/// Companies whose jobs are running, each in its own task.
#[derive(Default)]
struct Running {
    tasks: JoinSet<Outcome>,
    companies: HashMap<Uuid, Id>,
}

impl Running {
    /// Starts a company's jobs, unless some of them are running.
    fn start_company_jobs(&mut self, company: Uuid, work: impl Future<Output = Outcome> + Send + 'static) {
        if !self.companies.contains_key(&company) {
            let id = self.tasks.spawn(work).id();
            self.companies.insert(company, id);
        }
    }

    /// Records that a task has ended, with its result.
    fn end_task(&mut self, ended: Option<Result<(Id, Outcome), JoinError>>) -> Option<Outcome> {
        let (id, outcome) = match ended? {
            Ok(ended) => ended,
            Err(error) => {
                tracing::error!(%error, "the task of a company's due jobs ended");
                (error.id(), Ok(0))
            }
        };
        self.companies.retain(|_, task| *task != id);
        Some(outcome)
    }
}

/// Runs due jobs, either in its own loop or as the test clock advances.
pub struct Worker {
    executor: Executor,
    courier: Arc<Courier>,
    driver: Mutex<()>,
}

impl Worker {
    /// A worker on `store`; while the test clock advances, it also makes the courier's deliveries.
    pub fn new(store: &Store, courier: Arc<Courier>, terms: Terms) -> Self {
        let node = store.randomness().node();
        Self { executor: Executor { store: store.clone(), terms, node }, courier, driver: Mutex::new(()) }
    }

    /// Schedules at start-up what must never stop: retention, sealing, the pay periods of every schedule.
    pub async fn schedule_upkeep(&self) {
        upkeep::schedule_upkeep(&self.executor.store).await;
    }

    /// Works until `stop`; running jobs then have a few seconds to end, and are released to other nodes.
    pub async fn run_until_stopped(&self, mut stop: watch::Receiver<bool>) {
        let store = &self.executor.store;
        let (mut commits, mut upkeep) = (store.watch_commits(), upkeep::Upkeep::default());
        // Once trusted, the clock stays trusted: the clock of a process does not jump.
        while !*stop.borrow() && !upkeep.time_is_believed(store).await {
            tokio::select! {
                () = tokio::time::sleep(NAP) => {}
                _ = stop.changed() => {}
            }
        }
        if !*stop.borrow() {
            self.schedule_upkeep().await;
        }
        while !*stop.borrow() {
            upkeep.run_if_due(store).await;
            {
                let _driver = self.driver.lock().await;
                if let Err(error) = self.work_until_idle(&mut stop).await {
                    tracing::warn!(?error, "the worker pauses briefly and retries");
                }
            }
            tokio::select! {
                _ = commits.changed() => tokio::time::sleep(GATHER).await,
                () = tokio::time::sleep(NAP) => {}
                _ = stop.changed() => {}
            }
        }
        let node = self.executor.node;
        if let Err(error) = store.write(move |tx| jobs::release_all(tx, node)).await {
            tracing::warn!(
                ?error,
                "a job could not be released; another node takes it when the lease expires"
            );
        }
    }

    /// Runs all due jobs, several companies side by side, until none is left; returns how many.
    async fn work_until_idle(&self, stop: &mut watch::Receiver<bool>) -> Result<usize, Error> {
        let (mut running, mut done, mut trouble) = (Running::default(), 0, None);
        loop {
            if trouble.is_none() && !*stop.borrow() {
                trouble = self.begin_some(&mut running).await.err();
            }
            if running.tasks.is_empty() {
                return trouble.map_or(Ok(done), Err);
            }
            tokio::select! {
                ended = running.tasks.join_next_with_id() => match running.end_task(ended) {
                    Some(Ok(pieces)) => done += pieces,
                    Some(Err(error)) => trouble = Some(error),
                    None => {}
                },
                () = tokio::time::sleep(NAP) => {}
                _ = stop.changed() => {
                    let ended = tokio::time::timeout(GRACE, running.tasks.join_all());
                    if ended.await.is_err() {
                        tracing::warn!("running jobs were interrupted; another node, or the next start, resumes them");
                    }
                    return Ok(done);
                }
            }
        }
    }

    /// Starts due jobs of companies that have none running, up to the free capacity.
    async fn begin_some(&self, running: &mut Running) -> Result<(), Error> {
        let now = self.executor.store.clock().now();
        let mut after = jobs::EARLIEST;
        for _ in 0..PAGES {
            if running.companies.len() >= COMPANIES {
                return Ok(());
            }
            let due = self.due_until(now, after, AT_ONCE).await?;
            let Some(last) = due.last() else { return Ok(()) };
            after = (last.due, last.id);
            let mut by_company: Vec<(Uuid, Vec<Due>)> = Vec::new();
            for piece in due {
                match by_company.iter_mut().find(|(company, _)| *company == piece.company) {
                    Some((_, pieces)) => pieces.push(piece),
                    None => by_company.push((piece.company, vec![piece])),
                }
            }
            for (company, pieces) in by_company {
                if running.companies.len() < COMPANIES {
                    running.start_company_jobs(company, self.executor.clone().work_off(pieces));
                }
            }
        }
        Ok(())
    }

    /// The first deliveries that are due until `to`, and at about the same time.
    async fn first_deliveries(&self, to: Timestamp) -> Result<Vec<(Timestamp, deliveries::Key)>, Error> {
        let read = move |tx: &mut Tx<'_>| deliveries::first_due(tx, to, DELIVERIES_AT_ONCE);
        let mut due = self.executor.store.read(read).await?;
        if let Some(&(first, _)) = due.first() {
            due.retain(|(at, _)| at.duration_since(first) <= TOGETHER);
        }
        Ok(due)
    }

    async fn due_until(
        &self,
        moment: Timestamp,
        after: (Timestamp, Uuid),
        most: i64,
    ) -> Result<Vec<Due>, Error> {
        self.executor.store.read(move |tx| jobs::due_until(tx, moment, after, most)).await
    }

    /// Advances the test clock to `to`, running everything that becomes due on the way, in order of its time.
    ///
    /// # Errors
    /// A store error; the clock then stays where the work stopped.
    pub async fn advance_clock(&self, to: Timestamp) -> Result<Vec<Fired>, Error> {
        let _driver = self.driver.lock().await;
        let _alone = self.courier.stand_still().await;
        let clock = self.executor.store.clock();
        let mut fired = Vec::new();
        let mut kept = Clock::monotonic();
        loop {
            if Clock::monotonic().saturating_sub(kept) >= STEP {
                kept = Clock::monotonic();
                self.executor.store.write(|tx: &mut Tx<'_>| moments::note_seen(tx)).await?;
                tracing::info!(now = %clock.now(), %to, done = fired.len(), "the test clock is on its way");
            }
            // The last job may have emitted events, whose deliveries are due at that moment.
            outbox::number_all(&self.executor.store).await?;
            let jobs = self.due_until(to, jobs::EARLIEST, AT_ONCE).await?;
            let mut due = self.first_deliveries(to).await?;
            let delivery = due.first().map(|(at, key)| (*at, key.event));
            due.retain(|(at, key)| jobs.first().is_none_or(|job| (*at, key.event) < (job.due, job.id)));
            if let Some(&(last, _)) = due.last() {
                clock.advance_to(last);
                fired.extend(due.iter().map(|(at, key)| Fired {
                    at: *at,
                    kind: "webhook.delivery",
                    company: Uuid::nil(),
                    uuid: key.event,
                }));
                self.courier.try_some(&self.executor.store, due).await?;
                continue;
            }
            if jobs.is_empty() {
                break;
            }
            fired.extend(self.run_some(jobs.into(), delivery, to).await?);
        }
        clock.advance_to(to);
        // Unless the time is stored, a command would find the store at the time of its newest change, before what was sealed.
        self.executor.store.write(|tx: &mut Tx<'_>| moments::note_seen(tx)).await?;
        Ok(fired)
    }

    /// Runs the first of these jobs, which are all that are due until `to`, or the first [`AT_ONCE`] of them; `delivery` is the first one
    /// that is due after it. Housekeeping makes no event and no job but its own next one, so it is followed by the next job without
    /// reading again what is due: on a cluster that asks every server, and a year has nine thousand sealings. Returns the job that ran
    /// last, unless it is housekeeping, which is not reported.
    async fn run_some(
        &self,
        mut jobs: VecDeque<Due>,
        delivery: Option<(Timestamp, Uuid)>,
        to: Timestamp,
    ) -> Result<Option<Fired>, Error> {
        let store = &self.executor.store;
        // After the last job of a full page, there may be others that were not read.
        let is_full = jobs.len() as i64 == AT_ONCE;
        let end = jobs.back().filter(|_| is_full).map_or((to, Uuid::max()), |last| (last.due, last.id));
        let begun = Clock::monotonic();
        while let Some(piece) = jobs.pop_front() {
            let is_next = delivery.is_none_or(|delivery| (piece.due, piece.id) <= delivery);
            // How far the clock has come is noted between.
            if !is_next || Clock::monotonic().saturating_sub(begun) >= STEP {
                break;
            }
            store.clock().advance_to(piece.due);
            self.executor.run_job(piece).await?;
            if !matches!(piece.kind, JobKind::Retention | JobKind::AuditSeal) {
                let Due { due: at, company, entity: uuid, .. } = piece;
                return Ok(Some(Fired { at, kind: piece.kind.as_str(), company, uuid }));
            }
            let again = store.read(move |tx| jobs::again(tx, &piece)).await?;
            if let Some(next) = again.filter(|next| (next.due, next.id) < end) {
                let place = jobs.partition_point(|job| (job.due, job.id) < (next.due, next.id));
                jobs.insert(place, next);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use jiff::ToSpan;
    use store::disk::{Disk, Step, Trouble};
    use store::{Clock, MasterKeys, Options};

    use super::*;
    use domain::SCHEMA;
    use domain::events::delivery::address::Policy;

    /// A disk that can be full, and a place where the program can fail.
    #[derive(Default)]
    struct Room {
        full: AtomicBool,
        panics: AtomicBool,
    }

    impl Disk for Room {
        fn meet_step(&self, step: Step) -> Result<(), Trouble> {
            let mistake = step == Step::Change && self.panics.swap(false, Ordering::SeqCst);
            assert!(!mistake, "the SSN 123-45-6789 was not expected");
            let full = step == Step::Change && self.full.load(Ordering::SeqCst);
            if full { Err(Trouble::Full { ended: false }) } else { Ok(()) }
        }
    }

    /// A worker on its own store, with housekeeping due.
    async fn bench(folder: &tempfile::TempDir) -> (Worker, Arc<Room>, Clock) {
        let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
        let clock = Clock::standing_at("2026-06-15T12:00:00Z".parse().unwrap());
        let disk = Arc::new(Room::default());
        let mut options = Options::new(clock.clone(), keys, SCHEMA);
        options.disk = Some(Arc::clone(&disk) as Arc<dyn Disk>);
        let url = format!("sqlite:{}", folder.path().join("jobs.db").display());
        let store = Store::open(&url, options).unwrap();
        let courier = Arc::new(Courier::new(Policy { private: false, ports: Vec::new() }));
        let worker = Worker::new(
            &store,
            courier,
            Terms { overdue_after_days: 0, delivery_days: 30, bank_pickup: Vec::new() },
        );
        jobs::begin_housekeeping(&store).await.unwrap();
        clock.advance_to(clock.now() + 30.minutes());
        (worker, disk, clock)
    }

    #[tokio::test]
    async fn a_job_that_panics_is_retried_and_its_message_is_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let (worker, disk, clock) = bench(&folder).await;
        let (_keep, mut stop) = watch::channel(false);
        let piece = worker.due_until(clock.now(), jobs::EARLIEST, 1).await.unwrap()[0];
        disk.panics.store(true, Ordering::SeqCst);
        worker.executor.run_job(piece).await.unwrap();
        let noted =
            worker.executor.store.read(move |tx| jobs::dead_letters::find_job(tx, piece.id)).await.unwrap();
        assert_eq!((noted.state.as_str(), noted.tries), ("open", 1));
        let reason = noted.reason.unwrap();
        assert!(reason.contains("panicked") && !reason.contains("123-45-6789"), "{reason}");
        assert!(noted.due > clock.now(), "after a pause");
        clock.advance_to(noted.due);
        assert_eq!(worker.work_until_idle(&mut stop).await.unwrap(), 1);
        let done =
            worker.executor.store.read(move |tx| jobs::dead_letters::find_job(tx, piece.id)).await.unwrap();
        assert_eq!((done.state.as_str(), done.tries), ("open", 0), "scheduled for the next time: {done:?}");
    }

    #[tokio::test]
    async fn jobs_held_by_a_dead_process_are_resumed_when_the_only_worker_starts() {
        let folder = tempfile::tempdir().unwrap();
        let (worker, _, clock) = bench(&folder).await;
        let (store, dead) = (worker.executor.store.clone(), Uuid::from_u128(9));
        let due = async || worker.due_until(clock.now(), jobs::EARLIEST, 1).await.unwrap();
        let piece = due().await[0];
        store.write(move |tx| jobs::lease_job(tx, &piece, dead)).await.unwrap();
        assert!(due().await.is_empty(), "another worker seems to be running");
        upkeep::schedule_upkeep(&store).await;
        assert_eq!(due().await[0].held_by, Some(dead), "it counts as one try");
        assert!(
            !store.write(move |tx| jobs::renew_lease(tx, &piece, dead)).await.unwrap()
                || due().await.is_empty()
        );
    }

    #[tokio::test]
    async fn a_job_that_cannot_be_rescheduled_is_an_error_and_runs_once_the_disk_has_room() {
        let folder = tempfile::tempdir().unwrap();
        let (worker, disk, clock) = bench(&folder).await;
        let (_keep, mut stop) = watch::channel(false);
        disk.full.store(true, Ordering::SeqCst);
        let full = |done: Result<(), Error>| matches!(done, Err(Error::Store(store::Error::Full)));
        // A successful poll would be followed by the next one at once.
        assert!(full(worker.work_until_idle(&mut stop).await.map(drop)));
        assert!(full(worker.advance_clock(clock.now()).await.map(drop)));
        assert!(worker.executor.store.is_full(), "the full disk is reported");
        disk.full.store(false, Ordering::SeqCst);
        assert_eq!(worker.work_until_idle(&mut stop).await.unwrap(), 1);
        assert!(worker.due_until(clock.now(), jobs::EARLIEST, 1).await.unwrap().is_empty());
    }
}
