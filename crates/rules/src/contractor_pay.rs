//! Pay of contractors: what a payment comes to, backup withholding, and from which amount a year is reported on Form 1099-NEC.
//!
//! Backup withholding is a share of reportable pay (26 U.S.C. 3406): wages, hours and bonuses. Expenses reimbursed under an accountable plan are
//! not reportable (26 CFR 1.6041-3(h)).

use jiff::civil::{Date, date};
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Named as _;
use crate::amount::{Amount, Rounding};
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// A figure of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
enum Figure {
    #[strum(serialize = "backup_withholding_percent")]
    BackupWithholding,
    #[strum(serialize = "reporting_threshold")]
    ReportingThreshold,
}

/// A row: the figure applies from a day on, until the next row.
#[derive(Debug, Clone, Deserialize)]
struct Row {
    figure: String,
    from: Date,
    value: i64,
    confidence: Confidence,
}

/// The rate of backup withholding and the thresholds of reports, by day.
#[derive(Debug, Clone)]
pub struct ContractorPayTable(Vec<Row>);

impl ContractorPayTable {
    /// The built-in table, as text.
    pub const FILE: &'static str = include_str!("../../../data/contractor_pay.csv");

    /// Parses the layout of `contractor_pay.csv`.
    ///
    /// # Errors
    /// A row is malformed, or names no known figure.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let rows: Vec<Row> = csv_rows(csv)?;
        match rows.iter().find(|row| Figure::parse(&row.figure).is_none()) {
            Some(row) => {
                Err(TableError::new(format!("{}: must be one of {}", row.figure, Figure::names().join(", "))))
            }
            None => Ok(Self(rows)),
        }
    }

    /// Returns the rows: what each is about, and its first day, with its figures.
    pub fn rows(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().map(|row| (format!("{} from {}", row.figure, row.from), format!("{row:?}")))
    }

    fn row_on(&self, figure: Figure, day: Date) -> Option<&Row> {
        let of = |row: &&Row| row.figure == figure.as_str() && row.from <= day && row.confidence.is_enough();
        self.0.iter().filter(of).max_by_key(|row| row.from)
    }

    /// Returns the backup withholding of a payment on a day, to the cent.
    pub fn backup_withholding(&self, day: Date, reportable: Amount) -> Amount {
        let Some(row) = self.row_on(Figure::BackupWithholding, day) else { return Amount::ZERO };
        let share = reportable.mul_ratio(row.value, 100, Rounding::HalfUp);
        share.map_or(Amount::ZERO, |share| share.round_to_cents(Rounding::HalfUp))
    }

    /// Returns the dollars from which the pay of a year is reported: that of the newest row. `None` before the first.
    pub fn reporting_threshold(&self, year: i16) -> Option<Amount> {
        self.row_on(Figure::ReportingThreshold, date(year, 1, 1))
            .map(|row| Amount::from_cents(row.value * 100))
    }

    /// Whether the pay of a year is reported: it reaches the threshold, or something was withheld from it.
    pub fn is_reported(&self, year: i16, reportable: Amount, withheld: Amount) -> bool {
        withheld > Amount::ZERO || self.reporting_threshold(year).is_some_and(|least| reportable >= least)
    }
}

/// Why backup withholding applies to a contractor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Reason {
    /// the payer was told to withhold, or the contractor did not certify that it is exempt (26 U.S.C. 3406(a)(1)(B) to (D))
    #[strum(serialize = "required")]
    Required,
    /// no taxpayer identification number is on file (26 U.S.C. 3406(a)(1)(A))
    #[strum(serialize = "no_tin")]
    NoTin,
}

impl Reason {
    /// Returns the reason in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Required => "the contractor is subject to backup withholding",
            Self::NoTin => "no taxpayer identification number is on file",
        }
    }
}

