//! Transactions on two engines, SQLite and PostgreSQL, as retryable closures.
//!
//! A unit of work is a synchronous closure over a [`Tx`], shipped to a storage thread:
//!
//! ```text
//! let employee = store.write(move |tx| employees::create(tx, company, &input)).await?;
//! ```
//!
//! How the parts work together:
//!
//! * [`Store`] puts the unit into a bounded queue and waits for its answer. A full queue, or an answer that takes too
//!   long, is an error at once: no wait is unbounded.
//! * `sqlite` has one writer thread, which runs the units that are waiting in one transaction (one fsync for all of
//!   them, no answer before COMMIT), and several read-only threads. `postgres` has a pool of threads with a connection
//!   each. Both run the same SQL text; `dialect` and `migrate` create the same tables.
//! * [`Tx`] is what a unit sees: statements, guards, the time, ids, randomness and sealed fields. A unit's effects
//!   outside the database (waking workers, caching keys) happen only after COMMIT.
//! * [`record!`] declares a record once: its struct, columns and statements, and how it is read and written.
//! * `seal` encrypts single fields; `clock` and `ids` are the only sources of time and randomness. `disk` is the fault
//!   injection that a simulation puts between a file store and its disk.
//!
//! A closure may run more than once (after a deadlock, or if another unit of its group ended the transaction), so it is
//! `Fn`, takes its inputs by reference and has no effect except through its `Tx`.
//!
//! This crate knows nothing about payroll, and only this file, `sqlite`, `postgres`, `placement.rs`, `dialect.rs` and
//! `copy.rs` name an engine.

pub mod clock;
mod copy;
mod dialect;
pub mod disk;
mod error;
mod hidden;
pub mod ids;
mod migrate;
mod options;
mod placement;
mod postgres;
mod pulse;
mod queue;
mod reach;
pub mod record;
pub mod seal;
mod sqlite;
mod statement;
mod text;
mod together;
mod tx;
mod unit;
mod value;
mod watched;

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::Sender;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{oneshot, watch};

pub use clock::Clock;
pub use copy::{CopiedTable, copy_store};
pub use disk::Disk;
pub use error::{Error, MaybeStore};
pub use ids::{Randomness, lowest_id};
pub use migrate::Migration;
pub use options::{Care, Latest, Options, Schema};
pub use placement::{Placement, Placements, Standing, distribute_tables, spread_plans};
pub use record::{JsonText, Stored};
pub use seal::{
    DigestColumn, MasterKeys, Place, RETIRE_DATA_KEYS, Rotation, SEALED_AT_ONCE, Sealed, SealedColumn,
};
pub use sqlite::{Checked, Restored, add_checksums, backup_file, check_file, restore_file};
pub use statement::Sql;
pub use tx::{Changed, Tx};
pub use value::{FromColumn, Json, Row, Unread, Value};
pub use watched::{Guard, Watch};

use pulse::Pulses;
use queue::Queue;
use seal::Keyring;
use together::Together;
use tx::{Connection, Fault};
use unit::{Access, Work};

/// What the storage threads share.
pub(crate) struct Shared {
    pub clock: Clock,
    pub random: Randomness,
    pub keyring: Keyring,
    pub committed: watch::Sender<()>,
    pub unit_limit: Duration,
    pub group_time: Duration,
    pub extension: &'static (dyn Any + Send + Sync),
    pub watch: Option<Arc<dyn Watch>>,
    /// whether there is [`Options::care`]
    pub cared_for: bool,
    /// when a commit counts as durable, if the server's settings decide that
    pub durability: OnceLock<String>,
    /// what the operator should change, although the store can be served as it is
    pub caution: OnceLock<&'static str>,
    /// how far the tables of a cluster's store are distributed
    pub placed: OnceLock<Standing>,
    damaged: OnceLock<String>,
    /// the threads of a file store, which wait for its disk
    pub pulses: OnceLock<Pulses>,
    /// when the disk was last full, by the monotonic clock
    full: Mutex<Option<Duration>>,
    step: OnceLock<Step>,
    /// the latest change, if it is later than the machine's clock and that clock is used nevertheless
    pub dated_ahead: OnceLock<Timestamp>,
    confirmed: AtomicBool,
}

