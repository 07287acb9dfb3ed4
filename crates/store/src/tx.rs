//! The store as seen by a unit of work.

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use crate::ids::UnitRandom;
use crate::seal::{DataKey, Opened};
use crate::unit::Access;
use crate::value::Columns;
use crate::{Error, Guard, MaybeStore, Row, Shared, Sql, Value, params};

crate::statements! {
    /// Takes a guard.
    pub GUARD = "INSERT INTO guards (company_id, kind, id, n) VALUES ($1, $2, $3, 1) \
             ON CONFLICT (company_id, kind, id) DO UPDATE SET n = guards.n + 1";
}

/// One connection of an engine, inside or outside a transaction.
pub(crate) trait Connection {
    fn execute_statement(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<u64, Fault>;
    fn query_rows(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Result<(), Fault>;
    /// As `execute`, for a statement that is expected to change one row. A remote engine may return before it knows the
    /// outcome: an error then surfaces with the next statement, or at the commit.
    fn insert_row(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<u64, Fault> {
        self.execute_statement(sql, params)
    }
    /// See [`Tx::add_amounts`].
    fn add_amounts(&mut self, sql: Sql, key: &[Value<'_>], amounts: &[i64]) -> Result<u64, Fault> {
        self.execute_statement(sql, &with_amounts(key, amounts))
    }
    /// See [`Tx::change_each`].
    fn execute_each(&mut self, sql: Sql, each: &[&[Value<'_>]]) -> Result<Vec<u64>, Fault> {
        each.iter().map(|params| self.execute_statement(sql, params)).collect()
    }
    /// See [`Tx::query_by_server`].
    fn query_by_server(
        &mut self,
        _tables: &[&str],
        sql: Sql,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Result<(), Fault> {
        self.query_rows(sql, params, each)
    }
    /// See [`Tx::home_answers`].
    fn home_answers(&mut self, _table: &str, _key: Uuid) -> Result<bool, Fault> {
        Ok(true)
    }
    /// See [`Tx::all_servers_answer`].
    fn all_servers_answer(&self) -> bool {
        true
    }
    /// See [`Tx::announce_query`].
    fn announce_query(&mut self, _: Sql, _: &[Value<'_>]) -> Result<(), Fault> {
        Ok(())
    }
    /// See [`Tx::lane`].
    fn lane(&self) -> u8 {
        0
    }
    /// Whether writing units are serialized anyway, which makes guards redundant.
    fn one_writer(&self) -> bool {
        false
    }
    /// Returns the time on the database server's clock, if there is a server.
    fn server_time(&mut self) -> Result<Option<Timestamp>, Fault> {
        Ok(None)
    }
    /// Returns the virtual machine steps of a statement since the last call, if the engine counts them.
    fn steps(&mut self, _: Sql) -> Option<u64> {
        None
    }
    /// Runs statements that are not prepared: schema, settings and transaction control.
    fn run_batch(&mut self, sql: &str) -> Result<(), Fault>;
}

/// Concatenates the values of a row's key and the amounts to add to the row.
pub(crate) fn with_amounts<'v>(key: &[Value<'v>], amounts: &[i64]) -> Vec<Value<'v>> {
    key.iter().copied().chain(amounts.iter().copied().map(Value::from)).collect()
}

/// Why a statement failed, in as much detail as the next step depends on.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// a conflict with another unit: this one is run again
    Conflict,
    /// a row with this key exists. The first time, another unit may have just inserted it, and the unit is retried to
    /// see that row; if the same key conflicts again, the unit is at fault
    Taken {
        /// the engine's message, without the values
        text: String,
        /// a digest of the values
        key: u64,
    },
    /// the connection is gone
    Lost,
    /// another server of the cluster, which the unit needs, does not answer; its name
    Away(String),
    Full,
    /// the unit's time was up
    Interrupted,
    /// a page could not be read, so whatever needed it was not done
    Unread(String),
    /// the disk failed in another way, or there was no memory
    Io(String),
    /// the file contains bytes that the engine never wrote
    Damaged(String),
    Other(String),
}

impl Fault {
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Conflict | Self::Lost | Self::Interrupted => Error::Busy,
            Self::Away(server) => Error::Away(server),
            Self::Full => Error::Full,
            Self::Damaged(text) => Error::Damaged(text),
            Self::Unread(text) | Self::Io(text) => Error::Disk(text),
            Self::Other(text) | Self::Taken { text, .. } => Error::Engine(text),
        }
    }
}

/// How many rows a statement changed. Under concurrency a change may match no row, so the count must be checked: in
/// debug builds dropping it unchecked panics.
#[derive(Debug)]
#[must_use = "a change may have met no row"]
pub struct Changed {
    rows: u64,
    seen: Cell<bool>,
}

impl Changed {
    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.seen.set(true);
        self.rows
    }

    /// Whether one row was changed. More than one is a bug in the statement.
    ///
    /// # Panics
    /// When more than one row was changed.
    pub fn is_one(&self) -> bool {
        assert!(self.rows() <= 1, "a statement for one row changed {}", self.rows);
        self.rows == 1
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        debug_assert!(
            self.seen.get() || std::thread::panicking(),
            "nobody looked at how many rows were changed"
        );
    }
}

/// A unit's effects outside the database, applied only after COMMIT.
#[derive(Default)]
pub(crate) struct Effects {
    pub wake: bool,
    pub opened: Opened,
}

/// A running unit of work.
pub struct Tx<'c> {
    connection: &'c mut dyn Connection,
    shared: &'c Shared,
    access: Access,
    now: Timestamp,
    random: Option<UnitRandom>,
    fault: Option<Fault>,
    effects: Effects,
    /// the data key that opened the last field; the fields of a list share it
    pub(crate) last_key: Option<(Uuid, Arc<DataKey>)>,
    /// whether lists skip rows written by newer versions
    without_newer: bool,
    /// the guards that the unit holds, recorded if writes are observed
    guards: Vec<Guard>,
}

