//! State income tax on supplemental wages: `data/taxes/supplemental_rates.csv`.
//!
//! If an employer withholds federal income tax at the flat rates, a state uses a rate of its own, a share of the federal
//! tax, or its formula for regular wages.

use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::read::{self, Fault};
use super::source::Confidence;
use crate::amount::Amount;

static BUILT_IN: LazyLock<SupplementalTable> = LazyLock::new(|| {
    read::built_in("supplemental_rates.csv", SupplementalTable::parse(SupplementalTable::FILE))
});

/// Suffix of the keys of states' rates, such as `OH_SUPPLEMENTAL`.
const KEY: &str = "_SUPPLEMENTAL";

/// How a state taxes supplemental wages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum SupplementalMethod {
    /// A percentage of the wages, whatever the certificate says, unless it claims exemption.
    #[strum(serialize = "rate")]
    Rate,
    /// A percentage of the federal income tax on the same wages.
    #[strum(serialize = "federal_share")]
    FederalShare,
    /// The formula for regular wages.
    #[strum(serialize = "formula")]
    Formula,
}

/// The supplemental wages that a row covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum SupplementalPay {
    /// All supplemental wages that no other row of the state covers.
    #[strum(serialize = "any")]
    Any,
    /// Bonuses.
    #[strum(serialize = "bonus")]
    Bonus,
}

/// The unit to which the tax is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
enum RoundTo {
    #[strum(serialize = "0.01")]
    Cents,
    #[strum(serialize = "1")]
    Dollars,
}

/// A state's rate for supplemental wages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplementalRate {
    /// Two-letter code.
    pub state: String,
    /// First pay date.
    pub from: Date,
    /// Last pay date; `None` if still in force.
    pub to: Option<Date>,
    /// Supplemental wages covered.
    pub pay: SupplementalPay,
    /// Annual wages from which the row counts, in dollars.
    pub annual_wages_from: Amount,
    /// How the tax is calculated.
    pub method: SupplementalMethod,
    /// Percent; zero for the formula.
    pub percent: Amount,
    /// Whether the tax is rounded to whole dollars.
    pub in_dollars: bool,
    /// Whether bonuses bear the rate even where they are paid together with regular wages, which then bear the formula alone.
    pub with_wages: bool,
    /// Confidence in the rate.
    pub confidence: Confidence,
    /// Source.
    pub source: String,
    /// Remarks.
    pub note: String,
}

/// The states' rates for supplemental wages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplementalTable(Vec<SupplementalRate>);

/// A state's rates in force on a pay date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplementalRates<'a>(Vec<&'a SupplementalRate>);

/// Returns the key under which an operator confirms a state's rate.
pub fn supplemental_key(state: &str) -> String {
    format!("{state}{KEY}")
}

impl SupplementalTable {
    /// The built-in table, as text.
    pub const FILE: &'static str = include_str!("../../../../data/taxes/supplemental_rates.csv");

    /// Returns the built-in table.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses `supplemental_rates.csv`.
    ///
    /// # Errors
    /// All errors in the table, with line and field.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let columns = [
            "state",
            "effective_from",
            "effective_to",
            "pay",
            "annual_wages_from",
            "method",
            "percent",
            "round_to",
            "with_wages",
            "confidence",
            "source",
            "note",
        ];
        let mut rows = read::read_rows(csv, &columns, |row| {
            let method: SupplementalMethod = row.one_of("method")?;
            let percent = row.read_percent("percent");
            if percent.is_some() == (method == SupplementalMethod::Formula) {
                row.record_fault("percent", "must be empty for the formula, and a percentage otherwise");
            }
            let from = row.read_date("effective_from");
            if from.is_none() {
                row.record_fault("effective_from", "must be a day such as 2026-01-31");
            }
            Some(SupplementalRate {
                state: row.required_text("state"),
                from: from?,
                to: row.read_date("effective_to"),
                pay: row.one_of("pay")?,
                annual_wages_from: row.read_amount("annual_wages_from").unwrap_or_default(),
                method,
                percent: percent.unwrap_or_default(),
                in_dollars: row.one_of::<RoundTo>("round_to")? == RoundTo::Dollars,
                with_wages: row.read_yes_no("with_wages"),
                confidence: row.one_of("confidence")?,
                source: row.required_text("source"),
                note: row.column_text("note"),
            })
        })?;
        // An edition of a state ends the one before it.
        let begins: Vec<(String, Date)> = rows.iter().map(|row| (row.state.clone(), row.from)).collect();
        for row in &mut rows {
            let next = begins.iter().filter(|(state, from)| *state == row.state && *from > row.from);
            let last = next.map(|(_, from)| from.saturating_sub(1.day())).min();
            row.to = row.to.into_iter().chain(last).min();
        }
        Ok(Self(rows))
    }

    /// Returns a state's rates on a pay date for bonuses that are paid together with regular wages; `None` if the state's formula
    /// covers them.
    pub fn beside_wages(&self, state: &str, day: Date) -> Option<SupplementalRates<'_>> {
        let SupplementalRates(mut rows) = self.rates_of_state(state, day)?;
        rows.retain(|row| row.with_wages);
        (!rows.is_empty()).then_some(SupplementalRates(rows))
    }

    /// Returns every row.
    pub fn iter(&self) -> impl Iterator<Item = &SupplementalRate> {
        self.0.iter()
    }

    /// Returns a state's rates on a pay date; `None` if the formula for regular wages applies, because the table has no row
    /// or the state has no rate.
    pub fn rates_of_state(&self, state: &str, day: Date) -> Option<SupplementalRates<'_>> {
        let in_force = |row: &&SupplementalRate| row.from <= day && row.to.is_none_or(|to| day <= to);
        let rows = self.0.iter().filter(|row| row.state == state).filter(in_force);
        let rows: Vec<_> = rows.filter(|row| row.method != SupplementalMethod::Formula).collect();
        (!rows.is_empty()).then_some(SupplementalRates(rows))
    }
}

