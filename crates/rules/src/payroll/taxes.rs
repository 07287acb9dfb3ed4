//! Federal payroll taxes: Social Security, Medicare, additional Medicare and federal unemployment tax (FUTA).
//!
//! Each is a percentage of the taxable wages of a pay period, up to a wage base or above a threshold for the
//! year of the pay date, considering year-to-date wages. Each tax is rounded once, half up, to the cent.
//!
//! Sources: 26 USC 3101, 3102(f), 3111, 3121, 3301, 3306; the wage bases of the Social Security Administration.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use serde::Deserialize;

use super::input::YearToDate;
use crate::amount::{Amount, Rounding};
use crate::check::STATES;
use crate::explain::{NoTrace, Operation, Step, Trace};
use crate::ratio::Ratio;
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// A row of `payroll_taxes.csv`. Figures that do not apply to a tax are empty.
#[derive(Deserialize)]
struct Row {
    year: i16,
    tax: String,
    employee_percent: String,
    employer_percent: String,
    wage_base: String,
    threshold: String,
    source: String,
    confidence: String,
}

static FUTA_REDUCTIONS: LazyLock<FutaCreditReductions> = LazyLock::new(|| {
    FutaCreditReductions::parse(FutaCreditReductions::FILE)
        .unwrap_or_else(|error| panic!("futa_credit_reduction.csv is not a table: {error}"))
});

static BUILT_IN: LazyLock<PayrollTaxYears> = LazyLock::new(|| {
    PayrollTaxYears::parse(PayrollTaxYears::FILE)
        .unwrap_or_else(|error| panic!("payroll_taxes.csv is not a table: {error}"))
});

/// The payroll taxes of several years.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayrollTaxYears(BTreeMap<i16, PayrollTaxes>);

impl PayrollTaxYears {
    /// The built-in rates, as text.
    pub const FILE: &'static str = include_str!("../../../../data/payroll_taxes.csv");

    /// Returns the built-in rates: 2025 to 2027.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses the layout of `payroll_taxes.csv`.
    ///
    /// # Errors
    /// A row is malformed, or a year lacks a figure.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let rows: Vec<Row> = csv_rows(csv)?;
        for Row { year, tax, source, confidence, .. } in &rows {
            let doubtful = |why| TableError::new(format!("{year}: {tax}: {why}"));
            Confidence::of_figure(source, confidence).map_err(doubtful)?;
        }
        let years: BTreeSet<i16> = rows.iter().map(|row| row.year).collect();
        let read = |year| Ok((year, PayrollTaxes::of_year(year, &rows)?));
        years.into_iter().map(read).collect::<Result<_, TableError>>().map(Self)
    }

    /// Returns the rates of a year.
    pub fn taxes_of_year(&self, year: i16) -> Option<&PayrollTaxes> {
        self.0.get(&year)
    }

    /// Returns the rates of all years, in order.
    pub fn iter(&self) -> impl Iterator<Item = &PayrollTaxes> {
        self.0.values()
    }
}

/// The FUTA credit reductions of states, by year. They are announced in November and paid with the annual return
/// (Form 940), not with each payroll.
///
/// Source: 26 USC 3302(c)(2); the yearly notices of the Department of Labor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FutaCreditReductions(BTreeMap<(i16, String), Amount>);

/// Territories whose wages are subject to the tax, besides the states.
const TERRITORIES: [&str; 2] = ["PR", "VI"];
/// Years for which reductions are accepted; any other year is a typing error.
const YEARS: RangeInclusive<i16> = 2000..=2099;

/// A row of `futa_credit_reduction.csv`.
#[derive(Deserialize)]
struct FutaReduction {
    state: String,
    year: i16,
    percent: Amount,
    source: String,
    confidence: String,
}

impl FutaCreditReductions {
    /// The built-in reductions, as text.
    pub const FILE: &'static str = include_str!("../../../../data/futa_credit_reduction.csv");

