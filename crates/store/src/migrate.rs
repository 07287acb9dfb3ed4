//! Brings a database to the newest schema.
//!
//! Migrations go forward only. The statements of a migration and the record that it was applied are one transaction: a
//! process that is killed in the middle leaves nothing behind, and the next one applies it whole. The record includes a
//! checksum of the migration's text, which is compared at every start: an applied migration is never edited, because
//! stores would then differ by when they were created. A lease row keeps two processes from migrating at once; each
//! transaction begins by renewing it, so a process that has lost the lease makes no further changes.
//!
//! Work that would block other sessions for long, such as filling a new column of a large table, is a separate
//! statement that begins with `REPEAT`. It is repeated, each time in its own transaction, until it changes no row, so
//! it must exclude the rows that it has already changed:
//!
//! ```text
//! ALTER TABLE pay ADD COLUMN net bigint;
//! REPEAT UPDATE pay SET net = 0 WHERE (company_id, id) IN
//!     (SELECT company_id, id FROM pay WHERE net IS NULL LIMIT 500);
//! ```
//!
//! The statements before it and those after it are one transaction each. If the process is killed, the next one
//! continues after the last of them.

use std::time::Duration;

use jiff::ToSpan;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::dialect::{Dialect, split_statements};
use crate::tx::{Connection, Fault};
use crate::{Clock, Error, Randomness, Sql, params};

/// One file of the migrations folder.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// file name, such as `0001_store`; the order of names is the order of migrations
    pub name: &'static str,
    /// its text, in the eight type words
    pub text: &'static str,
}

impl Migration {
    /// Returns the checksum of the text, to detect later changes.
    pub fn checksum(&self) -> String {
        hex::encode(Sha256::digest(self.text))
    }

    /// Returns the statements, without comments and semicolons, in the eight type words.
    pub fn statements(&self) -> Vec<String> {
        split_statements(self.text)
    }
}

/// What opening a database may change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Permits {
    /// whether pending migrations are applied; otherwise they are an error
    pub migrate: bool,
    /// whether a missing store is created
    pub create: bool,
}

/// The tables that record the state of the schema.
const RECORD: &str = "schema_migrations";
const LEASE: &str = "schema_lease";
/// The tables of this module, which no migration creates.
pub(crate) const OWN: [&str; 2] = [RECORD, LEASE];
const OWN_TABLES: &str = "
CREATE TABLE IF NOT EXISTS schema_migrations (
    name text NOT NULL, steps bigint NOT NULL, finished_at instant, checksum text NOT NULL, PRIMARY KEY (name));
CREATE TABLE IF NOT EXISTS schema_lease (
    id bigint NOT NULL, holder uuid NOT NULL, lease_until instant NOT NULL, PRIMARY KEY (id));
";
/// The prefix of a statement that is repeated until it changes no row.
const REPEAT: &str = "REPEAT ";

crate::statements! {
    STATE = "SELECT name, steps, finished_at IS NOT NULL, checksum FROM schema_migrations ORDER BY name";
    TAKE_LEASE = "INSERT INTO schema_lease (id, holder, lease_until) VALUES (1, $1, $2) ON CONFLICT (id) DO UPDATE \
                  SET holder = excluded.holder, lease_until = excluded.lease_until \
                  WHERE schema_lease.holder = excluded.holder OR schema_lease.lease_until < $3";
    END_LEASE = "DELETE FROM schema_lease WHERE id = 1 AND holder = $1";
    SAVE_STEP = "INSERT INTO schema_migrations (name, steps, finished_at, checksum) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (name) DO UPDATE \
                 SET steps = excluded.steps, finished_at = excluded.finished_at, checksum = excluded.checksum";
}

/// How long a lease lasts without being renewed, and how long another process waits for it.
const LEASE_SECONDS: i64 = 30;
const WAIT: Duration = Duration::from_secs(60);
/// Pause before a retry after a conflict with another process.
const AGAIN: Duration = Duration::from_millis(200);

/// Whether no migration is pending; a single statement, so that starts are quick.
pub(crate) fn is_current(connection: &mut dyn Connection, migrations: &[Migration]) -> bool {
    recorded_migrations(connection)
        .is_ok_and(|state| matches!(pending_migrations(&state, migrations), Ok(left) if left.is_empty()))
}

