//! Withholding tables of a year, as printed in IRS Publication 15-T.

use super::super::table::{
    TableError, built_in, read_amount, read_editions, read_list, read_text, required_field,
};
use super::{PayFrequency, W4};
use crate::Named;
use crate::amount::Amount;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static BUILT_IN: LazyLock<FederalWithholding> =
    LazyLock::new(|| built_in("federal_withholding", FederalWithholding::parse(FederalWithholding::FILE)));

/// The withholding tables of several years.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FederalWithholding(BTreeMap<i16, FederalTables>);

impl FederalWithholding {
    /// The built-in tables as text, a list of years.
    pub const FILE: &'static str = concat!(
        "[",
        include_str!("../../../../../data/federal_withholding_2025.json"),
        ",",
        include_str!("../../../../../data/federal_withholding_2026.json"),
        "]"
    );

    /// Returns the built-in tables: 2025 and 2026.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses the layout of `federal_withholding_<year>.json`, or a list of such objects.
    ///
    /// # Errors
    /// Something is missing or malformed, or a schedule does not start at zero, is not ascending, or has a
    /// percentage above 100.
    pub fn parse(file: &str) -> Result<Self, TableError> {
        read_editions(file, FederalTables::read_tables).map(Self)
    }

    /// Returns the tables of a year.
    pub fn tables_of_year(&self, year: i16) -> Option<&FederalTables> {
        self.0.get(&year)
    }

    /// Returns what step 3 of the Form W-4 of a year multiplies: of the newest tables that say so, at the latest those of `year`.
    pub fn dependent_credits(&self, year: i16) -> Option<DependentCredits> {
        self.0.range(..=year).rev().find_map(|(_, tables)| tables.dependents)
    }

    /// Returns the tables of all years, in order.
    pub fn iter(&self) -> impl Iterator<Item = &FederalTables> {
        self.0.values()
    }
}

/// Withholding tables of a year for the percentage method. Amounts are dollars per year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FederalTables {
    /// Tax year of the pay date.
    pub year: i16,
    /// Publication.
    pub source: String,
    /// Line 1g for Married, without the Step 2 checkbox.
    pub standard_amount_married: Amount,
    /// Line 1g for other filing statuses, without the Step 2 checkbox.
    pub standard_amount_other: Amount,
    /// Line 1k: amount per allowance of a form before 2020.
    pub allowance: Amount,
    /// Step 3 of the year's Form W-4; `None` in a table that does not have it.
    pub dependents: Option<DependentCredits>,
    /// Amounts added to the wages of nonresident aliens; `None` in a table that does not have them.
    pub nonresident_alien: Option<NonresidentAmounts>,
    /// Standard withholding schedules, also for forms before 2020.
    pub standard: Schedules,
    /// Schedules for the Step 2 checkbox (two jobs).
    pub two_jobs: Schedules,
}

/// What step 3 of Form W-4 multiplies. Amounts are dollars per year.
///
/// Source: Form W-4 of the year; 26 USC 24.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DependentCredits {
    /// For each qualifying child under 17.
    pub child: Amount,
    /// For each other dependent.
    pub other: Amount,
    /// Income up to which step 3 applies.
    pub income: Amount,
    /// The same, for those who are married and file jointly.
    pub joint_income: Amount,
}

impl DependentCredits {
    fn read_credits(value: &Value) -> Result<Self, TableError> {
        let [child, other, income, joint_income] =
            ["child", "other", "income", "joint_income"].map(|key| required_field(value, key, read_amount));
        let credits = Self { child: child?, other: other?, income: income?, joint_income: joint_income? };
        match credits.child > Amount::ZERO && credits.other > Amount::ZERO {
            true => Ok(credits),
            false => Err(TableError::new("the credits for dependents must be above 0")),
        }
    }
}

/// Amounts added to a nonresident alien's wages for a pay period, only to calculate income tax withholding.
///
/// Source: IRS Publication 15-T, Withholding Adjustment for Nonresident Alien Employees, Tables 1 and 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonresidentAmounts {
    /// Table 2: forms of 2020 and later, by frequency.
    rev_2020: Vec<(PayFrequency, Amount)>,
    /// Table 1: forms before 2020, by frequency.
    pre_2020: Vec<(PayFrequency, Amount)>,
}

impl NonresidentAmounts {
    fn read_amounts(value: &Value) -> Result<Self, TableError> {
        let by_frequency = |form: &Value| {
            let read = |frequency: &PayFrequency| {
                let amount = required_field(form, frequency.as_str(), read_amount)?;
                Ok((*frequency, amount))
            };
            PayFrequency::ALL.iter().map(read).collect()
        };
        Ok(Self {
            rev_2020: required_field(value, "rev_2020_w4", by_frequency)?,
            pre_2020: required_field(value, "pre_2020_w4", by_frequency)?,
        })
    }

