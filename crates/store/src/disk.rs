//! Fault injection for a file store in a simulation: a [`Disk`] is consulted before each step that would reach the
//! disk, and may make it fail or hang, as disks and dying processes do. Only a simulation sets one
//! ([`crate::Options::disk`]). It has no effect on PostgreSQL, whose disks belong to the server.

/// A step that a store is about to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// a group of reading units begins
    Read,
    /// a group of writing units begins
    Begin,
    /// a statement that changes rows
    Change,
    /// the group is to be committed
    Commit,
    /// the group has been committed, and its units are about to be answered
    Committed,
}

/// The fault injected in place of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// the disk is full; the engine may roll back the transaction with the statement, or leave that to the caller
    Full {
        /// whether the transaction has ended
        ended: bool,
    },
    /// another process keeps the file locked for too long
    Busy,
    /// the process has died: the step does not happen, and no caller is answered
    Gone,
}

/// Decides the outcome of each step. It is called on the storage threads, and may block.
pub trait Disk: Send + Sync {
    /// Lets the step happen, or returns the fault.
    ///
    /// # Errors
    /// The fault to inject.
    fn meet_step(&self, step: Step) -> Result<(), Trouble>;
}
