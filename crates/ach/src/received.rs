//! Reads files as banks send them: entries are found although the file differs from the layout where nothing depends on it,
//! and everything else is reported record by record.
//!
//! Banks and processors trim or add blanks at the ends of records, end lines in three ways or not at all, mark the beginning
//! (byte order mark) or the end (0x1A) of the text, write names in UTF-8 or Latin-1, put several files into one, omit the
//! filler records, and count blocks in their own way. [`read`](crate::read::read) refuses such files; it is for files that were written
//! here.

use std::borrow::Cow;
use std::ops::Range;

use crate::batch::Totals;
use crate::read::{MOST_RECORDS, ReadEntry};
use crate::{Error, RECORD};

/// A record that cannot be read, or a total that does not match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// number of the record in the file, from 1 on; blank lines do not count
    pub record: usize,
    /// trace number in the record, as far as it names one
    pub trace: String,
    /// what is wrong
    pub why: String,
}

/// What a file contains.
#[derive(Debug, Default)]
pub struct Received {
    /// its entries
    pub entries: Vec<ReadEntry>,
    /// what could not be read, by record
    pub remarks: Vec<Remark>,
}

/// Reads a file as a bank sent it.
///
/// # Errors
/// There is neither a file header nor an entry in it, or it is too long.
pub fn receive_file(bytes: &[u8]) -> Result<Received, Error> {
    let text = decode_text(bytes);
    let records = split_records(&text)?;
    let mut reader = Reader::default();
    for (number, record) in (1..).zip(&records) {
        reader.read_record(number, record);
    }
    reader.finish(records.len())
}

/// The text of a file, without the marks of its beginning and end: UTF-8, or else Latin-1.
fn decode_text(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
    }
}

/// A record: its characters by position. Positions that a character of several bytes fills beyond its first hold NUL.
struct Record(Vec<char>);

impl Record {
    /// The record of a line; `None` if it has more than the characters of a record.
    fn from_line(line: &str) -> Option<Self> {
        let line = line.trim_end_matches([' ', '\t', '\0']);
        let mut cells: Vec<char> = line.chars().collect();
        // A name outside ASCII: positions count characters, or bytes where these fill the record.
        if cells.len() != RECORD && line.len() == RECORD {
            cells = line
                .chars()
                .flat_map(|letter| {
                    std::iter::once(letter).chain(std::iter::repeat_n('\0', letter.len_utf8() - 1))
                })
                .collect();
        }
        if cells.len() > RECORD {
            return None;
        }
        cells.resize(RECORD, ' ');
        Some(Self(cells))
    }

    fn raw(&self, range: Range<usize>) -> String {
        self.0[range].iter().filter(|letter| **letter != '\0').collect()
    }

    fn text(&self, range: Range<usize>) -> String {
        self.raw(range).trim().to_owned()
    }

    /// A number that fills its field with digits.
    fn number(&self, range: Range<usize>) -> Option<u64> {
        let digits = self.raw(range);
        Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
    }

    fn is_filler(&self) -> bool {
        let text = self.text(0..RECORD);
        text.len() > 1 && text.bytes().all(|byte| byte == b'9')
    }
}

/// A trace number, or nothing where something else stands, which may be part of an account number.
pub(crate) fn valid_trace(text: String) -> String {
    let fits = text.len() == 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text } else { String::new() }
}

/// The records of a text: its lines, however they end, or pieces of the length of a record where there is only one line.
fn split_records(text: &str) -> Result<Vec<String>, Error> {
    let lines = text.split(['\n', '\r']).map(|line| line.trim_end_matches('\u{1a}'));
    let lines: Vec<&str> = lines.filter(|line| !line.trim_matches([' ', '\t', '\0']).is_empty()).collect();
    let records: Vec<String> = match lines.as_slice() {
        [one] if one.chars().count() > RECORD && !one.trim_end().is_empty() => split_line(one.trim_end()),
        _ => lines.iter().map(|line| (*line).to_owned()).collect(),
    };
    if records.len() > MOST_RECORDS {
        return Err(Error::invalid_record(MOST_RECORDS, "the file is too long"));
    }
    Ok(records)
}

