//! PostgreSQL and its wire-compatible kin: a pool of threads, each with one connection.
//!
//! Writing units run READ COMMITTED and protect what they decide with guards; reading units run REPEATABLE READ
//! READ ONLY. A conflict (40001, 40P01) or a connection lost before COMMIT was sent runs the unit again, with jitter,
//! until its time is up; a key that is there already (23505) does so once. A connection lost while COMMIT was under way
//! leaves the outcome unknown, and so does a warning at COMMIT (that is how a server says that the commit was not
//! replicated): nothing is claimed, and the caller finds out with its idempotency key. A connection that may be in COMMIT
//! is never cancelled, only dropped.

pub(crate) mod citus;
mod session;
mod tls;

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;
use std::time::Duration;

use jiff::civil::{Date, date};
use jiff::{Span, Timestamp, Unit as TimeUnit};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use crate::copy::Kind;
use crate::dialect::Dialect;
use crate::queue::{Waiting, queue};
use crate::tx::{Connection, Effects, Fault};
use crate::unit::{Access, Unit, Verdict};
use crate::value::{Columns, Held, Unread, Value};
use crate::{Clock, Error, Opened, Options, Queues, Shared, Sql, Tx, go_on, migrate, seal};
use session::Hosts;
pub(crate) use session::Session;

/// Waiting before a unit is run again: doubled each time, up to the second figure, less up to a half by chance.
const RETRY_FROM: Duration = Duration::from_millis(2);
const RETRY_TO: Duration = Duration::from_millis(200);
/// The number of the lock that keeps a database for one process: the letters of "stipend".
const LOCK: i64 = 0x73_7469_7065_6e64;

/// How Citus says that a server which the transaction needs is not reached any more.
const LOST_ELSEWHERE: &str = "failure on connection marked as essential";

/// Connects and starts the pool.
pub(crate) fn open(url: &str, options: &Options, shared: &Arc<Shared>) -> Result<Opened, Error> {
    let hosts = Arc::new(Hosts::parse(url, shared.unit_limit)?);
    let mut first = hosts.connect().map_err(cannot_open)?;
    if !migrate::is_current(&mut first, options.migrations) {
        // A statement of a migration may take longer than those of a unit may.
        let mut patient = first.patient().map_err(|fault| cannot_open(fault.into_error().to_string()))?;
        migrate::run(&mut patient, Dialect::Postgres, options.migrations, options.permits())?;
        citus::place_new(&mut patient, options.placements)?;
        first = hosts.connect().map_err(cannot_open)?;
    }
    go_on(&mut first, options, shared)?;
    seal::check(&mut first, &options.keys, &options.clock)?;
    let (writes, waiting_writes) = queue(options.queue);
    let (reads, waiting_reads) = queue(options.queue);
    let mut session = Some(first);
    let mut threads = Vec::new();
    let workers = options.threads.max(1);
    for number in 0..workers {
        // One thread takes reads alone, so that slow writes never hold all of them.
        let takes_writes = workers == 1 || number > 0;
        let turns =
            Turns { writes: takes_writes.then(|| waiting_writes.clone()), reads: waiting_reads.clone() };
        let mut worker =
            Worker { hosts: Arc::clone(&hosts), session: session.take(), shared: Arc::clone(shared) };
        let thread = std::thread::Builder::new().name("store-pool".to_owned());
        let thread = thread.spawn(move || worker.run(&turns, workers));
        threads.push(thread.map_err(|e| Error::Open(format!("a storage thread cannot be started: {e}")))?);
    }
    Ok((Queues { writes, reads, kept: None }, threads))
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

/// How the engine would go about each statement, if it had to use its indexes: of tables with few rows it would read all.
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

/// A connection that holds the one lock of its database; nothing where another one does.
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

/// One thread of the pool.
struct Worker {
    hosts: Arc<Hosts>,
    session: Option<Session>,
    shared: Arc<Shared>,
}

/// The queues from which a thread takes units.
struct Turns {
    writes: Option<Waiting>,
    reads: Waiting,
}

impl Turns {
    /// The next unit, with its queue; none once the store is closed and what was queued is done.
    fn next(&self) -> Option<(Box<dyn Unit>, &Waiting)> {
        let Turns { writes, reads } = self;
        let Some(writes) = writes else { return Some((reads.units.recv().ok()?, reads)) };
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
    fn run(&mut self, turns: &Turns, workers: usize) {
        while let Some((mut unit, waiting)) = turns.next() {
            // Whoever asked has been answered "unknown", or has gone: nothing has begun, and nothing need begin.
            if unit.is_abandoned() {
                continue;
            }
            let started = Clock::monotonic();
            self.run_until_done(&mut *unit);
            unit.reply();
            waiting.pace.count(1, Clock::monotonic() - started, workers);
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
                // Whoever was quicker has committed: the unit has seen his row when it meets the same key again.
                Failed::Before(Fault::Taken { key, .. }) => taken.replace(*key) != Some(*key),
                _ => false,
            };
            if !again || Clock::monotonic() - started > self.shared.unit_limit {
                return unit.fail(fault.into_error());
            }
            std::thread::sleep(wait - wait / 512 * u32::from(self.shared.random.jitter()));
            wait = (wait * 2).min(RETRY_TO);
        }
    }

    fn attempt(&mut self, unit: &mut dyn Unit) -> Result<(), Failed> {
        let session = match &mut self.session {
            Some(session) => session,
            None => {
                let session = self.hosts.connect().map_err(|_logged| Failed::Before(Fault::Lost))?;
                self.session.insert(session)
            }
        };
        let access = unit.access();
        session.batch(begin(access)).map_err(Failed::Before)?;
        let mut tx = Tx::new(session, &self.shared, access);
        let verdict = unit.run(&mut tx);
        let fault = tx.fault();
        let effects = tx.into_effects();
        if verdict == Verdict::Discard {
            session.batch("ROLLBACK").map_err(Failed::Before)?;
            return fault.map_or(Ok(()), |fault| Err(Failed::Before(fault)));
        }
        match session.commit() {
            Ok(true) => {}
            Err(fault @ (Fault::Conflict | Fault::Taken { .. })) => return Err(Failed::Before(fault)),
            Ok(false) | Err(_) => return Err(Failed::DuringCommit),
        }
        self.shared.finish([effects] as [Effects; 1]);
        Ok(())
    }
}

fn begin(access: Access) -> &'static str {
    match access {
        Access::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        Access::Write => "BEGIN ISOLATION LEVEL READ COMMITTED",
    }
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

fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::Uuid => Type::UUID,
        Kind::Int => Type::INT8,
        Kind::Bool => Type::BOOL,
        Kind::Text => Type::TEXT,
        Kind::Date => Type::DATE,
        Kind::Instant => Type::TIMESTAMPTZ,
        Kind::Bytes => Type::BYTEA,
        Kind::Json => Type::JSON,
    }
}