/// Whether a database contains a store of any version.
pub(crate) fn is_store(connection: &mut dyn Connection, dialect: Dialect) -> Result<bool, Fault> {
    Ok(!matches!(Content::read_content(connection, dialect)?, Content::NoStore | Content::OfAnother))
}

/// Returns the newest applied migration, if recorded; an error if there is no store, or one that this program must not
/// touch.
pub(crate) fn newest_migration(
    connection: &mut dyn Connection,
    dialect: Dialect,
    migrations: &[Migration],
) -> Result<Option<String>, Error> {
    let open = |fault: Fault| Error::Open(format!("the schema cannot be read: {}", fault.into_error()));
    match Content::read_content(connection, dialect).map_err(open)? {
        Content::NoStore | Content::OfAnother => {
            return Err(Error::Open("the file does not contain a store".to_owned()));
        }
        Content::Store => {}
    }
    let state = recorded_migrations(connection).map_err(open)?;
    pending_migrations(&state, migrations)?;
    Ok(state.into_iter().next_back().map(|recorded| recorded.name))
}

/// Applies pending migrations, if permitted.
pub(crate) fn apply_pending(
    connection: &mut dyn Connection,
    dialect: Dialect,
    migrations: &[Migration],
    permits: Permits,
) -> Result<(), Error> {
    let open = |fault: Fault| Error::Open(format!("the schema cannot be read: {}", fault.into_error()));
    let known = Content::read_content(connection, dialect).map_err(open)?;
    if known == Content::Store {
        let state = recorded_migrations(connection).map_err(open)?;
        if pending_migrations(&state, migrations)?.is_empty() {
            return Ok(());
        }
    }
    if known == Content::OfAnother {
        return Err(Error::Open(format!(
            "this database holds the tables of another program, which has a table {RECORD}, too: give the store a database of its own"
        )));
    }
    if known == Content::NoStore && !permits.create {
        return Err(no_store("this database"));
    }
    if !permits.migrate {
        return Err(Error::Open("the database needs `stipend migrate` first".to_owned()));
    }
    if known == Content::NoStore {
        make_own_tables(connection, dialect).map_err(open)?;
    }
    // The lease is measured in real time, not by a test clock: it outlives a process that was killed.
    let clock = &Clock::from_system();
    let holder = Randomness::new(None).begin_unit(clock.now()).id();
    take_lease(connection, clock, holder)?;
    let outcome = Applying { connection: &mut *connection, dialect, clock, holder }.apply_all(migrations);
    let ended = connection.execute_statement(END_LEASE, params![holder]).map_err(open);
    outcome.and(ended.map(drop))
}

/// What a database contains.
#[derive(PartialEq, Eq)]
enum Content {
    NoStore,
    /// there is a record of migrations, but it belongs to another program
    OfAnother,
    Store,
}

impl Content {
    fn read_content(connection: &mut dyn Connection, dialect: Dialect) -> Result<Self, Fault> {
        let columns = read_columns(connection, dialect)?;
        let record: Vec<_> = columns.iter().filter(|column| column.table == RECORD).collect();
        let has = |name: &str| record.iter().any(|column| column.name == name);
        Ok(if record.is_empty() {
            Self::NoStore
        } else if ["name", "steps", "checksum"].into_iter().all(has) {
            Self::Store
        } else {
            Self::OfAnother
        })
    }
}

/// A column, as the engine reports it.
pub(crate) struct Column {
    pub table: String,
    pub name: String,
    /// its type in the engine's own words
    pub kind: String,
    /// the position in the primary key, counted from 1, if the engine reports it
    pub key: i64,
    /// whether it belongs to a view, which is computed from other tables
    pub of_view: bool,
}

/// Returns every column of every table.
pub(crate) fn read_columns(connection: &mut dyn Connection, dialect: Dialect) -> Result<Vec<Column>, Fault> {
    let mut columns = Vec::new();
    connection.query_rows(dialect.tables(), params![], &mut |row| {
        columns.push(Column {
            table: row.get(0),
            name: row.get(1),
            kind: row.get(2),
            key: row.get(3),
            of_view: row.get(4),
        });
    })?;
    Ok(columns)
}

