//! What looks at the statements of a store: in tests, at nothing in a service in use.

use uuid::Uuid;

use crate::Sql;

/// A guard that a unit holds ([`Tx::guard`](crate::Tx::guard)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// whose it is
    pub company: Uuid,
    /// what it is about
    pub kind: &'static str,
    /// the record
    pub id: Uuid,
}

/// Is called before every insertion, update and deletion, with the guards that its unit holds by then. On an engine with one
/// writer guards do nothing, and one that is missing would be noticed by nobody: here it is, on every engine alike.
pub trait Watch: Send + Sync {
    /// A statement is about to be run. A panic ends its unit, and is reported like any other.
    fn writes(&self, sql: Sql, held: &[Guard]);

    /// A statement was asked, and took so many steps of the engine's own machine. Told by SQLite alone: a server keeps it to
    /// itself. Steps are the same on every machine, however busy, so that a test can hold what something costs.
    fn asked(&self, _: Sql, _steps: u64) {}
}
