//! Reads a file record by record and recomputes every total.

use std::fmt;

use crate::batch::Totals;
use crate::{BLOCK, Error, RECORD};

/// The largest number of records in a file that is read.
pub const MOST_RECORDS: usize = 2_000_000;

/// An entry of a file, as text.
#[derive(Clone, PartialEq, Eq)]
pub struct ReadEntry {
    /// number of its record in the file, from 1 on
    pub record: usize,
    /// code of its batch's kind, such as PPD
    pub kind: String,
    /// identification of its batch's originator
    pub originator: String,
    /// transaction code
    pub code: u8,
    /// nine digits
    pub routing: String,
    /// account number
    pub account: String,
    /// cents
    pub cents: u64,
    /// the originator's identification of the receiver
    pub id: String,
    /// of the receiver
    pub name: String,
    /// trace number
    pub trace: String,
    /// its addenda, whole records
    pub addenda: Vec<String>,
}

impl fmt::Debug for ReadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { record, code, cents, trace, addenda, .. } = self;
        write!(
            f,
            "ReadEntry(record {record}, code {code}, {cents} cents, trace {trace}, {} addenda)",
            addenda.len()
        )
    }
}

impl ReadEntry {
    /// Whether money leaves the account.
    pub fn is_debit(&self) -> bool {
        self.code % 10 >= 5
    }
}

/// Reads a file and checks its totals. Line breaks may be missing, as in the files of some banks.
///
/// # Errors
/// A record is malformed or out of order, or a total does not match its entries; the error has the number of the record.
pub fn read_entries(text: &str) -> Result<Vec<ReadEntry>, Error> {
    let records = split_records(text)?;
    let mut reader = Reader::default();
    for (number, record) in (1..).zip(&records) {
        reader.read_record(number, record)?;
    }
    if !reader.ended {
        return Err(Error::invalid_record(records.len(), "the file ends without its control record"));
    }
    Ok(reader.entries)
}

