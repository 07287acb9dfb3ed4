//! Where the rows of each table lie in a database that is spread over several servers (Citus, an extension of PostgreSQL).
//!
//! The owner of the tables declares it once for each; `stipend migrate` places the tables it creates, and [`distribute`] places the
//! tables of a store that was not spread before. On a server without the extension, and in a file, it has no effect.
//!
//! Rows that change in one transaction should lie on one server: then its commit is the commit of that server.

use crate::postgres::{self, citus};
use crate::{Error, Sql, on_own_thread};

/// Where the rows of a table lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Apart by the value of a column, which every unique key of the table holds. Rows of the tables beside which it lies
    /// are on the same server where the value is the same; the first of such tables lies beside itself
    By {
        /// whose value decides
        column: &'static str,
        /// the first table of those that lie together
        beside: &'static str,
    },
    /// All rows on every server: read anywhere, and written on all of them at once
    Everywhere,
}

/// Each table with its place.
pub type Placements = &'static [(&'static str, Placement)];

/// The plan of the cluster at `url` for each statement, or why it refuses it.
///
/// # Errors
/// [`Error::Open`] with one sentence for the operator.
pub fn spread_plans(url: &str, statements: &[Sql]) -> Result<Vec<Result<String, String>>, Error> {
    on_own_thread(|| {
        let mut session = postgres::patient(url)?;
        let plan = |sql: &Sql| citus::explain(&mut session, *sql).map_err(|error| error.to_string());
        Ok(statements.iter().map(plan).collect())
    })
}

/// Spreads the tables of the database at `url` that are not spread yet. It is made again where it was interrupted.
/// `progress` is called with how many of how many tables are placed, and the one that is next.
///
/// # Errors
/// [`Error::Open`] with one sentence for the operator.
pub fn distribute(
    url: &str,
    placements: Placements,
    progress: &(dyn Fn(usize, usize, &str) + Sync),
) -> Result<Vec<&'static str>, Error> {
    if url.starts_with("sqlite:") {
        return Err(Error::Open("a file cannot be spread over several servers".to_owned()));
    }
    on_own_thread(|| {
        let mut session = postgres::patient(url)?;
        if !citus::is_there(&mut session)? {
            return Err(Error::Open(
                "the database has no extension citus: nothing was changed (see docs/operations.md, Several machines)"
                    .to_owned(),
            ));
        }
        citus::place(&mut session, placements, progress)
    })
}