    /// Returns the amount for a form and a pay period.
    pub fn amount_to_add(&self, w4: &W4, frequency: PayFrequency) -> Amount {
        let amounts = match w4 {
            W4::Rev2020 { .. } => &self.rev_2020,
            W4::Pre2020 { .. } => &self.pre_2020,
        };
        let found = amounts.iter().find(|(of, _)| *of == frequency);
        found.map_or(Amount::ZERO, |(_, amount)| *amount)
    }
}

/// Schedules by filing status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedules {
    /// Single or married filing separately.
    pub single: Vec<Bracket>,
    /// Married filing jointly.
    pub married: Vec<Bracket>,
    /// Head of household.
    pub head_of_household: Vec<Bracket>,
}

/// A row of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bracket {
    /// Column A: lower bound of the adjusted annual wage.
    pub at_least: Amount,
    /// Column C: tax at the lower bound.
    pub base: Amount,
    /// Column D: percentage of the excess.
    pub percent: Amount,
}

impl FederalTables {
    /// Returns the built-in tables of a year: 2025 and 2026.
    pub fn built_in(year: i16) -> Option<&'static Self> {
        FederalWithholding::built_in().tables_of_year(year)
    }

    fn read_tables(year: i16, table: &Value) -> Result<Self, TableError> {
        let standard_amount = |key: &str| {
            required_field(table, "standard_amount", |part| required_field(part, key, read_amount))
        };
        Ok(Self {
            year,
            source: required_field(table, "source", read_text)?,
            standard_amount_married: standard_amount("married")?,
            standard_amount_other: standard_amount("other")?,
            allowance: required_field(table, "allowance", read_amount)?,
            dependents: match table.get("dependents") {
                Some(_) => Some(required_field(table, "dependents", DependentCredits::read_credits)?),
                None => None,
            },
            nonresident_alien: match table.get("nonresident_alien") {
                Some(_) => {
                    Some(required_field(table, "nonresident_alien", NonresidentAmounts::read_amounts)?)
                }
                None => None,
            },
            standard: required_field(table, "standard", read_schedules)?,
            two_jobs: required_field(table, "two_jobs", read_schedules)?,
        })
    }
}

fn read_schedules(value: &Value) -> Result<Schedules, TableError> {
    Ok(Schedules {
        single: required_field(value, "single", read_schedule)?,
        married: required_field(value, "married", read_schedule)?,
        head_of_household: required_field(value, "head_of_household", read_schedule)?,
    })
}

fn read_schedule(value: &Value) -> Result<Vec<Bracket>, TableError> {
    let rows = read_list(value, read_bracket)?;
    let begins = rows.first().is_some_and(|row| row.at_least == Amount::ZERO);
    let ascends = rows.is_sorted_by(|row, next| row.at_least < next.at_least);
    if begins && ascends { Ok(rows) } else { Err(TableError::new("the rows must begin at 0 and ascend")) }
}