fn split_records(text: &str) -> Result<Vec<&str>, Error> {
    if !text.is_ascii() {
        return Err(Error::invalid_record(1, "the file holds characters that are not ASCII"));
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let records: Vec<&str> = match lines.as_slice() {
        [one] if one.len() > RECORD => {
            (0..one.len()).step_by(RECORD).map(|from| &one[from..one.len().min(from + RECORD)]).collect()
        }
        _ => lines,
    };
    if records.len() > MOST_RECORDS {
        return Err(Error::invalid_record(MOST_RECORDS, "the file is too long"));
    }
    if let Some(short) = records.iter().position(|record| record.len() != RECORD) {
        return Err(Error::invalid_record(short + 1, format!("must have {RECORD} characters")));
    }
    Ok(records)
}

#[derive(Default)]
struct Reader {
    entries: Vec<ReadEntry>,
    /// kind, originator and number of the batch that is open
    batch: Option<(String, String, String)>,
    of_batch: Totals,
    of_file: Totals,
    batches: u64,
    begun: bool,
    ended: bool,
}

impl Reader {
    fn read_record(&mut self, number: usize, record: &str) -> Result<(), Error> {
        let wrong = |why: &str| Err(Error::invalid_record(number, why));
        if self.ended {
            return if record.bytes().all(|b| b == b'9') {
                Ok(())
            } else {
                wrong("follows the control of the file")
            };
        }
        match (&record[..1], self.begun, self.batch.is_some()) {
            ("1", false, _) => {
                self.begun = true;
                Ok(())
            }
            ("5", true, false) => {
                let text = |range: std::ops::Range<usize>| record[range].trim().to_owned();
                self.batch = Some((text(50..53), text(40..50), text(87..94)));
                self.of_batch = Totals::default();
                Ok(())
            }
            ("6", true, true) => self.read_entry(number, record),
            ("7", true, true) => self.read_addendum(number, record),
            ("8", true, true) => self.end_batch(number, record),
            ("9", true, false) => self.end_file(number, record),
            _ => wrong("is of a kind that cannot stand here"),
        }
    }

    fn read_entry(&mut self, number: usize, record: &str) -> Result<(), Error> {
        let Some((kind, originator, _)) = self.batch.clone() else {
            return Err(Error::invalid_record(number, "is an entry outside a batch"));
        };
        let routing = record[3..12].to_owned();
        let bank = parse_number(number, "receiving bank", &record[3..11])?;
        let code = u8::try_from(parse_number(number, "transaction code", &record[1..3])?).unwrap_or(0);
        let cents = parse_number(number, "amount", &record[29..39])?;
        let entry = ReadEntry {
            record: number,
            kind,
            originator,
            code,
            routing,
            account: record[12..29].trim().to_owned(),
            cents,
            id: record[39..54].trim().to_owned(),
            name: record[54..76].trim().to_owned(),
            trace: record[79..94].to_owned(),
            addenda: Vec::new(),
        };
        let (debits, credits) = if entry.is_debit() { (cents, 0) } else { (0, cents) };
        self.of_batch = self.of_batch.add_totals(Totals { count: 1, hash: bank, debits, credits });
        self.entries.push(entry);
        Ok(())
    }

    fn read_addendum(&mut self, number: usize, record: &str) -> Result<(), Error> {
        let follows = self.of_batch.count > 0;
        let Some(entry) = self.entries.last_mut().filter(|_| follows) else {
            return Err(Error::invalid_record(number, "is an addendum without an entry"));
        };
        entry.addenda.push(record.to_owned());
        self.of_batch.count += 1;
        Ok(())
    }

    fn end_batch(&mut self, number: usize, record: &str) -> Result<(), Error> {
        let told = Totals {
            count: parse_number(number, "entries and addenda", &record[4..10])?,
            hash: parse_number(number, "entry hash", &record[10..20])?,
            debits: parse_number(number, "debits", &record[20..32])?,
            credits: parse_number(number, "credits", &record[32..44])?,
        };
        check_totals(number, "batch", told, self.of_batch)?;
        let Some((_, _, named)) = self.batch.take() else {
            return Err(Error::invalid_record(number, "ends a batch that has not begun"));
        };
        if record[87..94].trim() != named {
            return Err(Error::invalid_record(number, "ends a batch of another number"));
        }
        self.of_file = self.of_file.add_totals(self.of_batch);
        self.batches += 1;
        Ok(())
    }

    fn end_file(&mut self, number: usize, record: &str) -> Result<(), Error> {
        let told = Totals {
            count: parse_number(number, "entries and addenda", &record[13..21])?,
            hash: parse_number(number, "entry hash", &record[21..31])?,
            debits: parse_number(number, "debits", &record[31..43])?,
            credits: parse_number(number, "credits", &record[43..55])?,
        };
        check_totals(number, "file", told, self.of_file)?;
        if parse_number(number, "batches", &record[1..7])? != self.batches {
            return Err(Error::invalid_record(number, "counts other batches than there are"));
        }
        let blocks = number.div_ceil(BLOCK) as u64;
        if parse_number(number, "blocks", &record[7..13])? != blocks {
            return Err(Error::invalid_record(number, "counts other blocks than there are"));
        }
        self.ended = true;
        Ok(())
    }
}

fn check_totals(number: usize, of: &str, told: Totals, found: Totals) -> Result<(), Error> {
    if told == found {
        return Ok(());
    }
    let show = |sums: Totals| {
        format!(
            "{} records, hash {}, debits {}, credits {}",
            sums.count, sums.hash, sums.debits, sums.credits
        )
    };
    Err(Error::invalid_record(
        number,
        format!("the {of}'s control says {}, and there are {}", show(told), show(found)),
    ))
}

fn parse_number(number: usize, field: &str, digits: &str) -> Result<u64, Error> {
    let all_digits = digits.bytes().all(|b| b.is_ascii_digit());
    let parsed = digits.parse().ok().filter(|_| all_digits);
    parsed.ok_or_else(|| Error::invalid_record(number, format!("{field} must be digits")))
}