impl<'c> Tx<'c> {
    pub(crate) fn new(connection: &'c mut dyn Connection, shared: &'c Shared, access: Access) -> Self {
        let now = shared.clock.now();
        Self {
            connection,
            shared,
            access,
            now,
            random: None,
            fault: None,
            effects: Effects::default(),
            last_key: None,
            without_newer: false,
            guards: Vec::new(),
        }
    }

    /// Returns the moment at which this unit began on its storage thread.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Creates a record identifier (UUIDv7).
    ///
    /// # Panics
    /// In a unit that only reads.
    pub fn new_id(&mut self) -> Uuid {
        assert!(self.access == Access::Write, "a unit that only reads makes no ids");
        self.unit_random().id()
    }

    /// Returns random bytes suitable for secrets.
    ///
    /// # Panics
    /// In a unit that only reads.
    pub fn random<const N: usize>(&mut self) -> [u8; N] {
        assert!(self.access == Access::Write, "a unit that only reads draws no randomness");
        let mut bytes = [0; N];
        self.unit_random().fill_bytes(&mut bytes);
        bytes
    }

    /// Returns this unit's randomness, created at its first draw: a seeded world stays the same regardless of how many units
    /// that draw none, such as background units, run in between.
    fn unit_random(&mut self) -> &mut UnitRandom {
        let (shared, now) = (self.shared, self.now);
        self.random.get_or_insert_with(|| shared.random.begin_unit(now))
    }

    /// Blocks every other unit that takes the same guard until this one has ended. Call it before reading the rows on
    /// which the decision depends.
    ///
    /// # Errors
    /// A store error.
    ///
    /// # Panics
    /// In a unit that only reads.
    pub fn take_guard(&mut self, company: Uuid, kind: &'static str, id: Uuid) -> Result<(), Error> {
        assert!(self.access == Access::Write, "a unit that only reads takes no guards");
        if self.shared.watch.is_some() {
            self.guards.push(Guard { company, kind, id });
        }
        if self.connection.one_writer() {
            return Ok(());
        }
        self.run_statement(|connection| connection.insert_row(GUARD, params![company, kind, id])).map(drop)
    }

    /// Returns the time on the database server's clock; `None` for a file store. Only for comparison with this node's clock:
    /// records are never dated by it.
    ///
    /// # Errors
    /// A store error.
    pub fn server_time(&mut self) -> Result<Option<Timestamp>, Error> {
        self.run_statement(|connection| connection.server_time())
    }

    /// Returns the latest change before the store was opened, if it was later than the machine's clock and that clock is
    /// used nevertheless ([`Latest::may_go_back`](crate::Latest::may_go_back)). Dates up to then are no evidence of the
    /// current time.
    pub fn dated_ahead(&self) -> Option<Timestamp> {
        self.shared.dated_ahead.get().copied()
    }

    /// Whether units commit one after the other, so that this one sees everything that was committed before it.
    pub fn one_after_the_other(&self) -> bool {
        self.connection.one_writer()
    }

