//! PostgreSQL and its wire-compatible kin: two pools of threads, each with one connection.
//!
//! Writing units run READ COMMITTED and protect what they decide with guards; reading units run REPEATABLE READ
//! READ ONLY. A conflict (40001, 40P01) or a connection lost before COMMIT was sent runs the unit again, with jitter,
//! until its time is up; a key that is there already (23505) does so once. A connection lost while COMMIT was under way
//! leaves the outcome unknown, and so does a warning at COMMIT (that is how a server says that the commit was not
//! replicated): nothing is claimed, and the caller finds out with its idempotency key. A connection that may be in COMMIT
//! is never cancelled, only dropped.
//!
//! Round trips to the server are the main cost, so a unit makes as few as possible (see [`session`]). A reading unit that waited
//! once needs no BEGIN: what it asks is one group of statements, which to the server is one transaction. Whether a unit is
//! such a one is known from how others of its kind went on the same connection; where it asks for more this time, it is run again
//! from its beginning in a transaction. Those that wait at the same time are asked together ([`together`]).
//!
//! Writing units share a transaction where each of them reads once, decides, and only inserts: most creates do ([`shared`]). One that
//! takes a guard or changes what is there has a transaction of its own, for two that share one do not wait for each other
//! at a row, and the guards of one would be held until the slowest has ended.

mod beside;
pub(crate) mod citus;
mod hosts;
mod line;
mod messages;
pub(crate) mod replica;
mod session;
mod shared;
mod tls;
mod together;
mod values;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::dialect::Dialect;
use crate::queue::{Waiting, queue};
use crate::tx::{Connection, Effects, Fault};
use crate::unit::{Access, Unit, Verdict};
use crate::{Clock, Error, Opened, Options, Queues, Shared, Sql, Tx, go_on, migrate, seal};
use hosts::Hosts;
use replica::{Follower, Replica};
use session::Ended;
pub(crate) use session::Session;
use shared::Sharing;
use together::Habits;

/// Waiting before a unit is run again: doubled each time, up to the second figure, less up to a half by chance.
const RETRY_FROM: Duration = Duration::from_millis(2);
const RETRY_TO: Duration = Duration::from_millis(200);
/// The number of the lock that keeps a database for one process: the letters of "stipend".
const LOCK: i64 = 0x73_7469_7065_6e64;
/// Connections where none are set: for each core, at least, and at most.
const CONNECTIONS_OF_A_CORE: usize = 6;
const FEWEST_CONNECTIONS: usize = 6;
const MOST_CONNECTIONS: usize = 64;

/// Connects and starts the pool.
pub(crate) fn open(url: &str, options: &Options, shared: &Arc<Shared>) -> Result<Opened, Error> {
    let hosts = Arc::new(Hosts::parse(url, shared.unit_limit)?);
    let mut first = hosts.connect().map_err(cannot_open)?;
    if !migrate::is_current(&mut first, options.migrations) {
        if options.create {
            refuse_encoding(&mut first)?;
        }
        // A statement of a migration may take longer than those of a unit may.
        let mut patient = first.patient().map_err(|fault| cannot_open(fault.into_error().to_string()))?;
        migrate::run(&mut patient, Dialect::Postgres, options.migrations, options.permits())?;
        citus::place_new(&mut patient, options.placements)?;
        first = hosts.connect().map_err(cannot_open)?;
    }
    go_on(&mut first, options, shared)?;
    seal::check(&mut first, &options.keys, &options.clock)?;
    if let Some(encoding) = other_encoding(&mut first)? {
        tracing::warn!(encoding, "{OTHER_ENCODING}");
        shared.caution.get_or_init(|| OTHER_ENCODING);
    }
    let durable = durability(&mut first)?;
    shared.durability.get_or_init(|| durable);
    let (writes, waiting_writes) = queue(options.queue);
    let (reads, waiting_reads) = queue(options.queue);
    let connections = match options.threads {
        Some(given) => given.max(1),
        None => connections(&mut first)?,
    };
    // Writes wait for the disk of the server, reads for nobody: they need fewer. One connection alone takes both.
    let readers = if connections == 1 { 0 } else { (connections / 3).max(1) };
    let mut session = Some(first);
    let mut threads = Vec::new();
    let sharing = Arc::new(Sharing::of(connections - readers));
    for number in 0..connections {
        let (turns, workers) = match (number < readers, readers) {
            (true, _) => (Turns::One(waiting_reads.clone()), readers),
            (false, 0) => (Turns::Both(waiting_writes.clone(), waiting_reads.clone()), 1),
            (false, _) => (Turns::One(waiting_writes.clone()), connections - readers),
        };
        let mut worker = Worker::new(number, &hosts, shared, &sharing);
        worker.session = session.take().and_then(|session| session.pooled(worker.lane).ok());
        threads.push(start(worker, turns, workers)?);
    }
    let replica = match &options.replica {
        Some(url) => Some(open_replica(url, (options, shared), &hosts, readers.max(1), &mut threads)?),
        None => None,
    };
    Ok((Queues { writes, reads, replica, kept: None }, threads))
}

