//! PostgreSQL and wire-compatible servers: two pools of threads, with one connection per thread.
//!
//! Writing units run READ COMMITTED and protect their decisions with guards; reading units run REPEATABLE READ READ
//! ONLY. After a conflict (40001, 40P01), or if the connection is lost before COMMIT was sent, the unit is retried with
//! jitter until its time is up; after a duplicate key (23505) it is retried unless the same key failed last time. A
//! connection lost during COMMIT leaves the outcome unknown, and so does a warning at COMMIT (with which the server
//! reports that the commit was not replicated): the caller finds out with its idempotency key. A connection that may be
//! in COMMIT is never canceled, only dropped.
//!
//! Round trips to the server are the main cost, so a unit makes as few as possible (see [`session`]). A reading unit
//! with one round trip needs no BEGIN: its statements are one group, which the server runs as one transaction. Whether
//! that applies to a unit is predicted from earlier units of its kind on the same connection; a unit that turns out to
//! need a second round trip is rerun from its beginning in a transaction. Such units that wait at the same time are
//! sent together ([`together`]).
//!
//! Writing units share a transaction if each of them reads once, decides, and then only inserts, as most creates do
//! ([`shared`]). A unit that takes a guard or changes existing rows has its own transaction: two units in one
//! transaction cannot wait for each other on a row, and the guards of one would be held until the slowest has ended.

mod beside;
pub(crate) mod citus;
mod hosts;
mod line;
mod messages;
pub(crate) mod replica;
pub(crate) mod servers;
mod session;
mod shared;
mod tls;
mod together;
mod values;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::dialect::Dialect;
use crate::placement::Standing;
use crate::queue::{Waiting, create_queue};
use crate::tx::{Connection, Effects, Fault};
use crate::unit::{Access, Unit, Verdict};
use crate::{Clock, Error, Opened, Options, Queues, Shared, Sql, Tx, go_on, migrate, seal};
use hosts::Hosts;
use replica::{Follower, Replica};
use servers::Servers;
pub(crate) use session::Session;
use session::{BY_INDEX, Ended};
use shared::Sharing;
use together::Habits;

/// Backoff before a unit is retried: the first pause and the longest. Each pause is twice the previous one, less up to
/// half of it as jitter.
const RETRY_FROM: Duration = Duration::from_millis(2);
const RETRY_TO: Duration = Duration::from_millis(200);
/// The key of the advisory lock that reserves a database for one process: the letters of "stipend".
const LOCK: i64 = 0x73_7469_7065_6e64;
/// Connections if none are configured: per core, minimum, maximum.
const CONNECTIONS_OF_A_CORE: usize = 6;
const FEWEST_CONNECTIONS: usize = 6;
const MOST_CONNECTIONS: usize = 64;

/// Tables that are distributed between two lines of the log.
const TOLD_AT_ONCE: usize = 10;

/// Why the replica of a distributed store is not used: the end of the coordinator's log says nothing about what the
/// other servers have committed.
const OF_A_CLUSTER: &str =
    "the tables are distributed over the servers of a Citus cluster, each with a log of its own";