    /// Returns the built-in reductions.
    pub fn built_in() -> &'static Self {
        &FUTA_REDUCTIONS
    }

    /// Parses the layout of `futa_credit_reduction.csv`.
    ///
    /// # Errors
    /// A row is malformed, or a state is listed twice for a year.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let mut found = BTreeMap::new();
        for FutaReduction { state, year, percent, source, confidence } in csv_rows(csv)? {
            let doubtful = |why| TableError::new(format!("{year}: {state}: {why}"));
            Confidence::of_figure(&source, &confidence).map_err(doubtful)?;
            if percent < Amount::ZERO || percent > Amount::from_cents(10_000) {
                return Err(TableError::new(format!("{year}: {state}: a percentage is between 0 and 100")));
            }
            let is_known =
                STATES.iter().any(|(code, _)| *code == state) || TERRITORIES.contains(&state.as_str());
            if !is_known || !YEARS.contains(&year) {
                let why = format!(
                    "{year}: {state}: a state has two capital letters, and a year is from 2000 to 2099"
                );
                return Err(TableError::new(why));
            }
            if found.insert((year, state.clone()), percent).is_some() {
                return Err(TableError::new(format!("{year}: {state} is there twice")));
            }
        }
        Ok(Self(found))
    }

    /// Returns the reduction of a state for a year, in percent of FUTA wages; `None` if the state is not listed.
    pub fn reduction_of_state(&self, state: &str, year: i16) -> Option<Amount> {
        self.0.get(&(year, state.to_owned())).copied()
    }

    /// Returns year, state and percent of each reduction, in order.
    pub fn iter(&self) -> impl Iterator<Item = (i16, &str, Amount)> {
        self.0.iter().map(|((year, state), percent)| (*year, state.as_str(), *percent))
    }
}

/// Rates and wage bases of a year. Rates are in percent, wage bases in dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayrollTaxes {
    /// Tax year.
    pub year: i16,
    /// Social Security rate of employee and employer, each
    pub social_security: Amount,
    /// Social Security wage base
    pub social_security_base: Amount,
    /// Medicare rate of employee and employer, each
    pub medicare: Amount,
    /// Additional Medicare rate of the employee.
    pub additional_medicare: Amount,
    /// Additional Medicare threshold.
    pub additional_medicare_threshold: Amount,
    /// FUTA rate of the employer, after the full credit for state tax
    pub futa: Amount,
    /// FUTA wage base
    pub futa_base: Amount,
    /// Flat rate for supplemental wages.
    pub supplemental: Amount,
    /// Flat rate above the threshold.
    pub supplemental_above: Amount,
    /// Threshold of the higher flat rate.
    pub supplemental_threshold: Amount,
}

/// Social Security and Medicare of a paycheck.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fica {
    /// Social Security wages
    pub social_security_wages: Amount,
    /// Social Security tax of employee and employer, each
    pub social_security: Amount,
    /// Medicare tax of employee and employer, each
    pub medicare: Amount,
    /// Wages above the threshold of additional Medicare.
    pub additional_medicare_wages: Amount,
    /// Additional Medicare tax of the employee.
    pub additional_medicare: Amount,
}

/// Federal unemployment tax of a paycheck.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Futa {
    /// FUTA wages
    pub wages: Amount,
    /// Employer tax.
    pub tax: Amount,
}

impl PayrollTaxes {
    /// Returns the built-in rates of a year: 2025 to 2027.
    pub fn built_in(year: i16) -> Option<&'static Self> {
        BUILT_IN.taxes_of_year(year)
    }

    fn of_year(year: i16, rows: &[Row]) -> Result<Self, TableError> {
        let figure = |tax: &str, column: fn(&Row) -> &String| {
            let row = rows.iter().find(|row| row.year == year && row.tax == tax);
            let text = row.map(column).map(String::as_str).unwrap_or_default();
            let figure = Amount::parse(text).ok().filter(|figure| *figure > Amount::ZERO);
            figure.ok_or_else(|| TableError::new(format!("{year}: {tax}: {text:?} is not a number")))
        };
        let both = |tax: &str| {
            let employee = figure(tax, |row| &row.employee_percent)?;
            if figure(tax, |row| &row.employer_percent)? == employee {
                Ok(employee)
            } else {
                Err(TableError::new(format!("{year}: {tax}: employee and employer must pay the same")))
            }
        };
        Ok(Self {
            year,
            social_security: both("social_security")?,
            social_security_base: figure("social_security", |row| &row.wage_base)?,
            medicare: both("medicare")?,
            additional_medicare: figure("additional_medicare", |row| &row.employee_percent)?,
            additional_medicare_threshold: figure("additional_medicare", |row| &row.threshold)?,
            futa: figure("futa", |row| &row.employer_percent)?,
            futa_base: figure("futa", |row| &row.wage_base)?,
            supplemental: figure("supplemental", |row| &row.employee_percent)?,
            supplemental_above: figure("supplemental_above", |row| &row.employee_percent)?,
            supplemental_threshold: figure("supplemental_above", |row| &row.threshold)?,
        })
    }
}

