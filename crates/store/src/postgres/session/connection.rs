//! The statements of a unit on a session.

use jiff::Timestamp;
use uuid::Uuid;

use super::{Announced, Doing, MOST_BYTES, MOST_STATEMENTS, Owed, Session};
use crate::Sql;
use crate::postgres::messages;
use crate::postgres::values::Cells;
use crate::tx::{Connection, Fault, with_amounts};
use crate::value::{Row, Value};

const SERVER_TIME: Sql =
    Sql::from_macro("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)");
/// Maximum number of statements announced at once.
const MOST_ANNOUNCED: usize = 16;

impl Connection for Session {
    fn execute_statement(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<u64, Fault> {
        self.must_not_share()?;
        self.forget_announced();
        self.queue_statement(sql, params, Owed::Asked)?;
        self.exchange_messages()?;
        self.read_answer(|_, _| {})
    }

    fn execute_each(&mut self, sql: Sql, each: &[&[Value<'_>]]) -> Result<Vec<u64>, Fault> {
        self.must_not_share()?;
        self.forget_announced();
        let mut changed = Vec::with_capacity(each.len());
        for some in each.chunks(MOST_STATEMENTS) {
            some.iter().try_for_each(|params| self.queue_statement(sql, params, Owed::Asked).map(drop))?;
            self.exchange_messages()?;
            for _ in some {
                changed.push(self.read_answer(|_, _| {})?);
            }
        }
        Ok(changed)
    }

    fn insert_row(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<u64, Fault> {
        let in_unit = matches!(self.doing, Doing::Unit { .. });
        if sql.inserts_a_row() && !self.spread && (in_unit || self.doing == Doing::Answered) {
            self.forget_announced();
            self.gather_row(sql, params)?;
            if self.gathered.bytes > MOST_BYTES {
                self.must_not_share()?;
                self.ask_gathered()?;
            }
        } else if in_unit && sql.makes_one_row() {
            self.apart = true;
            self.forget_announced();
            self.queue_statement(sql, params, Owed::Rows(1))?;
        } else {
            return self.execute_statement(sql, params);
        }
        if self.out.len() > MOST_BYTES || self.unsent > MOST_STATEMENTS {
            self.exchange_messages()?;
            self.settle_answers()?;
        }
        Ok(1)
    }

    fn add_amounts(&mut self, sql: Sql, key: &[Value<'_>], amounts: &[i64]) -> Result<u64, Fault> {
        if !matches!(self.doing, Doing::Unit { .. } | Doing::Answered) {
            return self.execute_statement(sql, &with_amounts(key, amounts));
        }
        self.forget_announced();
        self.gather_sum(sql, key, amounts)?;
        Ok(1)
    }

    fn lane(&self) -> u8 {
        self.lane
    }

    fn announce_query(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<(), Fault> {
        if matches!(self.doing, Doing::Nothing | Doing::Answered) || self.announced.len() == MOST_ANNOUNCED {
            return Ok(());
        }
        self.read_all_aside()?;
        let prepared = self.queue_statement(sql, params, Owed::Asked)?;
        let mut bound = Vec::new();
        messages::put_bind(&mut bound, &prepared, params)?;
        self.announced.push_back(Announced { prepared, bound, rows: None });
        Ok(())
    }

    fn query_rows(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Result<(), Fault> {
        if !self.announced.is_empty() {
            let prepared = self.prepare_statement(sql)?;
            let mut bound = Vec::new();
            messages::put_bind(&mut bound, &prepared, params)?;
            match self.announced.iter().position(|announced| announced.bound == bound) {
                Some(_) if self.doing == Doing::Ahead => return Err(Fault::Conflict),
                Some(at) => return self.answer_announced(at, each),
                None => self.read_all_aside()?,
            }
        }
        if self.doing == Doing::Ahead {
            self.announce_query(sql, params)?;
            return Err(Fault::Conflict);
        }
        let prepared = self.queue_statement(sql, params, Owed::Asked)?;
        self.exchange_messages()?;
        self.read_aside(self.announced.len())?;
        let types = &prepared.columns;
        self.read_answer(|bytes, spans| each(&Row::new(&Cells { bytes, spans, types }))).map(drop)
    }

    fn query_by_server(
        &mut self,
        tables: &[&str],
        sql: Sql,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Result<(), Fault> {
        self.ask_each_server(tables, sql, params, each)
    }

    fn home_answers(&mut self, table: &str, key: Uuid) -> Result<bool, Fault> {
        self.ask_home(table, key)
    }

    fn all_servers_answer(&self) -> bool {
        self.servers.as_ref().is_none_or(|servers| servers.all_answer())
    }

    fn server_time(&mut self) -> Result<Option<Timestamp>, Fault> {
        let mut micros = None;
        self.query_rows(SERVER_TIME, &[], &mut |row| micros = row.get::<Option<i64>>(0))?;
        Ok(micros.and_then(|micros| Timestamp::from_microsecond(micros).ok()))
    }

    fn run_batch(&mut self, sql: &str) -> Result<(), Fault> {
        self.run_text(sql).map(drop)
    }
}