/// Connects and starts the pool.
pub(crate) fn open_pool(url: &str, options: &Options, shared: &Arc<Shared>) -> Result<Opened, Error> {
    let hosts = Arc::new(Hosts::parse_address(url, shared.unit_limit)?);
    let mut first = hosts.connect().map_err(cannot_open)?;
    if !migrate::is_current(&mut first, options.migrations) {
        if options.create {
            refuse_encoding(&mut first)?;
        }
        // A statement of a migration may take longer than one of a unit.
        let mut patient = remove_time_limits(first)?;
        migrate::apply_pending(&mut patient, Dialect::Postgres, options.migrations, options.permits())?;
        first = hosts.connect().map_err(cannot_open)?;
    }
    let mut threads = Vec::new();
    let servers = match citus::distribution_standing(&mut first, options.placements)? {
        None => None,
        Some(standing) => {
            let standing = match standing.is_incomplete() {
                true => complete_distribution(&hosts, options, standing)?,
                false => standing,
            };
            shared.placed.get_or_init(|| standing);
            let (servers, thread) = Servers::watch_servers(&hosts)?;
            threads.push(thread);
            Some(servers)
        }
    };
    first = first.leaving_out_silent(servers.as_ref());
    go_on(&mut first, options, shared)?;
    seal::verify_master_keys(&mut first, &options.keys, &options.clock)?;
    if let Some(encoding) = other_encoding(&mut first)? {
        tracing::warn!(encoding, "{OTHER_ENCODING}");
        shared.caution.get_or_init(|| OTHER_ENCODING);
    }
    let durable = durability_setting(&mut first)?;
    shared.durability.get_or_init(|| durable);
    let (writes, waiting_writes) = create_queue(options.queue);
    let (reads, waiting_reads) = create_queue(options.queue);
    let connections = match options.threads {
        Some(given) => given.max(1),
        None => connection_count(&mut first)?,
    };
    // Writes wait for the server's disk and reads do not, so reads need fewer connections. A single connection serves
    // both.
    let readers = if connections == 1 { 0 } else { (connections / 3).max(1) };
    let distributed = options.replica.is_some() && citus::is_distributed(&mut first)?;
    let mut session = Some(first);
    let sharing = Arc::new(Sharing::for_connections(connections - readers));
    for number in 0..connections {
        let (turns, workers) = match (number < readers, readers) {
            (true, _) => (Turns::One(waiting_reads.clone()), readers),
            (false, 0) => (Turns::Both(waiting_writes.clone(), waiting_reads.clone()), 1),
            (false, _) => (Turns::One(waiting_writes.clone()), connections - readers),
        };
        let mut worker = Worker { servers: servers.clone(), ..Worker::new(number, &hosts, shared, &sharing) };
        worker.session = session.take().and_then(|session| session.for_pool(worker.lane).ok());
        threads.push(start_worker(worker, turns, workers)?);
    }
    let replica = match &options.replica {
        Some(_) if distributed => {
            tracing::warn!(why = OF_A_CLUSTER, "the replica is not used");
            Some(Replica::never_read(create_queue(1).0, OF_A_CLUSTER))
        }
        Some(url) => Some(open_replica(url, (options, shared), &hosts, readers.max(1), &mut threads)?),
        None => None,
    };
    Ok((Queues { writes, reads, replica, servers, kept: None }, threads))
}

/// Ends what a migration, or a distribution of the tables, has begun on a cluster and was interrupted in.
fn complete_distribution(hosts: &Hosts, options: &Options, standing: Standing) -> Result<Standing, Error> {
    if !options.migrate {
        return Err(Error::Open(format!(
            "{standing}: the distribution was interrupted, or a new version places a table elsewhere; run `stipend migrate` first"
        )));
    }
    tracing::info!(%standing, "the tables are being distributed");
    let mut patient = remove_time_limits(hosts.connect().map_err(cannot_open)?)?;
    citus::place_tables(&mut patient, options.placements, &|done, of, table| match &options.placing {
        Some(told) => told(done, of),
        None if done % TOLD_AT_ONCE == 0 => {
            tracing::info!(done, of, table, "tables are distributed over the servers of the cluster");
        }
        None => {}
    })?;
    Ok(citus::distribution_standing(&mut patient, options.placements)?.unwrap_or(standing))
}

fn remove_time_limits(session: Session) -> Result<Session, Error> {
    session.without_time_limits().map_err(|fault| cannot_open(fault.into_error().to_string()))
}

/// Starts the threads that read from a replica, even if it is not reachable yet.
fn open_replica(
    url: &str,
    (options, shared): (&Options, &Arc<Shared>),
    primary: &Arc<Hosts>,
    readers: usize,
    threads: &mut Vec<JoinHandle<()>>,
) -> Result<Replica, Error> {
    let hosts = Arc::new(Hosts::parse_address(url, shared.unit_limit)?.of_any_kind());
    let (reads, waiting) = create_queue(options.queue);
    let sharing = Arc::new(Sharing::for_connections(0));
    let last = Arc::default();
    for number in 0..readers {
        let worker = Worker::new(number, &hosts, shared, &sharing);
        // A read that fails here is run by the primary at once.
        let worker = Worker { patience: Duration::ZERO, follower: Some(Follower::new(&last)), ..worker };
        threads.push(start_worker(worker, Turns::One(waiting.clone()), readers)?);
    }
    let (replica, lookout) = Replica::new(reads, Arc::clone(primary), hosts, last);
    let thread =
        std::thread::Builder::new().name("store-replica".to_owned()).spawn(move || lookout.run_checks());
    threads.push(thread.map_err(|e| Error::Open(format!("a storage thread cannot be started: {e}")))?);
    Ok(replica)
}

