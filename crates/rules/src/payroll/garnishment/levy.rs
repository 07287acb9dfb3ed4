//! Tax levies: the pay exempt from a federal levy (26 USC 6334(d), Publication 1494).
//!
//! The exempt amount of a year is the standard deduction for the employee's filing status plus an amount for each dependent,
//! plus the additional standard deduction for being 65 or blind. Publication 1494 prints these amounts for each pay period,
//! divided by its periods per year and rounded half up, and adds them up. The amounts are those of the year of the employee's
//! statement; an employee who gives none is treated as married filing separately without dependents (Form 668-W, Part 3).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::named::serde_by_name;
use crate::payroll::PeriodsPaid;
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

static BUILT_IN: LazyLock<LevyExemptions> = LazyLock::new(|| {
    LevyExemptions::parse(LevyExemptions::FILE)
        .unwrap_or_else(|error| panic!("levy_exemptions.csv is not a table: {error}"))
});

/// Filing status on the employee's statement.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, VariantArray, IntoStaticStr, EnumString,
)]
pub enum LevyFilingStatus {
    /// Single.
    #[strum(serialize = "single")]
    Single,
    /// Married filing jointly, and surviving spouses.
    #[strum(serialize = "married_filing_jointly")]
    MarriedFilingJointly,
    /// Head of household.
    #[strum(serialize = "head_of_household")]
    HeadOfHousehold,
    /// Married filing separately; applies to an employee who gave no statement.
    #[default]
    #[strum(serialize = "married_filing_separately")]
    MarriedFilingSeparately,
}

serde_by_name!(LevyFilingStatus);

/// What a tax levy states about the employee.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxLevy {
    /// Filing status on the statement.
    pub filing_status: LevyFilingStatus,
    /// Number of dependents on the statement.
    pub dependents: i64,
    /// Number of additional standard deductions: the employee and the spouse each count once for being 65 or older and once for
    /// blindness.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub additional: i64,
    /// Year of the exempt amounts; defaults to the year in which the levy was served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i16>,
    /// Two-letter code of the state that levies; `None` for a federal levy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// A levy about which the employee gave no statement: the exempt amount of married filing separately, no dependents, stays (26 CFR
/// 301.6334-2(b)).
pub(super) static WITHOUT_STATEMENT: TaxLevy = TaxLevy {
    filing_status: LevyFilingStatus::MarriedFilingSeparately,
    dependents: 0,
    additional: 0,
    year: None,
    state: None,
};

/// Exempt amounts of a year for a filing status, in dollars per year.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LevyExemption {
    /// The year.
    pub year: i16,
    /// Filing status.
    pub filing_status: LevyFilingStatus,
    /// Standard deduction.
    pub standard_deduction: Amount,
    /// Amount per dependent.
    pub dependent: Amount,
    /// Amount each time the employee or the spouse is 65 or older, or blind (26 USC 63(f)); `None` if not in the table.
    #[serde(default)]
    pub additional: Option<Amount>,
    /// Where it was read.
    pub source: String,
    /// Degree of confidence in the row.
    pub confidence: Confidence,
}

impl LevyExemption {
    /// Returns the key with which an operator confirms it, such as `US_LEVY_2025`.
    pub fn key(&self) -> String {
        key_of_year(self.year)
    }

    /// Whether it applies, as in [`super::GarnishmentLimit::is_applicable`].
    pub fn is_applicable(&self, confirmed: &BTreeSet<String>) -> bool {
        self.confidence.is_enough() || confirmed.contains(&self.key())
    }

    /// Returns the exempt amounts for the pay periods paid, in cents: for the standard deduction, one dependent, and a number of
    /// additional amounts, which Publication 1494 prints together.
    pub fn of_periods(&self, periods: PeriodsPaid, additional: i64) -> [i64; 3] {
        let (part, of) = periods.of_year(1);
        let part = |of_year: Amount, times: i64| {
            let part = part.checked_mul(times).and_then(|part| of_year.mul_ratio(part, of, Rounding::HalfUp));
            part.unwrap_or(crate::amount::MAX_AMOUNT).cents_half_up()
        };
        let of_age = self.additional.unwrap_or(Amount::ZERO);
        [part(self.standard_deduction, 1), part(self.dependent, 1), part(of_age, additional)]
    }
}

pub(super) fn key_of_year(year: i16) -> String {
    format!("US_LEVY_{year}")
}

/// Exempt amounts by year and filing status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevyExemptions {
    by_year: BTreeMap<(i16, LevyFilingStatus), LevyExemption>,
}

impl LevyExemptions {
    /// The built-in amounts as text.
    pub const FILE: &'static str = include_str!("../../../../../data/levy_exemptions.csv");

