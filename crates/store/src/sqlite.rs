//! The engine inside the binary: one file, one writer thread, several readers.
//!
//! The writer takes the waiting units, runs them in one transaction, and commits once: one fsync for the group, and no
//! unit is answered before it (nor refused: a refusal may depend on another unit's row). A refused unit has usually
//! changed nothing; if it has, the transaction is rolled back and the group is rerun with a savepoint around each unit.
//! After each unit the writer checks that the transaction is still open. If a unit ended it (disk full, time up), that
//! unit is answered alone and the others are rerun in a new transaction.
//!
//! Every page is written with a checksum, which is verified on each read below SQLite (`checksums.c`).
//!
//! The write-ahead log is checkpointed beside the writer (`log`). An I/O error at COMMIT stops the process: what
//! reached the disk is then unknown, and only a restart, which recovers from the log, finds out. `:memory:` has one
//! connection, so there the writer also runs reading units.

mod care;
mod checksums;
mod copies;
mod files;
mod log;
mod part;
mod values;

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection as Handle, ErrorCode, OpenFlags, StatementStatus};

use crate::dialect::Dialect;
use crate::disk::{Disk, Step, Trouble};
use crate::queue::{Waiting, queue};
use crate::tx::{Connection, Effects, Fault};
use crate::unit::{Access, Unit, Verdict, reply_all};
use crate::value::{Row, Value};
use crate::{Clock, Error, Opened, Options, Queues, Shared, Sql, Tx, go_on, migrate, seal};
use checksums::{MISSING, VFS};
pub use files::{Checked, Restored, add_checksums, backup, check, restore};
use log::Log;
pub(crate) use part::Part;
use values::bind;

/// A group ends after this many units or this much time, whichever comes first.
const GROUP_UNITS: usize = 256;
/// Reading units that share a transaction when they wait together: few, so that other threads get some, too.
const READ_TOGETHER: usize = 8;
/// Reading threads if none are configured.
const READERS: usize = 4;
/// Instructions of the engine's virtual machine between two checks of the unit's deadline.
const PROGRESS_STEPS: i32 = 10_000;
/// Prepared statements kept per connection: more than the program has.
const STATEMENTS: usize = 512;
const BUSY: Duration = Duration::from_secs(5);
/// How long the writer waits for the last log line to be written before it ends the process.
const LAST_LINE: Duration = Duration::from_millis(50);
/// Opens the file and starts its threads.
pub(crate) fn open(path: &str, options: &Options, shared: &Arc<Shared>) -> Result<Opened, Error> {
    let in_memory = path == ":memory:";
    if path.is_empty() {
        return Err(Error::Open("sqlite: must be followed by a path, or by :memory:".to_owned()));
    }
    // The engine would interpret a URI as another file name than the one that is locked and watched here.
    if path.starts_with("file:") {
        return Err(Error::Open(format!(
            "sqlite: is followed by a path, and not by {path}: leave out file:"
        )));
    }
    // A first start that was interrupted leaves an empty file.
    let there = in_memory || std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0);
    if !there && !options.create {
        return Err(migrate::no_store(path));
    }
    let file = if in_memory { None } else { Some(Arc::new(private_file(path)?)) };
    let mut writer = Engine::open(path, OpenFlags::default(), shared.unit_limit)?;
    writer.file.clone_from(&file);
    writer.disk.clone_from(&options.disk);
    writer.settings(options.max_pages).map_err(|e| cannot_open(path, &e))?;
    let permits = migrate::Permits { create: in_memory || options.create, ..options.permits() };
    migrate::run(&mut writer, Dialect::Sqlite, options.migrations, permits)?;
    go_on(&mut writer, options, shared)?;
    seal::check(&mut writer, &options.keys, &options.clock)?;
    if file.is_some() && !writer.has_checksums()? {
        tracing::warn!(MISSING);
        shared.caution.set(MISSING).ok();
    }

    let (writes, waiting) = queue(options.queue);
    let (mut log, mut threads) = (None, Vec::new());
    if let Some(file) = &file {
        let (kept, copier) = Log::open(path, file, &mut writer, shared)?;
        log = Some(kept);
        threads.push(copier);
    }
    threads.push(spawn("store-writer", {
        let shared = Arc::clone(shared);
        move || write_loop(&mut writer, &waiting, &shared, log)
    })?);
    let mut kept = None;
    if let (Some(file), Some(care)) = (&file, options.care) {
        let (keep, keepers) = care::begin(path, file, care, shared)?;
        kept = Some(keep);
        threads.extend(keepers);
    }
    if in_memory {
        return Ok((Queues { reads: writes.clone(), writes, replica: None, kept }, threads));
    }
    let (reads, waiting) = queue(options.queue);
    let readers = options.threads.unwrap_or(READERS).max(1);
    for _ in 0..readers {
        let mut reader = reader(path, shared.unit_limit)?;
        reader.file.clone_from(&file);
        reader.disk.clone_from(&options.disk);
        let (waiting, shared) = (waiting.clone(), Arc::clone(shared));
        threads.push(spawn("store-reader", move || read_loop(&mut reader, &waiting, &shared, readers))?);
    }
    Ok((Queues { writes, reads, replica: None, kept }, threads))
}