fn start_worker(mut worker: Worker, turns: Turns, workers: usize) -> Result<JoinHandle<()>, Error> {
    let thread = std::thread::Builder::new().name("store-pool".to_owned());
    let thread = thread.spawn(move || worker.run_units(&turns, workers));
    thread.map_err(|e| Error::Open(format!("a storage thread cannot be started: {e}")))
}

/// Returns the number of connections if none is configured: some for each core of this machine, but at most a quarter
/// of what the server allows, because there may be other nodes, and the server's operator needs connections, too.
fn connection_count(session: &mut Session) -> Result<usize, Error> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let said = session.run_text("SHOW max_connections").map_err(Fault::into_error)?;
    let allowed = said.iter().flatten().flatten().find_map(|text| text.parse::<usize>().ok());
    let most = allowed.map_or(FEWEST_CONNECTIONS, |allowed| allowed / 4);
    Ok((cores * CONNECTIONS_OF_A_CORE).clamp(FEWEST_CONNECTIONS, MOST_CONNECTIONS).min(most.max(2)))
}

/// The warning for a store that an earlier version created in such a database.
const OTHER_ENCODING: &str = "the encoding of the database is not UTF8: what it has no letters for is refused as a fault of the service; copy \
     the store (stipend copy) into a database that was made with ENCODING 'UTF8' TEMPLATE template0";

/// Returns the encoding of the database, if it is not UTF8: names and notes may contain letters of any alphabet.
fn other_encoding(session: &mut Session) -> Result<Option<String>, Error> {
    let said = session.run_text("SHOW server_encoding").map_err(Fault::into_error)?;
    let encoding = said.into_iter().flatten().flatten().next().unwrap_or_default();
    Ok(Some(encoding).filter(|encoding| encoding != "UTF8"))
}

/// Refuses to create a store in a database that cannot represent every letter.
pub(crate) fn refuse_encoding(session: &mut Session) -> Result<(), Error> {
    let Some(encoding) = other_encoding(session)? else { return Ok(()) };
    let there = migrate::is_store(session, Dialect::Postgres).map_err(Fault::into_error)?;
    if there {
        return Ok(());
    }
    Err(Error::Open(format!(
        "the encoding of the database is {encoding}, but must be UTF8: create it with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
    )))
}

/// Returns when a commit counts as durable, as configured on the server. Units do not change it: the server's operator
/// decides how much may be lost with a machine.
fn durability_setting(session: &mut Session) -> Result<String, Error> {
    let mut asked = |name: &str| -> Result<String, Error> {
        let said = session.run_text(&format!("SHOW {name}")).map_err(Fault::into_error)?;
        Ok(said.into_iter().flatten().flatten().next().unwrap_or_default())
    };
    let (commit, fsync) = (asked("synchronous_commit")?, asked("fsync")?);
    let standbys = asked("synchronous_standby_names")?;
    let standbys = if standbys.is_empty() { "none" } else { &standbys };
    Ok(format!("synchronous_commit = {commit}, fsync = {fsync}, synchronous_standby_names = {standbys}"))
}

pub(crate) fn check_statements(url: &str, statements: &[Sql]) -> Result<Vec<(Sql, String)>, Error> {
    let mut session = open_session(url)?;
    let mut refused = Vec::new();
    for sql in statements {
        if let Err(fault) = session.check_statement(*sql) {
            refused.push((*sql, fault.into_error().to_string()));
        }
    }
    Ok(refused)
}

/// Returns the engine's plan for each statement, in a session like those of a pool.
pub(crate) fn query_plans(url: &str, statements: &[Sql]) -> Result<Vec<String>, Error> {
    let mut session = open_session(url)?;
    let failed = |fault: Fault| cannot_open(fault.into_error().to_string());
    session.run_batch(BY_INDEX).map_err(failed)?;
    let plan = |sql: &Sql| session.explain_statement(*sql).map_err(failed);
    statements.iter().map(plan).collect()
}

