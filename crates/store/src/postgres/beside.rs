//! What a session does besides units: statements as text, locks, plans, and copies of whole tables.

use super::messages;
use super::session::{MOST_BYTES, Owed, Session};
use super::values::{Oid, Place, type_of};
use crate::Sql;
use crate::copy::{Kind, Put};
use crate::tx::{Connection, Fault};

impl Session {
    /// Removes the time limits of statements, on this side and on the server.
    pub(crate) fn without_time_limits(mut self) -> Result<Self, Fault> {
        self.run_batch("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")?;
        self.line.limit_silence(None).map_err(|_| Fault::Lost)?;
        Ok(self)
    }

    /// Makes the server parse a statement, and returns its error, if any.
    pub(crate) fn check_statement(&mut self, sql: Sql) -> Result<(), Fault> {
        self.prepare_statement(sql).map(drop)
    }

    /// Takes a lock that lasts as long as this connection; returns whether it was free.
    pub(crate) fn take_lock(&mut self, number: i64) -> Result<bool, Fault> {
        let said = self.run_text(&format!("SELECT pg_try_advisory_lock({number})"))?;
        Ok(said.iter().flatten().any(|value| value.as_deref() == Some("t")))
    }

    /// Returns the server's generic plan for a statement, which holds for all values of its parameters.
    pub(crate) fn explain_statement(&mut self, sql: Sql) -> Result<String, Fault> {
        // Prepared by name, so that parameter types are inferred as they are when it is run.
        let text = sql.text();
        let generic = "SET plan_cache_mode = force_generic_plan; DEALLOCATE ALL";
        self.run_batch(&format!("{generic}; PREPARE explained AS {text}"))?;
        let most = (1..).find(|number| !text.contains(&format!("${number}"))).unwrap_or(1);
        let values = vec!["NULL"; most - 1].join(", ");
        let execute = if most == 1 { "explained".to_owned() } else { format!("explained ({values})") };
        let said = self.run_text(&format!("EXPLAIN EXECUTE {execute}"))?;
        Ok(said.into_iter().filter_map(|row| row.into_iter().next()?).collect::<Vec<_>>().join("\n"))
    }

    /// Runs statements as text; returns their rows as text.
    pub(super) fn run_text(&mut self, text: &str) -> Result<Vec<Vec<Option<String>>>, Fault> {
        messages::put_query(&mut self.out, text)?;
        self.owe_answer(Owed::Text);
        self.send_messages()?;
        let mut rows = Vec::new();
        while let Some(next) = self.owed.front().copied() {
            self.complete_answer(|bytes, places| {
                let value = |place: &Place| {
                    place.and_then(|(from, to)| {
                        Some(String::from_utf8_lossy(bytes.get(from..to)?).into_owned())
                    })
                };
                if next == Owed::Text {
                    rows.push(places.iter().map(value).collect());
                }
            })?;
        }
        Ok(rows)
    }

    /// Streams rows into a table; `feed` gets the sink.
    pub(crate) fn copy_in(
        &mut self,
        table: &str,
        names: &str,
        kinds: &[Kind],
        feed: &mut dyn FnMut(&mut Put<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let types: Vec<Oid> = kinds.iter().map(|kind| type_of(*kind).oid()).collect();
        messages::put_query(&mut self.out, &format!("COPY {table} ({names}) FROM STDIN BINARY"))?;
        messages::copy_header(&mut self.out)?;
        self.owe_answer(Owed::Text);
        let fed = feed(&mut |values| {
            messages::copy_row(&mut self.out, values, &types)?;
            if self.out.len() > MOST_BYTES { self.send_messages() } else { Ok(()) }
        });
        match &fed {
            Ok(()) => messages::copy_end(&mut self.out)?,
            Err(_) => messages::copy_fail(&mut self.out)?,
        }
        self.send_messages()?;
        let taken = self.settle_answers();
        fed.and(taken)
    }
}