pub(crate) fn check_statements(path: &str, statements: &[Sql]) -> Result<Vec<(Sql, String)>, Error> {
    let handle = Handle::open(path).map_err(|e| cannot_open(path, &e))?;
    let refused = |sql: &Sql| handle.prepare(sql.text()).err().map(|e| (*sql, e.to_string()));
    Ok(statements.iter().filter_map(refused).collect())
}

/// The engine's plan for each statement.
pub(crate) fn plans(path: &str, statements: &[Sql]) -> Result<Vec<String>, Error> {
    let handle = Handle::open(path).map_err(|e| cannot_open(path, &e))?;
    let plan = |sql: &Sql| {
        let mut explained = handle.prepare(&format!("EXPLAIN QUERY PLAN {}", sql.text()))?;
        let mut rows = explained.raw_query();
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            lines.push(row.get::<_, String>(3)?);
        }
        Ok(lines.join("\n"))
    };
    statements.iter().map(plan).collect::<Result<_, rusqlite::Error>>().map_err(|e| cannot_open(path, &e))
}

/// Makes the file readable by its owner alone, before anything is written to it.
fn private_file(path: &str) -> Result<File, Error> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path).map_err(|e| cannot_open(path, &e))
}

fn cannot_open(path: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Open(format!("the database file {path} cannot be opened: {error}"))
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Error> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(run).map_err(|e| Error::Open(format!("a storage thread cannot be started: {e}")))
}

fn read_loop(engine: &mut Engine, queue: &Waiting, shared: &Shared, readers: usize) {
    while let Ok(first) = queue.units.recv() {
        let started = Clock::monotonic();
        // Waiting readers share one transaction and thus one snapshot. They are taken before it begins: a unit that
        // comes later must see what was committed before it came.
        let waiting = std::iter::from_fn(|| queue.units.try_recv().ok()).take(READ_TOGETHER);
        let units: Vec<_> = std::iter::once(first).chain(waiting).collect();
        let together = units.len();
        if let Err(fault) = engine.meet(Step::Read).and_then(|()| engine.simple("BEGIN")) {
            shared.notice(Some(&fault));
            refuse(units, &fault);
            continue;
        }
        for mut unit in units {
            engine.begin_unit();
            let mut tx = Tx::new(engine, shared, Access::Read);
            unit.run(&mut tx);
            shared.notice(tx.fault().as_ref());
            shared.finish([tx.into_effects()]);
            unit.reply();
        }
        if let Err(fault) = engine.simple("COMMIT") {
            tracing::warn!(?fault, "a reading transaction did not end well");
            engine.simple("ROLLBACK").ok();
        }
        queue.pace.count(together, Clock::monotonic() - started, readers);
    }
}