fn read_bracket(value: &Value) -> Result<Bracket, TableError> {
    let [at_least, base, percent] = read_list(value, read_amount)?
        .try_into()
        .map_err(|_| TableError::new("a row must have three figures: at least, base, percent"))?;
    if percent > Amount::from_cents(10_000) {
        return Err(TableError::new("a percentage must not be above 100"));
    }
    Ok(Bracket { at_least, base, percent })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(tables: &FederalTables) -> [(&'static str, &[Bracket]); 6] {
        [
            ("single", &tables.standard.single),
            ("married", &tables.standard.married),
            ("head of household", &tables.standard.head_of_household),
            ("single, two jobs", &tables.two_jobs.single),
            ("married, two jobs", &tables.two_jobs.married),
            ("head of household, two jobs", &tables.two_jobs.head_of_household),
        ]
    }

    #[test]
    fn the_credits_for_dependents_are_those_of_the_years_form_or_of_the_newest_before_it() {
        let held = FederalWithholding::built_in();
        let child = |year| held.dependent_credits(year).map(|credits| credits.child.to_text(0));
        assert_eq!(child(2024), None);
        assert_eq!(child(2025).as_deref(), Some("2000"));
        assert_eq!((child(2026).as_deref(), child(2027).as_deref()), (Some("2200"), Some("2200")));
        let nothing = r#"{"child": "0", "other": "500", "income": "200000", "joint_income": "400000"}"#;
        let read = DependentCredits::read_credits(&serde_json::from_str(nothing).unwrap());
        assert!(read.unwrap_err().to_string().contains("above 0"));
    }

    #[test]
    fn the_tables_of_both_years_have_the_seven_rates_of_the_law() {
        for year in [2025, 2026] {
            let tables = FederalTables::built_in(year).unwrap();
            assert_eq!(tables.year, year);
            for (name, rows) in all(tables) {
                let rates: Vec<_> = rows.iter().map(|row| row.percent.to_text(0)).collect();
                assert_eq!(rates, ["0", "10", "12", "22", "24", "32", "35", "37"], "{year} {name}");
            }
        }
        assert_eq!(FederalTables::built_in(2024), None);
    }

    /// The printed base of each row is the tax at the end of the previous row. In the two-jobs schedules both ends
    /// are half of the standard ones and are printed in whole dollars, so a base may be off by the tax on half a
    /// dollar at either end.
    #[test]
    fn the_printed_rows_continue_each_other() {
        for year in [2025, 2026] {
            for (name, rows) in all(FederalTables::built_in(year).unwrap()) {
                for pair in rows.windows(2) {
                    let width = pair[1].at_least.checked_sub(pair[0].at_least).unwrap();
                    let tax =
                        width.mul_ratio(pair[0].percent.millionths(), 100_000_000, crate::Rounding::Down);
                    let expected = pair[0].base.checked_add(tax.unwrap()).unwrap();
                    let off = expected.checked_sub(pair[1].base).unwrap().millionths().abs();
                    let allowed = if name.ends_with("two jobs") { 185_000 } else { 0 };
                    assert!(off <= allowed, "{year} {name} from {}: {expected}", pair[1].at_least);
                }
            }
        }
    }

    /// Twice each two-jobs limit is the standard limit plus line 1g: both schedules account for the standard
    /// deduction, the two-jobs schedule for half of it and the standard schedule for what line 1g leaves.
    #[test]
    fn the_schedules_of_two_jobs_are_half_of_the_standard_ones() {
        for year in [2025, 2026] {
            let tables = FederalTables::built_in(year).unwrap();
            let groups = [
                (&tables.standard.single, &tables.two_jobs.single, tables.standard_amount_other),
                (&tables.standard.married, &tables.two_jobs.married, tables.standard_amount_married),
                (
                    &tables.standard.head_of_household,
                    &tables.two_jobs.head_of_household,
                    tables.standard_amount_other,
                ),
            ];
            for (standard, halved, line_1g) in groups {
                for (row, half) in standard.iter().zip(halved).skip(1) {
                    let whole = row.at_least.checked_add(line_1g).unwrap().millionths();
                    let off = half.at_least.millionths() * 2 - whole;
                    // Half a dollar is printed as a whole dollar.
                    assert!((0..=1_000_000).contains(&off), "{year}: {}", half.at_least);
                }
            }
        }
    }

    /// The annual amount is the standard deduction: line 1g plus the untaxed bracket of the schedule. The amount of
    /// the older form is lower by one allowance. Shorter periods have their share, rounded to ten cents.
    #[test]
    fn the_amounts_for_nonresident_aliens_are_the_standard_deduction_by_pay_periods() {
        for year in [2025, 2026] {
            let tables = FederalTables::built_in(year).unwrap();
            let amounts = tables.nonresident_alien.as_ref().unwrap();
            let deduction =
                tables.standard.single[1].at_least.checked_add(tables.standard_amount_other).unwrap();
            let older = deduction.checked_sub(tables.allowance).unwrap();
            for (held, of_year) in [(&amounts.rev_2020, deduction), (&amounts.pre_2020, older)] {
                for (frequency, amount) in held {
                    let periods = frequency.periods_per_year();
                    let dimes = of_year.cents_half_up() / 10;
                    let expected = Amount::from_cents((2 * dimes + periods) / (2 * periods) * 10);
                    assert_eq!(*amount, expected, "{year} {}", frequency.as_str());
                }
            }
        }
        let w4 = W4::Pre2020 {
            filing_status: crate::withholding::federal::FilingStatus::Single,
            allowances: 1,
            additional_withholding: Amount::ZERO,
        };
        let of_2025 = FederalTables::built_in(2025).unwrap().nonresident_alien.as_ref().unwrap();
        assert_eq!(of_2025.amount_to_add(&w4, PayFrequency::EveryWeek).to_text(2), "205.80");
    }

    #[test]
    fn a_faulty_table_is_refused_with_the_place_of_the_fault() {
        let file = include_str!("../../../../../data/federal_withholding_2026.json");
        let golden = [
            (
                "\"12900\"",
                "12900",
                "standard_amount: married: this figure must be a decimal number such as 40.00",
            ),
            (
                "[\"0\", \"0.00\", \"0\"]",
                "[\"5\", \"0.00\", \"0\"]",
                "standard: single: the rows must begin at 0 and ascend",
            ),
            ("\"19900\"", "\"7500\"", "standard: single: the rows must begin at 0 and ascend"),
            (
                "\"0.00\", \"10\"]",
                "\"0.00\"]",
                "standard: single: a row must have three figures: at least, base, percent",
            ),
            ("\"37\"", "\"100.01\"", "standard: single: a percentage must not be above 100"),
            ("\"two_jobs\"", "\"twojobs\"", "two_jobs is missing"),
        ];
        for (right, wrong, expected) in golden {
            let faulty = file.replacen(right, wrong, 1);
            assert_eq!(
                FederalWithholding::parse(&faulty).unwrap_err().to_string(),
                format!("2026: {expected}")
            );
        }
        assert!(FederalWithholding::parse("{").is_err() && FederalWithholding::parse("[]").is_err());
        let twice = FederalWithholding::parse(&format!("[{file}, {file}]"));
        assert_eq!(twice.unwrap_err().to_string(), "2026 is there twice");
    }
}
