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

/// Observes every insert, update and delete, with the guards that the unit holds at that point. On an engine with one
/// writer, guards do nothing and a missing one would go unnoticed; this reveals it on every engine.
pub trait Watch: Send + Sync {
    /// Called before a statement that writes is run. A panic ends its unit, and is reported like any other.
    fn before_write(&self, sql: Sql, held: &[Guard]);

    /// Called after a query, with the number of steps that the engine's virtual machine took. Only SQLite reports steps.
    /// They do not depend on the machine or its load, so a test can bound the cost of a statement.
    fn after_query(&self, _: Sql, _steps: u64) {}
}