/// How long `is_full` reports a full disk after the last write that failed for lack of room.
const FULL_FOR: Duration = Duration::from_mins(15);

/// How far the machine's clock was ahead of the latest change when the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// the latest change
    pub from: Timestamp,
    /// what the machine's clock showed
    pub to: Timestamp,
}

impl Shared {
    /// Records that the store is damaged, and logs it once.
    pub fn record_damage(&self, what: &str) {
        if self.damaged.set(what.to_owned()).is_ok() {
            tracing::error!(
                what,
                "the store is damaged; nothing is answered from it until it has been restored"
            );
        }
    }

    /// Records a fault if it is damage or a full disk.
    pub fn notice_fault(&self, fault: Option<&Fault>) {
        match fault {
            Some(Fault::Damaged(what)) => self.record_damage(what),
            Some(Fault::Full) => {
                *self.full.lock().unwrap_or_else(PoisonError::into_inner) = Some(Clock::monotonic());
            }
            _ => {}
        }
    }

    /// Returns what is damaged, if anything.
    pub fn damage_found(&self) -> Option<&str> {
        self.damaged.get().map(String::as_str)
    }
}

/// A handle on the store; clones share it. Dropping the last one ends the storage threads once the queue is empty.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    together: Together,
    queues: Option<Queues>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    shared: Arc<Shared>,
}

/// The result of opening an engine.
pub(crate) type Opened = (Queues, Vec<JoinHandle<()>>);

/// The queues of writing and reading units, which may be the same one.
pub(crate) struct Queues {
    pub writes: Queue,
    pub reads: Queue,
    /// the queue of reads for the replica, if one is configured
    pub replica: Option<postgres::replica::Replica>,
    /// the other servers of a cluster
    pub servers: Option<Arc<postgres::servers::Servers>>,
    /// dropping this ends the threads that watch the file and the other threads
    #[expect(dead_code, reason = "it is held, and nothing is ever sent")]
    pub kept: Option<Sender<()>>,
}

impl Store {
    /// Opens `sqlite:PATH`, `sqlite::memory:` or `postgres://…`; creates and migrates the store if the options permit
    /// it.
    ///
    /// # Errors
    /// [`Error::Open`] with one sentence for the operator.
    pub fn open(url: &str, options: Options) -> Result<Self, Error> {
        let shared = Arc::new(Shared {
            clock: options.clock.clone(),
            random: Randomness::new(options.seed),
            keyring: Keyring::new(options.keys.clone()),
            committed: watch::Sender::new(()),
            unit_limit: options.unit_limit,
            group_time: options.group_time,
            extension: options.extension,
            watch: options.watch.clone(),
            cared_for: options.care.is_some(),
            durability: OnceLock::new(),
            caution: OnceLock::new(),
            placed: OnceLock::new(),
            damaged: OnceLock::new(),
            pulses: OnceLock::new(),
            full: Mutex::new(None),
            step: OnceLock::new(),
            dated_ahead: OnceLock::new(),
            confirmed: AtomicBool::new(false),
        });
        let (queues, threads) = on_own_thread(|| open_engine(url, &options, &shared))?;
        let threads = Mutex::new(threads);
        Ok(Self(Arc::new(Inner { together: Together::default(), queues: Some(queues), threads, shared })))
    }

    /// Returns a possible step of the machine's clock before the store was opened, until [`Store::confirm_step`] confirms it.
    pub fn unconfirmed_step(&self) -> Option<Step> {
        let shared = &self.0.shared;
        shared.step.get().copied().filter(|_| !shared.confirmed.load(Ordering::Acquire))
    }

    /// Confirms that the machine's clock is right.
    pub fn confirm_step(&self) {
        self.0.shared.confirmed.store(true, Ordering::Release);
    }