    /// Inserts one row.
    ///
    /// # Errors
    /// A store error, also if the row exists (the unit is first retried once, because another unit may have just
    /// inserted it). On a server the error may surface with a later statement of the unit, or at its commit.
    pub fn insert_row(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<(), Error> {
        self.watch_write(sql);
        let rows = self.run_statement(|connection| connection.insert_row(sql, params))?;
        assert!(rows == 1, "an insert made {rows} rows: {}", sql.text());
        Ok(())
    }

    /// Adds amounts to the numbers of a row, or creates the row with them: an upsert whose parameters are the row's key
    /// followed by the amounts. Several sums for one row, even of several units, may be sent as one, and later than other
    /// statements of the unit. To keep concurrent units from waiting for one another on the row, make [`Tx::lane`] part of
    /// its key.
    ///
    /// # Errors
    /// A store error. On a server it may surface with a later statement of the unit, or at its commit.
    pub fn add_amounts(&mut self, sql: Sql, key: &[Value<'_>], amounts: &[i64]) -> Result<(), Error> {
        self.watch_write(sql);
        let rows = self.run_statement(|connection| connection.add_amounts(sql, key, amounts))?;
        assert!(rows == 1, "a sum was added to {rows} rows: {}", sql.text());
        Ok(())
    }

    /// Returns the number of the writing connection that runs this unit; always 0 where writing units run one after the
    /// other.
    pub fn lane(&self) -> u8 {
        self.connection.lane()
    }

    /// Updates or deletes rows.
    ///
    /// # Errors
    /// A store error.
    pub fn change_rows(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<Changed, Error> {
        self.watch_write(sql);
        let rows = self.run_statement(|connection| connection.execute_statement(sql, params))?;
        Ok(Changed { rows, seen: Cell::new(false) })
    }

    /// As [`Tx::change_rows`], once for each set of values; returns how many rows each of them changed, in order. On a
    /// server it costs one round trip, not one for each.
    ///
    /// # Errors
    /// A store error.
    pub fn change_each<'v, const N: usize>(
        &mut self,
        sql: Sql,
        each: &[[Value<'v>; N]],
    ) -> Result<Vec<u64>, Error> {
        self.watch_write(sql);
        let each: Vec<&[Value<'v>]> = each.iter().map(<[_; N]>::as_slice).collect();
        self.run_statement(|connection| connection.execute_each(sql, &each))
    }

    /// Returns all rows of the result, in order. The statement must bound their number.
    ///
    /// # Errors
    /// A store error.
    pub fn query_rows<T>(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        read: impl Fn(&Row<'_>) -> T,
    ) -> Result<Vec<T>, Error> {
        let mut rows = Vec::new();
        self.ask_engine(sql, params, &mut |row| rows.push(read(row)))?;
        Ok(rows)
    }

    /// Returns the first row of the result, if there is one.
    ///
    /// # Errors
    /// A store error.
    pub fn find_row<T>(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        read: impl Fn(&Row<'_>) -> T,
    ) -> Result<Option<T>, Error> {
        let mut found = None;
        self.ask_engine(sql, params, &mut |row| {
            if found.is_none() {
                found = Some(read(row));
            }
        })?;
        Ok(found)
    }

    /// Announces that the unit will run this statement with [`Tx::query_rows`] or [`Tx::find_row`], next or after earlier
    /// announcements. Statements announced together cost one round trip to a server instead of one each; for a file
    /// store this is a no-op. Running statements in another order, or with other values, is correct but slower.
    ///
    /// # Errors
    /// A store error.
    pub fn announce_query(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<(), Error> {
        self.run_statement(|connection| connection.announce_query(sql, params))
    }

    /// Makes [`Tx::try_query`] skip rows written by a newer version of the program ([`Error::Newer`]) from here on, and log
    /// and count them: for a unit that only shows a list. A unit that decides or calculates from rows needs the error,
    /// because a missing row would make the result wrong.
    ///
    /// # Panics
    /// In a unit that writes.
    pub fn leave_out_newer(&mut self) {
        assert!(self.access == Access::Read, "a unit that writes leaves nothing out");
        self.without_newer = true;
    }

    /// As [`Tx::query_rows`], for rows that may fail to parse.
    ///
    /// # Errors
    /// A store error; that of the first row that cannot be read.
    pub fn try_query<T, E: MaybeStore>(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        read: impl Fn(&Row<'_>) -> Result<T, E>,
    ) -> Result<Vec<T>, E> {
        let (mut rows, mut failed) = (Vec::new(), None);
        let without_newer = self.without_newer;
        self.ask_engine(sql, params, &mut |row| {
            if failed.is_none() {
                match read(row) {
                    Ok(made) => rows.push(made),
                    Err(error) => match error.in_store() {
                        Some(Error::Newer { table, field, .. }) if without_newer => left_out(table, field),
                        _ => failed = Some(error),
                    },
                }
            }
        })?;
        failed.map_or(Ok(rows), Err)
    }

    /// As [`Tx::try_query`], for a list that must be complete: all its rows, or an error. The statement ends with a
    /// `LIMIT` whose parameter follows `params`.
    ///
    /// # Errors
    /// [`Error::TooMany`] for more rows than `most`; a store error; that of the first row that cannot be read.
    pub fn try_query_all<T, E: MaybeStore>(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        most: i64,
        read: impl Fn(&Row<'_>) -> Result<T, E>,
    ) -> Result<Vec<T>, E> {
        let params = [params, &[Value::Int(most.saturating_add(1))]].concat();
        // Every row counts, even a skipped one.
        let count = Cell::new(0);
        let rows = self.try_query(sql, &params, |row| {
            count.set(count.get() + 1);
            read(row)
        })?;
        if count.get() > most {
            return Err(Error::TooMany { most }.into());
        }
        Ok(rows)
    }

    /// As [`Tx::find_row`], for a row that may fail to parse.
    ///
    /// # Errors
    /// A store error; that of the row when it cannot be read.
    pub fn try_find<T, E: From<Error>>(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        read: impl Fn(&Row<'_>) -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        self.find_row(sql, params, read)?.transpose()
    }

    /// Returns the extension set in [`Schema`](crate::Schema) by the code that owns the tables; `None` if it is not a `T`.
    pub fn extension<T: Any>(&self) -> Option<&'static T> {
        self.shared.extension.downcast_ref()
    }

    /// Wakes the workers of this process once the unit has been committed.
    pub fn wake_workers(&mut self) {
        self.effects.wake = true;
    }

    pub(crate) fn shared(&self) -> &'c Shared {
        self.shared
    }

    pub(crate) fn connection(&self) -> &dyn Connection {
        self.connection
    }

    pub(crate) fn may_write(&self) -> bool {
        self.access == Access::Write
    }

    /// Returns the data keys that this unit unwrapped or created.
    pub(crate) fn opened_keys(&mut self) -> &mut Opened {
        &mut self.effects.opened
    }

    pub(crate) fn first_fault(&self) -> Option<Fault> {
        self.fault.clone()
    }

    pub(crate) fn into_effects(self) -> Effects {
        self.effects
    }

    fn watch_write(&self, sql: Sql) {
        if let Some(watch) = &self.shared.watch {
            watch.before_write(sql, &self.guards);
        }
    }

    fn ask_engine(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Result<(), Error> {
        self.run_statement(|connection| connection.query_rows(sql, params, each))?;
        self.note_steps(sql);
        Ok(())
    }

    /// Tells tests how many steps the engine took for a query.
    pub(crate) fn note_steps(&mut self, sql: Sql) {
        if let Some(watch) = &self.shared.watch
            && let Some(steps) = self.connection.steps(sql)
        {
            watch.after_query(sql, steps);
        }
    }

    pub(crate) fn run_statement<T>(
        &mut self,
        statement: impl FnOnce(&mut dyn Connection) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        // After a fault the transaction may have ended: a further statement would run outside it.
        if let Some(fault) = self.first_fault() {
            return Err(fault.into_error());
        }
        statement(self.connection).map_err(|fault| {
            self.fault = Some(fault.clone());
            fault.into_error()
        })
    }
}

/// Logs that a row was skipped in a list.
#[cold]
fn left_out(table: &'static str, field: &'static str) {
    metrics::counter!("rows_of_newer_version_left_out_total", "table" => table).increment(1);
    tracing::warn!(table, field, "a row written by a newer version was skipped in a list");
}

impl Shared {
    /// Applies the effects of committed units.
    pub(crate) fn apply_effects(&self, effects: impl IntoIterator<Item = Effects>) {
        let mut wake = false;
        for effects in effects {
            wake |= effects.wake;
            self.keyring.remember_keys(effects.opened);
        }
        if wake {
            self.committed.send_replace(());
        }
    }
}

// Rows are passed as trait objects, so that code that reads them names no engine.
impl<'r> Row<'r> {
    pub(crate) fn new(columns: &'r dyn Columns) -> Self {
        Self(columns)
    }
}
