//! The whole file.

use jiff::civil::DateTime;

use crate::batch::{Batch, Totals};
use crate::field::{Record, name_field};
use crate::{BLOCK, Error, RECORD, Routing};

/// The largest number of batches in a file.
pub const MOST_BATCHES: usize = 999_999;

/// The sender and the destination of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// the bank that takes the file
    pub destination: Routing,
    /// its name, truncated to 23 characters
    pub destination_name: String,
    /// the ten-character identification of the sender at that bank
    pub origin: String,
    /// the sender's name, truncated to 23 characters
    pub origin_name: String,
    /// when it was made
    pub made: DateTime,
    /// distinguishes files of one day: A to Z, then 0 to 9
    pub modifier: char,
    /// the sender's own reference, at most 8 characters
    pub reference: String,
}

/// A file of payments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// sender and destination
    pub header: Header,
    /// the originator's last trace sequence number before this file: its traces continue from there, so that a return
    /// identifies one entry among all files
    pub traced: u64,
    /// the payments
    pub batches: Vec<Batch>,
}

/// The control totals of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Control {
    /// its batches
    pub batches: u64,
    /// blocks of ten records
    pub blocks: u64,
    /// sums over all batches
    pub totals: Totals,
}

impl File {
    /// The trace number of an entry, by the index of its batch and its own index, each from 0.
    pub fn trace_number(&self, batch: usize, entry: usize) -> Option<String> {
        let before: usize = self.batches.iter().take(batch).map(|one| one.entries.len()).sum();
        let one = self.batches.get(batch).filter(|one| entry < one.entries.len())?;
        Some(one.trace_number(self.traced + (before + entry + 1) as u64))
    }

    /// Writes the file: records that each end with a line feed. Its traces continue those of earlier files.
    ///
    /// # Errors
    /// A value does not fit its field, or there is nothing to send.
    pub fn write_records(&self) -> Result<(String, Control), Error> {
        if self.batches.is_empty() {
            return Err(Error::invalid_field("batches", "can't be none: a file has at least one"));
        }
        if self.batches.len() > MOST_BATCHES {
            return Err(Error::invalid_field("batches", format!("must be at most {MOST_BATCHES}")));
        }
        let mut lines = vec![self.header.write_record()?];
        let (mut totals, mut traced) = (Totals::default(), self.traced);
        for (number, batch) in (1..).zip(&self.batches) {
            batch.write_records(number, traced, &mut lines)?;
            traced += batch.entries.len() as u64;
            totals = totals.add_totals(batch.totals());
        }
        let blocks = (lines.len() + 1).div_ceil(BLOCK);
        let control = Control { batches: self.batches.len() as u64, blocks: blocks as u64, totals };
        lines.push(control.write_record()?);
        lines.resize(blocks * BLOCK, "9".repeat(RECORD));
        let mut text = lines.join("\n");
        text.push('\n');
        Ok((text, control))
    }
}

impl Header {
    fn write_record(&self) -> Result<String, Error> {
        if !matches!(self.modifier, 'A'..='Z' | '0'..='9') {
            return Err(Error::invalid_field("file id modifier", "must be a capital letter or a digit"));
        }
        if self.origin.len() != 10 {
            return Err(Error::invalid_field("immediate origin", "must have ten characters"));
        }
        let record = Record::new('1')
            .fixed_text("01")
            .blank_field(1)
            .fixed_text(self.destination.as_str())
            .text_field("immediate origin", &self.origin, 10)?
            .date_field(self.made.date())
            .fixed_text(&format!("{:02}{:02}", self.made.hour(), self.made.minute()))
            .text_field("file id modifier", &self.modifier.to_string(), 1)?
            .fixed_text("094101")
            .text_field("immediate destination name", &name_field(&self.destination_name, 23), 23)?
            .text_field("immediate origin name", &name_field(&self.origin_name, 23), 23)?
            .text_field("reference code", &self.reference, 8)?;
        Ok(record.finish())
    }
}

impl Control {
    fn write_record(&self) -> Result<String, Error> {
        let record = Record::new('9')
            .number_field("batches", self.batches, 6)?
            .number_field("blocks", self.blocks, 6)?
            .number_field("entries and addenda", self.totals.count, 8)?
            .number_field("entry hash", self.totals.hash, 10)?
            .number_field("debits", self.totals.debits, 12)?
            .number_field("credits", self.totals.credits, 12)?
            .blank_field(39);
        Ok(record.finish())
    }
}
