//! Does what falls due.
//!
//! Workers are woken by a commit in their own process and look each second besides. Work of several companies is done side
//! by side, that of one company in order; what takes many units of work is held under a lease meanwhile. Work that fails is
//! tried again later and later, and given up in the end (`domain::platform::jobs::dead_letters`). While the test clock is being
//! advanced ([`Worker::advance`]) it alone drives due work, one piece at a time in order of (due, id), with the clock at
//! the moment at which the piece falls due.
//!
//! Where the machine's clock may have made a step before the start, nothing is done by it until an operator confirms it
//! (`domain::platform::moments`).

mod executor;
mod upkeep;

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use domain::error::Error;
use domain::events::delivery::rows as deliveries;
use domain::events::webhooks::outbox;
use domain::platform::jobs::{self, Due, Kind};
use domain::platform::moments;
use jiff::Timestamp;
use rules::Named;
use store::{Store, Tx};
use tokio::sync::{Mutex, watch};
use tokio::task::{Id, JoinError, JoinSet};
use uuid::Uuid;

use self::executor::Executor;
pub(crate) use self::executor::end_of;
pub use self::upkeep::watch;
use crate::delivery::Courier;

/// Pieces of work looked up at once.
const AT_ONCE: i64 = 100;
/// Pages of due work that one look goes through, past companies of which work is under way.
const PAGES: usize = 20;
/// Companies whose work is done side by side.
const COMPANIES: usize = 4;
/// How long work that is under way has to end when the process is asked to stop.
const GRACE: Duration = Duration::from_secs(9);
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
    /// whose it was; nil for what concerns nobody
    pub company: Uuid,
    /// the record that it was about
    pub uuid: Uuid,
}

/// How long things last that the worker ends.
#[derive(Debug, Clone)]
pub struct Terms {
    /// days after the start date before an invited employee who has not started is overdue
    pub overdue_after_days: i32,
    /// days for which finished deliveries are kept
    pub delivery_days: i64,
    /// the command that takes files for the bank from their folder, with its arguments; none where a tool does that
    pub bank_pickup: Vec<String>,
}

/// How many pieces of work a company's task looked at.
type Outcome = Result<usize, Error>;

/// Companies of which work is under way, each in a task of its own.
#[derive(Default)]
struct Running {
    tasks: JoinSet<Outcome>,
    companies: HashMap<Uuid, Id>,
}

impl Running {
    /// Begins a company's work, if none of it is under way.
    fn begin(&mut self, company: Uuid, work: impl Future<Output = Outcome> + Send + 'static) {
        if !self.companies.contains_key(&company) {
            let id = self.tasks.spawn(work).id();
            self.companies.insert(company, id);
        }
    }

    /// Notes that a task has ended, and what it came to.
    fn end(&mut self, ended: Option<Result<(Id, Outcome), JoinError>>) -> Option<Outcome> {
        let (id, outcome) = match ended? {
            Ok(ended) => ended,
            Err(error) => {
                tracing::error!(%error, "the task of a company's due work ended");
                (error.id(), Ok(0))
            }
        };
        self.companies.retain(|_, task| *task != id);
        Some(outcome)
    }
}

/// Runs due work, either in its own loop or as the test clock moves.
pub struct Worker {
    executor: Executor,
    courier: Arc<Courier>,
    driver: Mutex<()>,
}

impl Worker {
    /// A worker on `store`; while the test clock moves, it makes the courier's deliveries too.
    pub fn new(store: &Store, courier: Arc<Courier>, terms: Terms) -> Self {
        let node = store.randomness().node();
        Self { executor: Executor { store: store.clone(), terms, node }, courier, driver: Mutex::new(()) }
    }

    /// Takes up at a start what must go on for ever: sweeping, sealing, the pay periods of every schedule.
    pub async fn begin(&self) {
        upkeep::begin(&self.executor.store).await;
    }