/// What a contractor is paid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pay {
    /// fixed pay
    pub wage: Amount,
    /// hours worked
    pub hours: Amount,
    /// dollars per hour
    pub hourly_rate: Amount,
    /// bonus
    pub bonus: Amount,
    /// reimbursed expenses
    pub reimbursement: Amount,
}

impl Pay {
    /// Returns the pay for the hours, to the cent; `None` if it is out of range.
    pub fn for_hours(&self) -> Option<Amount> {
        let pay = self.hourly_rate.mul_ratio(self.hours.millionths(), 1_000_000, Rounding::HalfUp)?;
        (pay <= crate::amount::MAX_AMOUNT).then(|| pay.round_to_cents(Rounding::HalfUp))
    }

    /// Returns the reportable pay: hours, wage and bonus; `None` if it is out of range.
    pub fn reportable_pay(&self) -> Option<Amount> {
        self.for_hours()?.checked_add(self.wage)?.checked_add(self.bonus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dollars(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    fn built_in() -> ContractorPayTable {
        ContractorPayTable::parse(ContractorPayTable::FILE).unwrap()
    }

    #[test]
    fn a_figure_that_the_table_does_not_know_is_refused() {
        let header = ContractorPayTable::FILE.lines().next().unwrap();
        let why = ContractorPayTable::parse(&format!("{header}\nreport_from,2027-01-01,2050,primary,x\n"))
            .unwrap_err();
        assert_eq!(
            why.to_string(),
            "report_from: must be one of backup_withholding_percent, reporting_threshold"
        );
    }

    #[test]
    fn a_quarter_less_one_percent_is_withheld_to_the_cent() {
        let day = date(2026, 6, 18);
        let backup_withholding = |day, pay| built_in().backup_withholding(day, pay);
        assert_eq!(backup_withholding(day, dollars("1000")), dollars("240"));
        assert_eq!(backup_withholding(day, dollars("0.02")), dollars("0"), "0.0048");
        assert_eq!(backup_withholding(day, dollars("0.03")), dollars("0.01"), "0.0072");
        assert_eq!(backup_withholding(date(2017, 12, 31), dollars("1000")), Amount::ZERO, "no row so early");
    }

    #[test]
    fn a_year_is_reported_from_its_threshold_on_or_when_anything_was_withheld() {
        let table = built_in();
        let reporting_threshold = |year| table.reporting_threshold(year);
        let is_reported = |year, pay, withheld| table.is_reported(year, pay, withheld);
        assert_eq!(reporting_threshold(2025), Some(dollars("600")));
        assert_eq!(reporting_threshold(2026), Some(dollars("2000")));
        assert_eq!(reporting_threshold(2014), None);
        assert!(!is_reported(2026, dollars("1999.99"), Amount::ZERO));
        assert!(is_reported(2026, dollars("2000"), Amount::ZERO));
        assert!(is_reported(2026, dollars("10"), dollars("2.40")));
        assert!(is_reported(2025, dollars("600"), Amount::ZERO));
        assert!(!is_reported(2025, dollars("599.99"), Amount::ZERO));
    }

    #[test]
    fn reimbursed_expenses_are_not_reportable_and_hours_are_paid_to_the_cent() {
        let pay = Pay {
            hours: dollars("10.333"),
            hourly_rate: dollars("50"),
            bonus: dollars("25"),
            reimbursement: dollars("80"),
            ..Pay::default()
        };
        assert_eq!(pay.for_hours(), Some(dollars("516.65")));
        assert_eq!(pay.reportable_pay(), Some(dollars("541.65")));
        let far = Pay { hours: dollars("9000000000"), hourly_rate: dollars("999999"), ..Pay::default() };
        assert_eq!(far.reportable_pay(), None);
    }

    #[test]
    fn every_row_names_a_figure_that_counts() {
        for row in &built_in().0 {
            assert!(Figure::parse(&row.figure).is_some(), "{}", row.figure);
            assert!(row.confidence.is_enough() && row.value > 0);
        }
    }
}
