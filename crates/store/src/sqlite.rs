//! The embedded engine: one file, one writer thread, several reader threads.
//!
//! The writer takes the waiting units, runs them in one transaction, and commits once: one fsync for the group, and no
//! unit is answered before it (nor refused: a refusal may depend on another unit's row). A refused unit has usually
//! changed nothing; if it has, the transaction is rolled back and the group is rerun with a savepoint around each unit.
//! After each unit the writer checks that the transaction is still open. If a unit ended it (disk full, time up), that
//! unit is answered alone and the others are rerun in a new transaction.
//!
//! Every page is written with a checksum, which is verified on each read below SQLite (`checksums.c`).
//!
//! The write-ahead log is checkpointed on a thread beside the writer (`log`). An I/O error at COMMIT stops the process:
//! it is then unknown what reached the disk, and only a restart, which recovers from the log, determines that.
//! `:memory:` has one connection, so there the writer also runs reading units.

mod care;
mod checksums;
mod copies;
mod files;
mod groups;
mod log;
mod part;
mod present;
mod session;
mod values;
mod watchdog;

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::bounded;
use rusqlite::config::DbConfig;
use rusqlite::{Connection as Handle, ErrorCode, OpenFlags};

use crate::dialect::Dialect;
use crate::disk::{Disk, Step, Trouble};
use crate::pulse::{Pulse, Pulses};
use crate::queue::create_queue;
use crate::tx::Fault;
use crate::{Clock, Error, Opened, Options, Queues, Shared, Sql, go_on, migrate, seal};
use checksums::{MISSING, VFS};
pub use files::{Checked, Restored, add_checksums, backup_file, check_file, restore_file};
use groups::{read_loop, write_loop};
use log::Log;
pub(crate) use part::Part;
use present::Present;

/// Number of reading threads if none is configured.
const READERS: usize = 4;
/// Instructions of the engine's virtual machine between two checks of the unit's deadline.
const PROGRESS_STEPS: i32 = 10_000;
/// Maximum number of prepared statements per connection: more than the program has.
const STATEMENTS: usize = 512;
const BUSY: Duration = Duration::from_secs(5);
/// Extended result codes of reads that failed.
const READ_FAILED: i32 = rusqlite::ffi::SQLITE_IOERR_READ;
const READ_SHORT: i32 = rusqlite::ffi::SQLITE_IOERR_SHORT_READ;
/// How long the writer waits for the last log line to be written before it ends the process.
const LAST_LINE: Duration = Duration::from_millis(50);
/// Opens the file and starts its threads.
pub(crate) fn open_store(path: &str, options: &Options, shared: &Arc<Shared>) -> Result<Opened, Error> {
    let in_memory = path == ":memory:";
    if path.is_empty() {
        return Err(Error::Open("sqlite: must be followed by a path, or by :memory:".to_owned()));
    }
    // The engine would interpret a URI as a different file name from the one that is locked and watched here.
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
    if let Some(file) = &file {
        present::wait_for_shared_files(path, file)?;
    }
    let mut writer = Engine::open_engine(path, OpenFlags::default(), shared.unit_limit)?;
    writer.file.clone_from(&file);
    writer.disk.clone_from(&options.disk);
    writer.apply_settings(options.max_pages).map_err(|e| cannot_open(path, &e))?;
    let permits = migrate::Permits { create: in_memory || options.create, ..options.permits() };
    migrate::apply_pending(&mut writer, Dialect::Sqlite, options.migrations, permits)?;
    go_on(&mut writer, options, shared)?;
    seal::verify_master_keys(&mut writer, &options.keys, &options.clock)?;
    if file.is_some() && !writer.has_checksums()? {
        tracing::warn!(MISSING);
        shared.caution.set(MISSING).ok();
    }

    let (writes, waiting) = create_queue(options.queue);
    let Some(file) = file else {
        let shared = Arc::clone(shared);
        let thread = spawn_thread("store-writer", move || write_loop(&writer, &waiting, &shared, None))?;
        return Ok((
            Queues { reads: writes.clone(), writes, replica: None, servers: None, kept: None },
            vec![thread],
        ));
    };
    let present = Arc::new(writer.present_files(path)?);
    let (log, copier) = Log::open_log(path, &file, &mut writer, (&present, shared))?;
    let mut pulses = vec![("store-writer", writer.pulse.clone()), ("store-copier", log.copier_pulse())];
    let behind_writer = watchdog::Behind::new(&waiting, vec![writer.pulse.clone()]);
    let mut threads = vec![copier];
    threads.push(spawn_thread("store-writer", {
        let shared = Arc::clone(shared);
        move || write_loop(&writer, &waiting, &shared, Some(log))
    })?);
    let (reads, waiting) = create_queue(options.queue);
    let readers = options.threads.unwrap_or(READERS).max(1);
    let mut reading = Vec::new();
    for _ in 0..readers {
        let mut reader = open_reader(path, shared.unit_limit)?;
        reader.file = Some(Arc::clone(&file));
        reader.disk.clone_from(&options.disk);
        reading.push(reader.pulse.clone());
        let (waiting, shared) = (waiting.clone(), Arc::clone(shared));
        threads.push(spawn_thread("store-reader", move || read_loop(&reader, &waiting, &shared, readers))?);
    }
    pulses.extend(reading.iter().map(|pulse| ("store-reader", pulse.clone())));
    let behind_readers = watchdog::Behind::new(&waiting, reading);
    shared.pulses.set(Pulses(pulses)).ok();
    // Nothing is ever sent: the threads that look after the others end when the sender is gone.
    let (keep, until) = bounded::<()>(0);
    threads.push(watchdog::begin_watchdog([behind_writer, behind_readers], until.clone())?);
    if let Some(care) = options.care {
        threads.extend(care::begin_care(path, (&file, present), (care, shared), until)?);
    }
    Ok((Queues { writes, reads, replica: None, servers: None, kept: Some(keep) }, threads))
}