/// A text without ends of lines, cut into records: by characters, or by bytes if only these come to whole records.
fn split_line(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let by_bytes = !letters.len().is_multiple_of(RECORD) && text.len().is_multiple_of(RECORD);
    let (mut pieces, mut piece, mut width) = (Vec::new(), String::new(), 0);
    for letter in letters {
        piece.push(letter);
        width += if by_bytes { letter.len_utf8() } else { 1 };
        if width >= RECORD {
            pieces.push(std::mem::take(&mut piece));
            width = 0;
        }
    }
    if !piece.trim().is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// A batch that is open.
#[derive(Default)]
struct OpenBatch {
    kind: String,
    originator: String,
    totals: Totals,
}

/// What an addendum belongs to.
#[derive(Default, Clone, Copy)]
enum Before {
    /// no entry
    #[default]
    Nothing,
    /// the last entry
    Entry,
    /// an entry that could not be read: the remark at this index
    Remark(usize),
}

#[derive(Default)]
struct Reader {
    found: Received,
    batch: Option<OpenBatch>,
    of_file: Totals,
    batches: u64,
    before: Before,
    /// whether a file has begun and not ended
    open: bool,
    /// whether there was a file header
    begun: bool,
}

impl Reader {
    fn read_record(&mut self, number: usize, line: &str) {
        let Some(record) = Record::from_line(line) else {
            return self.add_remark(number, String::new(), format!("it has more than {RECORD} characters"));
        };
        if record.is_filler() && self.batch.is_none() {
            return;
        }
        match record.raw(0..1).as_str() {
            "1" => self.begin_file(number),
            "5" => self.begin_batch(number, &record),
            "6" => self.read_entry(number, &record),
            "7" => self.read_addendum(number, &record),
            "8" => self.end_batch(number, &record),
            "9" => self.end_file(number, &record),
            _ => self.add_remark(number, String::new(), "it is no record of an ACH file".to_owned()),
        }
    }

    fn add_remark(&mut self, record: usize, trace: String, why: String) {
        match self.found.remarks.last_mut().filter(|last| last.record == record) {
            Some(last) => last.why = format!("{}; {why}", last.why),
            None => self.found.remarks.push(Remark { record, trace, why }),
        }
    }

    fn begin_file(&mut self, number: usize) {
        if self.open {
            self.add_remark(
                number,
                String::new(),
                "a file begins before the one before it has ended".to_owned(),
            );
        }
        (self.batch, self.of_file, self.batches) = (None, Totals::default(), 0);
        (self.open, self.begun, self.before) = (true, true, Before::Nothing);
    }

    fn begin_batch(&mut self, number: usize, record: &Record) {
        if self.batch.is_some() {
            self.add_remark(
                number,
                String::new(),
                "a batch begins before the one before it has ended".to_owned(),
            );
        }
        self.batch = Some(OpenBatch {
            kind: record.text(50..53),
            originator: record.text(40..50),
            totals: Totals::default(),
        });
        self.before = Before::Nothing;
    }

    fn read_entry(&mut self, number: usize, record: &Record) {
        let trace = record.text(79..94);
        let read = (record.number(1..3), record.number(3..11), record.number(29..39));
        let (Some(code), Some(bank), Some(cents)) = read else {
            let why = "its transaction code, bank or amount are not digits".to_owned();
            self.add_remark(number, valid_trace(trace), why);
            self.before = Before::Remark(self.found.remarks.len() - 1);
            return;
        };
        let batch = self.batch.get_or_insert_default();
        let entry = ReadEntry {
            record: number,
            kind: batch.kind.clone(),
            originator: batch.originator.clone(),
            code: u8::try_from(code).unwrap_or_default(), // two digits
            routing: record.raw(3..12),
            account: record.text(12..29),
            cents,
            id: record.text(39..54),
            name: record.text(54..76),
            trace,
            addenda: Vec::new(),
        };
        let (debits, credits) = if entry.is_debit() { (cents, 0) } else { (0, cents) };
        batch.totals = batch.totals.add_totals(Totals { count: 1, hash: bank, debits, credits });
        self.found.entries.push(entry);
        self.before = Before::Entry;
    }

    fn read_addendum(&mut self, number: usize, record: &Record) {
        let names = matches!(record.raw(1..3).as_str(), "98" | "99");
        let original = if names { valid_trace(record.text(6..21)) } else { String::new() };
        if let Some(batch) = &mut self.batch {
            batch.totals.count += 1;
        }
        match (self.before, self.found.entries.last_mut()) {
            (Before::Entry, Some(entry)) => entry.addenda.push(record.0.iter().collect()),
            (Before::Remark(at), _) if names => self.found.remarks[at].trace = original,
            (Before::Remark(_), _) => {}
            _ => self.add_remark(number, original, "it is an addendum without an entry".to_owned()),
        }
    }

    fn end_batch(&mut self, number: usize, record: &Record) {
        self.before = Before::Nothing;
        let Some(batch) = self.batch.take() else {
            return self.add_remark(number, String::new(), "it ends a batch that has not begun".to_owned());
        };
        let ranges = [4..10, 10..20, 20..32, 32..44];
        self.compare_totals(number, "batch", control_totals(record, ranges), batch.totals);
        self.of_file = self.of_file.add_totals(batch.totals);
        self.batches += 1;
    }

    fn end_file(&mut self, number: usize, record: &Record) {
        self.before = Before::Nothing;
        if let Some(batch) = self.batch.take() {
            self.add_remark(number, String::new(), "the file ends inside a batch".to_owned());
            self.of_file = self.of_file.add_totals(batch.totals);
            self.batches += 1;
        }
        let ranges = [13..21, 21..31, 31..43, 43..55];
        self.compare_totals(number, "file", control_totals(record, ranges), self.of_file);
        // The blocks are counted in several ways, and nothing depends on them.
        if record.number(1..7).is_some_and(|batches| batches != self.batches) {
            self.add_remark(number, String::new(), "it counts other batches than there are".to_owned());
        }
        (self.of_file, self.batches, self.open) = (Totals::default(), 0, false);
    }

    fn compare_totals(&mut self, number: usize, of: &str, told: Option<Totals>, found: Totals) {
        if told == Some(found) {
            return;
        }
        let show = |sums: Totals| {
            let Totals { count, hash, debits, credits } = sums;
            format!("{count} records, hash {hash}, debits {debits}, credits {credits}")
        };
        let told = told.map_or_else(|| "something that is no number".to_owned(), show);
        let why = format!("the control of the {of} says {told}, and there are {}", show(found));
        self.add_remark(number, String::new(), why);
    }

    fn finish(mut self, last: usize) -> Result<Received, Error> {
        if !self.begun && self.found.entries.is_empty() {
            return Err(Error::invalid_record(1, "there is neither a file header nor an entry in it"));
        }
        if self.open || self.batch.is_some() {
            let why = "the file ends without its control record: the rest may be missing".to_owned();
            self.add_remark(last + 1, String::new(), why);
        }
        Ok(self.found)
    }
}

/// Records, entry hash, debits and credits of a control record.
fn control_totals(record: &Record, [count, hash, debits, credits]: [Range<usize>; 4]) -> Option<Totals> {
    Some(Totals {
        count: record.number(count)?,
        hash: record.number(hash)?,
        debits: record.number(debits)?,
        credits: record.number(credits)?,
    })
}
