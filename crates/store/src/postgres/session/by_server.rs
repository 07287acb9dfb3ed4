//! Statements about all companies on a cluster of which some servers do not answer.
//!
//! The cluster runs such a statement on every server, and refuses it if one of them does not answer. So it is run on
//! each of the others by itself, over the parts of the tables that are there: there is a function that runs a text on a
//! named server and returns one value, here the rows as JSON. Within the text, a common table expression with the name
//! of a table stands for its parts, so the statement itself stays as it is.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::{LazyLock, Mutex, PoisonError};

use uuid::Uuid;

use super::Session;
use crate::postgres::servers::Server;
use crate::postgres::values::{Oid, cast_name};
use crate::tx::{Connection, Fault};
use crate::value::{Row, Value};
use crate::{Sql, params};

/// The servers that have parts of a table, each with a text that selects all rows that are there.
const PARTS: Sql = Sql::from_macro(
    "SELECT CAST(n.nodename AS text), CAST(n.nodeport AS bigint), \
     string_agg(format('SELECT * FROM %I.%I', s.nspname, c.relname || '_' || d.shardid), ' UNION ALL ' ORDER BY d.shardid) \
     FROM pg_dist_shard d JOIN pg_dist_placement p ON p.shardid = d.shardid \
     JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary' \
     JOIN pg_class c ON c.oid = d.logicalrelid JOIN pg_namespace s ON s.oid = c.relnamespace \
     WHERE d.logicalrelid = to_regclass($1) GROUP BY n.nodename, n.nodeport ORDER BY n.nodename, n.nodeport",
);
/// The server that has the rows of a table with this value of the distribution column.
const HOME: Sql = Sql::from_macro(
    "SELECT CAST(n.nodename AS text), CAST(n.nodeport AS bigint) FROM pg_dist_placement p \
     JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary' \
     WHERE p.shardid = get_shard_id_for_distribution_column(to_regclass($1), CAST($2 AS uuid))",
);

/// Names of tables, each with the text that selects its rows that are on a server.
type Parts<'t> = Vec<(&'t str, String)>;

impl Session {
    /// See [`Connection::query_by_server`].
    pub(super) fn ask_each_server(
        &mut self,
        tables: &[&str],
        sql: Sql,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Result<(), Fault> {
        let silent = self.servers.as_ref().map(|servers| servers.silent_servers()).unwrap_or_default();
        if silent.is_empty() {
            return self.query_rows(sql, params, each);
        }
        self.must_not_share()?;
        let parts = self.parts_by_server(tables)?;
        if parts.values().any(|of_server| of_server.len() != tables.len()) || parts.is_empty() {
            // Not distributed, or not yet.
            return self.query_rows(sql, params, each);
        }
        let columns = self.prepare_statement(sql)?.columns.clone();
        let (statement, answers) = (with_values(sql.text(), params)?, answers_statement(&columns)?);
        for (server, of_server) in parts.iter().filter(|(server, _)| !silent.contains(server)) {
            let command = server_command(of_server, &statement, columns.len());
            let (done, there) = (columns.len(), columns.len() + 1);
            let mut failed = false;
            self.query_rows(answers, params![&server.name, server.port, &command], &mut |row| {
                if !row.get::<bool>(done) {
                    failed = true;
                } else if row.get::<bool>(there) {
                    each(row);
                }
            })?;
            if failed {
                return Err(Fault::Away(server.to_string()));
            }
        }
        Ok(())
    }

    /// See [`Connection::home_answers`].
    pub(super) fn ask_home(&mut self, table: &str, key: Uuid) -> Result<bool, Fault> {
        let silent = self.servers.as_ref().map(|servers| servers.silent_servers()).unwrap_or_default();
        if silent.is_empty() {
            return Ok(true);
        }
        self.must_not_share()?;
        let mut answers = true;
        self.query_rows(HOME, params![table, key], &mut |row| {
            let server = Server { name: row.get(0), port: row.get(1) };
            answers &= !silent.contains(&server);
        })?;
        Ok(answers)
    }

    /// The parts of tables on each server.
    fn parts_by_server<'t>(&mut self, tables: &[&'t str]) -> Result<BTreeMap<Server, Parts<'t>>, Fault> {
        let mut parts: BTreeMap<Server, Parts<'t>> = BTreeMap::new();
        for table in tables {
            self.query_rows(PARTS, params![*table], &mut |row| {
                let server = Server { name: row.get(0), port: row.get(1) };
                parts.entry(server).or_default().push((*table, row.get(2)));
            })?;
        }
        Ok(parts)
    }
}