    /// Works until `stop` says so; what is under way then has some seconds to end, and is given back to other nodes.
    pub async fn run(&self, mut stop: watch::Receiver<bool>) {
        let store = &self.executor.store;
        let (mut commits, mut upkeep) = (store.commits(), upkeep::Upkeep::default());
        // Once it is believed, the time stays so: the clock of a process goes on without steps.
        while !*stop.borrow() && !upkeep.time_is_believed(store).await {
            tokio::select! {
                () = tokio::time::sleep(NAP) => {}
                _ = stop.changed() => {}
            }
        }
        if !*stop.borrow() {
            self.begin().await;
        }
        while !*stop.borrow() {
            upkeep.look(store).await;
            {
                let _driver = self.driver.lock().await;
                if let Err(error) = self.work_until_idle(&mut stop).await {
                    tracing::warn!(?error, "due work rests for a moment, and is tried again");
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
            tracing::warn!(?error, "work could not be given back; other nodes take it when its lease ends");
        }
    }

    /// Does all that is due, of several companies side by side, until nothing is left; how much it was.
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
                ended = running.tasks.join_next_with_id() => match running.end(ended) {
                    Some(Ok(pieces)) => done += pieces,
                    Some(Err(error)) => trouble = Some(error),
                    None => {}
                },
                () = tokio::time::sleep(NAP) => {}
                _ = stop.changed() => {
                    let ended = tokio::time::timeout(GRACE, running.tasks.join_all());
                    if ended.await.is_err() {
                        tracing::warn!("due work was cut off; another node, or the next start, takes it up");
                    }
                    return Ok(done);
                }
            }
        }
    }

    /// Begins what is due of companies of which nothing is under way, as far as there is room.
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
                    running.begin(company, self.executor.clone().work_off(pieces));
                }
            }
        }
        Ok(())
    }

    async fn due_until(
        &self,
        moment: Timestamp,
        after: (Timestamp, Uuid),
        most: i64,
    ) -> Result<Vec<Due>, Error> {
        self.executor.store.read(move |tx| jobs::due_until(tx, moment, after, most)).await
    }

    /// Moves the test clock to `to`, doing on the way everything that falls due, in order of its time.
    ///
    /// # Errors
    /// A store error; the clock then stands where the work stopped.
    pub async fn advance(&self, to: Timestamp) -> Result<Vec<Fired>, Error> {
        let _driver = self.driver.lock().await;
        let _alone = self.courier.stand_still().await;
        let clock = self.executor.store.clock();
        let mut fired = Vec::new();
        loop {
            // What was done last may have emitted events: their deliveries are due at that moment.
            outbox::number_all(&self.executor.store).await?;
            let job = self.due_until(to, jobs::EARLIEST, 1).await?.first().copied();
            let delivery = self.executor.store.read(move |tx| deliveries::first_due(tx, to)).await?;
            let first =
                delivery.filter(|(due, key)| job.is_none_or(|job| (*due, key.event) < (job.due, job.id)));
            if let Some((due, key)) = first {
                clock.advance_to(due);
                self.courier.try_one(&self.executor.store, key, due).await?;
                fired.push(Fired {
                    at: due,
                    kind: "webhook.delivery",
                    company: Uuid::nil(),
                    uuid: key.event,
                });
                continue;
            }
            let Some(piece) = job else { break };
            clock.advance_to(piece.due);
            self.executor.attempt(piece).await?;
            // Sweeping and sealing are housekeeping, nothing that happened to anybody.
            if !matches!(piece.kind, Kind::Retention | Kind::AuditSeal) {
                fired.push(Fired {
                    at: piece.due,
                    kind: piece.kind.as_str(),
                    company: piece.company,
                    uuid: piece.entity,
                });
            }
        }
        clock.advance_to(to);
        // Without a change of its time the store would be found, by a command, at that of its newest one: before what is sealed.
        self.executor.store.write(|tx: &mut Tx<'_>| moments::note_seen(tx)).await?;
        Ok(fired)
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

    /// A disk that can be filled, and at which the program can make a mistake.
    #[derive(Default)]
    struct Room {
        full: AtomicBool,
        panics: AtomicBool,
    }

    impl Disk for Room {
        fn meet(&self, step: Step) -> Result<(), Trouble> {
            let mistake = step == Step::Change && self.panics.swap(false, Ordering::SeqCst);
            assert!(!mistake, "the SSN 123-45-6789 was not expected");
            let full = step == Step::Change && self.full.load(Ordering::SeqCst);
            if full { Err(Trouble::Full { ended: false }) } else { Ok(()) }
        }
    }

    /// A worker on a store of its own, with housekeeping due.
    async fn bench(folder: &tempfile::TempDir) -> (Worker, Arc<Room>, Clock) {
        let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
        let clock = Clock::standing("2026-06-15T12:00:00Z".parse().unwrap());
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
    async fn a_piece_of_work_that_panics_is_tried_again_and_what_it_said_is_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let (worker, disk, clock) = bench(&folder).await;
        let (_keep, mut stop) = watch::channel(false);
        let piece = worker.due_until(clock.now(), jobs::EARLIEST, 1).await.unwrap()[0];
        disk.panics.store(true, Ordering::SeqCst);
        worker.executor.attempt(piece).await.unwrap();
        let noted =
            worker.executor.store.read(move |tx| jobs::dead_letters::find(tx, piece.id)).await.unwrap();
        assert_eq!((noted.state.as_str(), noted.tries), ("open", 1));
        let reason = noted.reason.unwrap();
        assert!(reason.contains("panicked") && !reason.contains("123-45-6789"), "{reason}");
        assert!(noted.due > clock.now(), "after a pause");
        clock.advance_to(noted.due);
        assert_eq!(worker.work_until_idle(&mut stop).await.unwrap(), 1);
        let done =
            worker.executor.store.read(move |tx| jobs::dead_letters::find(tx, piece.id)).await.unwrap();
        assert_eq!((done.state.as_str(), done.tries), ("open", 0), "scheduled for the next time: {done:?}");
    }

    #[tokio::test]
    async fn what_a_process_held_that_died_begins_again_when_the_only_worker_starts() {
        let folder = tempfile::tempdir().unwrap();
        let (worker, _, clock) = bench(&folder).await;
        let (store, dead) = (worker.executor.store.clone(), Uuid::from_u128(9));
        let due = async || worker.due_until(clock.now(), jobs::EARLIEST, 1).await.unwrap();
        let piece = due().await[0];
        store.write(move |tx| jobs::lease(tx, &piece, dead)).await.unwrap();
        assert!(due().await.is_empty(), "somebody seems to be at work");
        upkeep::begin(&store).await;
        assert_eq!(due().await[0].held_by, Some(dead), "it counts as one try");
        assert!(
            !store.write(move |tx| jobs::renew(tx, &piece, dead)).await.unwrap() || due().await.is_empty()
        );
    }

    #[tokio::test]
    async fn work_that_cannot_even_be_put_off_is_an_error_and_is_done_once_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let (worker, disk, clock) = bench(&folder).await;
        let (_keep, mut stop) = watch::channel(false);
        disk.full.store(true, Ordering::SeqCst);
        let full = |done: Result<(), Error>| matches!(done, Err(Error::Store(store::Error::Full)));
        // A look that ended well would be followed by the next one at once.
        assert!(full(worker.work_until_idle(&mut stop).await.map(drop)));
        assert!(full(worker.advance(clock.now()).await.map(drop)));
        assert!(worker.executor.store.is_full(), "whoever watches the service is told");
        disk.full.store(false, Ordering::SeqCst);
        assert_eq!(worker.work_until_idle(&mut stop).await.unwrap(), 1);
        assert!(worker.due_until(clock.now(), jobs::EARLIEST, 1).await.unwrap().is_empty());
    }
}