    /// Runs a unit that may write. Returns only after its transaction has been committed durably.
    ///
    /// # Errors
    /// The closure's own error (its effects are rolled back), or a store [`Error`] turned into it.
    pub async fn write<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.submit_unit(Access::Write, unit).await
    }

    /// Runs a unit that only reads, on one consistent snapshot.
    ///
    /// # Errors
    /// As for [`Store::write`].
    pub async fn read<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.submit_unit(Access::Read, unit).await
    }

    /// As [`Store::read`], for a unit that tolerates some delay: it runs on the replica, if there is one and it has
    /// replayed everything committed so far.
    ///
    /// # Errors
    /// As for [`Store::read`].
    pub async fn read_anywhere<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: MaybeStore + Send + 'static,
    {
        let queues = self.0.queues.as_ref();
        let Some(replica) = queues.and_then(|queues| queues.replica.as_ref()) else {
            return self.read(unit).await;
        };
        let unit = Arc::new(unit);
        if replica.has_all().await {
            let there = Arc::clone(&unit);
            let read =
                self.enqueue_unit(&replica.reads, Access::Read, move |tx: &mut Tx<'_>| there(tx)).await;
            // If the replica itself failed (it is unreachable, or still replaying), the primary runs the unit.
            if !read.as_ref().is_err_and(|error: &E| error.in_store().is_some()) {
                metrics::counter!("store_reads_total", "by" => "replica").increment(1);
                return read;
            }
        }
        metrics::counter!("store_reads_total", "by" => "primary").increment(1);
        self.read(move |tx: &mut Tx<'_>| unit(tx)).await
    }

    async fn submit_unit<T, E, F>(&self, access: Access, unit: F) -> Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        if let Some(what) = self.0.shared.damage_found() {
            return Err(Error::Damaged(what.to_owned()).into());
        }
        let Some(queues) = &self.0.queues else { return Err(Error::Busy.into()) };
        let queue = if access == Access::Write { &queues.writes } else { &queues.reads };
        self.enqueue_unit(queue, access, unit).await
    }

    async fn enqueue_unit<T, E, F>(&self, queue: &Queue, access: Access, unit: F) -> Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        queue.put_unit(Box::new(Work::new(access, unit, reply)))?;
        // Twice the unit's own limit: a unit may wait in the queue for as long as it may run. A unit that has not
        // answered by then may still commit, so its outcome is reported as unknown; so is that of a unit that meets a
        // hung disk, without waiting any longer.
        let limit = self.0.shared.unit_limit;
        let mut answer = answer;
        let mut answered = tokio::time::timeout(limit, &mut answer).await;
        if answered.is_err() && !queue.is_stuck() {
            answered = tokio::time::timeout(limit, answer).await;
        }
        match answered {
            Ok(Ok(result)) => result,
            Ok(Err(_)) | Err(_) => Err(Error::Unknown.into()),
        }
    }

    /// Runs work once for all callers that request it. The run that answers a call begins after that call and ends before
    /// it returns, possibly on another caller's thread. `what` names the work.
    ///
    /// # Errors
    /// Those of the work, if this caller ran it.
    pub async fn run_together<E>(
        &self,
        what: &'static str,
        work: impl Future<Output = Result<(), E>>,
    ) -> Result<(), E> {
        self.0.together.run_once(what, work).await
    }

    /// Returns the store's clock.
    pub fn clock(&self) -> &Clock {
        &self.0.shared.clock
    }

    /// Returns the source of ids and randomness.
    pub fn randomness(&self) -> &Randomness {
        &self.0.shared.random
    }

    /// Returns a receiver that changes whenever a unit that called [`Tx::wake`] has been committed in this process; each
    /// worker has its own.
    pub fn watch_commits(&self) -> watch::Receiver<()> {
        self.0.shared.committed.subscribe()
    }

    /// Returns when a commit counts as durable, as configured on the server when the store was opened, in the server's own
    /// words. `None` for a file store, which is synced before a commit is acknowledged.
    pub fn durability(&self) -> Option<&str> {
        self.0.shared.durability.get().map(String::as_str)
    }

    /// Returns what the operator should change, although the store can be served as it is: the file has no page checksums,
    /// or the database has an encoding other than UTF8.
    pub fn operator_caution(&self) -> Option<&'static str> {
        self.0.shared.caution.get().copied()
    }

    /// Returns why reads currently do not use the replica; the primary runs them instead.
    pub fn unfit_replica(&self) -> Option<&'static str> {
        self.0.queues.as_ref()?.replica.as_ref()?.reason_unfit()
    }

    /// Returns the other servers of a cluster that do not answer, by address: companies whose records are there are not
    /// served. Empty for a store of one server.
    pub fn silent_servers(&self) -> Vec<String> {
        let servers = self.0.queues.as_ref().and_then(|queues| queues.servers.as_ref());
        servers.map_or_else(Vec::new, |servers| {
            servers.silent_servers().iter().map(ToString::to_string).collect()
        })
    }

    /// Returns how far the tables were distributed over the servers of a cluster when the store was opened; `None` for a
    /// store of one server.
    pub fn distribution(&self) -> Option<Standing> {
        self.0.shared.placed.get().copied()
    }

    /// Whether a unit failed on a full disk in the last 15 minutes. A worker writes at least that often.
    pub fn is_full(&self) -> bool {
        let last = *self.0.shared.full.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|last| Clock::monotonic().saturating_sub(last) < FULL_FOR)
    }

    /// Returns what is damaged in the store, once damage was found.
    pub fn damage_found(&self) -> Option<&str> {
        self.0.shared.damage_found()
    }

    /// Returns the name of a storage thread that has waited for the disk of a file store for longer than a healthy disk
    /// takes, and for how long.
    pub fn hung_thread(&self) -> Option<(&'static str, Duration)> {
        self.0.shared.pulses.get()?.longest_silent()
    }

    /// Returns the name of a storage thread that ended while the store is open, so that its work no longer gets done.
    pub fn ended_thread(&self) -> Option<String> {
        let threads = self.0.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = threads.iter().find(|thread| thread.is_finished());
        ended.map(|thread| thread.thread().name().unwrap_or("store").to_owned())
    }

    /// Returns the numbers of waiting units (writing, reading), for metrics.
    pub fn waiting_units(&self) -> (usize, usize) {
        self.0.queues.as_ref().map_or((0, 0), |queues| (queues.writes.len(), queues.reads.len()))
    }

    /// Rewraps every data key of an older master key under the current one, in small units, so that a running service is
    /// not blocked. Returns how many were rewrapped.
    ///
    /// # Errors
    /// [`Error::MissingKey`] if a data key is wrapped by a master key that was not supplied.
    pub async fn rotate_keys(&self) -> Result<u64, Error> {
        let mut changed = 0;
        loop {
            let now = self.write(seal::rewrap_some).await?;
            changed += now;
            if now == 0 {
                self.write(seal::forget_others).await?;
                return Ok(changed);
            }
        }
    }
}