/// The text for one server, which returns all rows as one value.
fn server_command(parts: &[(&str, String)], statement: &str, columns: usize) -> String {
    let tables = parts.iter().map(|(table, rows)| format!("{table} AS NOT MATERIALIZED ({rows})"));
    let names: Vec<_> = (0..columns).map(|at| format!("c{at}")).collect();
    let texts = names.iter().map(|name| format!("CAST({name} AS text)"));
    format!(
        "WITH {} SELECT coalesce(json_agg(json_build_array({})), '[]') FROM ({statement}) AS found ({})",
        tables.collect::<Vec<_>>().join(", "),
        texts.collect::<Vec<_>>().join(", "),
        names.join(", ")
    )
}

/// The statement that runs a text on a server and returns the rows in columns of these types, followed by whether the
/// server has run it and whether there is a row at all.
fn answers_statement(columns: &[Oid]) -> Result<Sql, Fault> {
    static MADE: LazyLock<Mutex<HashMap<Box<[Oid]>, Sql>>> = LazyLock::new(Mutex::default);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(sql) = made.get(columns) {
        return Ok(*sql);
    }
    let mut text = "SELECT ".to_owned();
    for (at, column) in columns.iter().enumerate() {
        let word =
            cast_name(*column).ok_or_else(|| Fault::Other(format!("a column of the type {column}")))?;
        write!(text, "CAST(found.cells->>{at} AS {word}), ").ok();
    }
    text.push_str(
        "run.success, found.cells IS NOT NULL FROM master_run_on_worker(ARRAY[CAST($1 AS text)], \
         ARRAY[CAST(CAST($2 AS bigint) AS integer)], ARRAY[CAST($3 AS text)], false) AS run \
         LEFT JOIN LATERAL json_array_elements(CASE WHEN run.success THEN CAST(run.result AS json) END) AS found (cells) ON true",
    );
    // Once for each list of types, of which there are a few in the whole program.
    let sql = Sql::from_macro(Box::leak(text.into_boxed_str()));
    made.insert(columns.into(), sql);
    Ok(sql)
}

/// A statement with its values in the place of its parameters.
fn with_values(text: &str, values: &[Value<'_>]) -> Result<String, Fault> {
    let mut parts = text.split('$');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = part.split_at(digits);
        let value = number.parse::<usize>().ok().and_then(|number| values.get(number.checked_sub(1)?));
        let value = value.ok_or_else(|| Fault::Other(format!("there is no value for ${number}")))?;
        made.push_str(&sql_literal(value));
        made.push_str(rest);
    }
    Ok(made)
}

fn sql_literal(value: &Value<'_>) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Uuid(id) => format!("CAST('{id}' AS uuid)"),
        Value::Int(number) => format!("CAST('{number}' AS bigint)"),
        Value::Bool(is) => is.to_string(),
        Value::Text(text) => format!("CAST({} AS text)", quoted(text)),
        Value::Json(text) => format!("CAST({} AS json)", quoted(text)),
        Value::Date(day) => format!("CAST('{day}' AS date)"),
        Value::Instant(at) => {
            format!(
                "(TIMESTAMPTZ '1970-01-01 00:00:00Z' + {} * INTERVAL '1 microsecond')",
                at.as_microsecond()
            )
        }
        Value::Bytes(bytes) => format!("CAST('\\x{}' AS bytea)", hex::encode(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_for_one_server_reads_the_parts_that_are_there_and_has_its_values_in_it() {
        let statement = "SELECT id, due FROM jobs WHERE kind = $1 AND n > $2 AND (n < $10 OR kind = $1)";
        let mut values = vec![Value::Text("it's $2"), Value::Int(-7)];
        values.extend([Value::Null; 7]);
        values.push(Value::Bool(true));
        let statement = with_values(statement, &values).unwrap();
        assert_eq!(
            statement,
            "SELECT id, due FROM jobs WHERE kind = CAST('it''s $2' AS text) AND n > CAST('-7' AS bigint) \
             AND (n < true OR kind = CAST('it''s $2' AS text))"
        );
        assert!(with_values("SELECT $2", &[Value::Null]).is_err());
        let parts = [("jobs", "SELECT * FROM public.jobs_1".to_owned())];
        assert_eq!(
            server_command(&parts, "SELECT id FROM jobs", 1),
            "WITH jobs AS NOT MATERIALIZED (SELECT * FROM public.jobs_1) \
             SELECT coalesce(json_agg(json_build_array(CAST(c0 AS text))), '[]') FROM (SELECT id FROM jobs) AS found (c0)"
        );
    }

    #[test]
    fn the_statement_for_the_answers_is_made_once_for_the_same_columns() {
        let one = answers_statement(&[2950, 20]).unwrap();
        assert!(one.text().starts_with(
            "SELECT CAST(found.cells->>0 AS uuid), CAST(found.cells->>1 AS bigint), run.success"
        ));
        assert!(std::ptr::eq(one.text(), answers_statement(&[2950, 20]).unwrap().text()));
        assert!(answers_statement(&[700]).is_err(), "a float");
    }
}
