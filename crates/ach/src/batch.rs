//! Payments of one originator, of one kind, on one day.

use jiff::civil::Date;

use crate::entry::{Direction, Entry};
use crate::field::{Record, name_field};
use crate::{Error, Routing};

/// The largest number of entries in a batch: a trace number has seven digits for them.
pub const MOST_ENTRIES: usize = 9_999_999;

/// Who sends the payments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Originator {
    /// as receivers see it, at most 16 characters
    pub name: String,
    /// the ten-character company identification assigned by the bank, such as 1 and the EIN
    pub id: String,
    /// its bank
    pub bank: Routing,
}

/// Kind of payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// to or from a person (PPD)
    Person,
    /// to or from an organization, with an addendum or without (CCD)
    Organization,
}

impl Kind {
    /// Its code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "PPD",
            Self::Organization => "CCD",
        }
    }
}

/// Whether a batch contains credits, debits or both (its service class).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Service {
    /// both ways
    Mixed,
    /// credits alone
    Credits,
    /// debits alone
    Debits,
}

impl Service {
    /// Its code.
    pub fn code(self) -> u64 {
        match self {
            Self::Mixed => 200,
            Self::Credits => 220,
            Self::Debits => 225,
        }
    }
}

/// Payments of one originator, of one kind, on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// who sends them
    pub originator: Originator,
    /// of which kind they are
    pub kind: Kind,
    /// what receivers see, at most 10 characters, such as PAYROLL
    pub description: String,
    /// the descriptive date that receivers see, if any
    pub descriptive_date: Option<Date>,
    /// the day on which the money is to move
    pub effective: Date,
    /// the payments
    pub entries: Vec<Entry>,
}

/// Totals of a batch or of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// entries and addenda
    pub count: u64,
    /// entry hash: the sum of the entries' bank numbers, of which ten digits are kept
    pub hash: u64,
    /// cents out of accounts
    pub debits: u64,
    /// cents into accounts
    pub credits: u64,
}

impl Totals {
    /// Adds others.
    #[must_use]
    pub fn add_totals(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            hash: (self.hash + other.hash) % 10_000_000_000,
            debits: self.debits + other.debits,
            credits: self.credits + other.credits,
        }
    }
}

impl Batch {
    /// Which way the money goes.
    pub fn service(&self) -> Service {
        let any = |direction| self.entries.iter().any(|entry| entry.direction == direction);
        match (any(Direction::Credit), any(Direction::Debit)) {
            (true, true) => Service::Mixed,
            (_, false) => Service::Credits,
            (false, true) => Service::Debits,
        }
    }

    /// Its totals.
    pub fn totals(&self) -> Totals {
        self.entries.iter().fold(Totals::default(), |sum, entry| {
            let (debits, credits) = match entry.direction {
                Direction::Debit => (entry.cents, 0),
                Direction::Credit => (0, entry.cents),
            };
            sum.add_totals(Totals {
                count: entry.record_count(),
                hash: entry.routing.hash(),
                debits,
                credits,
            })
        })
    }

    /// The batch that reverses the payments of another one: each entry in the opposite direction, under the description that the
    /// rules require (Nacha Operating Rules, Subsection 2.9). Prenotes have nothing to reverse.
    pub fn reversing_batch(&self, effective: Date) -> Self {
        let back = |entry: &Entry| {
            let direction = match entry.direction {
                Direction::Credit => Direction::Debit,
                Direction::Debit => Direction::Credit,
            };
            Entry { direction, addendum: None, ..entry.clone() }
        };
        Self {
            description: "REVERSAL".to_owned(),
            effective,
            entries: self.entries.iter().filter(|entry| !entry.is_prenote()).map(back).collect(),
            ..self.clone()
        }
    }

    /// The trace number of an entry: eight digits of the originating bank, and the sequence number of the entry, from 1.
    pub fn trace_number(&self, place: u64) -> String {
        format!("{}{place:07}", self.originator.bank.bank_digits())
    }

    /// Writes the batch with its number. Traces of its entries begin after `traced`.
    pub(crate) fn write_records(
        &self,
        number: u64,
        traced: u64,
        lines: &mut Vec<String>,
    ) -> Result<(), Error> {
        if self.entries.is_empty() {
            return Err(Error::invalid_field("entries", "can't be none: a batch has at least one"));
        }
        if traced + self.entries.len() as u64 > MOST_ENTRIES as u64 {
            return Err(Error::invalid_field("entries", format!("must be at most {MOST_ENTRIES} in a file")));
        }
        if self.originator.id.len() != 10 {
            return Err(Error::invalid_field("originator's identification", "must have ten characters"));
        }
        let (service, bank) = (self.service().code(), self.originator.bank.bank_digits());
        let header = Record::new('5')
            .number_field("service class", service, 3)?
            .text_field("originator's name", &name_field(&self.originator.name, 16), 16)?
            .blank_field(20)
            .text_field("originator's identification", &self.originator.id, 10)?
            .fixed_text(self.kind.as_str())
            .text_field("description", &self.description, 10)?;
        let header = match self.descriptive_date {
            Some(day) => header.date_field(day),
            None => header.blank_field(6),
        };
        let header = header
            .date_field(self.effective)
            .blank_field(3)
            .fixed_text("1")
            .fixed_text(bank)
            .number_field("batch number", number, 7)?;
        lines.push(header.finish());
        for (place, entry) in (traced + 1..).zip(&self.entries) {
            entry.write_records(&self.trace_number(place), lines)?;
        }
        let totals = self.totals();
        let control = Record::new('8')
            .number_field("service class", service, 3)?
            .number_field("entries and addenda", totals.count, 6)?
            .number_field("entry hash", totals.hash, 10)?
            .number_field("debits", totals.debits, 12)?
            .number_field("credits", totals.credits, 12)?
            .text_field("originator's identification", &self.originator.id, 10)?
            .blank_field(25)
            .fixed_text(bank)
            .number_field("batch number", number, 7)?;
        lines.push(control.finish());
        Ok(())
    }
}
