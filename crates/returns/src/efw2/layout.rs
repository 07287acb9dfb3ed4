//! Fields of the records by position, a table by tax year.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rules::taxes::Confidence;
use rules::withholding::TableError;
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::RECORD;
use crate::Error;
use crate::table::{built_in, deserialize_word, deserialize_yes_no, read_rows};

/// Records of the file, in their order.
pub const RECORDS: [&str; 9] = ["RA", "RE", "RW", "RO", "RS", "RT", "RU", "RV", "RF"];

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Kind {
    /// the name of the record
    #[strum(serialize = "constant")]
    Constant,
    /// digits, right-aligned and padded with zeros; blanks if there is nothing
    #[strum(serialize = "number")]
    Number,
    /// text, left-aligned and padded with blanks
    #[strum(serialize = "text")]
    Text,
    /// cents, right-aligned and padded with zeros
    #[strum(serialize = "money")]
    Money,
    /// 0 or 1
    #[strum(serialize = "flag")]
    Flag,
    /// blanks
    #[strum(serialize = "blank")]
    Blank,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Field {
    pub(super) year: i16,
    pub(super) record: String,
    /// its key
    #[serde(rename = "field")]
    pub key: String,
    /// first position, from 1
    pub from: usize,
    /// last position
    pub to: usize,
    /// what it holds
    #[serde(deserialize_with = "deserialize_word")]
    pub kind: Kind,
    /// whether it can't be left out
    #[serde(deserialize_with = "deserialize_yes_no")]
    pub required: bool,
    /// key of the field whose values it adds up; empty for others
    #[serde(default)]
    pub sum_of: String,
    /// how far the position can be trusted
    pub confidence: Confidence,
}

impl Field {
    /// Number of characters.
    pub fn width(&self) -> usize {
        self.to + 1 - self.from
    }
}

/// An amount whose position is not known.
#[derive(Debug, Clone, Deserialize)]
struct Open {
    year: i16,
    amount: String,
    why: String,
}

/// The layout of a tax year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// the tax year
    pub year: i16,
    pub(super) records: BTreeMap<String, Vec<Field>>,
    pub(super) open: BTreeMap<String, String>,
}

impl Layout {
    /// Returns the fields of a record, in order.
    pub fn record_fields(&self, record: &str) -> &[Field] {
        self.records.get(record).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns a field of a record.
    pub fn find_field(&self, record: &str, key: &str) -> Option<&Field> {
        self.record_fields(record).iter().find(|field| field.key == key)
    }

    /// Whether a record of employees has a field for an amount.
    fn has_amount(&self, amount: &str) -> bool {
        ["RW", "RO"].iter().any(|record| {
            self.record_fields(record)
                .iter()
                .any(|field| field.key == amount || field.key.starts_with(&format!("{amount}_")))
        })
    }

    /// Returns why the position of an amount is not known; `None` if it is, or if nothing is said about it.
    pub fn reason_unknown(&self, key: &str) -> Option<&str> {
        self.open.get(key).map(String::as_str)
    }

    /// Returns the amounts without a known position, with the reason.
    pub fn open_amounts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.open.iter().map(|(amount, why)| (amount.as_str(), why.as_str()))
    }

    /// Checks that the records have no gap, and that sums add up a field that exists.
    fn check_table(&self) -> Result<(), TableError> {
        let fault =
            |record: &str, why: String| Err(TableError::new(format!("{}: {record}: {why}", self.year)));
        for record in RECORDS {
            let mut next = 1;
            for field in self.record_fields(record) {
                if field.from != next || field.to < field.from || field.to > RECORD {
                    return fault(record, format!("{} must begin at {next}", field.key));
                }
                let of = if record == "RU" { "RO" } else { "RW" };
                if !field.sum_of.is_empty() && self.find_field(of, &field.sum_of).is_none() {
                    return fault(record, format!("{of} has no field {}", field.sum_of));
                }
                let twice =
                    self.record_fields(record).iter().filter(|other| other.key == field.key).count() > 1;
                if twice && field.kind != Kind::Blank {
                    return fault(record, format!("{} is there twice", field.key));
                }
                next = field.to + 1;
            }
            if next != RECORD + 1 {
                return fault(record, format!("ends at {}, not at {RECORD}", next - 1));
            }
        }
        Ok(())
    }
}

