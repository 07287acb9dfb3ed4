//! Worksheet 1A of IRS Publication 15-T: the percentage method for automated payroll systems.

use super::{Bracket, FederalTables, FilingStatus, PayFrequency, W4};
use crate::amount::Amount;

/// Millionths of a dollar, times the parts into which a percentage in millionths divides one of them, so that
/// every annual figure of the worksheet is a whole number.
const EXACT: i128 = 100 * 1_000_000;
/// Millionths of a dollar in one cent.
const CENT: i128 = 10_000;

/// What the worksheet takes from a form, in millionths of a dollar.
struct Lines<'t> {
    /// The schedule of the filing status.
    schedule: &'t [Bracket],
    /// Line 1d, a year.
    other_income: i128,
    /// Lines 1f and 1g together, or 1k: a year.
    deductions: i128,
    /// Line 3a, a year.
    credits: i128,
    /// Line 4a, each pay period.
    extra: i128,
}

/// The federal income tax to withhold from the wages of one pay period, in whole cents.
///
/// `taxable_wages` are the period's wages after what reduces income tax, in dollars. The year's figures are
/// exact and the result is rounded once, half up. Whether the paycheck holds so much is not asked.
/// Source: IRS Publication 15-T, Worksheet 1A; the line numbers below are the worksheet's.
///
/// Inputs within their bounds ([`super::check`], [`crate::amount::MAX_AMOUNT`]) stay far below what an
/// amount can hold; beyond, the result is the largest amount.
pub fn withhold(tables: &FederalTables, w4: &W4, taxable_wages: Amount, frequency: PayFrequency) -> Amount {
    let Some(lines) = lines(tables, w4) else { return Amount::ZERO };
    let periods = i128::from(frequency.periods_per_year());
    // Lines 1c to 1i or 1l: the adjusted annual wage amount.
    let annual_wages = millionths(taxable_wages) * periods + lines.other_income - lines.deductions;
    // Lines 2a to 2g, and 3a to 3c before the division by the periods, which both sides share.
    let annual_tax = tax(lines.schedule, annual_wages.max(0)) - lines.credits * EXACT;
    let cents = half_up(annual_tax.max(0), periods * EXACT * CENT);
    // Line 4b.
    let withheld = cents * CENT + lines.extra;
    Amount::from_millionths(i64::try_from(withheld).unwrap_or(i64::MAX))
}

/// What counts of a form; `None` for one that claims exemption.
fn lines<'t>(tables: &'t FederalTables, w4: &W4) -> Option<Lines<'t>> {
    match *w4 {
        W4::Rev2020 { filing_status: FilingStatus::Exempt, .. }
        | W4::Pre2020 { filing_status: FilingStatus::Exempt, .. } => None,
        W4::Rev2020 {
            filing_status,
            two_jobs,
            dependents_amount,
            other_income,
            deductions,
            extra_withholding,
        } => {
            let schedules = if two_jobs { &tables.two_jobs } else { &tables.standard };
            let (schedule, standard_amount) = match filing_status {
                FilingStatus::Married => (&schedules.married, tables.standard_amount_married),
                FilingStatus::HeadOfHousehold => (&schedules.head_of_household, tables.standard_amount_other),
                FilingStatus::Single | FilingStatus::MarriedWithholdAsSingle | FilingStatus::Exempt => {
                    (&schedules.single, tables.standard_amount_other)
                }
            };
            let line_1g = if two_jobs { 0 } else { millionths(standard_amount) };
            Some(Lines {
                schedule,
                other_income: millionths(other_income),
                deductions: millionths(deductions) + line_1g,
                credits: millionths(dependents_amount),
                extra: millionths(extra_withholding),
            })
        }
        W4::Pre2020 { filing_status, allowances, additional_withholding } => {
            let married = filing_status == FilingStatus::Married;
            Some(Lines {
                schedule: if married { &tables.standard.married } else { &tables.standard.single },
                other_income: 0,
                deductions: i128::from(allowances) * millionths(tables.allowance),
                credits: 0,
                extra: millionths(additional_withholding),
            })
        }
    }
}

/// The tax of a schedule on an annual wage in millionths of a dollar, in parts of [`EXACT`].
fn tax(schedule: &[Bracket], annual_wages: i128) -> i128 {
    let row = schedule.iter().rev().find(|row| millionths(row.at_least) <= annual_wages);
    row.map_or(0, |row| {
        let above = annual_wages - millionths(row.at_least);
        millionths(row.base) * EXACT + above * millionths(row.percent)
    })
}

fn millionths(amount: Amount) -> i128 {
    i128::from(amount.millionths())
}

/// `num / den`, half up, of figures that are not negative.
fn half_up(num: i128, den: i128) -> i128 {
    (num + den / 2) / den
}

#[cfg(test)]
#[path = "worksheet_tests.rs"]
mod tests;
