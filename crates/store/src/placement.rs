//! Where the rows of each table are stored in a database that is distributed over several servers (Citus, an extension
//! of PostgreSQL).
//!
//! The owner of the tables declares a placement for each. `stipend migrate` places the tables that it creates, and
//! [`distribute_tables`] places the tables of a store that was not distributed before. It has no effect on a server without
//! the extension, or in a file store.
//!
//! Rows that change in one transaction should be on one server: then its commit involves that server alone.

use std::fmt;

use crate::postgres::{self, citus};
use crate::{Error, Sql, on_own_thread};

/// Where the rows of a table are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Sharded by the value of a column, which every unique key of the table contains. Rows with the same value are on
    /// the same server as those of the table with which it is colocated; the first table of such a group is colocated
    /// with itself
    By {
        /// the distribution column
        column: &'static str,
        /// the first table of the colocation group
        beside: &'static str,
    },
    /// A full copy on every server: read anywhere, and written on all of them at once
    Everywhere,
}

/// Each table with its placement.
pub type Placements = &'static [(&'static str, Placement)];

/// How far the tables of a store are distributed over the servers of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// tables that are where they should be
    pub placed: usize,
    /// tables that should be
    pub of: usize,
    /// whether the store was made on one server, and is left there until its operator distributes it
    pub of_one_server: bool,
}

impl Standing {
    /// Whether a distribution has begun and is not complete.
    pub fn is_incomplete(self) -> bool {
        self.placed < self.of && !self.of_one_server
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { placed, of, .. } = self;
        write!(f, "{placed} of {of} tables are distributed over the servers of the cluster")
    }
}

/// Returns the cluster's plan for each statement at `url`, or why the cluster refuses the statement.
///
/// # Errors
/// [`Error::Open`] with one sentence for the operator.
pub fn spread_plans(url: &str, statements: &[Sql]) -> Result<Vec<Result<String, String>>, Error> {
    on_own_thread(|| {
        let mut session = postgres::open_patient_session(url)?;
        let plan =
            |sql: &Sql| citus::explain_statement(&mut session, *sql).map_err(|error| error.to_string());
        Ok(statements.iter().map(plan).collect())
    })
}

/// Distributes the tables of the database at `url` that are not distributed yet, and returns them; an interrupted run
/// can be repeated. `progress` is called with the number of tables placed, their total, and the next table.
///
/// # Errors
/// [`Error::Open`] with one sentence for the operator.
pub fn distribute_tables(
    url: &str,
    placements: Placements,
    progress: &(dyn Fn(usize, usize, &str) + Sync),
) -> Result<Vec<&'static str>, Error> {
    if url.starts_with("sqlite:") {
        return Err(Error::Open("a file store cannot be distributed over several servers".to_owned()));
    }
    on_own_thread(|| {
        let mut session = postgres::open_patient_session(url)?;
        if !citus::is_there(&mut session)? {
            return Err(Error::Open(
                "the database has no extension citus: nothing was changed (see docs/operations.md, Several machines)"
                    .to_owned(),
            ));
        }
        citus::place_tables(&mut session, placements, progress)
    })
}