/// Starts the threads that read on a replica, which need not be there yet.
fn open_replica(
    url: &str,
    (options, shared): (&Options, &Arc<Shared>),
    primary: &Arc<Hosts>,
    readers: usize,
    threads: &mut Vec<JoinHandle<()>>,
) -> Result<Replica, Error> {
    let hosts = Arc::new(Hosts::parse(url, shared.unit_limit)?.of_any_kind());
    let (reads, waiting) = queue(options.queue);
    let sharing = Arc::new(Sharing::of(0));
    let last = Arc::default();
    for number in 0..readers {
        let worker = Worker::new(number, &hosts, shared, &sharing);
        // What fails here is done by the primary, at once.
        let worker = Worker { patience: Duration::ZERO, follower: Some(Follower::new(&last)), ..worker };
        threads.push(start(worker, Turns::One(waiting.clone()), readers)?);
    }
    let (replica, lookout) = Replica::new(reads, Arc::clone(primary), hosts, last);
    let thread = std::thread::Builder::new().name("store-replica".to_owned()).spawn(move || lookout.run());
    threads.push(thread.map_err(|e| Error::Open(format!("a storage thread cannot be started: {e}")))?);
    Ok(replica)
}

fn start(mut worker: Worker, turns: Turns, workers: usize) -> Result<JoinHandle<()>, Error> {
    let thread = std::thread::Builder::new().name("store-pool".to_owned());
    let thread = thread.spawn(move || worker.run(&turns, workers));
    thread.map_err(|e| Error::Open(format!("a storage thread cannot be started: {e}")))
}

/// How many connections are right where the operator says nothing: some for each core of this machine, and no more than a quarter
/// of what the server allows, for there may be other nodes, and its operator wants a place, too.
fn connections(session: &mut Session) -> Result<usize, Error> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let said = session.simple("SHOW max_connections").map_err(Fault::into_error)?;
    let allowed = said.iter().flatten().flatten().find_map(|text| text.parse::<usize>().ok());
    let most = allowed.map_or(FEWEST_CONNECTIONS, |allowed| allowed / 4);
    Ok((cores * CONNECTIONS_OF_A_CORE).clamp(FEWEST_CONNECTIONS, MOST_CONNECTIONS).min(most.max(2)))
}

/// What is told of a store that was made in such a database by an earlier version.
const OTHER_ENCODING: &str = "the encoding of the database is not UTF8: what it has no letters for is refused as a fault of the service; copy \
     the store (stipend copy) into a database that was made with ENCODING 'UTF8' TEMPLATE template0";

/// The encoding of the database, where it is another one than UTF8: names and notes have letters of every alphabet.
fn other_encoding(session: &mut Session) -> Result<Option<String>, Error> {
    let said = session.simple("SHOW server_encoding").map_err(Fault::into_error)?;
    let encoding = said.into_iter().flatten().flatten().next().unwrap_or_default();
    Ok(Some(encoding).filter(|encoding| encoding != "UTF8"))
}

/// Refuses to make a store in a database that cannot hold every letter.
pub(crate) fn refuse_encoding(session: &mut Session) -> Result<(), Error> {
    let Some(encoding) = other_encoding(session)? else { return Ok(()) };
    let there = migrate::is_store(session, Dialect::Postgres).map_err(Fault::into_error)?;
    if there {
        return Ok(());
    }
    Err(Error::Open(format!(
        "the encoding of the database is {encoding}, and has to be UTF8: make it with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
    )))
}