/// Returns the error for a missing store that must not be created.
pub(crate) fn no_store(place: &str) -> Error {
    Error::Open(format!(
        "there is no store in {place}: check the address (`--create` makes a new store, once)"
    ))
}

fn make_own_tables(connection: &mut dyn Connection, dialect: Dialect) -> Result<(), Fault> {
    for statement in split_statements(OWN_TABLES) {
        let statement = dialect.translate_statement(&statement);
        // If two processes create the same table at the same moment, a server refuses one of them the first time.
        if connection.run_batch(&statement).is_err() {
            connection.run_batch(&statement)?;
        }
    }
    Ok(())
}

/// The record of a migration.
struct Recorded {
    name: String,
    steps: usize,
    finished: bool,
    checksum: String,
}

fn recorded_migrations(connection: &mut dyn Connection) -> Result<Vec<Recorded>, Fault> {
    let mut state = Vec::new();
    connection.query_rows(STATE, params![], &mut |row| {
        let steps = usize::try_from(row.get::<i64>(1)).unwrap_or(0);
        state.push(Recorded { name: row.get(0), steps, finished: row.get(2), checksum: row.get(3) });
    })?;
    Ok(state)
}

/// Returns the pending migrations, with the number of statements already done in each, or why this program must not
/// touch the store.
fn pending_migrations<'m>(
    state: &[Recorded],
    migrations: &'m [Migration],
) -> Result<Vec<(&'m Migration, usize)>, Error> {
    let unknown = |recorded: &&Recorded| migrations.iter().all(|migration| migration.name != recorded.name);
    if let Some(newer) = state.iter().rfind(unknown) {
        return Err(Error::Open(format!(
            "the store is newer than this program, which does not know its migration {}: use the program that \
             migrated it, or a later one",
            newer.name
        )));
    }
    let mut left = Vec::new();
    for migration in migrations {
        let recorded = state.iter().find(|recorded| recorded.name == migration.name);
        if recorded.is_some_and(|recorded| recorded.checksum != migration.checksum()) {
            return Err(Error::Open(format!(
                "the migration {} is not the one that was applied to this store: its text was changed afterwards",
                migration.name
            )));
        }
        match recorded {
            Some(recorded) if recorded.finished => {}
            Some(recorded) => left.push((migration, recorded.steps)),
            None => left.push((migration, 0)),
        }
    }
    Ok(left)
}

/// The number of the failed statement, or 0 if the transaction itself failed, and the reason.
type Stopped = (usize, Fault);

/// The work of one transaction; returns how many rows it changed.
type Part<'p> = dyn FnMut(&mut Applying<'_>) -> Result<u64, Stopped> + 'p;

/// A process that holds the lease.
struct Applying<'c> {
    connection: &'c mut dyn Connection,
    dialect: Dialect,
    clock: &'c Clock,
    holder: Uuid,
}

