//! Errors of the store.

/// Errors of the store. None of them concerns payroll.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The queue is full or too slow, or the unit met conflicts until its time was up. Nothing was written.
    #[error("the store is busy; nothing was written")]
    Busy,
    /// A server of a cluster that the unit needs does not answer: it has the company's records, or a copy of what was to
    /// be changed. Nothing was written.
    #[error("the database server {0} does not answer; nothing was written")]
    Away(String),
    /// No room on the disk. Nothing was written.
    #[error("the store is full; nothing was written")]
    Full,
    /// The disk could not read or write, or there was no memory. Nothing was written.
    #[error("the disk failed; nothing was written: {0}")]
    Disk(String),
    /// The answer was lost or late: the unit may or may not have been committed.
    #[error("the outcome is unknown")]
    Unknown,
    /// The closure panicked; its own effects were rolled back.
    #[error("a unit of work panicked: {0}")]
    Panicked(String),
    /// A statement violated a constraint or was refused by the engine: a bug in the program.
    #[error("the engine refused a statement: {0}")]
    Engine(String),
    /// A sealed field could not be opened: the wrong master key, or bytes that were moved or changed.
    #[error("sealed field: {0}")]
    Sealed(&'static str),
    /// A data key is wrapped by a master key that another node has and this process was not given. Keys are named by a
    /// digest.
    #[error(
        "the master key {0}, under which another node has sealed, was not given to this one: add it to the key file and restart"
    )]
    MissingKey(String),
    /// A stored value does not have the expected form. The reason never repeats the value.
    #[error("{table}.{field} cannot be read: it {why}")]
    Unreadable {
        /// the table that holds it
        table: &'static str,
        /// the column
        field: &'static str,
        /// what is wrong with it, as the predicate of a sentence whose subject is the column
        why: String,
    },
    /// A stored value of a closed set is unknown to this version of the program: a newer version, which
    /// runs beside this one during an upgrade, has written the record. This version leaves it alone.
    #[error("{table}.{field} cannot be read: it {why}")]
    Newer {
        /// the table that holds it
        table: &'static str,
        /// the column
        field: &'static str,
        /// what is wrong with it, as the predicate of a sentence whose subject is the column
        why: String,
    },
    /// A list that must be complete has more rows than one unit may read. No partial result was used.
    #[error("a list that is needed whole has more than {most} rows")]
    TooMany {
        /// the largest number of rows that may be read
        most: i64,
    },
    /// The file is damaged: it contains bytes that the engine never wrote. Once detected, every unit gets this error.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// The store could not be opened.
    #[error("{0}")]
    Open(String),
}

/// An error that may have come from the store, such as one from reading a row.
pub trait MaybeStore: From<Error> {
    /// Returns the store's error, if it is one.
    fn in_store(&self) -> Option<&Error>;
}

impl MaybeStore for Error {
    fn in_store(&self) -> Option<&Error> {
        Some(self)
    }
}
