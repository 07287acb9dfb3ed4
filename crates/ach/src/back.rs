//! Files that a bank sends back: returns of payments, and notifications of change that correct an account.

use std::fmt;
use std::ops::Range;

use crate::Error;
use crate::read::ReadEntry;
use crate::received::{Received, Remark, receive_file, valid_trace};

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
        /// C01 to C14
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

/// A record that is neither a return nor a correction, or cannot be read: kept for manual review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// number of the record in the file, from 1 on
    pub record: usize,
    /// trace number of the entry that was sent, or else of the record, as far as it names one
    pub trace: String,
    /// cents, 0 if unknown
    pub cents: u64,
    /// why it is kept
    pub why: String,
}

/// What a bank has sent back.
#[derive(Debug, Default)]
pub struct SentBack {
    /// returns and notifications of change
    pub known: Vec<Back>,
    /// everything else
    pub kept: Vec<Kept>,
}

/// Reads a file of returns and notifications of change as the bank sent it. A record that cannot be read, and a total that does not match,
/// never keeps another record from being read.
///
/// # Errors
/// It is no ACH file at all, or too long.
pub fn read_back(bytes: &[u8]) -> Result<SentBack, Error> {
    let Received { entries, remarks } = receive_file(bytes)?;
    let mut sent = SentBack::default();
    for entry in &entries {
        match of_entry(entry) {
            Ok(back) => sent.known.push(back),
            Err(why) => sent.kept.push(Kept {
                record: entry.record,
                trace: original_trace(entry).unwrap_or_else(|| valid_trace(entry.trace.clone())),
                cents: entry.cents,
                why,
            }),
        }
    }
    let kept = |Remark { record, trace, why }| Kept { record, trace, cents: 0, why };
    sent.kept.extend(remarks.into_iter().map(kept));
    Ok(sent)
}

/// Characters of an addendum by position.
fn addendum_field(addendum: &str, range: Range<usize>) -> String {
    addendum.chars().skip(range.start).take(range.len()).filter(|letter| *letter != '\0').collect()
}

/// The addendum that returns or corrects an entry.
fn returning_addendum(entry: &ReadEntry) -> Option<&str> {
    let of_bank = |one: &&String| matches!(addendum_field(one, 1..3).as_str(), "98" | "99");
    entry.addenda.iter().find(of_bank).map(String::as_str)
}

/// The trace number of the entry that was sent.
fn original_trace(entry: &ReadEntry) -> Option<String> {
    returning_addendum(entry).map(|addendum| valid_trace(addendum_field(addendum, 6..21)))
}

/// The return or correction in an entry, or why it is neither.
fn of_entry(entry: &ReadEntry) -> Result<Back, String> {
    let neither = || "it is neither a return nor a notification of change".to_owned();
    let addendum = returning_addendum(entry).ok_or_else(neither)?;
    let is_return = addendum_field(addendum, 1..3) == "99";
    let code = addendum_field(addendum, 3..6).to_ascii_uppercase();
    let (letter, last) = if is_return { ('R', 85) } else { ('C', 14) };
    let number = code.strip_prefix(letter).filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    if !number.and_then(|digits| digits.parse::<u8>().ok()).is_some_and(|number| (1..=last).contains(&number))
    {
        // What stands there may be anything, even part of an account number.
        let named = match number {
            Some(number) if number.len() == 2 => format!("its code is {code}"),
            _ => "it names no code".to_owned(),
        };
        return Err(format!("{named}, and codes are {letter}01 to {letter}{last}"));
    }
    let original_trace = addendum_field(addendum, 6..21);
    if original_trace.len() != 15 || !original_trace.bytes().all(|b| b.is_ascii_digit()) {
        return Err("it does not name the trace number of the entry that was sent".to_owned());
    }
    let what = if is_return {
        What::Return { code, information: addendum_field(addendum, 35..79).trim().to_owned() }
    } else {
        let correction = parse_correction(&code, addendum)?;
        What::Change { code, correction }
    };
    Ok(Back { record: entry.record, original_trace, trace: entry.trace.clone(), cents: entry.cents, what })
}

/// Where each code puts the correction in the 29 characters (Nacha Operating Rules, Appendix Four).
fn parse_correction(code: &str, addendum: &str) -> Result<Correction, String> {
    let data =
        |range: Range<usize>| addendum_field(addendum, 35 + range.start..35 + range.end).trim().to_owned();
    let text = |range: Range<usize>| Some(data(range)).filter(|text| !text.is_empty());
    let kind = |range: Range<usize>| match text(range) {
        None => Ok(None),
        Some(digits) => digits
            .parse::<u8>()
            .map(Some)
            .map_err(|_| format!("{code} does not correct the transaction code to two digits")),
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
        return Err(format!("{code} does not say what is to be corrected"));
    }
    Ok(found)
}