fn fault(error: &tokio_postgres::Error) -> Fault {
    let Some(code) = error.code() else {
        // Without a code the server did not answer: the connection broke, or the program bound a wrong type.
        let broken =
            std::error::Error::source(error).is_some_and(<dyn std::error::Error>::is::<std::io::Error>);
        return if broken || error.is_closed() { Fault::Lost } else { Fault::Other(chain(error)) };
    };
    let text = error.as_db_error().map_or_else(|| error.to_string(), |e| e.message().to_owned());
    match *code {
        SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => Fault::Conflict,
        SqlState::UNIQUE_VIOLATION => {
            let key = (&text, error.as_db_error().and_then(tokio_postgres::error::DbError::detail));
            // A digest, because the values may be anybody's.
            Fault::Taken { key: BuildHasherDefault::<DefaultHasher>::default().hash_one(key), text }
        }
        SqlState::QUERY_CANCELED | SqlState::LOCK_NOT_AVAILABLE => Fault::Interrupted,
        // This is a standby now, or the session was ended: look for the primary.
        SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => Fault::Lost,
        // 08: the connection; 57P: the server goes down or comes up.
        _ if code.code().starts_with("08") || code.code().starts_with("57P") => Fault::Lost,
        _ if code.code().starts_with("53") => Fault::Full,
        // A coordinator lost the way to another server before COMMIT, and says so as an error of its own.
        SqlState::INTERNAL_ERROR if text.starts_with(LOST_ELSEWHERE) => Fault::Lost,
        _ => Fault::Other(text),
    }
}

type Conversion = Box<dyn std::error::Error + Sync + Send>;

/// Days and microseconds are counted from this day on the wire.
const WIRE_EPOCH: Date = date(2000, 1, 1);
const WIRE_EPOCH_MICROS: i64 = 946_684_800_000_000;

