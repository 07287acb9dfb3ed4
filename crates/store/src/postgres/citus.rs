//! The Citus extension, if the database has it.

use super::Session;
use crate::placement::{Placement, Placements, Standing};
use crate::tx::{Connection, Fault};
use crate::{Error, Sql};

const EXTENSION: Sql =
    Sql::from_macro("SELECT CAST(extname AS text) FROM pg_extension WHERE extname = 'citus'");
/// The tables that are distributed or on every server, and which of the two.
const PLACED: Sql = Sql::from_macro(
    "SELECT CAST(c.relname AS text), p.partmethod = 'n' AND p.repmodel = 't' FROM pg_dist_partition p \
     JOIN pg_class c ON c.oid = p.logicalrelid WHERE c.relnamespace = (SELECT relnamespace FROM pg_class \
     WHERE oid = to_regclass('schema_migrations'))",
);
/// Keeps two processes from placing tables at once: the letters of "placing".
const TURN: i64 = 0x70_6c61_6369_6e67;

fn distribution_failed(fault: Fault) -> Error {
    Error::Open(format!("the tables cannot be distributed over the servers: {}", fault.into_error()))
}

fn read_names(session: &mut Session, sql: Sql) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    session.query_rows(sql, &[], &mut |row| names.push(row.get(0))).map_err(distribution_failed)?;
    Ok(names)
}

/// Whether the database has the extension.
pub(crate) fn is_there(session: &mut Session) -> Result<bool, Error> {
    Ok(!read_names(session, EXTENSION)?.is_empty())
}

/// Whether tables of the store are distributed over several servers.
pub(super) fn is_distributed(session: &mut Session) -> Result<bool, Error> {
    Ok(is_there(session)? && !placed_tables(session)?.is_empty())
}

/// How many rows of sample values a statement is planned with: a join of two companies' rows is planned where chance puts both on one
/// server.
const SAMPLES: usize = 4;

/// Returns the cluster's plan for a statement, with sample values for its parameters; the plan includes the number of
/// tasks for other servers. Each id is another one, as that of another company would be.
pub(crate) fn explain_statement(session: &mut Session, sql: Sql) -> Result<String, Error> {
    let said = |fault: Fault| Error::Open(fault.into_error().to_string());
    // Never a generic plan: without the parameter's value the target server is unknown.
    session.run_batch("SET plan_cache_mode = force_custom_plan").map_err(said)?;
    session.run_batch(&format!("PREPARE explained AS {}", sql.text())).map_err(said)?;
    let plan = plan_samples(session).map_err(said);
    session.run_batch("DEALLOCATE explained").map_err(said)?;
    plan
}

/// Plans the prepared statement with each of the samples; returns the last plan.
fn plan_samples(session: &mut Session) -> Result<String, Fault> {
    let mut types = Vec::new();
    let asked = "SELECT CAST(t AS text) FROM pg_prepared_statements, unnest(parameter_types) t WHERE name = 'explained'";
    session.query_rows(Sql::from_macro(asked), &[], &mut |row| types.push(row.get::<String>(0)))?;
    let mut lines = Vec::new();
    for sample in 0..SAMPLES {
        let values = types.iter().enumerate().map(|(place, name)| match name.as_str() {
            "uuid" => format!("'0197a1b2-0000-7000-8000-{:012x}'", 1000 * sample + place),
            "bigint" => "1".to_owned(),
            "boolean" => "true".to_owned(),
            "date" | "timestamp with time zone" => "'2026-06-15'".to_owned(),
            "json" => "'{}'".to_owned(),
            _ => "'x'".to_owned(),
        });
        let values: Vec<_> = values.collect();
        let call = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
        let explain = format!("EXPLAIN (COSTS OFF) EXECUTE explained {call}");
        lines.clear();
        let sql = Sql::from_macro(Box::leak(explain.into_boxed_str()));
        session.query_rows(sql, &[], &mut |row| lines.push(row.get::<String>(0)))?;
    }
    Ok(lines.join("\n"))
}

/// The tables that are placed, and whether each is on every server.
fn placed_tables(session: &mut Session) -> Result<Vec<(String, bool)>, Error> {
    let mut placed = Vec::new();
    session
        .query_rows(PLACED, &[], &mut |row| placed.push((row.get(0), row.get(1))))
        .map_err(distribution_failed)?;
    Ok(placed)
}

/// Whether a table is where it should be.
fn is_right(placed: &[(String, bool)], table: &str, placement: Placement) -> bool {
    placed
        .iter()
        .any(|(name, everywhere)| name == table && *everywhere == (placement == Placement::Everywhere))
}

/// How far the tables are distributed; `None` without the extension, or without placements. A store without a placed
/// table and with rows was made on one server: it is left to its operator, because distributing it moves its tables.
pub(crate) fn distribution_standing(
    session: &mut Session,
    placements: Placements,
) -> Result<Option<Standing>, Error> {
    let Some((first, _)) = placements.first() else { return Ok(None) };
    if !is_there(session)? {
        return Ok(None);
    }
    let there = placed_tables(session)?;
    let right = placements.iter().filter(|(table, placement)| is_right(&there, table, *placement)).count();
    let mut of_one_server = false;
    if there.is_empty() {
        let any = Sql::from_macro(Box::leak(
            format!("SELECT CAST('a row' AS text) FROM {first} LIMIT 1").into_boxed_str(),
        ));
        of_one_server = !read_names(session, any)?.is_empty();
    }
    Ok(Some(Standing { placed: right, of: placements.len(), of_one_server }))
}

/// Places the tables that are not where they should be, starting with those with which others are colocated; returns
/// their names. Two processes that do so at once take turns.
pub(crate) fn place_tables(
    session: &mut Session,
    placements: Placements,
    progress: &dyn Fn(usize, usize, &str),
) -> Result<Vec<&'static str>, Error> {
    session.run_batch(&format!("SELECT pg_advisory_lock({TURN})")).map_err(distribution_failed)?;
    let done = place_all(session, placements, progress);
    // The end of the session ends the turn as well.
    session.run_batch(&format!("SELECT pg_advisory_unlock({TURN})")).ok();
    done
}

fn place_all(
    session: &mut Session,
    placements: Placements,
    progress: &dyn Fn(usize, usize, &str),
) -> Result<Vec<&'static str>, Error> {
    let there = placed_tables(session)?;
    let mut open: Vec<_> =
        placements.iter().filter(|(table, placement)| !is_right(&there, table, *placement)).collect();
    open.sort_by_key(|(table, placement)| match placement {
        Placement::By { beside, .. } => beside != table,
        Placement::Everywhere => true,
    });
    let of = open.len();
    for (done, (table, placement)) in open.iter().enumerate() {
        progress(done, of, table);
        if there.iter().any(|(name, _)| name == table) {
            // An earlier version placed it elsewhere.
            session
                .run_batch(&format!("SELECT undistribute_table('{table}')"))
                .map_err(distribution_failed)?;
        }
        let asked = match placement {
            Placement::Everywhere => format!("SELECT create_reference_table('{table}')"),
            Placement::By { column, beside } => {
                let beside = if beside == table { "none" } else { beside };
                format!("SELECT create_distributed_table('{table}', '{column}', colocate_with => '{beside}')")
            }
        };
        session.run_batch(&asked).map_err(distribution_failed)?;
    }
    progress(of, of, "");
    Ok(open.into_iter().map(|(table, _)| *table).collect())
}
