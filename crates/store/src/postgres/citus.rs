//! The Citus extension, if the database has it.

use super::Session;
use crate::placement::{Placement, Placements};
use crate::tx::{Connection, Fault};
use crate::{Error, Sql};

const EXTENSION: Sql =
    Sql::from_macro("SELECT CAST(extname AS text) FROM pg_extension WHERE extname = 'citus'");
const PLACED: Sql = Sql::from_macro(
    "SELECT CAST(c.relname AS text) FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid",
);

fn failed(fault: Fault) -> Error {
    Error::Open(format!("the tables cannot be distributed over the servers: {}", fault.into_error()))
}

fn names(session: &mut Session, sql: Sql) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    session.query(sql, &[], &mut |row| names.push(row.get(0))).map_err(failed)?;
    Ok(names)
}

/// Whether the database has the extension.
pub(crate) fn is_there(session: &mut Session) -> Result<bool, Error> {
    Ok(!names(session, EXTENSION)?.is_empty())
}

/// Whether tables of the store are distributed over several servers.
pub(super) fn is_distributed(session: &mut Session) -> Result<bool, Error> {
    Ok(is_there(session)? && !names(session, PLACED)?.is_empty())
}

/// Returns the cluster's plan for a statement, with a sample value for each parameter; the plan includes the number of
/// tasks for other servers.
pub(crate) fn explain(session: &mut Session, sql: Sql) -> Result<String, Error> {
    let said = |fault: Fault| Error::Open(fault.into_error().to_string());
    // Never a generic plan: without the parameter's value the target server is unknown.
    session.batch("SET plan_cache_mode = force_custom_plan").map_err(said)?;
    session.batch(&format!("PREPARE explained AS {}", sql.text())).map_err(said)?;
    let mut types = Vec::new();
    let asked = "SELECT CAST(t AS text) FROM pg_prepared_statements, unnest(parameter_types) t WHERE name = 'explained'";
    session.query(Sql::from_macro(asked), &[], &mut |row| types.push(row.get::<String>(0))).map_err(said)?;
    let values = types.iter().map(|name| match name.as_str() {
        "uuid" => "'0197a1b2-0000-7000-8000-00000000dead'",
        "bigint" => "1",
        "boolean" => "true",
        "date" | "timestamp with time zone" => "'2026-06-15'",
        "json" => "'{}'",
        _ => "'x'",
    });
    let values: Vec<_> = values.collect();
    let call = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
    let explain = format!("EXPLAIN (COSTS OFF) EXECUTE explained {call}");
    let mut lines = Vec::new();
    let sql = Sql::from_macro(Box::leak(explain.into_boxed_str()));
    let explained = session.query(sql, &[], &mut |row| lines.push(row.get::<String>(0))).map_err(said);
    session.batch("DEALLOCATE explained").map_err(said)?;
    explained?;
    Ok(lines.join("\n"))
}

/// Places the tables that migrations have just created, if the store is new or already distributed. An existing store
/// that is not distributed is left to its operator, because distributing it moves its tables.
pub(crate) fn place_new(session: &mut Session, placements: Placements) -> Result<(), Error> {
    let Some((first, _)) = placements.first() else { return Ok(()) };
    if !is_there(session)? {
        return Ok(());
    }
    if names(session, PLACED)?.is_empty() {
        let any = format!("SELECT CAST('a row' AS text) FROM {first} LIMIT 1");
        if !names(session, Sql::from_macro(Box::leak(any.into_boxed_str())))?.is_empty() {
            tracing::warn!(
                "the database has the extension citus, but its tables are not distributed: run `stipend distribute`"
            );
            return Ok(());
        }
    }
    place(session, placements, &|_, _, _| {}).map(drop)
}

/// Places the tables that have no placement yet, starting with those with which others are colocated; returns their
/// names.
pub(crate) fn place(
    session: &mut Session,
    placements: Placements,
    progress: &dyn Fn(usize, usize, &str),
) -> Result<Vec<&'static str>, Error> {
    let placed = names(session, PLACED)?;
    let mut open: Vec<_> =
        placements.iter().filter(|(table, _)| placed.iter().all(|name| name != table)).collect();
    open.sort_by_key(|(table, placement)| match placement {
        Placement::By { beside, .. } => beside != table,
        Placement::Everywhere => true,
    });
    let of = open.len();
    for (done, (table, placement)) in open.iter().enumerate() {
        progress(done, of, table);
        let asked = match placement {
            Placement::Everywhere => format!("SELECT create_reference_table('{table}')"),
            Placement::By { column, beside } => {
                let beside = if beside == table { "none" } else { beside };
                format!("SELECT create_distributed_table('{table}', '{column}', colocate_with => '{beside}')")
            }
        };
        session.batch(&asked).map_err(failed)?;
    }
    progress(of, of, "");
    Ok(open.into_iter().map(|(table, _)| *table).collect())
}
