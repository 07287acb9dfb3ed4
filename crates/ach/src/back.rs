//! Files that a bank sends back: returns of payments, and notifications of change that correct an account.

use std::fmt;

use crate::Error;
use crate::read::{ReadEntry, read};

/// A return or a notification of change for an entry that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Back {
    /// number of the record in the file, from 1 on
    pub record: usize,
    /// trace number of the entry that was sent
    pub original_trace: String,
    /// trace number under which the bank sends it back
    pub trace: String,
    /// the cents returned, 0 for a correction
    pub cents: u64,
    /// what it is
    pub what: What,
}

/// A return or a correction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The payment is returned.
    Return {
        /// R01 to R85
        code: String,
        /// what the bank adds
        information: String,
    },
    /// The payment went through, but the account must be corrected before the next one.
    Change {
        /// C01 to C13
        code: String,
        /// what to correct, if the code says so
        correction: Correction,
    },
}

/// The corrections of a notification of change. Each field that is present holds the new value.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Correction {
    /// account number
    pub account: Option<String>,
    /// routing number
    pub routing: Option<String>,
    /// transaction code
    pub transaction_code: Option<u8>,
    /// name of the receiver
    pub name: Option<String>,
    /// the originator's identification of the receiver
    pub id: Option<String>,
}

impl fmt::Debug for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = [
            ("account", self.account.is_some()),
            ("routing", self.routing.is_some()),
            ("transaction code", self.transaction_code.is_some()),
            ("name", self.name.is_some()),
            ("id", self.id.is_some()),
        ];
        let fields: Vec<_> = told.iter().filter(|(_, there)| *there).map(|(field, _)| *field).collect();
        write!(f, "Correction({})", fields.join(", "))
    }
}

/// An entry that is neither a return nor a correction, kept for manual review.
pub type Unknown = ReadEntry;

/// Reads a file of returns and notifications of change. Entries that are neither are returned second.
///
/// # Errors
/// As for [`read`]; also if a return or a notification is malformed.
pub fn read_back(text: &str) -> Result<(Vec<Back>, Vec<Unknown>), Error> {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for entry in read(text)? {
        match of_entry(&entry)? {
            Some(back) => known.push(back),
            None => unknown.push(entry),
        }
    }
    Ok((known, unknown))
}

fn of_entry(entry: &ReadEntry) -> Result<Option<Back>, Error> {
    let Some(addendum) = entry.addenda.iter().find(|one| matches!(&one[1..3], "98" | "99")) else {
        return Ok(None);
    };
    let code = addendum[3..6].to_owned();
    let letter = if &addendum[1..3] == "99" { 'R' } else { 'C' };
    let is_code = code.starts_with(letter) && code[1..].bytes().all(|b| b.is_ascii_digit());
    if !is_code {
        return Err(Error::record(entry.record, format!("must name a code such as {letter}01")));
    }
    let original_trace = addendum[6..21].to_owned();
    if !original_trace.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Error::record(entry.record, "must name the trace number of the entry that was sent"));
    }
    let what = if letter == 'R' {
        What::Return { code, information: addendum[35..79].trim().to_owned() }
    } else {
        let correction = correction(entry.record, &code, &addendum[35..64])?;
        What::Change { code, correction }
    };
    Ok(Some(Back {
        record: entry.record,
        original_trace,
        trace: entry.trace.clone(),
        cents: entry.cents,
        what,
    }))
}

/// Where each code puts the correction in the 29 characters (Nacha Operating Rules, Appendix Four).
fn correction(record: usize, code: &str, data: &str) -> Result<Correction, Error> {
    let text =
        |range: std::ops::Range<usize>| Some(data[range].trim().to_owned()).filter(|text| !text.is_empty());
    let kind = |range: std::ops::Range<usize>| match data[range].trim() {
        "" => Ok(None),
        digits => digits.parse::<u8>().map(Some).map_err(|_| {
            Error::record(record, format!("{code} must correct the transaction code to two digits"))
        }),
    };
    let nothing = Correction::default();
    let found = match code {
        "C01" => Correction { account: text(0..17), ..nothing },
        "C02" => Correction { routing: text(0..9), ..nothing },
        "C03" => Correction { routing: text(0..9), account: text(12..29), ..nothing },
        "C04" => Correction { name: text(0..22), ..nothing },
        "C05" => Correction { transaction_code: kind(0..2)?, ..nothing },
        "C06" => Correction { account: text(0..17), transaction_code: kind(20..22)?, ..nothing },
        "C07" => Correction {
            routing: text(0..9),
            account: text(9..26),
            transaction_code: kind(26..28)?,
            ..nothing
        },
        "C09" => Correction { id: text(0..22), ..nothing },
        // The other codes describe an error in the entry and correct nothing about the account.
        _ => return Ok(nothing),
    };
    if found == Correction::default() {
        return Err(Error::record(record, format!("{code} must say what is to be corrected")));
    }
    Ok(found)
}
