//! Credits that Ohio's cities give residents for the tax of a city of work: `data/taxes/ohio_credits.csv`.
//!
//! Each city decides on its credit (ORC 718.04(D)). It matters to an employer that withholds for the city of residence
//! by agreement: the tax withheld is the city's tax less its credit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::read::{self, Fault};
use super::source::Confidence;
use crate::amount::{Amount, Rounding};

/// Suffix of the keys of credits, such as `OH_16000_CREDIT`.
const CREDIT: &str = "_CREDIT";

static BUILT_IN: LazyLock<OhioCreditTable> =
    LazyLock::new(|| read::built_in("ohio_credits.csv", OhioCreditTable::parse(OhioCreditTable::FILE)));

/// The credit that a city of residence gives for the tax of the city of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OhioCredit {
    /// Percent of the part of the work tax that counts.
    pub percent: Amount,
    /// Highest work rate that counts, in percent; `None` for the city's own rate.
    pub up_to: Option<Amount>,
    /// Where it comes from.
    pub source: String,
}

impl OhioCredit {
    /// Returns the credit in percent of the wages, for a city of work with the rate `at_work` and a city of residence with
    /// the rate `own`. `None` on overflow.
    pub(super) fn of_wages(&self, at_work: Amount, own: Amount) -> Option<Amount> {
        let counts = at_work.min(self.up_to.unwrap_or(own));
        counts.mul_ratio(self.percent.millionths(), 100_000_000, Rounding::Down)
    }
}

/// The credit of a city of residence, as the employer has it from the city's ordinance.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToldCredit {
    /// Percent of the part of the work tax that counts.
    pub percent: Amount,
    /// Highest work rate that counts, in percent; `None` for the city's own rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<Amount>,
}

impl ToldCredit {
    /// Returns it as a credit, with its source.
    pub(super) fn credit(&self) -> OhioCredit {
        OhioCredit { percent: self.percent, up_to: self.up_to, source: "the employer's answer".to_owned() }
    }
}

/// A city's credit, with its effective dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OhioCreditRow {
    /// Name of the city.
    pub city: String,
    /// The credit.
    pub credit: OhioCredit,
    /// First pay date; `None` if long in force.
    pub from: Option<Date>,
    /// Last pay date; `None` if still in force.
    pub to: Option<Date>,
    /// Confidence in the credit.
    pub confidence: Confidence,
    /// Remarks.
    pub note: String,
}

/// Credits by the key of the city, such as `OH-16000`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OhioCreditTable(BTreeMap<String, Vec<OhioCreditRow>>);

impl OhioCreditTable {
    /// The built-in table, as text.
    pub const FILE: &'static str = include_str!("../../../../data/taxes/ohio_credits.csv");

    /// Returns the built-in table.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses `ohio_credits.csv`.
    ///
    /// # Errors
    /// All errors in the table, with line and field; two credits of a city on one day are an error.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        const COLUMNS: [&str; 9] = [
            "place",
            "city",
            "percent",
            "up_to",
            "effective_from",
            "effective_to",
            "confidence",
            "source",
            "note",
        ];
        let mut table: BTreeMap<String, Vec<OhioCreditRow>> = BTreeMap::new();
        read::read_rows(csv, &COLUMNS, |row| {
            let place = row.required_text("place");
            row.required_text("percent");
            let credit = OhioCredit {
                percent: row.read_percent("percent")?,
                up_to: row.read_percent("up_to"),
                source: row.required_text("source"),
            };
            let read = OhioCreditRow {
                city: row.required_text("city"),
                credit,
                from: row.read_date("effective_from"),
                to: row.read_date("effective_to"),
                confidence: row.one_of("confidence")?,
                note: row.column_text("note"),
            };
            let of_city = table.entry(place).or_default();
            if of_city.iter().any(|other| other.overlaps(&read)) {
                row.record_fault("place", "an earlier row has a credit of the same city on the same day");
            }
            of_city.push(read);
            Some(())
        })?;
        Ok(Self(table))
    }

    /// Returns a city's credit on a pay date.
    pub fn get(&self, place: &str, day: Date) -> Option<&OhioCreditRow> {
        self.0
            .get(place)?
            .iter()
            .find(|row| row.from.is_none_or(|from| from <= day) && row.to.is_none_or(|to| day <= to))
    }

    /// Whether an employer is asked for a city's credit: no row is sure of it or was confirmed.
    pub fn asks_for(&self, place: &str, day: Date, confirmed: &BTreeSet<String>) -> bool {
        let row = self.get(place, day);
        row.is_none_or(|row| !row.confidence.is_enough() && !confirmed.contains(&credit_key(place)))
    }

    /// Returns every row with the key of its city.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &OhioCreditRow)> {
        self.0.iter().flat_map(|(place, rows)| rows.iter().map(move |row| (place.as_str(), row)))
    }
}