pub(crate) fn check_statements(path: &str, statements: &[Sql]) -> Result<Vec<(Sql, String)>, Error> {
    let handle = Handle::open(path).map_err(|e| cannot_open(path, &e))?;
    let refused = |sql: &Sql| handle.prepare(sql.text()).err().map(|e| (*sql, e.to_string()));
    Ok(statements.iter().filter_map(refused).collect())
}

/// Returns the engine's plan for each statement.
pub(crate) fn query_plans(path: &str, statements: &[Sql]) -> Result<Vec<String>, Error> {
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

/// Opens or creates the file, readable by its owner alone, before anything is written to it.
fn private_file(path: &str) -> Result<File, Error> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path).map_err(|e| cannot_open(path, &e))
}

fn cannot_open(path: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Open(format!("the database file {path} cannot be opened: {error}"))
}

fn spawn_thread(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Error> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(run).map_err(|e| Error::Open(format!("a storage thread cannot be started: {e}")))
}

fn fail_stop(reason: &str) -> ! {
    stop_process("the disk failed at COMMIT; stopping, so that nothing unsure is acknowledged", reason)
}

#[expect(
    clippy::exit,
    reason = "after a failed fsync nothing may be acknowledged; only a restart knows the state"
)]
fn stop_process(message: &str, reason: &str) -> ! {
    tracing::error!(reason, "{message}");
    // Another thread writes the log line; this one, the only one that commits, gives it time.
    std::thread::sleep(LAST_LINE);
    std::process::exit(74)
}

/// Opens a read-only connection to a store that others use. It belongs to one thread, so the engine need not lock it.
pub(crate) fn open_reader(path: &str, unit_limit: Duration) -> Result<Engine, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Engine::open_engine(path, flags, unit_limit)
}

/// As [`open_reader`], for a store that this process has not opened.
pub(crate) fn outside_reader(path: &str, unit_limit: Duration) -> Result<Engine, Error> {
    present::wait_for_shared_files_of(path)?;
    open_reader(path, unit_limit)
}

/// Opens a connection that fills a new file, of which nothing remains if filling is interrupted.
pub(crate) fn open_filler(part: &Part) -> Result<Engine, Error> {
    let path = &part.path_text()?;
    let engine = Engine::open_engine(path, OpenFlags::default(), Duration::ZERO)?;
    let settings = [("journal_mode", "OFF"), ("synchronous", "OFF"), ("locking_mode", "EXCLUSIVE")];
    for (name, value) in settings {
        engine.handle.pragma_update(None, name, value).map_err(|e| cannot_open(path, &e))?;
    }
    Ok(engine)
}