/// When a commit counts as durable, as configured on the server. Units do not change it: how much may be lost
/// with a machine is the decision of the server's operator.
fn durability(session: &mut Session) -> Result<String, Error> {
    let mut asked = |name: &str| -> Result<String, Error> {
        let said = session.simple(&format!("SHOW {name}")).map_err(Fault::into_error)?;
        Ok(said.into_iter().flatten().flatten().next().unwrap_or_default())
    };
    let (commit, fsync) = (asked("synchronous_commit")?, asked("fsync")?);
    let standbys = asked("synchronous_standby_names")?;
    let standbys = if standbys.is_empty() { "none" } else { &standbys };
    Ok(format!("synchronous_commit = {commit}, fsync = {fsync}, synchronous_standby_names = {standbys}"))
}

pub(crate) fn check_statements(url: &str, statements: &[Sql]) -> Result<Vec<(Sql, String)>, Error> {
    let mut session = once(url)?;
    let mut refused = Vec::new();
    for sql in statements {
        if let Err(fault) = session.check(*sql) {
            refused.push((*sql, fault.into_error().to_string()));
        }
    }
    Ok(refused)
}

/// The engine's plan for each statement, if forced to use indexes: it would scan tables with few rows.
pub(crate) fn plans(url: &str, statements: &[Sql]) -> Result<Vec<String>, Error> {
    let mut session = once(url)?;
    let failed = |fault: Fault| cannot_open(fault.into_error().to_string());
    session.batch("SET enable_seqscan = off; SET enable_bitmapscan = off").map_err(failed)?;
    let plan = |sql: &Sql| session.explain(*sql).map_err(failed);
    statements.iter().map(plan).collect()
}

/// A connection whose statements may take their time.
pub(crate) fn patient(url: &str) -> Result<Session, Error> {
    once(url)?.patient().map_err(|fault| cannot_open(fault.into_error().to_string()))
}

/// The same for one who only reads: a standby will do, where the address names one.
pub(crate) fn patient_reader(url: &str) -> Result<Session, Error> {
    let session = Hosts::parse(url, Duration::from_secs(5))?.for_reading().connect().map_err(cannot_open)?;
    session.patient().map_err(|fault| cannot_open(fault.into_error().to_string()))
}

/// A connection that holds the one lock of its database; `None` if another one does.
pub(crate) fn hold(url: &str) -> Result<Option<Session>, Error> {
    let mut session = once(url)?;
    let held = session.take_lock(LOCK).map_err(|fault| cannot_open(fault.into_error().to_string()))?;
    Ok(held.then_some(session))
}