impl ToSql for Value<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Conversion> {
        let expected: &[Type] = match self {
            Value::Null => return Ok(IsNull::Yes),
            Value::Uuid(_) => &[Type::UUID],
            Value::Int(_) => &[Type::INT8],
            Value::Bool(_) => &[Type::BOOL],
            Value::Text(_) => &[Type::TEXT],
            Value::Date(_) => &[Type::DATE],
            Value::Instant(_) => &[Type::TIMESTAMPTZ],
            Value::Bytes(_) => &[Type::BYTEA],
            Value::Json(_) => &[Type::JSON],
        };
        if !expected.contains(ty) {
            return Err(format!("a parameter of type {ty} was given {self:?}").into());
        }
        match self {
            Value::Null => {}
            Value::Uuid(v) => out.extend_from_slice(v.as_bytes()),
            Value::Int(v) => out.extend_from_slice(&v.to_be_bytes()),
            Value::Bool(v) => out.extend_from_slice(&[u8::from(*v)]),
            Value::Text(v) | Value::Json(v) => out.extend_from_slice(v.as_bytes()),
            Value::Date(v) => {
                let days = WIRE_EPOCH.until((TimeUnit::Day, *v))?.get_days();
                out.extend_from_slice(&days.to_be_bytes());
            }
            Value::Instant(v) => {
                out.extend_from_slice(&(v.as_microsecond() - WIRE_EPOCH_MICROS).to_be_bytes())
            }
            Value::Bytes(v) => out.extend_from_slice(v),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// The wire bytes of a column, if its type is the one that is asked for.
struct Wire<'r>(&'r [u8], Type);

impl<'r> FromSql<'r> for Wire<'r> {
    fn from_sql(ty: &Type, raw: &'r [u8]) -> Result<Self, Conversion> {
        Ok(Self(raw, ty.clone()))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn wire<'r>(row: &'r tokio_postgres::Row, column: usize, wanted: &Type) -> Held<&'r [u8]> {
    match row.try_get::<_, Option<Wire<'r>>>(column) {
        Ok(Some(Wire(bytes, found))) if found == *wanted => Ok(Some(bytes)),
        Ok(Some(Wire(_, found))) => Err(Unread::new(format!("holds {found}, but is read as {wanted}"))),
        Ok(None) => Ok(None),
        Err(_) => Err(Unread::new("is not in the answer")),
    }
}

fn fixed<const N: usize>(row: &tokio_postgres::Row, column: usize, wanted: &Type) -> Held<[u8; N]> {
    let Some(bytes) = wire(row, column, wanted)? else { return Ok(None) };
    bytes.try_into().map(Some).map_err(|_| Unread::new("has a wrong length"))
}

fn utf8(bytes: Option<&[u8]>) -> Held<&str> {
    // The server refuses text that is not valid in the database's encoding, which is UTF-8.
    bytes.map(std::str::from_utf8).transpose().map_err(|_| Unread::new("is no UTF-8"))
}

impl Columns for tokio_postgres::Row {
    fn int(&self, column: usize) -> Held<i64> {
        Ok(fixed(self, column, &Type::INT8)?.map(i64::from_be_bytes))
    }

    fn bool(&self, column: usize) -> Held<bool> {
        Ok(fixed::<1>(self, column, &Type::BOOL)?.map(|v| v != [0]))
    }

    fn text(&self, column: usize) -> Held<&str> {
        utf8(wire(self, column, &Type::TEXT)?)
    }

    fn json(&self, column: usize) -> Held<&str> {
        utf8(wire(self, column, &Type::JSON)?)
    }

    fn bytes(&self, column: usize) -> Held<&[u8]> {
        wire(self, column, &Type::BYTEA)
    }

    fn uuid(&self, column: usize) -> Held<Uuid> {
        Ok(fixed(self, column, &Type::UUID)?.map(Uuid::from_bytes))
    }

    fn date(&self, column: usize) -> Held<Date> {
        let Some(days) = fixed(self, column, &Type::DATE)?.map(i32::from_be_bytes) else { return Ok(None) };
        let day = Span::new().try_days(days).and_then(|span| WIRE_EPOCH.checked_add(span));
        day.map(Some).map_err(|_| Unread::new("is no day of the calendar"))
    }

    fn instant(&self, column: usize) -> Held<Timestamp> {
        let Some(micros) = fixed(self, column, &Type::TIMESTAMPTZ)?.map(i64::from_be_bytes) else {
            return Ok(None);
        };
        let at = micros.checked_add(WIRE_EPOCH_MICROS).and_then(|v| Timestamp::from_microsecond(v).ok());
        at.map(Some).ok_or_else(|| Unread::new("is no moment of time"))
    }
}
