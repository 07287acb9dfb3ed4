//! The file in which Forms W-2 go to the Social Security Administration: EFW2, records of 512 characters.
//!
//! The layout is a table by tax year (`data/returns/efw2.csv`). A year that is not entered is refused, and so is an amount whose position
//! is not known (`efw2_open.csv`), with the names of its employees. Every reason is told at once by [`check::Checker`], before anything is
//! written; the writer applies the same checks to each record.
//!
//! | module | contents |
//! |---|---|
//! | [`layout`] | fields by position |
//! | [`positions`] | positions that were read since, for amounts that the table leaves open |
//! | [`parties`] | who submits, and the employers |
//! | [`check`] | what the agency turns back |
//! | [`states`] | the files that states take |
//! | [`write`](mod@write) | the file as a stream |
//! | [`corrected`] | the file with Forms W-2c (EFW2C) |
//!
//! Source: Publication 42-007 (EFW2), tax year 2025; the table says what is inferred.

pub mod check;
pub mod corrected;
pub mod layout;
pub mod parties;
mod parts;
pub mod positions;
mod record;
pub mod states;
pub mod write;

pub use check::{Checker, Finding, Severity};
pub use layout::{Layout, Layouts};
pub use parties::{
    Agent, Contact, Employer, Employment, KindOfEmployer, Party, Preparer, Software, Submitter,
};
pub use positions::Position;
pub use write::{Writer, Written};

/// Characters of a record, without its line end.
pub const RECORD: usize = 512;

/// Why a file is not written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The agency would turn it back.
    #[error("{}", findings_text(.0))]
    Refused(Vec<Finding>),
    /// The layout of the year is not in the tables.
    #[error(transparent)]
    Year(#[from] crate::Error),
    /// A form is of another year than the file.
    #[error("the form of {person} is of {year}, the file of {of_file}")]
    OtherYear {
        /// the person
        person: String,
        /// year of the form
        year: i16,
        /// year of the file
        of_file: i16,
    },
    /// Records come in another order than that of a file.
    #[error("{0}")]
    Order(&'static str),
    /// A value does not fit its field.
    #[error("{record}, {field}: {why}")]
    Field {
        /// the record
        record: String,
        /// the field
        field: String,
        /// what is wrong
        why: &'static str,
    },
    /// The output can't be written.
    #[error("the file can't be written: {0}")]
    Output(#[from] std::io::Error),
}

fn findings_text(findings: &[Finding]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
