//! What a unit does in a store of several servers, some of which may not answer.
//!
//! A unit about one company needs the server that has its records, and fails with [`Error::Away`] if that does not
//! answer. A unit about all companies leaves out those whose server does not answer, and comes back to them later. In a
//! store of one server none of this has any effect.

use uuid::Uuid;

use crate::tx::Tx;
use crate::{Error, MaybeStore, Row, Sql, Value};

impl Tx<'_> {
    /// As [`Tx::try_query`], for a statement about all companies: rows of servers that do not answer are left out. While
    /// there are such servers, the statement is run on each of the others, so its order and its limit hold for each
    /// server alone. `tables` are the tables that the statement reads, except those that every server has in full.
    ///
    /// # Errors
    /// A store error; that of the first row that cannot be read.
    pub fn query_by_server<T, E: MaybeStore>(
        &mut self,
        tables: &[&str],
        sql: Sql,
        params: &[Value<'_>],
        read: impl Fn(&Row<'_>) -> Result<T, E>,
    ) -> Result<Vec<T>, E> {
        let (mut rows, mut failed) = (Vec::new(), None);
        self.run_statement(|connection| {
            connection.query_by_server(tables, sql, params, &mut |row| {
                if failed.is_none() {
                    match read(row) {
                        Ok(made) => rows.push(made),
                        Err(error) => failed = Some(error),
                    }
                }
            })
        })?;
        self.note_steps(sql);
        failed.map_or(Ok(rows), Err)
    }

    /// Whether the server answers that has the rows of a table with this value of their distribution column, as far as
    /// is known.
    ///
    /// # Errors
    /// A store error.
    pub fn home_answers(&mut self, table: &'static str, key: Uuid) -> Result<bool, Error> {
        self.run_statement(|connection| connection.home_answers(table, key))
    }

    /// Whether every server of the store answers, as far as is known. Otherwise rows that every server has in full can
    /// be read, but not written.
    pub fn all_servers_answer(&self) -> bool {
        self.connection().all_servers_answer()
    }
}
