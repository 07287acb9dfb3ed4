//! Brings a database to the newest schema.
//!
//! Migrations go forward only. Each statement can be repeated (`IF NOT EXISTS`) and runs outside a transaction;
//! after each one its number is written down, so a process that is killed in the middle is followed by one that
//! goes on where it stopped. A lease row keeps two processes from migrating at once.

use std::time::Duration;

use jiff::ToSpan;
use uuid::Uuid;

use crate::dialect::{Dialect, split};
use crate::tx::{Connection, Fault};
use crate::{Clock, Error, Randomness, params};

/// One file of the migrations folder.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// file name, such as `0001_store`; the order of names is the order of migrations
    pub name: &'static str,
    /// its text, in the eight type words
    pub text: &'static str,
}

const OWN_TABLES: &str = "
CREATE TABLE IF NOT EXISTS schema_migrations (
    name text NOT NULL, steps bigint NOT NULL, finished_at instant, PRIMARY KEY (name));
CREATE TABLE IF NOT EXISTS schema_lease (
    id bigint NOT NULL, holder uuid NOT NULL, lease_until instant NOT NULL, PRIMARY KEY (id));
";

crate::statements! {
    STATE = "SELECT name, steps, finished_at IS NOT NULL FROM schema_migrations";
    TAKE_LEASE = "INSERT INTO schema_lease (id, holder, lease_until) VALUES (1, $1, $2) ON CONFLICT (id) DO UPDATE \
                  SET holder = excluded.holder, lease_until = excluded.lease_until \
                  WHERE schema_lease.holder = excluded.holder OR schema_lease.lease_until < $3";
    END_LEASE = "DELETE FROM schema_lease WHERE id = 1 AND holder = $1";
    SAVE_STEP = "INSERT INTO schema_migrations (name, steps, finished_at) VALUES ($1, $2, $3) ON CONFLICT (name) \
                 DO UPDATE SET steps = excluded.steps, finished_at = excluded.finished_at";
}

/// How long a lease lasts without being renewed, and how long another process waits for it.
const LEASE_SECONDS: i64 = 30;
const WAIT: Duration = Duration::from_secs(60);

/// Applies what is missing, or reports it when `apply` is false.
pub(crate) fn run(
    connection: &mut dyn Connection,
    dialect: Dialect,
    migrations: &[Migration],
    apply: bool,
) -> Result<(), Error> {
    let open = |fault: Fault| Error::Open(format!("the schema could not be brought up to date: {fault:?}"));
    // An up-to-date database needs one statement, so that a start is quick.
    if let Ok(state) = state(connection)
        && pending(&state, migrations).is_empty()
    {
        return Ok(());
    }
    if !apply {
        return Err(Error::Open("the database needs `stipend migrate` first".to_owned()));
    }
    for statement in split(OWN_TABLES) {
        connection.batch(&dialect.translate(&statement)).map_err(open)?;
    }
    // The lease counts real time, whatever a test clock shows: it outlives a process that was killed.
    let clock = &Clock::system();
    let holder = Randomness::new(None).unit(clock.now()).id();
    take_lease(connection, clock, holder)?;
    let outcome = apply_pending(connection, dialect, migrations, clock, holder).map_err(open);
    connection.execute(END_LEASE, params![holder]).map_err(open)?;
    outcome
}

fn apply_pending(
    connection: &mut dyn Connection,
    dialect: Dialect,
    migrations: &[Migration],
    clock: &Clock,
    holder: Uuid,
) -> Result<(), Fault> {
    for (migration, done) in pending(&state(connection)?, migrations) {
        let statements = split(migration.text);
        for (number, statement) in (1..).zip(&statements).skip(done) {
            connection.batch(&dialect.translate(statement))?;
            let last = number == statements.len() as i64;
            let now = clock.now();
            connection.execute(SAVE_STEP, params![migration.name, number, last.then_some(now)])?;
            connection.execute(TAKE_LEASE, params![holder, now + LEASE_SECONDS.seconds(), now])?;
        }
    }
    Ok(())
}

type State = Vec<(String, i64, bool)>;

fn state(connection: &mut dyn Connection) -> Result<State, Fault> {
    let mut state = Vec::new();
    connection.query(STATE, params![], &mut |row| state.push((row.get(0), row.get(1), row.get(2))))?;
    Ok(state)
}

/// The migrations that are not finished, with the number of their statements that are.
fn pending<'m>(state: &State, migrations: &'m [Migration]) -> Vec<(&'m Migration, usize)> {
    migrations
        .iter()
        .filter_map(|migration| match state.iter().find(|(name, ..)| name == migration.name) {
            Some((_, _, true)) => None,
            Some((_, steps, false)) => Some((migration, usize::try_from(*steps).unwrap_or(0))),
            None => Some((migration, 0)),
        })
        .collect()
}

fn take_lease(connection: &mut dyn Connection, clock: &Clock, holder: Uuid) -> Result<(), Error> {
    let started = Clock::monotonic();
    while Clock::monotonic() - started < WAIT {
        let now = clock.now();
        let taken = connection.execute(TAKE_LEASE, params![holder, now + LEASE_SECONDS.seconds(), now]);
        if matches!(taken, Ok(1)) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Err(Error::Open(
        "another process is migrating this database and did not finish within a minute".to_owned(),
    ))
}