/// Explains that the taxes on wages are not due under a section of the code.
pub(super) fn not_due<T: Trace>(trace: &mut T, figures: &[&'static str], section: &'static str) {
    for figure in figures {
        trace.add_leaf(|| {
            Step::new(*figure, Operation::Given, Amount::ZERO)
                .note("The pay is exempt from this tax.")
                .source(section)
        });
    }
}

/// Calculates Social Security and Medicare; see [`calculate_fica`].
pub fn fica_of(taxes: &PayrollTaxes, wages: Amount, before: &YearToDate) -> Option<Fica> {
    calculate_fica(&mut NoTrace, taxes, wages, before)
}

/// Calculates Social Security and Medicare on the taxable wages and tips of a pay period.
///
/// Social Security applies up to the wage base, additional Medicare above the threshold, both considering
/// year-to-date wages from this employer.
///
/// `None` on overflow.
pub fn calculate_fica<T: Trace>(
    trace: &mut T,
    taxes: &PayrollTaxes,
    wages: Amount,
    before: &YearToDate,
) -> Option<Fica> {
    trace.open_figure();
    let social_security_wages = room_within_base(
        trace,
        ["social_security_wages", "social_security_room"],
        ("medicare_wages", wages),
        (taxes.social_security_base, before.social_security_wages),
    )?;
    let social_security = percent_of(social_security_wages, taxes.social_security)?;
    trace.close_figure(|| {
        tax_step(
            "social_security",
            social_security,
            ("social_security_wages", social_security_wages),
            taxes.social_security,
            "26 USC 3101(a), 3121(a)(1)",
        )
    });
    let medicare = percent_of(wages, taxes.medicare)?;
    trace.add_leaf(|| {
        tax_step("medicare", medicare, ("medicare_wages", wages), taxes.medicare, "26 USC 3101(b)(1)")
    });
    let (additional_medicare_wages, additional_medicare) =
        additional_medicare(trace, taxes, wages, before.medicare_wages)?;
    Some(Fica {
        social_security_wages,
        social_security,
        medicare,
        additional_medicare_wages,
        additional_medicare,
    })
}

/// Returns the wages above the threshold, and the tax on them.
fn additional_medicare<T: Trace>(
    trace: &mut T,
    taxes: &PayrollTaxes,
    wages: Amount,
    before: Amount,
) -> Option<(Amount, Amount)> {
    let threshold = taxes.additional_medicare_threshold;
    let of_year = before.checked_add(wages)?;
    let above = of_year.checked_sub(threshold)?.max(Amount::ZERO);
    let counted = wages.min(above);
    let tax = percent_of(counted, taxes.additional_medicare)?;
    trace.open_figure();
    trace.open_figure();
    trace.open_figure();
    trace.add_leaf(|| {
        Step::new("medicare_wages_of_the_year", Operation::Sum, of_year)
            .input("medicare_wages_before", before)
            .input("medicare_wages", wages)
    });
    trace.close_figure(|| {
        Step::new("above_threshold", Operation::Remaining, above)
            .input("medicare_wages_of_the_year", of_year)
            .input("threshold", threshold)
    });
    trace.close_figure(|| {
        Step::new("additional_medicare_wages", Operation::Least, counted)
            .input("medicare_wages", wages)
            .input("above_threshold", above)
    });
    trace.close_figure(|| {
        let wages = ("additional_medicare_wages", counted);
        let source = "26 USC 3101(b)(2), 3102(f)";
        tax_step("additional_medicare", tax, wages, taxes.additional_medicare, source)
    });
    Some((counted, tax))
}

/// Calculates federal unemployment tax up to the wage base.
///
/// `None` on overflow.
pub fn calculate_futa<T: Trace>(
    trace: &mut T,
    taxes: &PayrollTaxes,
    wages: Amount,
    before: &YearToDate,
) -> Option<Futa> {
    trace.open_figure();
    let counted = room_within_base(
        trace,
        ["futa_wages", "futa_room"],
        ("futa_wages_of_the_period", wages),
        (taxes.futa_base, before.futa_wages),
    )?;
    let tax = percent_of(counted, taxes.futa)?;
    trace.close_figure(|| {
        tax_step("futa", tax, ("futa_wages", counted), taxes.futa, "26 USC 3301, 3302, 3306(b)(1)")
    });
    Some(Futa { wages: counted, tax })
}

/// Calculates what an employer owes on the FUTA wages of a year in a credit reduction state, at the given percentage. The result is
/// rounded once, for the state, as on the annual return.
///
/// `None` on overflow.
pub fn credit_reduction<T: Trace>(
    trace: &mut T,
    state: &str,
    (wages, percent): (Amount, Amount),
) -> Option<Amount> {
    let due = percent_of(wages, percent)?;
    trace.add_leaf(|| {
        Step::new(format!("credit_reduction_{state}"), Operation::Product, due)
            .input("futa_wages_of_the_state", wages)
            .ratio("credit_reduction", percent.millionths(), 100_000_000)
            .rounded("0.01", Rounding::HalfUp)
            .source("26 USC 3302(c)(2); Form 940, Schedule A")
    });
    Some(due)
}

/// Calculates federal income tax at the flat rates for supplemental wages, rounded once. For `exempt`
/// employees, only the higher rate applies, because no certificate affects it.
///
/// Source: 26 CFR 31.3402(g)-1(a)(2) and (a)(7); the rates of P.L. 119-21.
///
/// `None` on overflow.
pub fn supplemental_tax<T: Trace>(
    trace: &mut T,
    taxes: &PayrollTaxes,
    wages: Amount,
    (before, exempt): (&YearToDate, bool),
) -> Option<Amount> {
    trace.open_figure();
    let threshold = (taxes.supplemental_threshold, before.supplemental_wages);
    let below = room_within_base(
        trace,
        ["wages_at_the_flat_rate", "room_below_threshold"],
        ("taxable_wages", wages),
        threshold,
    )?;
    let above = wages.checked_sub(below)?;
    trace.add_leaf(|| {
        Step::new("wages_at_the_higher_rate", Operation::Difference, above)
            .input("taxable_wages", wages)
            .input("wages_at_the_flat_rate", below)
    });
    let percent = if exempt { Amount::ZERO } else { taxes.supplemental };
    let low = Ratio::from_amount(below).percent(percent)?;
    let high = Ratio::from_amount(above).percent(taxes.supplemental_above)?;
    let tax = low.plus(high)?.to_cents(Rounding::HalfUp)?;
    for (figure, part, wages, rate, result) in [
        ("tax_at_the_flat_rate", "wages_at_the_flat_rate", below, percent, low),
        ("tax_at_the_higher_rate", "wages_at_the_higher_rate", above, taxes.supplemental_above, high),
    ] {
        trace.add_leaf(|| {
            Step::new(figure, Operation::Product, result.to_value()).input(part, wages).ratio(
                "rate",
                rate.millionths(),
                100_000_000,
            )
        });
    }
    trace.close_figure(|| {
        Step::new("federal_income_tax", Operation::Sum, tax)
            .input("tax_at_the_flat_rate", low.to_value())
            .input("tax_at_the_higher_rate", high.to_value())
            .rounded("0.01", Rounding::HalfUp)
            .source("26 CFR 31.3402(g)-1")
    });
    Some(tax)
}

/// Returns the part of the wages within the wage base.
fn room_within_base<T: Trace>(
    trace: &mut T,
    [figure, room_figure]: [&'static str; 2],
    (name, wages): (&'static str, Amount),
    (base, before): (Amount, Amount),
) -> Option<Amount> {
    let room = base.checked_sub(before)?.max(Amount::ZERO);
    let counted = wages.min(room);
    trace.open_figure();
    trace.add_leaf(|| {
        Step::new(room_figure, Operation::Remaining, room)
            .input("wage_base", base)
            .input("wages_before_in_the_year", before)
    });
    trace.close_figure(|| {
        Step::new(figure, Operation::Least, counted).input(name, wages).input(room_figure, room)
    });
    Some(counted)
}

fn tax_step(
    figure: &'static str,
    tax: Amount,
    (wages_name, wages): (&'static str, Amount),
    percent: Amount,
    source: &'static str,
) -> Step {
    Step::new(figure, Operation::Product, tax)
        .input(wages_name, wages)
        .ratio("rate", percent.millionths(), 100_000_000)
        .rounded("0.01", Rounding::HalfUp)
        .source(source)
}

/// Returns a percentage of an amount, half up to the cent.
pub(super) fn percent_of(amount: Amount, percent: Amount) -> Option<Amount> {
    // Millionths times millionths of a percent; a cent has ten thousand millionths.
    let exact = i128::from(amount.millionths()) * i128::from(percent.millionths());
    Amount::from_cents_ratio(exact, 100_000_000 * 10_000, Rounding::HalfUp)
}

#[cfg(test)]
#[path = "taxes_tests.rs"]
mod tests;