/// Opens a connection without statement timeouts.
pub(crate) fn open_patient_session(url: &str) -> Result<Session, Error> {
    remove_time_limits(open_session(url)?)
}

/// As [`open_patient_session`], for reading only: the server may be a standby if the address names a single host.
pub(crate) fn patient_reader(url: &str) -> Result<Session, Error> {
    let session =
        Hosts::parse_address(url, Duration::from_secs(5))?.for_reading().connect().map_err(cannot_open)?;
    remove_time_limits(session)
}

/// Opens a connection that holds the database's lock; `None` if another connection holds it.
pub(crate) fn hold_lock(url: &str) -> Result<Option<Session>, Error> {
    let mut session = open_session(url)?;
    let held = session.take_lock(LOCK).map_err(|fault| cannot_open(fault.into_error().to_string()))?;
    Ok(held.then_some(session))
}

/// Opens a connection outside any pool.
fn open_session(url: &str) -> Result<Session, Error> {
    Hosts::parse_address(url, Duration::from_secs(5))?.connect().map_err(cannot_open)
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn cannot_open(reason: String) -> Error {
    Error::Open(format!("the database server cannot be used: {reason}"))
}

/// Formats an error, followed by its cause.
fn error_chain(error: &tokio_postgres::Error) -> String {
    let cause = std::error::Error::source(error);
    cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

/// One thread of a pool.
struct Worker {
    hosts: Arc<Hosts>,
    /// its number, as units see it
    lane: u8,
    session: Option<Session>,
    shared: Arc<Shared>,
    sharing: Arc<Sharing>,
    habits: Habits,
    /// for how long a unit is retried
    patience: Duration,
    /// `None` if the server is the primary
    follower: Option<Follower>,
    /// the other servers of a cluster
    servers: Option<Arc<Servers>>,
}

/// The queues from which a thread takes units.
enum Turns {
    One(Waiting),
    /// the only thread: it takes writes and reads
    Both(Waiting, Waiting),
}

impl Turns {
    /// Takes the next unit, with its queue; `None` once the store is closed and the queues are empty.
    fn next(&self) -> Option<(Box<dyn Unit>, &Waiting)> {
        let (writes, reads) = match self {
            Self::One(only) => return Some((only.units.recv().ok()?, only)),
            Self::Both(writes, reads) => (writes, reads),
        };
        // A closed queue is empty; the other one may not be.
        crossbeam_channel::select! {
            recv(reads.units) -> unit => match unit {
                Ok(unit) => Some((unit, reads)),
                Err(_) => Some((writes.units.recv().ok()?, writes)),
            },
            recv(writes.units) -> unit => match unit {
                Ok(unit) => Some((unit, writes)),
                Err(_) => Some((reads.units.recv().ok()?, reads)),
            },
        }
    }
}

impl Worker {
    /// Creates the worker with this number; it connects when it first has something to do.
    fn new(number: usize, hosts: &Arc<Hosts>, shared: &Arc<Shared>, sharing: &Arc<Sharing>) -> Self {
        Self {
            hosts: Arc::clone(hosts),
            // Additional threads share the numbers of the first ones.
            lane: number.to_le_bytes()[0],
            session: None,
            shared: Arc::clone(shared),
            sharing: Arc::clone(sharing),
            habits: Habits::default(),
            patience: shared.unit_limit,
            follower: None,
            servers: None,
        }
    }

    fn run_units(&mut self, turns: &Turns, workers: usize) {
        while let Some((unit, waiting)) = turns.next() {
            // The caller has left, or was answered "unknown": the unit has not begun and need not begin.
            if unit.is_abandoned() {
                continue;
            }
            let started = Clock::monotonic();
            let (done, workers) = match unit.access() {
                Access::Read => (self.read_some(unit, waiting, workers), workers),
                Access::Write => self.write_some(unit, waiting, workers),
            };
            if done > 0 {
                waiting.pace.count_units(done, Clock::monotonic() - started, workers);
            }
        }
    }

    /// Runs the unit until it is committed, refused by its own closure, or out of time.
    fn run_until_done(&mut self, unit: &mut dyn Unit) {
        let started = Clock::monotonic();
        let mut wait = RETRY_FROM;
        let mut taken = None;
        loop {
            let fault = match self.attempt_unit(unit) {
                Ok(()) => return,
                Err(fault) => fault,
            };
            if fault.connection_is_spent() {
                self.session = None;
            }
            let again = match &fault {
                Failed::Before(Fault::Conflict | Fault::Lost) => true,
                Failed::Before(Fault::Away(_)) => self.servers.as_ref().is_none_or(|servers| {
                    servers.suspect_servers();
                    !servers.is_hopeless()
                }),
                // The other unit has committed: if this unit meets the same key again, it has already seen the other
                // unit's row.
                Failed::Before(Fault::Taken { key, .. }) => taken.replace(*key) != Some(*key),
                _ => false,
            };
            if !again || Clock::monotonic() - started >= self.patience {
                return unit.fail(fault.into_error());
            }
            std::thread::sleep(wait - wait / 512 * u32::from(self.shared.random.jitter()));
            wait = (wait * 2).min(RETRY_TO);
        }
    }

    /// Ensures a session with a server of the required kind.
    fn ensure_session(&mut self) -> Result<(), Fault> {
        if self.follower.as_ref().is_some_and(Follower::is_resting) {
            return Err(Fault::Lost);
        }
        let session = match &mut self.session {
            Some(session) => session,
            None => {
                let mut session = self.hosts.connect().map_err(|_logged| Fault::Lost)?.for_pool(self.lane)?;
                session = session.leaving_out_silent(self.servers.as_ref());
                if let Some(follower) = &mut self.follower {
                    follower.begin_session(&mut session);
                }
                self.session.insert(session)
            }
        };
        let has_all = self.follower.as_mut().is_none_or(|follower| follower.has_all(session));
        if has_all { Ok(()) } else { Err(Fault::Lost) }
    }

    fn attempt_unit(&mut self, unit: &mut dyn Unit) -> Result<(), Failed> {
        self.ensure_session().map_err(Failed::Before)?;
        let Some(session) = &mut self.session else { return Err(Failed::Before(Fault::Lost)) };
        if unit.access() == Access::Read {
            return run_reading_unit(session, unit, &self.shared, &mut self.habits);
        }
        session.start_unit(Access::Write, false);
        let mut tx = Tx::new(session, &self.shared, Access::Write);
        let verdict = unit.run_closure(&mut tx);
        let fault = tx.first_fault();
        let effects = tx.into_effects();
        if fault.is_none() {
            self.habits.note_habit(unit.kind(), session.can_share());
        }
        if verdict == Verdict::Discard {
            session.leave_unit();
            return fault.map_or(Ok(()), |fault| Err(Failed::Before(fault)));
        }
        match session.commit_unit() {
            Ended::Committed => {
                self.shared.apply_effects([effects] as [Effects; 1]);
                Ok(())
            }
            Ended::Before(fault) => Err(Failed::Before(fault)),
            Ended::Unknown => Err(Failed::DuringCommit),
        }
    }
}

/// Runs a reading unit.
fn run_reading_unit(
    session: &mut Session,
    unit: &mut dyn Unit,
    shared: &Shared,
    habits: &mut Habits,
) -> Result<(), Failed> {
    for one_group in [habits.waits_once(unit.kind()), false] {
        session.start_unit(Access::Read, one_group);
        let mut tx = Tx::new(session, shared, Access::Read);
        let verdict = unit.run_closure(&mut tx);
        let fault = tx.first_fault();
        let effects = tx.into_effects();
        let (outgrown, waits) = (session.has_outgrown_group(), session.wait_count());
        session.leave_unit();
        habits.note_habit(unit.kind(), !outgrown && waits < 2);
        if outgrown {
            continue;
        }
        if verdict == Verdict::Discard {
            return fault.map_or(Ok(()), |fault| Err(Failed::Before(fault)));
        }
        shared.apply_effects([effects] as [Effects; 1]);
        break;
    }
    Ok(())
}

/// When a unit failed, which decides whether it may be retried.
enum Failed {
    Before(Fault),
    DuringCommit,
}

impl Failed {
    fn connection_is_spent(&self) -> bool {
        matches!(self, Self::DuringCommit | Self::Before(Fault::Lost))
    }

    fn into_error(self) -> Error {
        match self {
            Self::Before(fault) => fault.into_error(),
            Self::DuringCommit => Error::Unknown,
        }
    }
}