fn write_loop(engine: &mut Engine, queue: &Waiting, shared: &Shared, mut log: Option<Log>) {
    while let Ok(first) = queue.units.recv() {
        let started = Clock::monotonic();
        let mut taken = 0;
        let group = VecDeque::from([first]);
        commit_group(engine, shared, Savepoints::Never, group, &mut || {
            taken += 1;
            let open = taken < GROUP_UNITS && Clock::monotonic() - started < shared.group_time;
            if open { queue.units.try_recv().ok() } else { None }
        });
        if let Some(log) = &mut log {
            log.keep(engine);
        }
        queue.pace.count(taken, Clock::monotonic() - started, 1);
    }
}

/// Whether each unit of a group has its own savepoint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Savepoints {
    /// none: nearly every unit succeeds, and a refused one has usually changed nothing
    Never,
    /// one for each unit, after a refused unit had changed something
    PerUnit,
}

/// Runs the units in `waiting`, then those that `more` supplies, in one transaction, commits and answers.
fn commit_group(
    engine: &mut Engine,
    shared: &Shared,
    savepoints: Savepoints,
    mut waiting: VecDeque<Box<dyn Unit>>,
    more: &mut dyn FnMut() -> Option<Box<dyn Unit>>,
) {
    let mut done: Vec<(Box<dyn Unit>, Effects)> = Vec::new();
    if let Err(fault) = engine.meet(Step::Begin).and_then(|()| engine.simple("BEGIN IMMEDIATE")) {
        shared.notice(Some(&fault));
        return refuse(waiting, &fault);
    }
    while let Some(mut unit) = waiting.pop_front().or_else(&mut *more) {
        engine.begin_unit();
        let failure = match run_among_neighbours(engine, shared, savepoints, &mut *unit) {
            Ok(effects) => {
                done.push((unit, effects));
                continue;
            }
            Err(failure) => failure,
        };
        // The other units are not at fault: they are rerun, each in a savepoint.
        engine.simple("ROLLBACK").ok();
        let mut again: VecDeque<_> = done.drain(..).map(|(unit, _)| unit).collect();
        match failure {
            Failure::TransactionEnded(fault) => {
                unit.fail(fault.into_error());
                unit.reply();
            }
            Failure::ChangesRemain => again.push_back(unit),
        }
        again.extend(waiting);
        if !again.is_empty() {
            commit_group(engine, shared, Savepoints::PerUnit, again, more);
        }
        return;
    }
    match engine.commit() {
        Ok(()) => {
            if shared.cared_for && engine.file.as_ref().is_some_and(|file| care::is_deleted(file)) {
                stop(
                    "the file of the store was deleted; stopping, so that nothing is acknowledged that is lost",
                    "",
                );
            }
            let (units, effects): (Vec<_>, Vec<_>) = done.into_iter().unzip();
            shared.finish(effects);
            reply_all(units);
        }
        Err(Fault::Io(reason) | Fault::Damaged(reason)) => fail_stop(&reason),
        Err(fault) => {
            shared.notice(Some(&fault));
            engine.simple("ROLLBACK").ok();
            let units = done.into_iter().map(|(unit, _)| unit);
            if units.len() == 1 {
                return refuse(units, &fault);
            }
            // Not enough room for all: each runs alone, so that a large unit does not take the small ones down with it.
            for unit in units {
                commit_group(engine, shared, Savepoints::PerUnit, VecDeque::from([unit]), &mut || None);
            }
        }
    }
}

/// Why a transaction cannot continue after a unit.
enum Failure {
    /// the unit ended the transaction
    TransactionEnded(Fault),
    /// the unit was refused, and its changes are mixed with those of other units
    ChangesRemain,
}

