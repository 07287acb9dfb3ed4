//! Statements run on an [`Engine`], for maintenance, or on a [`Session`], with which a storage thread uses an engine.
//!
//! The library's cache looks up a statement by its text, which it hashes twice and copies each time. A session looks it
//! up by the address of the text in the program.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ptr;
use std::time::Duration;

use rusqlite::{PrepFlags, Statement, StatementStatus};

use super::values::bind_params;
use super::{BUSY, Engine};
use crate::Sql;
use crate::disk::Step;
use crate::tx::{Connection, Fault};
use crate::value::{Row, Value};

/// An engine with the statements that its storage thread has prepared: at most those in the program, because none are
/// created at run time.
pub(super) struct Session<'e> {
    pub engine: &'e Engine,
    prepared: HashMap<*const str, Statement<'e>>,
}

impl<'e> Session<'e> {
    pub fn new(engine: &'e Engine) -> Self {
        Self { engine, prepared: HashMap::new() }
    }

    fn prepare_cached(&mut self, text: &'static str) -> Result<&mut Statement<'e>, Fault> {
        match self.prepared.entry(ptr::from_ref(text)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let lasting = PrepFlags::SQLITE_PREPARE_PERSISTENT;
                let _inside = self.engine.pulse.enter_engine(Duration::ZERO);
                let prepared = self.engine.handle.prepare_with_flags(text, lasting);
                Ok(place.insert(prepared.map_err(|e| self.engine.explain_fault(e))?))
            }
        }
    }

    /// A statement that begins or ends a transaction or a savepoint; it must run even if the unit's time is up.
    pub fn run_simple(&mut self, sql: &'static str) -> Result<(), Fault> {
        self.run_within(sql, Duration::ZERO)
    }

    /// Begins a transaction that writes, which waits for the one of another process.
    pub fn begin_writing(&mut self) -> Result<(), Fault> {
        self.run_within("BEGIN IMMEDIATE", BUSY)
    }

    fn run_within(&mut self, sql: &'static str, expected: Duration) -> Result<(), Fault> {
        let engine = self.engine;
        engine.end_unit();
        let _inside = engine.pulse.enter_engine(expected);
        self.prepare_cached(sql)?.raw_execute().map_err(|e| engine.explain_fault(e))?;
        engine.begin_unit();
        Ok(())
    }

    pub fn commit_unit(&mut self) -> Result<(), Fault> {
        self.engine.meet_step(Step::Commit)?;
        self.run_simple("COMMIT")?;
        self.engine.meet_step(Step::Committed)
    }
}

impl Connection for Session<'_> {
    fn one_writer(&self) -> bool {
        self.engine.one_writer()
    }

    fn execute_statement(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<u64, Fault> {
        let engine = self.engine;
        execute_statement(engine, self.prepare_cached(sql.text())?, sql, params)
    }

    fn query_rows(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Result<(), Fault> {
        let engine = self.engine;
        query_each(engine, self.prepare_cached(sql.text())?, (sql, params), each)
    }

    fn steps(&mut self, sql: Sql) -> Option<u64> {
        let statement = self.prepare_cached(sql.text()).ok()?;
        u64::try_from(statement.reset_status(StatementStatus::VmStep)).ok()
    }

    fn run_batch(&mut self, sql: &str) -> Result<(), Fault> {
        run_batch(self.engine, sql)
    }
}

impl Connection for Engine {
    /// BEGIN IMMEDIATE admits one writing transaction at a time, even across processes.
    fn one_writer(&self) -> bool {
        true
    }

    fn execute_statement(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<u64, Fault> {
        let mut statement = self.handle.prepare_cached(sql.text()).map_err(|e| self.explain_fault(e))?;
        execute_statement(self, &mut statement, sql, params)
    }

    fn query_rows(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Result<(), Fault> {
        let mut statement = self.handle.prepare_cached(sql.text()).map_err(|e| self.explain_fault(e))?;
        query_each(self, &mut statement, (sql, params), each)
    }

    fn run_batch(&mut self, sql: &str) -> Result<(), Fault> {
        run_batch(self, sql)
    }
}

fn execute_statement(
    engine: &Engine,
    statement: &mut Statement<'_>,
    sql: Sql,
    params: &[Value<'_>],
) -> Result<u64, Fault> {
    engine.meet_step(Step::Change)?;
    let _inside = engine.pulse.enter_engine(Duration::ZERO);
    let changed = bind_params(statement, sql, params).and_then(|()| statement.raw_execute());
    // The bound values may be personal data.
    statement.clear_bindings();
    changed.map(|rows| rows as u64).map_err(|e| engine.explain_fault(e))
}

fn query_each(
    engine: &Engine,
    statement: &mut Statement<'_>,
    (sql, params): (Sql, &[Value<'_>]),
    each: &mut dyn FnMut(&Row<'_>),
) -> Result<(), Fault> {
    let _inside = engine.pulse.enter_engine(Duration::ZERO);
    let read = read_rows(statement, (sql, params), each);
    statement.clear_bindings();
    read.map_err(|e| engine.explain_fault(e))
}

fn read_rows(
    statement: &mut Statement<'_>,
    (sql, params): (Sql, &[Value<'_>]),
    each: &mut dyn FnMut(&Row<'_>),
) -> rusqlite::Result<()> {
    bind_params(statement, sql, params)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        each(&Row::new(row));
    }
    Ok(())
}

fn run_batch(engine: &Engine, sql: &str) -> Result<(), Fault> {
    engine.handle.execute_batch(sql).map_err(|e| engine.explain_fault(e))
}
