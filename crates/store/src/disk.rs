//! Fault injection for a file store in a simulation: a [`Disk`] is asked before each step that would reach
//! the disk, and may make it fail or hang, as disks and dying processes do. Only a simulation sets one
//! ([`crate::Options::disk`]); a store without one asks nobody. The other engine has its disks elsewhere, and asks
//! none.

/// What a store is about to do.
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
    /// it has been committed, and its units are about to be answered
    Committed,
}

/// What happens instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// there is no room; the engine may end the transaction along with the statement, or leave that to its caller
    Full {
        /// whether the transaction has ended
        ended: bool,
    },
    /// another process has the file for too long
    Busy,
    /// the process is no more: nothing that it was about to do is done, and nobody hears of what it did
    Gone,
}

/// Decides what becomes of each step. It is asked on the storage threads, and may keep one waiting.
pub trait Disk: Send + Sync {
    /// Lets the step happen, or says what happens instead.
    ///
    /// # Errors
    /// The trouble that it meets.
    fn meet(&self, step: Step) -> Result<(), Trouble>;
}