impl<'a> SupplementalRates<'a> {
    /// Returns the two-letter code of the state.
    pub fn state(&self) -> &'a str {
        self.0.first().map_or("", |row| row.state.as_str())
    }

    /// Returns the confidence in the rates: the worst of them.
    pub fn confidence(&self) -> Confidence {
        self.0.iter().map(|row| row.confidence).max().unwrap_or(Confidence::Primary)
    }

    /// Whether bonuses have their own rate.
    pub fn tells_bonuses_apart(&self) -> bool {
        self.0.iter().any(|row| row.pay == SupplementalPay::Bonus)
    }

    /// Returns the row for a kind of pay at these annual wages.
    pub fn find_rate(&self, pay: SupplementalPay, annual_wages: Amount) -> Option<&'a SupplementalRate> {
        let of_pay = |pay| {
            let rows = self.0.iter().copied();
            let rows = rows.filter(move |row| row.pay == pay && row.annual_wages_from <= annual_wages);
            rows.max_by_key(|row| row.annual_wages_from)
        };
        of_pay(pay).or_else(|| of_pay(SupplementalPay::Any))
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::withholding::state::formula::Formulas;

    fn dollars(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    fn percent(state: &str, pay: SupplementalPay, annual: &str) -> Option<String> {
        let rates = SupplementalTable::built_in().rates_of_state(state, date(2026, 11, 20))?;
        rates.find_rate(pay, dollars(annual)).map(|row| row.percent.to_text(2))
    }

    #[test]
    fn a_rate_of_the_next_year_ends_all_rates_of_the_state_before_it() {
        let next = "MA,2027-01-01,,any,,rate,4.9,0.01,no,secondary,a circular of 2027,\n";
        let table = SupplementalTable::parse(&format!("{}{next}", SupplementalTable::FILE)).unwrap();
        let percents = |day| {
            let rates = table.rates_of_state("MA", day).unwrap();
            rates.0.iter().map(|row| row.percent.to_text(2)).collect::<Vec<_>>()
        };
        assert_eq!(percents(date(2026, 12, 31)), ["5.00", "9.00"]);
        assert_eq!(percents(date(2027, 1, 1)), ["4.90"]);
    }

    #[test]
    fn every_state_with_a_formula_has_a_row() {
        for formula in Formulas::built_in().iter() {
            let mut rows = SupplementalTable::built_in().iter();
            assert!(rows.any(|row| row.state == formula.state), "{}", formula.state);
        }
    }

    #[test]
    fn california_takes_more_of_a_bonus_and_wisconsin_goes_by_the_wages_of_a_year() {
        use SupplementalPay::{Any, Bonus};
        assert_eq!(percent("CA", Any, "50000").as_deref(), Some("6.60"));
        assert_eq!(percent("CA", Bonus, "50000").as_deref(), Some("10.23"));
        assert_eq!(percent("NY", Bonus, "50000").as_deref(), Some("11.70"));
        for (annual, expected) in
            [("12759.99", "3.54"), ("12760", "4.65"), ("100000", "5.30"), ("300000", "7.65")]
        {
            assert_eq!(percent("WI", Bonus, annual).as_deref(), Some(expected), "{annual}");
        }
        assert_eq!(percent("NJ", Any, "50000"), None, "New Jersey has no rate");
    }

    #[test]
    fn a_rate_counts_from_its_day_and_one_from_memory_says_so() {
        let table = SupplementalTable::built_in();
        let georgia = |day| {
            table
                .rates_of_state("GA", day)
                .unwrap()
                .find_rate(SupplementalPay::Any, Amount::ZERO)
                .unwrap()
                .percent
        };
        assert_eq!(georgia(date(2026, 5, 10)), dollars("5.19"));
        assert_eq!(georgia(date(2026, 5, 11)), dollars("4.99"));
        assert_eq!(table.rates_of_state("OH", date(2026, 6, 1)).unwrap().confidence(), Confidence::Memory);
        assert!(table.rates_of_state("CA", date(2026, 6, 1)).unwrap().confidence().is_enough());
    }

    #[test]
    fn a_fault_names_line_and_field() {
        let head = "state,effective_from,effective_to,pay,annual_wages_from,method,percent,round_to,with_wages,\
                    confidence,source,note\n";
        let faulty = format!(
            "{head}XX,,,any,,rate,,0.01,no,memory,law,\nXX,2026-01-01,,any,,formula,5,0.01,no,memory,law,\n"
        );
        let faults = SupplementalTable::parse(&faulty).unwrap_err();
        let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "line 2, percent: must be empty for the formula, and a percentage otherwise",
                "line 2, effective_from: must be a day such as 2026-01-31",
                "line 3, percent: must be empty for the formula, and a percentage otherwise",
            ]
        );
    }
}