fn open_engine(url: &str, options: &Options, shared: &Arc<Shared>) -> Result<Opened, Error> {
    if let Some(path) = url.strip_prefix("sqlite:") {
        sqlite::open_store(path, options, shared)
    } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        postgres::open_pool(url, options, shared)
    } else {
        Err(Error::Open(
            "the database address must begin with sqlite: or postgres:// (for example sqlite:stipend.db)"
                .to_owned(),
        ))
    }
}

/// Has the clock follow a test clock, starts it no earlier than the latest change in the store, and records how far ahead of it the machine's clock
/// is.
pub(crate) fn go_on(
    connection: &mut dyn Connection,
    options: &Options,
    shared: &Shared,
) -> Result<(), Error> {
    if let Some(statement) = options.test_clock {
        let mut shown = None;
        let read =
            &mut |row: &Row<'_>| shown = Some((row.get::<Timestamp>(0), row.get::<Option<Timestamp>>(1)));
        connection.query_rows(statement, &[], read).map_err(Fault::into_error)?;
        if let Some((at, machine)) = shown {
            let since =
                machine.map_or(SignedDuration::ZERO, |machine| Clock::wall_time().duration_since(machine));
            options.clock.follow_clock(at.checked_add(since).unwrap_or(at));
        }
    }
    let Some(Latest { statement, tables, most, may_go_back, longest_rest }) = options.latest else {
        return Ok(());
    };
    let mut latest = None;
    let read = &mut |row: &Row<'_>| latest = latest.max(row.get::<Option<Timestamp>>(0));
    // A server that does not answer must not keep the service from starting.
    connection.query_by_server(tables, statement, &[], read).map_err(Fault::into_error)?;
    let (now, Some(latest)) = (options.clock.now(), latest) else { return Ok(()) };
    if may_go_back {
        if latest > now {
            tracing::warn!(
                %now, %latest,
                "the newest change in the store is later than the machine's clock; the machine's clock is used (clock_may_go_back)"
            );
            shared.dated_ahead.get_or_init(|| latest);
        }
        return Ok(());
    }
    let ahead = Duration::try_from(now.duration_since(latest)).unwrap_or(Duration::ZERO);
    if longest_rest.is_some_and(|longest| ahead > longest) {
        shared.step.get_or_init(|| Step { from: latest, to: now });
    }
    let behind = Duration::try_from(latest.duration_since(now)).unwrap_or(Duration::ZERO);
    if most.is_some_and(|most| behind > most) {
        return Err(Error::Open(format!(
            "the machine's clock shows {now:.0}, but the store was changed at {latest:.0}: set the clock \
             (clock_may_go_back = true uses the machine's clock anyway)"
        )));
    }
    // A smaller difference is ordinary skew between the clocks of two nodes.
    if behind > Duration::from_secs(1) {
        tracing::warn!(%now, %latest, "the machine's clock is behind the store; time goes on from its latest change");
    }
    options.clock.advance_to(latest);
    Ok(())
}