/// Runs one unit in its group's transaction.
fn run_among_neighbours(
    engine: &mut Engine,
    shared: &Shared,
    savepoints: Savepoints,
    unit: &mut dyn Unit,
) -> Result<Effects, Failure> {
    if savepoints == Savepoints::PerUnit {
        engine.simple("SAVEPOINT unit").map_err(Failure::TransactionEnded)?;
    }
    let changes = engine.handle.total_changes();
    let mut tx = Tx::new(engine, shared, unit.access());
    let verdict = unit.run(&mut tx);
    let fault = tx.fault();
    shared.notice(fault.as_ref());
    let effects = tx.into_effects();
    if engine.handle.is_autocommit() {
        let fault = fault.unwrap_or(Fault::Other("a unit ended the transaction".to_owned()));
        return Err(Failure::TransactionEnded(fault));
    }
    let effects = if verdict == Verdict::Keep { effects } else { Effects::default() };
    match savepoints {
        Savepoints::Never if verdict == Verdict::Discard && engine.handle.total_changes() != changes => {
            return Err(Failure::ChangesRemain);
        }
        Savepoints::Never => {}
        Savepoints::PerUnit => {
            if verdict == Verdict::Discard {
                engine.simple("ROLLBACK TO unit").map_err(Failure::TransactionEnded)?;
            }
            engine.simple("RELEASE unit").map_err(Failure::TransactionEnded)?;
        }
    }
    Ok(effects)
}

fn refuse(units: impl IntoIterator<Item = Box<dyn Unit>>, fault: &Fault) {
    for mut unit in units {
        unit.fail(fault.clone().into_error());
        unit.reply();
    }
}

fn fail_stop(reason: &str) -> ! {
    stop("the disk failed at COMMIT; stopping, so that nothing unsure is acknowledged", reason)
}

#[expect(
    clippy::exit,
    reason = "after a failed fsync nothing may be acknowledged; only a restart knows the state"
)]
fn stop(message: &str, reason: &str) -> ! {
    tracing::error!(reason, "{message}");
    // Another thread writes the log line; this one, the only one that commits, gives it a moment.
    std::thread::sleep(LAST_LINE);
    std::process::exit(74)
}

/// A read-only connection to a store that others use. It belongs to one thread, so the engine need not lock it.
pub(crate) fn reader(path: &str, unit_limit: Duration) -> Result<Engine, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Engine::open(path, flags, unit_limit)
}

/// A connection that fills a new file, of which nothing remains if it is interrupted.
pub(crate) fn filler(part: &Part) -> Result<Engine, Error> {
    let path = &part.text()?;
    let engine = Engine::open(path, OpenFlags::default(), Duration::ZERO)?;
    let settings = [("journal_mode", "OFF"), ("synchronous", "OFF"), ("locking_mode", "EXCLUSIVE")];
    for (name, value) in settings {
        engine.handle.pragma_update(None, name, value).map_err(|e| cannot_open(path, &e))?;
    }
    Ok(engine)
}

/// A separate store in memory.
pub(crate) fn in_memory() -> Result<Engine, Error> {
    Engine::open(":memory:", OpenFlags::default(), Duration::ZERO)
}

/// One connection.
pub(crate) struct Engine {
    handle: Handle,
    /// When the running unit must end, in milliseconds of the monotonic clock; 0 for no limit.
    deadline: Arc<AtomicU64>,
    unit_limit: Duration,
    disk: Option<Arc<dyn Disk>>,
    /// The file itself, closed after all connections: closing any descriptor of a file releases the locks that the
    /// process holds on it.
    file: Option<Arc<File>>,
}

impl Engine {
    fn open(path: &str, flags: OpenFlags, unit_limit: Duration) -> Result<Self, Error> {
        let handle =
            Handle::open_with_flags_and_vfs(path, flags, VFS).map_err(|error| cannot_open(path, &error))?;
        let mut engine = Self { handle, deadline: Arc::default(), unit_limit, disk: None, file: None };
        engine.configure().map_err(|error| match engine.damaged_page() {
            Some(page) => cannot_open(path, &page),
            None => cannot_open(path, &error),
        })?;
        Ok(engine)
    }

    fn configure(&mut self) -> rusqlite::Result<()> {
        let handle = &mut self.handle;
        handle.busy_timeout(BUSY)?;
        handle.set_prepared_statement_cache_capacity(STATEMENTS);
        // Plans that depend on bound values would be recompiled whenever a value is bound.
        handle.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        handle.pragma_update(None, "cache_size", -32_000)?;
        handle.pragma_update(None, "temp_store", "MEMORY")?;
        // A cell that extends past its page is detected when it is read.
        handle.pragma_update(None, "cell_size_check", true)?;
        let seen = Arc::clone(&self.deadline);
        let is_over = move || {
            let until = seen.load(Ordering::Relaxed);
            until != 0 && millis() > until
        };
        handle.progress_handler(PROGRESS_STEPS, Some(is_over))
    }