/// The layouts, by tax year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layouts(BTreeMap<i16, Layout>);

impl Layouts {
    /// The built-in layouts, as text.
    pub const FILE: &'static str = include_str!("../../../../data/returns/efw2.csv");
    /// The amounts without a known position, as text.
    pub const OPEN: &'static str = include_str!("../../../../data/returns/efw2_open.csv");

    /// Returns the built-in layouts.
    ///
    /// # Panics
    /// Never: tests read them.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<Layouts> =
            LazyLock::new(|| built_in("efw2.csv", Layouts::parse(Layouts::FILE, Layouts::OPEN)));
        &TABLE
    }

    /// Parses layouts of `efw2.csv`, with the amounts that the built-in one of their year leaves open.
    ///
    /// # Errors
    /// As [`Layouts::parse`].
    pub fn of_fields(fields: &str) -> Result<Self, TableError> {
        Self::parse(fields, Self::OPEN)
    }

    /// Returns the layouts in the order of their years.
    pub fn iter(&self) -> impl Iterator<Item = &Layout> {
        self.0.values()
    }

    /// Parses the layouts of `efw2.csv` and `efw2_open.csv`.
    ///
    /// # Errors
    /// A row is malformed, or a record has gaps.
    pub fn parse(fields: &str, open: &str) -> Result<Self, TableError> {
        let mut layouts: BTreeMap<i16, Layout> = BTreeMap::new();
        for field in read_rows::<Field>(fields)? {
            if !RECORDS.contains(&field.record.as_str()) {
                return Err(TableError::new(format!("{}: {} is no record", field.year, field.record)));
            }
            let (year, records, open) = (field.year, BTreeMap::new(), BTreeMap::new());
            let layout = layouts.entry(year).or_insert(Layout { year, records, open });
            layout.records.entry(field.record.clone()).or_default().push(field);
        }
        for Open { year, amount, why } in read_rows(open)? {
            let layout = layouts.get_mut(&year);
            let layout = layout.ok_or_else(|| TableError::new(format!("{year} has no layout")))?;
            // A newer edition of the layout may know the position.
            if !layout.has_amount(&amount) {
                layout.open.insert(amount, why);
            }
        }
        layouts.values().try_for_each(Layout::check_table)?;
        Ok(Self(layouts))
    }

    /// Returns the tax years that are entered.
    pub fn years(&self) -> impl Iterator<Item = i16> {
        self.0.keys().copied()
    }

    /// Returns the layout of a tax year.
    ///
    /// # Errors
    /// It is not entered.
    pub fn layout_of_year(&self, year: i16) -> Result<&Layout, Error> {
        let known = || self.0.keys().copied().collect();
        self.0.get(&year).ok_or_else(|| Error::Year {
            what: "the layout of EFW2 files",
            year,
            known: known(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_layout_has_every_position_of_every_record() {
        let layout = Layouts::built_in().layout_of_year(2026).unwrap();
        for record in RECORDS {
            let width: usize = layout.record_fields(record).iter().map(Field::width).sum();
            assert_eq!(width, RECORD, "{record}");
        }
    }

    #[test]
    fn a_year_that_is_not_entered_is_refused_with_those_that_are() {
        let refused = Layouts::built_in().layout_of_year(2027).unwrap_err().to_string();
        assert!(refused.contains("2027") && refused.ends_with("they have 2026"), "{refused}");
    }

    #[test]
    fn a_gap_or_an_unknown_sum_is_a_fault_of_the_table() {
        let gap = Layouts::FILE.replace("2026,RW,ssn,3,11,", "2026,RW,ssn,4,11,");
        assert!(Layouts::parse(&gap, Layouts::OPEN).unwrap_err().to_string().contains("must begin at 3"));
        let sum = Layouts::FILE.replace(",money,yes,box_1,", ",money,yes,box_99,");
        assert!(
            Layouts::parse(&sum, Layouts::OPEN).unwrap_err().to_string().contains("RW has no field box_99")
        );
    }
}