/// Runs blocking work on its own thread: a blocking connection must not be opened on a thread of an async runtime.
fn on_own_thread<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(work);
        thread.join().unwrap_or_else(|_| Err(Error::Open("opening the store failed unexpectedly".to_owned())))
    })
}

/// Returns the store's own statements, for the test that prepares every statement on both engines.
pub fn own_statements() -> Vec<Sql> {
    [migrate::ALL, tx::ALL, seal::ALL, seal::CHECKS, seal::ROTATION].concat()
}

/// Prepares each statement on the engine at `url` and returns those that the engine refuses, with the reason. For a
/// test that every statement is valid on both engines.
///
/// # Errors
/// [`Error::Open`] when the store cannot be reached.
pub fn check_statements(url: &str, statements: &[Sql]) -> Result<Vec<(Sql, String)>, Error> {
    match url.strip_prefix("sqlite:") {
        Some(path) => sqlite::check_statements(path, statements),
        None => on_own_thread(|| postgres::check_statements(url, statements)),
    }
}

/// An exclusive lock on a server's store, held until it is dropped or the process ends.
pub struct Hold(Option<Box<postgres::Session>>);

impl Drop for Hold {
    fn drop(&mut self) {
        // The caller may be on an async runtime, where a blocking connection must not be closed.
        let session = self.0.take();
        std::thread::scope(|scope| scope.spawn(|| drop(session)).join().ok());
    }
}

/// Locks a store on a server for this process, as a file lock does for a file store; `None` if another
/// process holds the lock. The lock is advisory: it excludes only other callers of this function.
///
/// # Errors
/// [`Error::Open`] when the server cannot be reached, or has no locks of its own.
pub fn hold_lock(url: &str) -> Result<Option<Hold>, Error> {
    on_own_thread(|| Ok(postgres::hold_lock(url)?.map(|session| Hold(Some(Box::new(session))))))
}

/// Returns the query plan of each statement on the engine at `url`, in the engine's own words. For a test that no
/// statement reads more rows than it has to.
///
/// # Errors
/// [`Error::Open`] when the store cannot be reached, or a statement is refused.
pub fn query_plans(url: &str, statements: &[Sql]) -> Result<Vec<String>, Error> {
    match url.strip_prefix("sqlite:") {
        Some(path) => sqlite::query_plans(path, statements),
        None => on_own_thread(|| postgres::query_plans(url, statements)),
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // The threads end when no sender is left. A unit may hold the last handle, so a thread must not join itself.
        self.queues.take();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            if thread.thread().id() != std::thread::current().id() {
                // A storage thread catches the panics of its units; a panic of its own was logged by the hook.
                thread.join().ok();
            }
        }
    }
}
