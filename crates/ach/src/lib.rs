//! ACH files: written from payments, and read when banks send returns and notifications of change.
//!
//! A file is a sequence of records of 94 characters: a header, batches of entries for one originator, one kind and one day, and a
//! control with totals, filled up to a multiple of ten records. Amounts are cents. Everything here is a pure function over
//! plain data; sending a file and tracking its outcome is up to the caller.
//!
//! | module | contents |
//! |---|---|
//! | [`routing`] | routing numbers and their check digit |
//! | [`entry`] | one payment: its account, amount and addendum |
//! | [`batch`] | payments of one originator on one day |
//! | [`mod@file`] | the whole file, its totals and its text |
//! | [`read`] | a file as it was written, record by record |
//! | [`received`] | a file as a bank sent it, with its harmless differences from the layout |
//! | [`back`] | what a bank returns or corrects |
//! | [`addendum`] | payment information of tax deposits |
//!
//! Source of the layout: Nacha Operating Rules, Appendix Three (record formats) and Appendix Four (returns and notifications of
//! change), as banks publish them for originators.
//!
//! Account numbers, names and addenda never appear in `Debug` or in an error.

pub mod addendum;
pub mod back;
pub mod batch;
pub mod entry;
mod field;
pub mod file;
pub mod read;
pub mod received;
pub mod routing;

pub use batch::{Batch, Kind, Originator, Service};
pub use entry::{AccountKind, Direction, Entry};
pub use file::{Control, File, Header};
pub use routing::Routing;

/// Characters of a record.
pub const RECORD: usize = 94;
/// Records of a block.
pub const BLOCK: usize = 10;

/// Why a file cannot be written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A value does not fit its field.
    #[error("{field} {why}")]
    Field {
        /// name of the field
        field: &'static str,
        /// what it must be
        why: String,
    },
    /// A record of a file cannot be read.
    #[error("record {record}: {why}")]
    Record {
        /// number of the record, from 1 on
        record: usize,
        /// what is wrong
        why: String,
    },
}

impl Error {
    pub(crate) fn invalid_field(field: &'static str, why: impl Into<String>) -> Self {
        Self::Field { field, why: why.into() }
    }

    pub(crate) fn invalid_record(record: usize, why: impl Into<String>) -> Self {
        Self::Record { record, why: why.into() }
    }
}