/// A connection outside any pool.
fn once(url: &str) -> Result<Session, Error> {
    Hosts::parse(url, Duration::from_secs(5))?.connect().map_err(cannot_open)
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn cannot_open(reason: String) -> Error {
    Error::Open(format!("the database server cannot be used: {reason}"))
}

/// The error with its cause.
fn chain(error: &tokio_postgres::Error) -> String {
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
    /// how long a unit is run again
    patience: Duration,
    /// `None` if the server is the primary
    follower: Option<Follower>,
}

/// Where a thread takes units from.
enum Turns {
    One(Waiting),
    /// the only thread: writes and reads
    Both(Waiting, Waiting),
}

impl Turns {
    /// The next unit, with its queue; none once the store is closed and what was queued is done.
    fn next(&self) -> Option<(Box<dyn Unit>, &Waiting)> {
        let (writes, reads) = match self {
            Self::One(only) => return Some((only.units.recv().ok()?, only)),
            Self::Both(writes, reads) => (writes, reads),
        };
        // A queue that is closed has nothing more; the other may.
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
    /// The one with this number, which connects when it has something to do.
    fn new(number: usize, hosts: &Arc<Hosts>, shared: &Arc<Shared>, sharing: &Arc<Sharing>) -> Self {
        Self {
            hosts: Arc::clone(hosts),
            // Further ones share the numbers of the first.
            lane: number.to_le_bytes()[0],
            session: None,
            shared: Arc::clone(shared),
            sharing: Arc::clone(sharing),
            habits: Habits::default(),
            patience: shared.unit_limit,
            follower: None,
        }
    }

    fn run(&mut self, turns: &Turns, workers: usize) {
        while let Some((unit, waiting)) = turns.next() {
            // The caller was answered "unknown", or has gone: nothing has begun, and nothing need begin.
            if unit.is_abandoned() {
                continue;
            }
            let started = Clock::monotonic();
            let (done, workers) = match unit.access() {
                Access::Read => (self.read_some(unit, waiting, workers), workers),
                Access::Write => self.write_some(unit, waiting, workers),
            };
            if done > 0 {
                waiting.pace.count(done, Clock::monotonic() - started, workers);
            }
        }
    }

    /// Runs the unit until it is committed, refused by its own closure, or out of time.
    fn run_until_done(&mut self, unit: &mut dyn Unit) {
        let started = Clock::monotonic();
        let mut wait = RETRY_FROM;
        let mut taken = None;
        loop {
            let fault = match self.attempt(unit) {
                Ok(()) => return,
                Err(fault) => fault,
            };
            if fault.connection_is_spent() {
                self.session = None;
            }
            let again = match &fault {
                Failed::Before(Fault::Conflict | Fault::Lost) => true,
                // The other unit has committed: this unit has seen its row if it meets the same key again.
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

    /// Sees to a session whose server has what is asked for.
    fn ready(&mut self) -> Result<(), Fault> {
        if self.follower.as_ref().is_some_and(Follower::rests) {
            return Err(Fault::Lost);
        }
        let session = match &mut self.session {
            Some(session) => session,
            None => {
                let mut session = self.hosts.connect().map_err(|_logged| Fault::Lost)?.pooled(self.lane)?;
                if let Some(follower) = &mut self.follower {
                    follower.begin(&mut session);
                }
                self.session.insert(session)
            }
        };
        let has_all = self.follower.as_mut().is_none_or(|follower| follower.has_all(session));
        if has_all { Ok(()) } else { Err(Fault::Lost) }
    }

    fn attempt(&mut self, unit: &mut dyn Unit) -> Result<(), Failed> {
        self.ready().map_err(Failed::Before)?;
        let Some(session) = &mut self.session else { return Err(Failed::Before(Fault::Lost)) };
        if unit.access() == Access::Read {
            return read(session, unit, &self.shared, &mut self.habits);
        }
        session.start(Access::Write, false);
        let mut tx = Tx::new(session, &self.shared, Access::Write);
        let verdict = unit.run(&mut tx);
        let fault = tx.fault();
        let effects = tx.into_effects();
        if fault.is_none() {
            self.habits.note(unit.kind(), session.can_share());
        }
        if verdict == Verdict::Discard {
            session.leave();
            return fault.map_or(Ok(()), |fault| Err(Failed::Before(fault)));
        }
        match session.commit() {
            Ended::Committed => {
                self.shared.finish([effects] as [Effects; 1]);
                Ok(())
            }
            Ended::Before(fault) => Err(Failed::Before(fault)),
            Ended::Unknown => Err(Failed::DuringCommit),
        }
    }
}

/// Runs a unit that reads.
fn read(
    session: &mut Session,
    unit: &mut dyn Unit,
    shared: &Shared,
    habits: &mut Habits,
) -> Result<(), Failed> {
    for one_group in [habits.waits_once(unit.kind()), false] {
        session.start(Access::Read, one_group);
        let mut tx = Tx::new(session, shared, Access::Read);
        let verdict = unit.run(&mut tx);
        let fault = tx.fault();
        let effects = tx.into_effects();
        let (outgrown, waits) = (session.outgrown(), session.waits());
        session.leave();
        habits.note(unit.kind(), !outgrown && waits < 2);
        if outgrown {
            continue;
        }
        if verdict == Verdict::Discard {
            return fault.map_or(Ok(()), |fault| Err(Failed::Before(fault)));
        }
        shared.finish([effects] as [Effects; 1]);
        break;
    }
    Ok(())
}

/// When a unit failed decides whether it may be run again.
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
