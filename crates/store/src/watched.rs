//! Observation of a store's statements, in tests only.

use uuid::Uuid;

use crate::Sql;

/// A guard that a unit holds ([`Tx::guard`](crate::Tx::guard)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// the owner
    pub company: Uuid,
    /// the kind of record
    pub kind: &'static str,
    /// the record
    pub id: Uuid,
}

/// Called before every insert, update and delete, with the guards that the unit holds by then. On an engine with one
/// writer, guards do nothing and a missing one would go unnoticed; this reveals it on every engine.
pub trait Watch: Send + Sync {
    /// A statement is about to be run. A panic ends its unit, and is reported like any other.
    fn writes(&self, sql: Sql, held: &[Guard]);

    /// A statement was asked, and took so many steps of the engine's own machine. Told by SQLite alone: a server keeps it to
    /// itself. Steps are the same on every machine, however busy, so that a test can hold what something costs.
    fn asked(&self, _: Sql, _steps: u64) {}
}