/// Opens a separate store in memory.
pub(crate) fn in_memory() -> Result<Engine, Error> {
    Engine::open_engine(":memory:", OpenFlags::default(), Duration::ZERO)
}

/// One connection.
pub(crate) struct Engine {
    handle: Handle,
    /// The time at which the running unit must end, in milliseconds of the monotonic clock; 0 for no limit.
    deadline: Arc<AtomicU64>,
    unit_limit: Duration,
    disk: Option<Arc<dyn Disk>>,
    /// Whether its thread is in the engine.
    pulse: Pulse,
    /// The files of the store, as its writer opened them.
    present: Option<Arc<Present>>,
    /// The file itself, closed after all connections: closing any descriptor of a file releases the locks that the
    /// process holds on it.
    file: Option<Arc<File>>,
}

impl Engine {
    fn open_engine(path: &str, flags: OpenFlags, unit_limit: Duration) -> Result<Self, Error> {
        let handle =
            Handle::open_with_flags_and_vfs(path, flags, VFS).map_err(|error| cannot_open(path, &error))?;
        let mut engine = Self {
            handle,
            deadline: Arc::default(),
            unit_limit,
            disk: None,
            pulse: Pulse::default(),
            present: None,
            file: None,
        };
        engine.configure_engine().map_err(|error| match engine.damaged_page() {
            Some(page) => cannot_open(path, &page),
            None => cannot_open(path, &error),
        })?;
        Ok(engine)
    }

    fn configure_engine(&mut self) -> rusqlite::Result<()> {
        let handle = &mut self.handle;
        handle.busy_timeout(BUSY)?;
        handle.set_prepared_statement_cache_capacity(STATEMENTS);
        // Plans that depend on bound values would be recompiled whenever a value is bound.
        handle.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        handle.pragma_update(None, "cache_size", -32_000)?;
        handle.pragma_update(None, "temp_store", "MEMORY")?;
        // A cell that extends past its page is detected when it is read.
        handle.pragma_update(None, "cell_size_check", true)?;
        let (seen, pulse) = (Arc::clone(&self.deadline), self.pulse.clone());
        let is_over = move || {
            pulse.record_beat();
            let until = seen.load(Ordering::Relaxed);
            until != 0 && monotonic_millis() > until
        };
        handle.progress_handler(PROGRESS_STEPS, Some(is_over))
    }

    fn apply_settings(&mut self, max_pages: Option<u32>) -> rusqlite::Result<()> {
        self.handle.pragma_update(None, "journal_mode", "WAL")?;
        self.handle.pragma_update(None, "synchronous", "FULL")?;
        if let Some(pages) = max_pages {
            self.handle.pragma_update(None, "max_page_count", pages)?;
        }
        Ok(())
    }

    /// The files of the store, which this connection has read.
    fn present_files(&self, path: &str) -> Result<Present, Error> {
        let size: i64 = self
            .handle
            .pragma_query_value(None, "page_size", |row| row.get(0))
            .map_err(|e| cannot_open(path, &e))?;
        Present::open_files(path, u64::try_from(size).unwrap_or_default())
    }

    fn begin_unit(&self) {
        let limit = u64::try_from(self.unit_limit.as_millis()).unwrap_or(u64::MAX / 2);
        self.deadline.store(monotonic_millis() + limit, Ordering::Relaxed);
    }

    /// Removes the deadline: what runs next may take as long as it needs.
    fn end_unit(&self) {
        self.deadline.store(0, Ordering::Relaxed);
    }

    /// Returns the fault that a simulation injects here, if any.
    fn meet_step(&self, step: Step) -> Result<(), Fault> {
        let Some(disk) = &self.disk else { return Ok(()) };
        disk.meet_step(step).map_err(|trouble| match trouble {
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
}

fn monotonic_millis() -> u64 {
    u64::try_from(Clock::monotonic().as_millis()).unwrap_or(u64::MAX)
}

fn classify_fault(error: rusqlite::Error) -> Fault {
    if let Some(READ_FAILED | READ_SHORT) = error.sqlite_error().map(|error| error.extended_code) {
        return Fault::Unread(error.to_string());
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Fault::Full,
        Some(ErrorCode::OperationInterrupted) => Fault::Interrupted,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Fault::Conflict,
        Some(ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory) => Fault::Io(error.to_string()),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Fault::Damaged(error.to_string()),
        _ => Fault::Other(error.to_string()),
    }
}