    /// Returns the built-in amounts.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses the layout of `levy_exemptions.csv`.
    ///
    /// # Errors
    /// A row is malformed, negative or duplicated, or a year lacks a filing status.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let mut by_year = BTreeMap::new();
        for row in csv_rows::<LevyExemption>(csv)? {
            let key = (row.year, row.filing_status);
            let amounts = [Some(row.standard_deduction), Some(row.dependent), row.additional];
            if amounts.into_iter().flatten().any(|amount| amount < Amount::ZERO) {
                return Err(TableError::new(format!("{}: an exempt amount is below zero", row.year)));
            }
            if by_year.insert(key, row).is_some() {
                let (year, status) = key;
                return Err(TableError::new(format!("{year} {} is there twice", status.as_str())));
            }
        }
        let table = Self { by_year };
        for year in table.by_year.keys().map(|(year, _)| *year) {
            for status in LevyFilingStatus::VARIANTS {
                if table.exemption_of_year(year, *status).is_none() {
                    return Err(TableError::new(format!("{year} lacks {}", status.as_str())));
                }
            }
        }
        Ok(table)
    }

    /// Returns the amounts of a year; `None` if they are not in the table.
    pub fn exemption_of_year(&self, year: i16, filing_status: LevyFilingStatus) -> Option<&LevyExemption> {
        self.by_year.get(&(year, filing_status))
    }

    /// Returns all rows, by year and filing status.
    pub fn iter(&self) -> impl Iterator<Item = &LevyExemption> {
        self.by_year.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::withholding::federal::PayFrequency;

    fn exempt(year: i16, status: LevyFilingStatus, frequency: PayFrequency, dependents: i64) -> i64 {
        let [standard, dependent, _] = LevyExemptions::built_in()
            .exemption_of_year(year, status)
            .unwrap()
            .of_periods(PeriodsPaid::one_period(frequency), 0);
        standard + dependent * dependents
    }

    #[test]
    fn the_exempt_amounts_of_2024_are_those_that_publication_1494_prints() {
        use LevyFilingStatus::{HeadOfHousehold, MarriedFilingJointly, MarriedFilingSeparately, Single};
        use PayFrequency::{EveryOtherWeek, EveryWeek, Monthly, TwicePerMonth};
        // Publication 1494 (1-2024): cents without dependents and with the given number of them.
        for (status, frequency, dependents, none, printed) in [
            (Single, EveryWeek, 3, 28_077, 56_922),
            (Single, EveryOtherWeek, 4, 56_154, 133_078),
            (Single, TwicePerMonth, 2, 60_833, 102_499),
            (Single, Monthly, 5, 121_667, 330_002),
            (MarriedFilingJointly, EveryWeek, 5, 56_154, 104_229),
            (MarriedFilingJointly, EveryOtherWeek, 2, 112_308, 150_770),
            (MarriedFilingJointly, TwicePerMonth, 4, 121_667, 204_999),
            (MarriedFilingJointly, Monthly, 4, 243_333, 410_001),
            (HeadOfHousehold, EveryWeek, 5, 42_115, 90_190),
            (HeadOfHousehold, EveryOtherWeek, 4, 84_231, 161_155),
            (HeadOfHousehold, TwicePerMonth, 4, 91_250, 174_582),
            (HeadOfHousehold, Monthly, 3, 182_500, 307_501),
            (MarriedFilingSeparately, EveryWeek, 5, 28_077, 76_152),
        ] {
            assert_eq!(exempt(2024, status, frequency, 0), none, "{status:?} {frequency:?}");
            assert_eq!(exempt(2024, status, frequency, dependents), printed, "{status:?} {frequency:?}");
        }
    }

    #[test]
    fn additional_amounts_are_divided_together_as_publication_1494_prints_them() {
        // Example 4 of Publication 1494 (1-2024): married filing jointly, two dependents, both 65, every other week: 1,626.93.
        let row = LevyExemptions::built_in()
            .exemption_of_year(2024, LevyFilingStatus::MarriedFilingJointly)
            .unwrap();
        let [standard, dependent, additional] =
            row.of_periods(PeriodsPaid::one_period(PayFrequency::EveryOtherWeek), 2);
        assert_eq!([standard, 2 * dependent, additional], [112_308, 38_462, 11_923]);
        assert_eq!(standard + 2 * dependent + additional, 162_693);
    }

    #[test]
    fn a_year_has_every_filing_status_once() {
        let head = "year,filing_status,standard_deduction,dependent,source,confidence\n";
        let wrong = |rows: &str| LevyExemptions::parse(&format!("{head}{rows}")).unwrap_err().to_string();
        assert_eq!(wrong("2027,single,1,1,s,primary\n"), "2027 lacks married_filing_jointly");
        assert!(wrong("2027,single,1,1,s,primary\n2027,single,1,1,s,primary\n").contains("twice"));
        assert!(wrong("2027,single,-1,1,s,primary\n").contains("below zero"));
        assert!(wrong("2027,alone,1,1,s,primary\n").contains("alone"));
    }
}