impl Applying<'_> {
    fn apply_all(&mut self, migrations: &[Migration]) -> Result<(), Error> {
        let open = |fault: Fault| Error::Open(format!("the schema cannot be read: {}", fault.into_error()));
        // Read again, now that no other process can change it.
        let state = recorded_migrations(self.connection).map_err(open)?;
        for (migration, done) in pending_migrations(&state, migrations)? {
            self.apply_migration(migration, done).map_err(|(statement, fault)| {
                let place =
                    if statement == 0 { String::new() } else { format!(" at its statement {statement}") };
                Error::Open(format!(
                    "the migration {} stopped{place}, and nothing of that part was kept: {}",
                    migration.name,
                    describe_fault(fault)
                ))
            })?;
        }
        Ok(())
    }

    /// Runs the rest of a migration; the error is the failed statement and the reason.
    fn apply_migration(&mut self, migration: &Migration, mut done: usize) -> Result<(), Stopped> {
        let statements = migration.statements();
        while done < statements.len() {
            let rest = &statements[done..];
            if let Some(repeated) = rest[0].strip_prefix(REPEAT) {
                let repeated = self.dialect.translate_statement(repeated);
                let sql = Sql::from_macro(Box::leak(repeated.into_boxed_str()));
                // Each time in its own transaction, so that other writers get a turn in between.
                while self.run_part(migration, &mut |unit| {
                    unit.repeat_statement(migration, sql, done + 1, statements.len())
                })? > 0
                {}
                done += 1;
                continue;
            }
            let span = rest.iter().take_while(|statement| !statement.starts_with(REPEAT)).count();
            self.run_part(migration, &mut |unit| {
                for (number, statement) in (done + 1..).zip(&rest[..span]) {
                    let statement = unit.dialect.translate_statement(statement);
                    if !statement.is_empty() {
                        unit.connection.run_batch(&statement).map_err(|fault| (number, fault))?;
                    }
                }
                unit.record_progress(migration, done + span, statements.len())?;
                Ok(0)
            })?;
            done += span;
        }
        Ok(())
    }

    /// Runs a part of a migration as one transaction, retried after conflicts.
    fn run_part(&mut self, migration: &Migration, part: &mut Part<'_>) -> Result<u64, Stopped> {
        let started = Clock::monotonic();
        loop {
            let outcome = self.attempt_part(part);
            let Err((number, fault)) = outcome else { return outcome };
            // If the connection is gone, there is nothing to roll back.
            self.connection.run_batch("ROLLBACK").ok();
            let in_the_way = matches!(fault, Fault::Conflict | Fault::Interrupted);
            if !in_the_way || Clock::monotonic() - started > WAIT {
                return Err((number, fault));
            }
            tracing::info!(migration = migration.name, "waiting for locks held by other sessions");
            std::thread::sleep(AGAIN);
        }
    }

    fn attempt_part(&mut self, part: &mut Part<'_>) -> Result<u64, Stopped> {
        let at_the_start = |fault| (0, fault);
        self.connection.run_batch(self.dialect.begin_statement()).map_err(at_the_start)?;
        let now = self.clock.now();
        let lease = params![self.holder, now + LEASE_SECONDS.seconds(), now];
        if self.connection.execute_statement(TAKE_LEASE, lease).map_err(at_the_start)? != 1 {
            return Err((0, Fault::Other("another process has taken over the migration".to_owned())));
        }
        let rows = part(self)?;
        self.connection.run_batch("COMMIT").map_err(at_the_start)?;
        Ok(rows)
    }

    /// Runs a repeated statement once more; returns how many rows it changed. Zero means that it is done.
    fn repeat_statement(
        &mut self,
        migration: &Migration,
        sql: Sql,
        number: usize,
        of: usize,
    ) -> Result<u64, Stopped> {
        let rows = self.connection.execute_statement(sql, params![]).map_err(|fault| (number, fault))?;
        if rows == 0 {
            self.record_progress(migration, number, of)?;
        }
        Ok(rows)
    }

    fn record_progress(&mut self, migration: &Migration, done: usize, of: usize) -> Result<(), Stopped> {
        let finished = (done == of).then(|| self.clock.now());
        let steps = i64::try_from(done).unwrap_or(i64::MAX);
        let checksum = migration.checksum();
        let saved =
            self.connection.execute_statement(SAVE_STEP, params![migration.name, steps, finished, &checksum]);
        saved.map(drop).map_err(|fault| (done, fault))
    }
}

/// Describes a fault for the operator: no caller waits for an answer here, so "busy" would be too vague.
fn describe_fault(fault: Fault) -> String {
    match fault {
        Fault::Conflict | Fault::Interrupted => {
            "other sessions held locks on its tables for more than a minute".to_owned()
        }
        Fault::Lost => "the connection to the database was lost".to_owned(),
        fault => fault.into_error().to_string(),
    }
}

fn take_lease(connection: &mut dyn Connection, clock: &Clock, holder: Uuid) -> Result<(), Error> {
    let started = Clock::monotonic();
    while Clock::monotonic() - started < WAIT {
        let now = clock.now();
        let taken =
            connection.execute_statement(TAKE_LEASE, params![holder, now + LEASE_SECONDS.seconds(), now]);
        match taken {
            Ok(1) => return Ok(()),
            Ok(_) | Err(Fault::Conflict | Fault::Interrupted | Fault::Lost | Fault::Taken { .. }) => {
                std::thread::sleep(AGAIN);
            }
            Err(fault) => {
                let why = fault.into_error();
                return Err(Error::Open(format!("the migration cannot begin: {why}")));
            }
        }
    }
    Err(Error::Open(
        "another process is migrating this database and did not finish within a minute".to_owned(),
    ))
}