impl OhioCreditRow {
    fn overlaps(&self, other: &Self) -> bool {
        let begins_by =
            |from: Option<Date>, to: Option<Date>| from.zip(to).is_none_or(|(from, to)| from <= to);
        begins_by(self.from, other.to) && begins_by(other.from, self.to)
    }
}

/// Returns the key under which a city's credit is confirmed, such as `OH_16000_CREDIT`.
pub fn credit_key(place: &str) -> String {
    format!("{}{CREDIT}", place.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::super::{Applies, TaxTable};
    use super::*;

    const HEADER: &str = "place,city,percent,up_to,effective_from,effective_to,confidence,source,note\n";

    fn amount(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    #[test]
    fn every_credit_is_of_a_city_that_taxes_its_residents_and_has_that_name() {
        for (place, row) in OhioCreditTable::built_in().iter() {
            let city = TaxTable::built_in_local()
                .of_place(place)
                .iter()
                .find(|tax| tax.applies == Applies::OhioCity);
            let name =
                city.unwrap_or_else(|| panic!("{place} is no city of Ohio")).name.replace("St. ", "Saint ");
            let called = row.city.replace("Mt ", "Mount ").replace("St. ", "Saint ");
            assert_eq!(name, format!("{called} city tax"), "{place}");
        }
        // docs/payroll-taxes.md and data/README.md state these numbers.
        let rows = || OhioCreditTable::built_in().iter().map(|(_, row)| row.confidence);
        assert_eq!((rows().filter(|confidence| confidence.is_enough()).count(), rows().count()), (31, 100));
    }

    #[test]
    fn a_credit_is_a_part_of_the_rate_at_work_as_far_as_it_counts() {
        let credit = |percent: &str, up_to: Option<&str>| OhioCredit {
            percent: amount(percent),
            up_to: up_to.map(amount),
            source: String::new(),
        };
        let of = |credit: OhioCredit, at_work: &str, own: &str| credit.of_wages(amount(at_work), amount(own));
        assert_eq!(of(credit("100", None), "2.5", "2"), Some(amount("2")));
        assert_eq!(of(credit("100", None), "1.8", "2"), Some(amount("1.8")));
        assert_eq!(of(credit("100", Some("1.65")), "2.5", "2.5"), Some(amount("1.65")));
        assert_eq!(of(credit("87.5", None), "2.5", "2"), Some(amount("1.75")));
        assert_eq!(of(credit("0", None), "2.5", "2"), Some(Amount::ZERO));
    }

    #[test]
    fn two_credits_of_a_city_on_one_day_are_a_fault_and_one_after_another_is_none() {
        let rows = |first: &str, second: &str| {
            let row = |days: &str| format!("OH-1,A,100,,{days},primary,code,\n");
            OhioCreditTable::parse(&format!("{HEADER}{}{}", row(first), row(second)))
        };
        let both = rows(",2025-12-31", "2026-01-01,").unwrap();
        let day = |text: &str| text.parse::<Date>().unwrap();
        assert_eq!(both.get("OH-1", day("2026-01-01")).unwrap().from, Some(day("2026-01-01")));
        assert_eq!(both.get("OH-1", day("2025-12-31")).unwrap().from, None);
        assert_eq!(both.get("OH-2", day("2026-01-01")), None);
        assert_eq!(rows(",2026-01-01", "2026-01-01,").unwrap_err()[0].line, 3);
        assert_eq!(
            OhioCreditTable::parse(&format!("{HEADER}OH-1,A,101,,,,primary,code,\n")).unwrap_err()[0].field,
            "percent"
        );
    }
}