    fn settings(&mut self, max_pages: Option<u32>) -> rusqlite::Result<()> {
        self.handle.pragma_update(None, "journal_mode", "WAL")?;
        self.handle.pragma_update(None, "synchronous", "FULL")?;
        if let Some(pages) = max_pages {
            self.handle.pragma_update(None, "max_page_count", pages)?;
        }
        Ok(())
    }

    fn begin_unit(&self) {
        let limit = u64::try_from(self.unit_limit.as_millis()).unwrap_or(u64::MAX / 2);
        self.deadline.store(millis() + limit, Ordering::Relaxed);
    }

    /// A statement that ends the transaction; it must run even if the unit's time is up.
    fn simple(&mut self, sql: &str) -> Result<(), Fault> {
        self.deadline.store(0, Ordering::Relaxed);
        let mut statement = self.handle.prepare_cached(sql).map_err(|e| self.fault(e))?;
        statement.execute([]).map(drop).map_err(|e| self.fault(e))?;
        self.begin_unit();
        Ok(())
    }

    /// The fault that a simulation injects here, if any.
    fn meet(&mut self, step: Step) -> Result<(), Fault> {
        let Some(disk) = &self.disk else { return Ok(()) };
        disk.meet(step).map_err(|trouble| match trouble {
            Trouble::Full { ended } => {
                if ended {
                    self.handle.execute_batch("ROLLBACK").ok();
                }
                Fault::Full
            }
            Trouble::Busy => Fault::Conflict,
            Trouble::Gone => Fault::Lost,
        })
    }

    fn commit(&mut self) -> Result<(), Fault> {
        self.meet(Step::Commit)?;
        self.simple("COMMIT")?;
        self.meet(Step::Committed)
    }
}

fn millis() -> u64 {
    u64::try_from(Clock::monotonic().as_millis()).unwrap_or(u64::MAX)
}

impl Connection for Engine {
    /// BEGIN IMMEDIATE admits one writing transaction at a time, across processes, too.
    fn one_writer(&self) -> bool {
        true
    }

    fn execute(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<u64, Fault> {
        self.meet(Step::Change)?;
        let mut statement = self.handle.prepare_cached(sql.text()).map_err(|e| self.fault(e))?;
        bind(&mut statement, sql, params).map_err(|e| self.fault(e))?;
        statement.raw_execute().map(|rows| rows as u64).map_err(|e| self.fault(e))
    }

    fn query(&mut self, sql: Sql, params: &[Value<'_>], each: &mut dyn FnMut(&Row<'_>)) -> Result<(), Fault> {
        let mut statement = self.handle.prepare_cached(sql.text()).map_err(|e| self.fault(e))?;
        bind(&mut statement, sql, params).map_err(|e| self.fault(e))?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(|e| self.fault(e))? {
            each(&Row::new(row));
        }
        Ok(())
    }

    fn steps(&mut self, sql: Sql) -> Option<u64> {
        // The cache returns the same prepared statement, with its counter.
        let statement = self.handle.prepare_cached(sql.text()).ok()?;
        u64::try_from(statement.reset_status(StatementStatus::VmStep)).ok()
    }

    fn batch(&mut self, sql: &str) -> Result<(), Fault> {
        self.handle.execute_batch(sql).map_err(|e| self.fault(e))
    }
}

fn fault(error: rusqlite::Error) -> Fault {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Fault::Full,
        Some(ErrorCode::OperationInterrupted) => Fault::Interrupted,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Fault::Conflict,
        Some(ErrorCode::SystemIoFailure) => Fault::Io(error.to_string()),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Fault::Damaged(error.to_string()),
        _ => Fault::Other(error.to_string()),
    }
}
